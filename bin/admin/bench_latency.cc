// mq-admin bench latency: messages at a steady rate through one queue, and how long each takes from being born to being
// received by a waiting pull. The clock of birth travels in the body.
#include <algorithm>
#include <csignal>
#include <cstring>
#include <optional>
#include <vector>

#include "admin/bench_peer.h"
#include "admin/bench_report.h"
#include "base/clock.h"
#include "base/strings.h"
#include "client/producer_batch.h"
#include "protocol/message.h"
#include "protocol/names.h"
#include "protocol/pull_headers.h"

namespace mq::admin {
namespace {

constexpr size_t kSendPeer = 0;
constexpr size_t kPullPeer = 1;
constexpr int32_t kPullOpaque = 1 << 30;
constexpr int64_t kLingerMs = 2000;
constexpr int64_t kSuspendMs = 15000;
constexpr int32_t kPullBatch = 32;

// Marks our own messages, so that what others send to the topic meanwhile is not measured.
struct Stamp {
  uint64_t run = 0;
  int64_t born_ns = 0;
};

class LatencyBench : public BenchPeerHandler {
 public:
  LatencyBench(Context& context, client::MessageQueue queue, loop::Address address, size_t size)
      : context_(context),
        queue_(std::move(queue)),
        size_(std::max(size, sizeof(Stamp))),
        run_(static_cast<uint64_t>(MonotonicNs())),
        sender_(context.loop, address, kSendPeer, *this, false),
        puller_(context.loop, address, kPullPeer, *this, true),
        tick_(context.loop, [this] { Tick(); }),
        end_(context.loop, [this] { Finish(); }),
        linger_(context.loop, [this] { context_.loop.Stop(); }),
        interrupt_(context.loop, SIGINT, [this] { OnSignal(SIGINT); }),
        terminate_(context.loop, SIGTERM, [this] { OnSignal(SIGTERM); }) {}

  Result<int> Run(int64_t first_offset, int64_t rate, int64_t duration_ms);

 private:
  void MakeFrame();
  void SendOne();
  void Tick();
  void Pull();
  void OnUp(size_t peer) override;
  void OnDown(size_t peer, const Error& why) override;
  void OnAnswer(size_t peer, int32_t code, int32_t opaque) override;
  void OnFrame(size_t peer, const protocol::CommandView& answer) override;
  void Received(std::string_view records);
  void Finish();
  void MaybeStop();
  void OnSignal(int signal);

