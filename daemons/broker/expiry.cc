#include "broker/expiry.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "base/time_text.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;
using remoting::Channel;

namespace {

constexpr size_t kMaxReported = 100000;

std::string PercentText(int32_t percent) { return percent < 0 ? "?" : std::to_string(percent) + " %"; }

std::string RatioText(int32_t permille) {
  std::string text = std::to_string(permille / 10);
  if (permille % 10 != 0) text += "." + std::to_string(permille % 10);
  return text + " %";
}

}  // namespace

Expiry::Expiry(Core& core, std::function<void()> ring)
    : core_(core), ring_(std::move(ring)), seen_min_(store::LoadLogMin(*core.positions)) {}

bool Expiry::Look() {
  bool removed = false;
  if (const auto min = store::LoadLogMin(*core_.positions); min != seen_min_) {
    seen_min_ = min;
    if (core_.positions->flushd().removed_by_force.load(std::memory_order_relaxed) != 0) ReportUnread();
    core_.log_reader->ForgetRemoved();
    removed = true;
  }
  if (const int64_t trimmed = core_.positions->reputd().trimmed.load(std::memory_order_acquire);
      trimmed != seen_trimmed_) {
    seen_trimmed_ = trimmed;
    core_.queue_reader->ForgetAll();
    removed = true;
  }
  return removed;
}

// The file is not removed yet: readers have a pause to let go of it.
void Expiry::ReportUnread() {
  if (reported_.size() > kMaxReported) reported_.clear();
  for (const auto& [key, offsets] : core_.offsets->table()) {
    const size_t at = key.find('@');
    if (at == std::string::npos) continue;
    for (const auto& [queue_id, offset] : offsets) {
      Queue* queue = core_.queues->Find(std::string_view(key).substr(0, at), queue_id);
      if (queue == nullptr || offset < 0) continue;
      const auto known_min = core_.MinOffset(*queue);
      if (!known_min) continue;
      const int64_t min = known_min->value();
      int64_t& from = reported_.try_emplace({key, queue_id}, offset).first->second;
      from = std::max(from, offset);
      if (from >= min) continue;
      log::Warn("store.clean", "unread messages are removed, because the disk is nearly full")
          .Field("group", std::string_view(key).substr(at + 1))
          .Field("topic", queue->topic())
          .Field("queue", queue_id)
          .Field("lost", min - from)
          .Field("from", from)
          .Field("to", min);
      unread_removed_ += min - from;
      last_loss_ = "group " + key.substr(at + 1) + " in queue " + std::to_string(queue_id) + " of topic " +
                   queue->topic() + " at " + FormatLocalTime(NowMs());
      from = min;
    }
  }
}

std::string Expiry::NoSpace(bool waits_for_file) {
  const store::FlushdPage& page = core_.positions->flushd();
  const auto was = [this](std::string_view kind) { return no_space_.starts_with(kind); };
  if (page.disk_full.load(std::memory_order_acquire) != 0) {
    constexpr std::string_view kFull = "the broker's disk is full: ";
    if (!was(kFull)) {
      no_space_ = std::string(kFull) + PercentText(page.log_disk_percent.load(std::memory_order_relaxed)) +
                  " of the commit log's filesystem and " +
                  PercentText(page.queue_disk_percent.load(std::memory_order_relaxed)) +
                  " of the consume queues' are used; sends are refused above " +
                  RatioText(core_.options.store.clean.full_permille);
    }
    return no_space_;
  }
  constexpr std::string_view kNoFile = "no space for the next commit log file";
  constexpr std::string_view kCannot = "the next commit log file cannot be made: ";
  const auto failed = page.allocate_failed_errno.load(std::memory_order_acquire);
  const bool missing = page.allocated_to.load(std::memory_order_acquire) <= core_.log->next_file_start().value();
  if (failed == 0 || !missing || !(waits_for_file || was(kNoFile) || was(kCannot))) {
    no_space_.clear();
  } else if (failed == ENOSPC || failed == EDQUOT) {
    no_space_ = std::string(kNoFile) + " of " + std::to_string(core_.options.store.commit_log_file_bytes) + " bytes";
  } else {
    no_space_ = std::string(kCannot) + std::strerror(static_cast<int>(failed));
  }
  return no_space_;
}

void Expiry::ProcessDeleteLog(Channel& channel, const CommandView& request) {
  core_.positions->own_broker().clean_log_requests.fetch_add(1, std::memory_order_release);
  log::Info("store.clean", "expired commit log files are to go now").Field("client", channel.peer());
  ring_();
  channel.Reply(request, ResponseCode::kSuccess);
}

void Expiry::ProcessCleanQueues(Channel& channel, const CommandView& request) {
  core_.positions->own_broker().clean_queues_requests.fetch_add(1, std::memory_order_release);
  log::Info("store.clean", "expired queue and index files are to go now").Field("client", channel.peer());
  ring_();
  channel.Reply(request, ResponseCode::kSuccess);
}

void Expiry::AddTo(protocol::KvTable& info) const {
  const store::FlushdPage& page = core_.positions->flushd();
  const store::CleanOptions& clean = core_.options.store.clean;
  const int32_t used = std::max(page.log_disk_percent.load(std::memory_order_relaxed),
                                page.queue_disk_percent.load(std::memory_order_relaxed));
  std::string state = "ok";
  if (page.disk_full.load(std::memory_order_relaxed) != 0) {
    state = "full: sends are refused";
  } else if (used * 10 > clean.force_permille) {
    state = clean.forcibly ? "nearly full: the oldest files go before their time" : "nearly full";
  } else if (used * 10 > clean.early_permille) {
    state = "expired files go at any hour";
  }
  info.emplace_back("diskState", state + " (" + PercentText(used) + " used)");
  const int64_t last = page.last_clean_time.load(std::memory_order_relaxed);
  const int64_t next = page.next_clean_time.load(std::memory_order_relaxed);
  info.emplace_back("lastCleaning", last == 0 ? "none" : FormatLocalTime(last));
  info.emplace_back("nextCleaning", next == 0 ? "unknown" : FormatLocalTime(next));
  if (unread_removed_ > 0) {
    info.emplace_back("unreadRemoved", std::to_string(unread_removed_) + " messages, last of " + last_loss_);
  }
  info.emplace_back("removedFiles", std::to_string(page.removed_files.load(std::memory_order_relaxed)));
}

}  // namespace mq::broker
