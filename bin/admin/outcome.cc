// What several servers made of one change; see context.h.
#include "admin/context.h"

#include <algorithm>

#include "base/strings.h"

namespace mq::admin {

void Outcome::Failed(const std::string& who, const Error& error) {
  for (Failure& known : failures_) {
    if (known.error.code != error.code || known.error.what != error.what) continue;
    if (std::find(known.who.begin(), known.who.end(), who) == known.who.end()) known.who.push_back(who);
    return;
  }
  failures_.push_back({{who}, error});
}

Error Outcome::Told(const Failure& failure) const {
  const std::string kind = kind_ + (failure.who.size() > 1 ? "s " : " ");
  return Result<void>(failure.error).WithContext(kind + JoinStrings(failure.who, ", ")).error();
}

bool Outcome::refused() const {
  return std::none_of(failures_.begin(), failures_.end(),
                      [](const Failure& failure) { return RetryMayHelp(failure.error); });
}

Result<int> Outcome::ExitStatus() const {
  // With nothing done the last failure is the error of the whole, and said by whoever prints that.
  const size_t notices = failures_.size() - (done_ == 0 && !failures_.empty() ? 1 : 0);
  for (size_t i = 0; i < notices; ++i) context_.Notice(Told(failures_[i]).what);
  if (failures_.empty()) return kDone;
  if (done_ == 0) return Told(failures_.back());
  return kPartly;
}

Result<int> Outcome::Finish(const Table& table) const {
  if (done_ > 0 || failures_.empty()) MQ_TRY(table.Print(context_.style));
  return ExitStatus();
}

std::vector<std::optional<Result<protocol::Command>>> Apply(Context& context,
                                                            std::vector<std::optional<client::Question>> changes) {
  std::vector<std::optional<Result<protocol::Command>>> answers(changes.size());
  if (context.dry_run()) return answers;
  std::vector<client::Question> questions;
  std::vector<size_t> places;
  for (size_t i = 0; i < changes.size(); ++i) {
    if (!changes[i]) continue;
    questions.push_back(std::move(*changes[i]));
    places.push_back(i);
  }
  context.admin.Begin();
  auto replies = context.admin.AskEach(std::move(questions));
  for (size_t i = 0; i < replies.size(); ++i) answers[places[i]].emplace(std::move(replies[i]));
  return answers;
}

const std::vector<std::string>& NameServers(const Context& context) { return context.admin.endpoints().name_servers; }

Status NeedNameServers(const Context& context) {
  if (!NameServers(context).empty()) return Ok();
  return MakeError(ErrorCode::kConfig, "this is asked of name servers: say --namesrv instead of --broker");
}

}  // namespace mq::admin