  Context& context_;
  client::MessageQueue queue_;
  size_t size_;
  uint64_t run_;
  FrameTemplate frame_{std::string()};
  Histogram latencies_;
  int64_t next_ = 0;
  int64_t rate_ = 0;
  int64_t started_ns_ = 0;
  int64_t last_ns_ = 0;
  uint64_t sent_ = 0;
  uint64_t received_ = 0;
  uint64_t refused_ = 0;
  int32_t opaque_ = 0;
  std::optional<Error> failure_;
  bool finishing_ = false;
  int signal_ = 0;
  BenchPeer sender_;
  BenchPeer puller_;
  loop::Timer tick_;
  loop::Timer end_;
  loop::Timer linger_;
  loop::Signal interrupt_;
  loop::Signal terminate_;
};

void LatencyBench::MakeFrame() {
  client::Batch batch;
  batch.topic = queue_.topic;
  batch.queue = queue_;
  client::AddToBatch(batch, std::string(size_, 'x'), {}, {});
  protocol::CommandHead head;
  head.type = protocol::SerializeType::kRocketMq;
  std::string frame;
  client::EncodeSend(batch, {protocol::kToolsProducerGroup, true, NowMs()}, head, frame);
  frame_ = FrameTemplate(std::move(frame));
}

Result<int> LatencyBench::Run(int64_t first_offset, int64_t rate, int64_t duration_ms) {
  MakeFrame();
  next_ = first_offset;
  rate_ = rate;
  const double cpu_before = ProcessorSeconds();
  end_.Start(duration_ms);
  puller_.Connect(context_.admin.timeout_ms());
  context_.loop.Run();
  sender_.Close();
  puller_.Close();
  if (failure_ && received_ == 0) return std::move(*failure_);
  if (failure_) context_.Notice(failure_->what);
  BenchFigures figures;
  figures.messages = received_;
  figures.bytes = received_ * size_;
  figures.failed = sent_ - received_;
  figures.elapsed_ns = last_ns_ - started_ns_;
  figures.latencies = &latencies_;
  return PrintFigures(context_, figures, ProcessorSeconds() - cpu_before, signal_);
}

void LatencyBench::OnUp(size_t peer) {
  if (peer == kPullPeer) {
    Pull();
    sender_.Connect(context_.admin.timeout_ms());
    return;
  }
  started_ns_ = last_ns_ = MonotonicNs();
  tick_.Start(0, 1);
}

// As many as are due by the clock: a timer that comes late does not lower the rate.
void LatencyBench::Tick() {
  if (finishing_) return;
  const int64_t elapsed = MonotonicNs() - started_ns_;
  const auto due = static_cast<uint64_t>(static_cast<double>(elapsed) * static_cast<double>(rate_) / 1e9) + 1;
  while (sent_ < due) SendOne();
}

void LatencyBench::SendOne() {
  Stamp stamp{run_, MonotonicNs()};
  char bytes[sizeof stamp];
  std::memcpy(bytes, &stamp, sizeof stamp);
  frame_.SetOpaque(opaque_ = (opaque_ + 1) % kPullOpaque);
  frame_.Overwrite(frame_.body_at(), {bytes, sizeof bytes});
  sender_.output().append(frame_.bytes());
  ++sent_;
}

void LatencyBench::Pull() {
  protocol::PullMessageRequestHeader header;
  header.consumer_group = context_.settings.String("group");
  header.topic = queue_.topic;
  header.queue_id = queue_.queue_id;
  header.queue_offset = protocol::QueueOffset(next_);
  header.max_msg_nums = kPullBatch;
  header.sys_flag = protocol::pull_flag::kSubscription | protocol::pull_flag::kSuspend;
  header.suspend_timeout_ms = kSuspendMs;
  header.subscription = "*";
  header.expression_type = "TAG";
  protocol::CommandHead head;
  head.type = protocol::SerializeType::kRocketMq;
  head.code = static_cast<int32_t>(protocol::RequestCode::kPullMessage);
  head.opaque = kPullOpaque;
  protocol::CommandWriter writer(puller_.output(), head);
  header.Encode(writer);
  writer.Finish(0);
}

void LatencyBench::OnAnswer(size_t /*peer*/, int32_t code, int32_t /*opaque*/) {
  if (code == 0) return;
  ++refused_;
  failure_ = MakeError(remoting::ErrorCodeOf(code), "the broker refuses a send: code " + std::to_string(code) + " " +
                                                        std::string(protocol::ResponseCodeName(code)));
  MaybeStop();
}

void LatencyBench::OnFrame(size_t /*peer*/, const protocol::CommandView& answer) {
  const auto header = protocol::PullMessageResponseHeader::Decode(answer);
  if (!header || answer.code > static_cast<int32_t>(protocol::ResponseCode::kPullOffsetMoved)) {
    const remoting::CallResult refused{remoting::CallOutcome::kReply, &answer, {}};
    failure_ = refused.ToError();
    return context_.loop.Stop();
  }
  next_ = header->next_begin_offset.value();
  Pull();
  if (answer.code == 0) Received(answer.body);
  MaybeStop();
}

void LatencyBench::Received(std::string_view records) {
  const int64_t now = MonotonicNs();
  while (!records.empty()) {
    const auto record = protocol::DecodeMessage(records);
    if (!record) {
      failure_ = record.error();
      return context_.loop.Stop();
    }
    records.remove_prefix(static_cast<size_t>(record->size));
    Stamp stamp;
    if (record->body.size() < sizeof stamp) continue;
    std::memcpy(&stamp, record->body.data(), sizeof stamp);
    if (stamp.run != run_) continue;
    latencies_.Add(now - stamp.born_ns);
    ++received_;
    last_ns_ = now;
  }
}

void LatencyBench::OnDown(size_t /*peer*/, const Error& why) {
  failure_ = why;
  context_.loop.Stop();
}

void LatencyBench::Finish() {
  if (finishing_) return;
  finishing_ = true;
  tick_.Stop();
  linger_.Start(kLingerMs);
  MaybeStop();
}

void LatencyBench::MaybeStop() {
  if (finishing_ && received_ + refused_ >= sent_) context_.loop.Stop();
}

void LatencyBench::OnSignal(int signal) {
  if (signal_ != 0) return context_.loop.Stop();
  signal_ = signal;
  Finish();
}

}  // namespace

Result<int> BenchLatency(Context& context) {
  const conf::Settings& settings = context.settings;
  const std::string& topic = settings.String("topic");
  MQ_TRY(protocol::CheckTopicName(topic));
  MQ_ASSIGN(const client::TopicRoute route, context.admin.Route(topic));
  const std::vector<client::MessageQueue> queues = route.PublishQueues(topic);
  if (queues.empty()) return MakeError(ErrorCode::kUnreachable, "topic " + topic + " has no writable queue");
  const std::string master = route.MasterOf(queues.front().broker_name);
  MQ_ASSIGN(loop::Address address, loop::Address::Parse(master));
  protocol::Command command(protocol::RequestCode::kGetMaxOffset);
  command.Set("topic", topic).Set("queueId", int64_t{queues.front().queue_id});
  MQ_ASSIGN(const protocol::Command reply, context.admin.Ask(master, std::move(command)));
  MQ_ASSIGN(const int64_t first, ParseInt64(reply.Find("offset").value_or("none")));
  LatencyBench bench(context, queues.front(), std::move(address), static_cast<size_t>(settings.Bytes("size")));
  return bench.Run(first, settings.Int("rate"), settings.DurationMs("duration"));
}

}  // namespace mq::admin
