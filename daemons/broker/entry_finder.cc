#include "broker/entry_finder.h"

#include <atomic>

#include "base/clock.h"

namespace mq::broker {

namespace {

// Offsets remembered; beyond it they are looked for again.
constexpr size_t kMaxKnown = 100000;
// A log that could not be read is not searched again for the same queue before.
constexpr int64_t kRetryMs = 1000;

}  // namespace

// Shared with the thread that searches, which uses nothing else of ours but options and positions.
struct EntryFinder::Job {
  store::QueueName name;
  Result<store::FoundEntries> found = store::FoundEntries();
  std::atomic<bool> called_off = false;
  std::atomic<bool> done = false;
};

EntryFinder::EntryFinder(loop::Loop& loop, const store::StoreOptions& options, const store::Positions& positions)
    : loop_(loop), options_(options), positions_(positions) {}

EntryFinder::~EntryFinder() {
  if (!job_) return;
  job_->called_off = true;
  job_->done.wait(false);
}

EntryFinder::Outcome EntryFinder::Find(Queue& queue, store::QueueOffset offset, store::QueueEntry* entry) {
  const auto it = known_.find(Key(queue.topic(), queue.id(), offset.value()));
  if (it != known_.end()) {
    if (!it->second) return Outcome::kNone;
    *entry = *it->second;
    return Outcome::kFound;
  }
  if (!job_ && !failed_.contains({queue.topic(), queue.id()})) Start(queue, offset);
  return Outcome::kSearching;
}

void EntryFinder::Forget() {
  known_.clear();
  failed_.clear();
  ++life_;
}

void EntryFinder::Tick(int64_t now_ms) {
  if (std::erase_if(failed_, [now_ms](const auto& queue) { return now_ms >= queue.second; }) > 0 && search_over_) {
    search_over_();
  }
}

void EntryFinder::Start(Queue& queue, store::QueueOffset offset) {
  job_ = std::make_shared<Job>();
  job_->name = {queue.topic(), queue.id()};
  uint64_t suppressed = 0;
  if (lines_.Allow(&suppressed)) {
    log::Err("queue.damage", "a queue entry is not that of its record; it is looked for in the log")
        .Field("topic", queue.topic())
        .Field("queue", queue.id())
        .Field("offset", offset.value())
        .Field("suppressed", suppressed);
  }
  loop_.Work(
      [this, job = job_, offset, end = queue.visible_max] {
        job->found = store::SearchEntries(options_, positions_, job->name, offset, end, job->called_off);
        job->done = true;
        job->done.notify_all();
      },
      [this, job = job_, life = life_] {
        if (job->called_off) return;  // nobody is there any more
        job_.reset();
        if (life == life_) OnDone(job->name, job->found);
        // Also when it is of no use: pulls of other queues may have waited for the search to end.
        if (search_over_) search_over_();
      });
}

void EntryFinder::OnDone(const store::QueueName& name, const Result<store::FoundEntries>& found) {
  if (!found) {
    // Or it would be searched without end.
    failed_[name] = MonotonicMs() + kRetryMs;
    log::Warn("queue.damage", "the log could not be searched; it is tried again")
        .Field("topic", name.topic)
        .Field("queue", name.queue_id)
        .Field("error", found.error());
    return;
  }
  // The records may still have to be dispatched.
  if (found->to == found->from) failed_[name] = MonotonicMs() + kRetryMs;
  if (known_.size() >= kMaxKnown) known_.clear();
  for (store::QueueOffset at = found->from; at < found->to; ++at) {
    const auto entry = found->entries.find(at);
    known_[Key(name.topic, name.queue_id, at.value())] =
        entry == found->entries.end() ? std::optional<store::QueueEntry>() : entry->second;
  }
}

}  // namespace mq::broker
