#include "client/name_servers.h"

#include <optional>
#include <utility>

#include "base/strings.h"
#include "loop/loop.h"

namespace mq::client {
namespace {

// After this long without an answer the next server is asked too.
constexpr int64_t kHedgeMs = 250;
// How long a "no such topic" waits for the others to know better.
constexpr int64_t kSecondOpinionMs = 500;

}  // namespace

Result<std::vector<std::string>> ParseNameServers(std::string_view text) {
  std::vector<std::string> addresses;
  if (IsHttpUrl(Trim(text))) {
    MQ_TRY(HttpUrl::Parse(Trim(text)));
    addresses.emplace_back(Trim(text));
    return addresses;
  }
  for (const std::string_view piece : SplitAny(text, ";,")) {
    const std::string_view address = Trim(piece);
    if (address.empty()) continue;
    MQ_TRY(loop::Address::Parse(address));
    addresses.emplace_back(address);
  }
  if (addresses.empty()) return MakeError(ErrorCode::kConfig, "no name server address given");
  return addresses;
}

struct NameServers::Question {
  remoting::Client* client = nullptr;
  std::shared_ptr<std::vector<std::string>> addresses;
  std::weak_ptr<size_t> current;  // expired: whoever asked is gone, and the client with it
  protocol::Command command;
  int64_t timeout_ms = 0;
  Callback done;
  std::unique_ptr<loop::Timer> timer;
  size_t first = 0;
  size_t asked = 0;
  size_t failed = 0;
  std::optional<protocol::Command> no_such_topic;
  std::optional<Error> error;  // of every server that gave none but this
};

NameServers::NameServers(loop::Loop& loop, remoting::Client& client, std::vector<std::string> addresses)
    : loop_(loop),
      client_(client),
      addresses_(std::make_shared<std::vector<std::string>>(std::move(addresses))),
      current_(std::make_shared<size_t>(0)) {
  if (addresses_->size() != 1 || !IsHttpUrl(addresses_->front())) return;
  url_ = addresses_->front();
  addresses_->clear();
}

void NameServers::Fetch() {
  fetching_ = std::make_unique<AddressQuestion>(loop_, url_, kAddressServerTimeoutMs,
                                                [this](const auto& addresses) { OnFetched(addresses); });
}

void NameServers::OnFetched(const Result<std::vector<std::string>>& addresses) {
  // From the loop: the question is what is calling.
  loop_.Post([ended = std::shared_ptr<AddressQuestion>(std::move(fetching_))] {});
  if (addresses) {
    *addresses_ = *addresses;
    *current_ %= addresses_->size();
  }
  if (!refresh_) {
    refresh_ = std::make_unique<loop::Timer>(loop_, [this] {
      if (!fetching_) Fetch();
    });
    refresh_->Start(kAddressServerRefreshMs, kAddressServerRefreshMs);
    refresh_->Unref();
  }
  for (Early& question : std::exchange(early_, {})) {
    if (addresses_->empty()) {
      question.done(addresses.error());
    } else {
      Ask(question.command, question.timeout_ms, std::move(question.done));
    }
  }
}

void NameServers::Ask(const protocol::Command& command, int64_t timeout_ms, Callback done) {
  if (addresses_->empty()) {
    early_.push_back({command, timeout_ms, std::move(done)});
    if (!fetching_) Fetch();
    return;
  }
  auto question = std::make_shared<Question>();
  question->client = &client_;
  question->addresses = addresses_;
  question->current = current_;
  question->command = command;
  question->timeout_ms = timeout_ms;
  question->done = std::move(done);
  question->first = *current_;
  const std::weak_ptr<Question> weak = question;
  question->timer = std::make_unique<loop::Timer>(loop_, [weak] {
    const auto held = weak.lock();
    if (!held || !held->done || held->current.expired()) return;
    if (held->no_such_topic) return Finish(held, std::move(*held->no_such_topic));
    AskNext(held);
  });
  AskNext(question);
}

void NameServers::AskNext(const std::shared_ptr<Question>& question) {
  if (question->asked >= question->addresses->size()) return;
  const size_t server = (question->first + question->asked++) % question->addresses->size();
  if (question->asked < question->addresses->size()) question->timer->Start(kHedgeMs);
  question->client->Call(
      (*question->addresses)[server], question->command, question->timeout_ms,
      [question, server](const remoting::CallResult& result) { Answered(question, server, result); });
}

void NameServers::Answered(const std::shared_ptr<Question>& question, size_t server,
                           const remoting::CallResult& result) {
  const std::shared_ptr<size_t> current = question->current.lock();
  if (!question->done || !current) return;  // somebody was faster, or nobody waits any more
  const bool unknown_topic = result.outcome == remoting::CallOutcome::kReply &&
                             result.reply->code == static_cast<int32_t>(protocol::ResponseCode::kTopicNotExist);
  if (result.ok()) {
    *current = server;
    return Finish(question, protocol::CopyCommand(*result.reply));
  }
  ++question->failed;
  if (unknown_topic) {
    question->no_such_topic = protocol::CopyCommand(*result.reply);
  } else {
    Error error = result.ToError();
    error.what.insert(0, "name server ");
    if (question->error) error.what.insert(0, question->error->what + "; ");
    question->error = std::move(error);
  }
  if (question->failed >= question->addresses->size()) {
    if (question->no_such_topic) return Finish(question, std::move(*question->no_such_topic));
    return Finish(question, std::move(*question->error));
  }
  AskNext(question);
  if (question->no_such_topic) question->timer->Start(kSecondOpinionMs);
}

void NameServers::Finish(const std::shared_ptr<Question>& question, Result<protocol::Command> answer) {
  const Callback done = std::exchange(question->done, nullptr);
  question->timer->Stop();
  if (done) done(std::move(answer));
}

}  // namespace mq::client
