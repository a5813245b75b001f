// mq-admin bench send: N connections, each with a window of requests in flight, for a while. The requests are made
// beforehand; only opaque, time and keys change.
#include <algorithm>
#include <csignal>
#include <optional>
#include <vector>

#include "admin/bench_peer.h"
#include "admin/bench_report.h"
#include "base/clock.h"
#include "client/producer_batch.h"
#include "protocol/names.h"
#include "protocol/properties.h"
#include "protocol/send_headers.h"

namespace mq::admin {
namespace {

// What a one-way connection may have queued before it waits.
constexpr size_t kOnewayOutput = 1024 * 1024;
constexpr int64_t kLingerMs = 3000;
constexpr int64_t kReconnectMs = 100;
constexpr size_t kKeyDigits = 16;
constexpr std::string_view kKeyMark = "KEYS\x01";

struct SendPlan {
  std::vector<client::MessageQueue> queues;
  std::vector<loop::Address> addresses;  // of each queue
  size_t connections = 1;
  size_t window = 1;
  size_t size = 128;
  size_t batch = 1;
  bool keys = false;
  bool oneway = false;
  int64_t duration_ms = 5000;
  int64_t timeout_ms = 3000;
};

class SendBench : public BenchPeerHandler, private loop::TurnEndHook {
 public:
  SendBench(Context& context, SendPlan plan)
      : context_(context),
        plan_(std::move(plan)),
        end_timer_(context.loop, [this] { Finish(); }),
        linger_timer_(context.loop, [this] { context_.loop.Stop(); }),
        again_timer_(context.loop, [this] { Reconnect(); }),
        interrupt_(context.loop, SIGINT, [this] { OnSignal(SIGINT); }),
        terminate_(context.loop, SIGTERM, [this] { OnSignal(SIGTERM); }) {}
  ~SendBench() override { context_.loop.CancelTurnEnd(this); }

  Result<int> Run();

 private:
  struct Sender {
    std::unique_ptr<BenchPeer> peer;
    FrameTemplate frame{std::string()};
    size_t time_at = 0;
    std::vector<size_t> keys_at;
    std::vector<int64_t> started_ns;  // by opaque; 0: free
    std::vector<int32_t> free;
  };

  void MakeFrame(Sender& sender, const client::MessageQueue& queue);
  void Fill(Sender& sender);
  void WriteOne(Sender& sender, int32_t opaque, int64_t now_ns);
  void OnUp(size_t peer) override;
  void OnDown(size_t peer, const Error& why) override;
  void OnAnswer(size_t peer, int32_t code, int32_t opaque) override;
  void OnTurnEnd() override;
  void Reconnect();
  void Finish();
  void OnSignal(int signal);
  void Stored(Sender& sender, int32_t opaque, int32_t code);

