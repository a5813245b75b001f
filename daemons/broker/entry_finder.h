// EntryFinder: where the records lie whose queue entries are damaged. A message that is whole in the log is served
// whatever has become of its queue file.
//
// The first pull that comes upon such an entry starts a search on a thread of the pool (store/entry_search.h) and waits
// as in a gap; what was found is remembered, and the pulls that wait are tried again. Fed by MessageReader; owned by
// Core. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "base/log.h"
#include "broker/queues.h"
#include "loop/loop.h"
#include "store/entry_search.h"

namespace mq::broker {

class EntryFinder {
 public:
  EntryFinder(loop::Loop& loop, const store::StoreOptions& options, const store::Positions& positions);
  ~EntryFinder();  // calls a search off and waits for its thread
  // Called when a search is over, whatever became of it: one is made at a time, so pulls of any queue may go on. Those
  // of a queue whose search failed go on waiting: it is not made again at once.
  void SetOnSearchOver(std::function<void()> search_over) { search_over_ = std::move(search_over); }

  enum class Outcome {
    kSearching,  // wait
    kFound,
    kNone,  // the log holds no whole record of that offset
  };
  Outcome Find(Queue& queue, store::QueueOffset offset, store::QueueEntry* entry);

  // Wakes those whose search failed, once it may be made again.
  void Tick(int64_t now_ms);
  // A topic was deleted: what was found may be of its former life.
  void Forget();

 private:
  using Key = std::tuple<std::string, int32_t, int64_t>;  // topic, queue id, queue offset
  void Start(Queue& queue, store::QueueOffset offset);
  void OnDone(const store::QueueName& name, const Result<store::FoundEntries>& found);

  loop::Loop& loop_;
  store::StoreOptions options_;
  const store::Positions& positions_;
  std::function<void()> search_over_;
  std::map<Key, std::optional<store::QueueEntry>> known_;
  struct Job;
  std::shared_ptr<Job> job_;                    // the search under way
  std::map<store::QueueName, int64_t> failed_;  // queues whose search failed, and when it may be made again
  uint64_t life_ = 0;                           // grows when what a search under way finds is no longer wanted
  log::RateLimit lines_{6};
};

}  // namespace mq::broker
