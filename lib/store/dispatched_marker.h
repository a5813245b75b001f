// DispatchedMarker: reputd's durable marker (mq/dispatched), where it may start after any stop.
//
// It says: every record below `offset` is in queues that were durable when this was written, and each
// queue and index file ended where it says. Text, one fact a line, closed by a CRC; replaced atomically. Written by
// mq-reputd only after `flushed` has reached `offset`, so it never names bytes a crash may take away.
// Read by mq-reputd, and by the broker at boot for the queue-offset table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/index_file.h"
#include "store/layout.h"
#include "store/queue_entry.h"
#include "store/store_options.h"
#include "store/types.h"

namespace mq::store {

// A record whose offset fits nothing: it gets its entry, and what that means is done, when the queue's next one follows
// it. Offset 0 below the end: the topic has begun again. Far beyond the end: what lay between is lost.
struct PendingRecord {
  QueueOffset offset;
  QueueEntry entry;
};

struct MarkedQueue {
  int64_t first = 0;                     // byte of the file sequence where its first file starts
  QueueOffset end;                       // one past the last entry
  std::optional<PendingRecord> pending;  // its newest record below the marker, if it is such a one
};

// An index file as it was durable: its header, the number of entries included, and the CRC-32 of the entries' bytes
// (nothing: not known yet). Entries never change once they count, and slots follow from them.
struct MarkedIndexFile {
  std::string name;
  IndexHeader header;
  std::optional<uint32_t> crc;
};

struct MarkedIndex {
  PhysicalOffset position;  // records below it are in the files
  std::vector<MarkedIndexFile> files;
};

struct DispatchedMarker {
  PhysicalOffset offset;       // everything below is dispatched
  PhysicalOffset log_min;      // first log file then
  PhysicalOffset last_record;  // position of the last record below `offset`; -1 when there is none
  int64_t store_timestamp = 0;
  uint32_t body_crc = 0;
  std::map<QueueName, MarkedQueue> queues;
  std::optional<MarkedIndex> index;  // nothing: the index was off, or not known

  std::string Encode() const;
  // An error for anything but exactly what Encode writes.
  static Result<DispatchedMarker> Decode(std::string_view text);
};

Status WriteDispatchedMarker(const StoreLayout& layout, const DispatchedMarker& marker);

// What lies where the marker's last record was.
enum class MarkedRecord {
  kAsMarked,
  kDamaged,  // nothing whole: lost since, or another broker has written over it
  kAnother,  // this is another log
};
MarkedRecord CompareMarkedRecord(const StoreOptions& options, const DispatchedMarker& marker, PhysicalOffset log_end);

// The marker, if it is there, whole, and does not speak of another log than [log_min, log_end). Otherwise nothing, and
// `why` says what is wrong: then the queues are derived again from the first log file on. Where its last record is
// damaged it counts as long as nobody else has written the checkpoint. Recovery decides for the broker and takes away
// what it does not believe: mq-reputd comes to the same result, though the checkpoint is mq-flushd's again by then.
std::optional<DispatchedMarker> LoadBelievedMarker(const StoreOptions& options, PhysicalOffset log_min,
                                                   PhysicalOffset log_end, std::string* why);

}  // namespace mq::store
