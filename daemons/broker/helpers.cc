#include "broker/helpers.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "store/layout.h"

namespace mq::broker {
namespace {

constexpr int64_t kShortLifeMs = 2000;  // a helper that lived shorter is started again with back-off
constexpr int64_t kFirstBackoffMs = 50;
constexpr int64_t kLongestBackoffMs = 5000;
constexpr int64_t kLeaveMs = 2000;
// Dispatch follows an append at once.
constexpr int64_t kReputPatienceMs = 3000;
constexpr int64_t kDrainRetryMs = 20;

// A clean stop in this order: the log is flushed, so that the queues' marker may name its end; the queues are built and
// flushed; then the checkpoint covers both.
constexpr ctl::Role kDrainSteps[] = {ctl::Role::kFlushd, ctl::Role::kReputd, ctl::Role::kFlushd};

std::string BesideOurselves(const std::string& program) {
  char path[4096];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
  if (n <= 0) return program;
  return JoinPath(DirectoryOf(std::string_view(path, static_cast<size_t>(n))), program);
}

}  // namespace

Helpers::Helpers(loop::Loop& loop, Options options, store::Positions& positions)
    : loop_(loop), options_(std::move(options)), positions_(positions) {
  flushd_.role = ctl::Role::kFlushd;
  flushd_.program = BesideOurselves("mq-flushd");
  reputd_.role = ctl::Role::kReputd;
  reputd_.program = BesideOurselves("mq-reputd");
}

Helpers::~Helpers() {
  // Of a start that failed: whoever starts next should not meet them.
  for (Child* child : {&flushd_, &reputd_}) {
    if (child->running) child->process->Kill(SIGTERM);
  }
}

Status Helpers::Open(int lock_fd, const store::StoreOptions& store) {
  ctl::Server::Options server;
  server.directory = store::StoreLayout(options_.store_root).MqDir();
  server.positions_fd = positions_.fd();
  server.lock_fd = lock_fd;
  server.page_version = store::kPositionsVersion;
  server.build = std::string(store::BuildId());
  server.settings = store::EncodeOptions(store);
  MQ_ASSIGN(server_, ctl::Server::Open(loop_, std::move(server), *this));
  if (!options_.spawn) return Ok();
  for (Child* child : {&flushd_, &reputd_}) {
    if (::access(child->program.c_str(), X_OK) != 0) {
      return ErrnoError(ErrorCode::kConfig, "start " + child->program)
          .WithHint("the helpers lie beside mq-broker, or are started by somebody else: --helpers=external");
    }
    child->restart = std::make_unique<loop::Timer>(loop_, [this, child] { Spawn(*child); });
    Spawn(*child);
  }
  return Ok();
}

void Helpers::Spawn(Child& child) {
  loop::ProcessOptions process;
  process.file = child.program;
  process.args = {"--store", options_.store_root, "--supervised"};
  if (!options_.log_level.empty()) process.args.insert(process.args.end(), {"--log-level", options_.log_level});
  process.own_session = true;
  child.started_ms = MonotonicMs();
  auto started =
      loop::Process::Start(loop_, process, [this, &child](int status, int signal) { OnExit(child, status, signal); });
  if (!started) {
    log::Err("helper.start", "failed").Field("error", started.error());
    child.backoff_ms = std::clamp(child.backoff_ms * 2, kFirstBackoffMs, kLongestBackoffMs);
    return child.restart->Start(child.backoff_ms);
  }
  child.process = std::move(*started);
  child.running = true;
}

void Helpers::OnExit(Child& child, int status, int signal) {
  child.running = false;
  if (closing_ && signal != 0) {
    log::Warn("helper.exit", "ended by a signal").Field("helper", ctl::RoleName(child.role)).Field("signal", signal);
  }
  if (closing_) return CheckGone();
  const bool short_life = MonotonicMs() - child.started_ms < kShortLifeMs;
  child.backoff_ms = short_life ? std::clamp(child.backoff_ms * 2, kFirstBackoffMs, kLongestBackoffMs) : 0;
  log::Warn("helper.exit", "started again")
      .Field("helper", ctl::RoleName(child.role))
      .Field("status", status)
      .Field("signal", signal)
      .Field("in_ms", child.backoff_ms);
  child.restart->Start(child.backoff_ms);
}

void Helpers::RingWaiting() {
  // One fence for all flags: the published positions come before the reading of any of them.
  if (store::MustRing(positions_.flushd().waits_for_wrote)) server_->Ring(ctl::Role::kFlushd);
  if (store::MustRing(positions_.reputd().waits_for_wrote)) server_->Ring(ctl::Role::kReputd);
}

void Helpers::RingForCommit() {
  if (store::MustRing(positions_.flushd().waits_for_wanted_commit)) server_->Ring(ctl::Role::kFlushd);
}

void Helpers::RingAll() {
  server_->Ring(ctl::Role::kFlushd);
  server_->Ring(ctl::Role::kReputd);
}

void Helpers::NoteProgress(int64_t now_ms, store::PhysicalOffset visible, int64_t flush_patience_ms) {
  const int64_t wrote = positions_.broker().wrote.load(std::memory_order_relaxed);
  const auto note = [&](Child& child, int64_t position, int64_t goal, int64_t patience_ms) {
    if (position >= goal || position != child.position) child.moved_ms = now_ms;
    child.position = position;
    child.stalled = now_ms - child.moved_ms > patience_ms;
  };
  note(flushd_, positions_.flushd().flushed.load(std::memory_order_relaxed), wrote, flush_patience_ms);
  // It may be waiting for mq-flushd, as everybody who reads.
  note(reputd_, positions_.reputd().dispatched.load(std::memory_order_relaxed), visible.value(), kReputPatienceMs);
}

std::string Helpers::StateOf(ctl::Role role) const {
  if (!attached(role)) return "absent";
  if ((role == ctl::Role::kFlushd ? flushd_ : reputd_).stalled) return "stalled";
  const auto state = static_cast<store::HelperState>(role == ctl::Role::kFlushd
                                                         ? positions_.flushd().state.load(std::memory_order_relaxed)
                                                         : positions_.reputd().state.load(std::memory_order_relaxed));
  switch (state) {
    case store::HelperState::kWorking:
      return "serving";
    case store::HelperState::kAttached:
      return "starting";
    case store::HelperState::kAbsent:
      return "starting";
    case store::HelperState::kFailed:
      break;
  }
  const std::string status = server_->status(role);
  return status.empty() ? "failed" : "failed: " + status;
}

void Helpers::OnHelper(ctl::Role role, bool attached, int64_t pid) {
  log::Info("helper", attached ? "attached" : "gone").Field("helper", ctl::RoleName(role)).Field("pid", pid);
  if (drained_ && attached) NextDrainStep();
  if (drained_ && !attached && kDrainSteps[drain_step_] == role) drain_asked_ = false;
}

void Helpers::OnWake(ctl::Role /*from*/) {
  if (on_wake_) on_wake_();
}

void Helpers::OnStatus(ctl::Role from, const std::string& text) {
  log::Warn("helper.status", text).Field("helper", ctl::RoleName(from));
}

void Helpers::Drain(int64_t timeout_ms, Drained done) {
  drained_ = std::move(done);
  drain_step_ = 0;
  drain_asked_ = false;
  drain_retry_ = std::make_unique<loop::Timer>(loop_, [this] {
    if (drained_) NextDrainStep();
  });
  drain_timer_ = std::make_unique<loop::Timer>(loop_, [this] {
    const auto call = std::exchange(drained_, nullptr);
    if (call) call("mq-" + std::string(ctl::RoleName(kDrainSteps[drain_step_])) + " did not finish in time");
  });
  drain_timer_->Start(timeout_ms);
  NextDrainStep();
}

void Helpers::NextDrainStep() {
  if (drain_asked_) return;
  drain_asked_ = server_->Drain(kDrainSteps[drain_step_]);
  // Its socket is full of wake-ups that it has not read yet, or it is on its way.
  if (!drain_asked_) drain_retry_->Start(kDrainRetryMs);
}

void Helpers::OnDrained(ctl::Role from, const std::string& problem) {
  if (!drained_ || kDrainSteps[drain_step_] != from) return;
  drain_asked_ = false;
  if (problem.empty() && ++drain_step_ < std::size(kDrainSteps)) return NextDrainStep();
  drain_timer_.reset();
  const auto call = std::exchange(drained_, nullptr);
  call(problem.empty() ? problem : "mq-" + std::string(ctl::RoleName(from)) + ": " + problem);
}

void Helpers::Close(std::function<void()> gone) {
  closing_ = true;
  gone_ = std::move(gone);
  for (Child* child : {&flushd_, &reputd_}) {
    if (child->restart) child->restart->Stop();
  }
  if (server_) server_->Close();
  gone_timer_ = std::make_unique<loop::Timer>(loop_, [this] {
    for (Child* child : {&flushd_, &reputd_}) {
      if (!child->running) continue;
      log::Warn("helper.exit", "did not leave; killed").Field("helper", ctl::RoleName(child->role));
      child->process->Kill(SIGKILL);
    }
  });
  gone_timer_->Start(kLeaveMs);
  CheckGone();
}

void Helpers::CheckGone() {
  if (flushd_.running || reputd_.running || !gone_) return;
  gone_timer_.reset();
  std::exchange(gone_, nullptr)();
}

}  // namespace mq::broker
