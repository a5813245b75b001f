// mq-admin bench consume: drains what a topic holds at the start, one pull in flight for each queue, counting records
// without looking into them.
#include <algorithm>
#include <csignal>
#include <optional>
#include <vector>

#include "admin/bench_peer.h"
#include "admin/bench_report.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/strings.h"
#include "protocol/message.h"
#include "protocol/names.h"
#include "protocol/pull_headers.h"

namespace mq::admin {
namespace {

struct Drain {
  client::MessageQueue queue;
  size_t peer = 0;
  int64_t next = 0;
  int64_t end = 0;
  int64_t asked_ns = 0;
};

class ConsumeBench : public BenchPeerHandler {
 public:
  ConsumeBench(Context& context, std::string group, int32_t pull_batch)
      : context_(context),
        group_(std::move(group)),
        pull_batch_(pull_batch),
        interrupt_(context.loop, SIGINT, [this] { OnSignal(SIGINT); }),
        terminate_(context.loop, SIGTERM, [this] { OnSignal(SIGTERM); }),
        silence_(context.loop, [this] { OnSilence(); }) {}

  // A queue to read from `next` to `end`, at the broker of that address.
  Status Add(const client::MessageQueue& queue, const std::string& address, int64_t next, int64_t end);
  Result<int> Run();

 private:
  void Pull(size_t drain);
  void OnUp(size_t peer) override;
  void OnDown(size_t peer, const Error& why) override;
  void OnAnswer(size_t, int32_t, int32_t) override {}
  void OnFrame(size_t peer, const protocol::CommandView& answer) override;
  void Count(Drain& drain, std::string_view body);
  void Done();
  void OnSignal(int signal);
  void OnSilence();