  Context& context_;
  SendPlan plan_;
  std::vector<Sender> senders_;
  Histogram latencies_;
  uint64_t stored_ = 0;
  uint64_t failed_ = 0;
  uint64_t in_flight_ = 0;
  uint64_t key_ = 0;
  int64_t started_ns_ = 0;
  int64_t last_ns_ = 0;
  int32_t refused_code_ = 0;
  std::optional<Error> down_;
  bool finishing_ = false;
  bool hooked_ = false;
  int signal_ = 0;
  loop::Timer end_timer_;
  loop::Timer linger_timer_;
  loop::Timer again_timer_;
  loop::Signal interrupt_;
  loop::Signal terminate_;
};

void SendBench::MakeFrame(Sender& sender, const client::MessageQueue& queue) {
  const std::string body(plan_.size, 'x');
  std::string properties;
  if (plan_.keys) protocol::AppendProperty(properties, protocol::property::kKeys, std::string(kKeyDigits, '0'));
  client::Batch batch;
  batch.topic = queue.topic;
  batch.queue = queue;
  client::OutgoingMessage message;
  for (size_t i = 0; i < plan_.batch; ++i) client::AddToBatch(batch, body, properties, message);
  protocol::CommandHead head;
  head.type = protocol::SerializeType::kRocketMq;
  head.flag = plan_.oneway ? protocol::kFlagOneway : 0;
  const int64_t now = NowMs();
  std::string frame;
  client::EncodeSend(batch, {protocol::kToolsProducerGroup, true, now}, head, frame);
  sender.frame = FrameTemplate(std::move(frame));
  sender.time_at = sender.frame.Find(std::to_string(now));
  if (!plan_.keys) return;
  for (size_t at = sender.frame.Find(kKeyMark); at != std::string::npos; at = sender.frame.Find(kKeyMark, at + 1)) {
    sender.keys_at.push_back(at + kKeyMark.size());
  }
}

Result<int> SendBench::Run() {
  for (size_t i = 0; i < plan_.connections; ++i) {
    Sender sender;
    const size_t queue = i % plan_.queues.size();
    sender.peer = std::make_unique<BenchPeer>(context_.loop, plan_.addresses[queue], i, *this, false);
    MakeFrame(sender, plan_.queues[queue]);
    sender.started_ns.resize(plan_.window, 0);
    for (size_t w = plan_.window; w > 0; --w) sender.free.push_back(static_cast<int32_t>(w - 1));
    senders_.push_back(std::move(sender));
  }
  const double cpu_before = ProcessorSeconds();
  started_ns_ = last_ns_ = MonotonicNs();
  end_timer_.Start(plan_.duration_ms);
  for (Sender& sender : senders_) sender.peer->Connect(plan_.timeout_ms);
  context_.loop.Run();
  for (Sender& sender : senders_) sender.peer->Close();
  failed_ += in_flight_ * plan_.batch;  // neither answered nor given up
  if (stored_ == 0 && signal_ == 0) {
    if (down_) return std::move(*down_);
    if (refused_code_ != 0) {
      return MakeError(remoting::ErrorCodeOf(refused_code_),
                       "the broker refuses: code " + std::to_string(refused_code_) + " " +
                           std::string(protocol::ResponseCodeName(refused_code_)));
    }
    return MakeError(ErrorCode::kTimeout, "no send was answered");
  }
  BenchFigures figures;
  figures.messages = stored_;
  figures.bytes = stored_ * plan_.size;
  figures.failed = failed_;
  figures.elapsed_ns = last_ns_ - started_ns_;
  figures.latencies = &latencies_;
  return PrintFigures(context_, figures, ProcessorSeconds() - cpu_before, signal_);
}

void SendBench::WriteOne(Sender& sender, int32_t opaque, int64_t now_ns) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  sender.frame.SetOpaque(opaque);
  if (sender.time_at != std::string::npos) sender.frame.Overwrite(sender.time_at, std::to_string(NowMs()));
  for (const size_t at : sender.keys_at) {
    char text[kKeyDigits];
    const uint64_t key = ++key_;
    for (size_t i = 0; i < kKeyDigits; ++i) text[i] = kDigits[(key >> (4 * (kKeyDigits - 1 - i))) & 15];
    sender.frame.Overwrite(at, {text, kKeyDigits});
  }
  sender.peer->output().append(sender.frame.bytes());
  sender.started_ns[static_cast<size_t>(opaque)] = now_ns;
}

void SendBench::Fill(Sender& sender) {
  if (!sender.peer->up() || finishing_) return;
  const int64_t now = MonotonicNs();
  if (plan_.oneway) {
    while (sender.peer->queued_bytes() < kOnewayOutput) {
      WriteOne(sender, 0, now);
      stored_ += plan_.batch;
    }
    last_ns_ = now;
    return;
  }
  while (!sender.free.empty()) {
    const int32_t opaque = sender.free.back();
    sender.free.pop_back();
    WriteOne(sender, opaque, now);
    ++in_flight_;
  }
}

void SendBench::OnUp(size_t peer) {
  Fill(senders_[peer]);
  if (!plan_.oneway || hooked_) return;
  hooked_ = true;
  context_.loop.AtTurnEnd(this);
}

// One-way: what the connections took in this turn is written anew in the next one.
void SendBench::OnTurnEnd() {
  hooked_ = false;
  if (finishing_) return;
  again_timer_.Start(0);
}

void SendBench::OnAnswer(size_t peer, int32_t code, int32_t opaque) {
  Sender& sender = senders_[peer];
  if (opaque < 0 || static_cast<size_t>(opaque) >= sender.started_ns.size()) return;
  Stored(sender, opaque, code);
}

void SendBench::Stored(Sender& sender, int32_t opaque, int32_t code) {
  int64_t& started = sender.started_ns[static_cast<size_t>(opaque)];
  if (started == 0) return;  // not one of ours
  last_ns_ = MonotonicNs();
  latencies_.Add(last_ns_ - started);
  started = 0;
  --in_flight_;
  if (code == 0) {
    stored_ += plan_.batch;
  } else {
    failed_ += plan_.batch;
    refused_code_ = code;
  }
  if (finishing_) {
    if (in_flight_ == 0) context_.loop.Stop();
    return;
  }
  WriteOne(sender, opaque, last_ns_);
  ++in_flight_;
}

void SendBench::OnDown(size_t peer, const Error& why) {
  Sender& sender = senders_[peer];
  down_ = why;
  sender.free.clear();
  for (size_t i = 0; i < sender.started_ns.size(); ++i) {
    if (sender.started_ns[i] != 0 && !plan_.oneway) {
      --in_flight_;
      failed_ += plan_.batch;
    }
    sender.started_ns[i] = 0;
    sender.free.push_back(static_cast<int32_t>(i));
  }
  if (stored_ == 0 || (finishing_ && in_flight_ == 0)) return context_.loop.Stop();
  again_timer_.Start(kReconnectMs);
}

void SendBench::Reconnect() {
  if (finishing_) return;
  for (Sender& sender : senders_) {
    if (sender.peer->up()) {
      if (plan_.oneway) Fill(sender);
    } else if (down_) {
      sender.peer->Connect(plan_.timeout_ms);
    }
  }
  if (plan_.oneway && !hooked_) {
    hooked_ = true;
    context_.loop.AtTurnEnd(this);
  }
}

void SendBench::Finish() {
  if (finishing_) return;
  finishing_ = true;
  if (in_flight_ == 0) return context_.loop.Stop();
  linger_timer_.Start(kLingerMs);
}

void SendBench::OnSignal(int signal) {
  if (signal_ != 0) return context_.loop.Stop();
  signal_ = signal;
  Finish();
}

}  // namespace

