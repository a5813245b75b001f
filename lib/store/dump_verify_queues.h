// Queue part of dump_verify: fed every record in log order, compares with the consume queues both ways.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/dump_log.h"
#include "store/dump_queue.h"
#include "store/dump_verify.h"
#include "store/tombstones.h"

namespace mq::store {

class QueueVerifier {
 public:
  struct Scope {
    bool unclean = false;       // no clean stop: a queue that ends early is derived again at the next start
    bool live = false;          // only what is dispatched is compared
    PhysicalOffset dispatched;  // live: entries up to here are there
    // Topics that exist (topics.json); records of others without queues were deleted. Empty: not known.
    std::vector<std::string> topics;
  };
  QueueVerifier(const VerifyOptions& options, Scope scope, Tombstones tombstones, const FaultSink& sink);

  Status OnRecord(const LogItem& item);
  // After the last record: what the queues hold besides. `log` is read for entries nobody claimed.
  Status Finish(DumpLog& log);

  // One past the last entry of a queue, and its first place, after Finish; -1 for a queue that is not there.
  struct Range {
    int64_t min = -1;
    int64_t max = -1;
  };
  Range RangeOf(std::string_view topic, int32_t queue_id) const;
  // After Finish: topics of which a queue holds something, sorted.
  std::vector<std::string> TopicsWithMessages() const;

 private:
  struct Queue {
    DumpQueue entries;
    int64_t first = -1;  // queue offset of the first record of this life of the topic
    int64_t next = -1;   // expected
    int64_t missing_from = -1;
    int64_t missing = 0;
    PhysicalOffset missing_at;
    std::vector<Fault> found;  // kept until the topic's generation is known to be the last
    uint64_t more = 0;
    Range range;
  };
  Result<Queue*> QueueOf(std::string_view topic, int32_t queue_id);
  void Add(Queue& queue, Fault fault);
  // Whether the store is one that somebody may write whose positions are not known.
  bool MayBeWritten() const { return scope_.unclean && !scope_.live; }
  Status CloseMissing(Queue& queue);
  Result<bool> HaveComeBy(Queue& queue);
  Status Compare(Queue& queue, const LogItem& item);
  Status CheckUnclaimed(Queue& queue, DumpLog& log);
  Status CheckEntry(Queue& queue, int64_t index, const QueueEntry& entry, DumpLog& log);
  bool IsDeleted(const Queue& queue) const;
  Status CheckExtended(Queue& queue, const QueueEntry& entry, int64_t tags_code, int64_t index);

  const VerifyOptions& options_;
  Scope scope_;
  Tombstones tombstones_;
  const FaultSink& sink_;
  StoreLayout layout_;
  std::unordered_map<std::string, std::unique_ptr<Queue>> queues_;
  std::string key_;
  PhysicalOffset log_end_;
  bool refreshed_ = false;  // the log, for entries behind log_end_
};

}  // namespace mq::store