  Context& context_;
  std::string group_;
  int32_t pull_batch_;
  std::vector<Drain> drains_;
  std::vector<std::string> peer_addresses_;
  std::vector<std::unique_ptr<BenchPeer>> peers_;
  Histogram latencies_;
  uint64_t messages_ = 0;
  uint64_t bytes_ = 0;
  size_t open_ = 0;
  uint64_t answers_ = 0;
  uint64_t answers_seen_ = 0;
  int64_t last_ns_ = 0;
  std::optional<Error> failure_;
  int signal_ = 0;
  loop::Signal interrupt_;
  loop::Signal terminate_;
  loop::Timer silence_;
};

Status ConsumeBench::Add(const client::MessageQueue& queue, const std::string& address, int64_t next, int64_t end) {
  if (next >= end) return Ok();
  size_t peer = 0;
  while (peer < peer_addresses_.size() && peer_addresses_[peer] != address) ++peer;
  if (peer == peer_addresses_.size()) {
    MQ_ASSIGN(loop::Address parsed, loop::Address::Parse(address));
    peers_.push_back(std::make_unique<BenchPeer>(context_.loop, std::move(parsed), peer, *this, true));
    peer_addresses_.push_back(address);
  }
  drains_.push_back({queue, peer, next, end, 0});
  return Ok();
}

Result<int> ConsumeBench::Run() {
  const double cpu_before = ProcessorSeconds();
  const int64_t started = last_ns_ = MonotonicNs();
  open_ = drains_.size();
  const int64_t timeout = context_.admin.timeout_ms();
  for (const auto& peer : peers_) peer->Connect(timeout);
  silence_.Start(timeout, timeout);
  if (open_ > 0) context_.loop.Run();
  for (const auto& peer : peers_) peer->Close();
  uint64_t left = 0;
  for (const Drain& drain : drains_) left += static_cast<uint64_t>(std::max<int64_t>(drain.end - drain.next, 0));
  if (failure_ && messages_ == 0) return std::move(*failure_);
  if (failure_) context_.Notice(failure_->what);
  BenchFigures figures;
  figures.messages = messages_;
  figures.bytes = bytes_;
  figures.failed = signal_ == 0 ? left : 0;
  figures.elapsed_ns = last_ns_ - started;
  figures.latencies = &latencies_;
  return PrintFigures(context_, figures, ProcessorSeconds() - cpu_before, signal_);
}

void ConsumeBench::Pull(size_t index) {
  Drain& drain = drains_[index];
  protocol::PullMessageRequestHeader header;
  header.consumer_group = group_;
  header.topic = drain.queue.topic;
  header.queue_id = drain.queue.queue_id;
  header.queue_offset = protocol::QueueOffset(drain.next);
  header.max_msg_nums = static_cast<int32_t>(std::min<int64_t>(pull_batch_, drain.end - drain.next));
  // Waiting is for messages that are appended but not dispatched yet.
  header.sys_flag = protocol::pull_flag::kSubscription | protocol::pull_flag::kSuspend;
  header.suspend_timeout_ms = context_.admin.timeout_ms();
  header.subscription = "*";
  header.expression_type = "TAG";
  protocol::CommandHead head;
  head.type = protocol::SerializeType::kRocketMq;
  head.code = static_cast<int32_t>(protocol::RequestCode::kPullMessage);
  head.opaque = static_cast<int32_t>(index);
  protocol::CommandWriter writer(peers_[drain.peer]->output(), head);
  header.Encode(writer);
  writer.Finish(0);
  drain.asked_ns = MonotonicNs();
}

void ConsumeBench::OnUp(size_t peer) {
  for (size_t i = 0; i < drains_.size(); ++i) {
    if (drains_[i].peer == peer) Pull(i);
  }
}

void ConsumeBench::OnDown(size_t /*peer*/, const Error& why) {
  failure_ = why;
  context_.loop.Stop();
}

void ConsumeBench::OnFrame(size_t /*peer*/, const protocol::CommandView& answer) {
  if (answer.opaque < 0 || static_cast<size_t>(answer.opaque) >= drains_.size()) return;
  const auto index = static_cast<size_t>(answer.opaque);
  Drain& drain = drains_[index];
  ++answers_;
  last_ns_ = MonotonicNs();
  latencies_.Add(last_ns_ - drain.asked_ns);
  const auto header = protocol::PullMessageResponseHeader::Decode(answer);
  if (!header || answer.code > static_cast<int32_t>(protocol::ResponseCode::kPullOffsetMoved)) {
    remoting::CallResult refused{remoting::CallOutcome::kReply, &answer, {}};
    failure_ = refused.ToError();
    return context_.loop.Stop();
  }
  if (answer.code == 0) Count(drain, answer.body);
  drain.next = std::max(drain.next, header->next_begin_offset.value());
  if (failure_) return context_.loop.Stop();
  if (drain.next >= drain.end) return Done();
  Pull(index);
}

void ConsumeBench::Count(Drain& drain, std::string_view body) {
  while (body.size() >= protocol::kMinRecordBytes) {
    const uint32_t size = LoadBe32(body.data());
    if (size < protocol::kMinRecordBytes || size > body.size()) break;
    ++messages_;
    const size_t hosts = (body[protocol::kRecordSysFlagAt + 3] & protocol::sys_flag::kBornHostV6 ? 20 : 8) +
                         (body[protocol::kRecordSysFlagAt + 3] & protocol::sys_flag::kStoreHostV6 ? 20 : 8);
    // Before the body's length: everything fixed but it, topic and property lengths.
    bytes_ += LoadBe32(body.data() + protocol::kRecordFixedBytes - 7 + hosts);
    body.remove_prefix(size);
  }
  if (!body.empty()) {
    failure_ = MakeError(ErrorCode::kProtocol, "damaged pull answer for queue " + std::to_string(drain.queue.queue_id));
  }
}

void ConsumeBench::Done() {
  if (--open_ == 0) context_.loop.Stop();
}

void ConsumeBench::OnSignal(int signal) {
  signal_ = signal;
  context_.loop.Stop();
}

void ConsumeBench::OnSilence() {
  if (answers_ == answers_seen_) {
    failure_ = MakeError(ErrorCode::kTimeout, "no answer to a pull within the timeout");
    return context_.loop.Stop();
  }
  answers_seen_ = answers_;
}

Result<int64_t> OffsetOf(Context& context, const std::string& address, protocol::RequestCode code,
                         const client::MessageQueue& queue) {
  protocol::Command command(code);
  command.Set("topic", queue.topic).Set("queueId", int64_t{queue.queue_id});
  MQ_ASSIGN(const protocol::Command reply, context.admin.Ask(address, std::move(command)));
  const Result<int64_t> offset = ParseInt64(reply.Find("offset").value_or("none"));
  if (!offset) return MakeError(ErrorCode::kProtocol, "broker " + address + " answered no offset");
  return *offset;
}

}  // namespace

Result<int> BenchConsume(Context& context) {
  const std::string& topic = context.settings.String("topic");
  MQ_TRY(protocol::CheckTopicName(topic));
  MQ_ASSIGN(const client::TopicRoute route, context.admin.Route(topic));
  const auto pull_batch = static_cast<int32_t>(context.settings.Int("pull-batch"));
  struct Stretch {
    client::MessageQueue queue;
    std::string address;
    int64_t min = 0;
    int64_t max = 0;
  };
  std::vector<Stretch> stretches;
  for (const client::MessageQueue& queue : route.SubscribeQueues(topic)) {
    const std::string address = route.AnyOf(queue.broker_name);
    MQ_ASSIGN(const int64_t min, OffsetOf(context, address, protocol::RequestCode::kGetMinOffset, queue));
    MQ_ASSIGN(const int64_t max, OffsetOf(context, address, protocol::RequestCode::kGetMaxOffset, queue));
    stretches.push_back({queue, address, min, max});
  }
  // Only now: the bench takes signals for its own, and one that comes while questions are open would end their wait.
  ConsumeBench bench(context, context.settings.String("group"), pull_batch);
  for (const Stretch& one : stretches) MQ_TRY(bench.Add(one.queue, one.address, one.min, one.max));
  return bench.Run();
}

}  // namespace mq::admin