Result<int> BenchSend(Context& context) {
  const conf::Settings& settings = context.settings;
  const std::string& topic = settings.String("topic");
  MQ_TRY(protocol::CheckTopicName(topic));
  MQ_ASSIGN(const client::TopicRoute route, context.admin.RouteForPublish(topic));
  SendPlan plan;
  plan.queues = route.PublishQueues(topic);
  if (plan.queues.empty()) return MakeError(ErrorCode::kUnreachable, "topic " + topic + " has no writable queue");
  for (const client::MessageQueue& queue : plan.queues) {
    MQ_ASSIGN(loop::Address address, loop::Address::Parse(route.MasterOf(queue.broker_name)));
    plan.addresses.push_back(std::move(address));
  }
  plan.connections = static_cast<size_t>(settings.Int("connections"));
  plan.window = static_cast<size_t>(settings.Int("window"));
  plan.size = static_cast<size_t>(settings.Bytes("size"));
  plan.batch = static_cast<size_t>(settings.Int("batch"));
  plan.keys = settings.Bool("keys");
  plan.oneway = settings.Bool("oneway");
  plan.duration_ms = settings.DurationMs("duration");
  plan.timeout_ms = settings.DurationMs("timeout");
  return SendBench(context, std::move(plan)).Run();
}

}  // namespace mq::admin
