// CommitLog: the one writer of the log. LogReader: everybody's read access to it.
//
// CommitLog is fed by the broker's send processor and owned by the broker's loop thread; no other
// process writes log bytes. The record is encoded directly into the mapped file (the body is copied
// once), then `wrote` is published: from then on it is *visible* to readers, mq-flushd and mq-reputd.
// It is *durable* only when `flushed` has passed it. Readers: pull processor, reput, dump.
// With a transient pool (transient_pool.h) the record goes into the pool's slot of the file instead, and
// is visible when mq-flushd has committed it; what is acknowledged is `wrote` all the same.
//
// Files are made by mq-flushd ahead of need. When the next one is missing, Append answers kNoFile and
// has changed nothing (but perhaps written the blank that ends the full file): the broker holds the
// send, and calls Append again when the doorbell rings or `allocated_to` has moved.
// Spec: mq-store(5), "Commit log"; order: bytes -> wrote -> queue offset.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/map_fault.h"
#include "base/result.h"
#include "protocol/batch.h"
#include "protocol/message.h"
#include "store/layout.h"
#include "store/mapped_file.h"
#include "store/positions.h"
#include "store/queue_table.h"
#include "store/store_options.h"
#include "store/transient_pool.h"

namespace mq::store {

enum class AppendStatus {
  kOk,
  kNoFile,                  // next file not there yet: hold and try again
  kNoBuffer,                // no slot of the transient pool is free: the same, once something is committed
  kMessageIllegal,          // MESSAGE_ILLEGAL; `reason` says which limit
  kPropertiesSizeExceeded,  // PROPERTIES_SIZE_EXCEEDED
  kFileError,               // the next file cannot be opened; `reason`; refuse with SERVICE_NOT_AVAILABLE
};

struct AppendResult {
  AppendStatus status = AppendStatus::kOk;
  PhysicalOffset physical_offset;  // of the (first) record
  QueueOffset queue_offset;        // of the (first) record
  int64_t bytes = 0;               // all records together
  int32_t messages = 0;
  int64_t store_timestamp = 0;
  std::string_view reason;  // static text, or valid until the next call

  PhysicalOffset end() const { return physical_offset + bytes; }
  // Nothing was appended. `reason` as above.
  static AppendResult Refusal(AppendStatus status, std::string_view reason) {
    AppendResult result;
    result.status = status;
    result.reason = reason;
    return result;
  }
};

// One record of a batch just appended: what the broker's ring of recent appends needs.
struct AppendedRecord {
  PhysicalOffset physical_offset;
  QueueOffset queue_offset;
  int32_t bytes = 0;
  int64_t tags_code = 0;
};

class CommitLog {
 public:
  // After recovery, under the lock: opens the file that holds `end`. Makes the first file of an empty
  // log itself; any later one only with options.self_allocate. `pool` may be null, else it outlives the log.
  static Result<std::unique_ptr<CommitLog>> Open(const StoreOptions& options, Positions& positions, PhysicalOffset end,
                                                 TransientPool* pool = nullptr);

  // `message`: topic (that of `queue`), body, properties, flags, times and hosts; queue id and offset, position,
  // CRC, store time and the host bits of sysFlag are filled here. None and commit types take and advance
  // `queue.next`; prepared and rollback carry 0. No allocation and no system call, except at a file's end.
  AppendResult Append(const protocol::MessageView& message, QueueState& queue, int64_t now_ms);

  // All of a batch, contiguous in one file and published once, or nothing. `envelope` gives topic, queue,
  // times, hosts and the batch's own properties (put behind each record's own); bodies, flags and
  // properties come from `batch_body`. `appended` (may be null) gets one entry a record.
  AppendResult AppendBatch(const protocol::MessageView& envelope, std::string_view batch_body, QueueState& queue,
                           int64_t now_ms, std::vector<AppendedRecord>* appended);

  PhysicalOffset wrote() const { return wrote_; }
  // Where the next file must start, once the current one is full or none is open.
  PhysicalOffset next_file_start() const;
  // Opens the following file early (a loop timer calls it when `allocated_to` moved), so that rolling
  // costs no system call on the message path.
  void PrepareNextFile();
  // The file being written and the next one: pins for a thread that populates pages ahead of `wrote`.
  FilePin current_file() const { return current_; }
  FilePin next_file() const { return next_; }

  void set_max_message_bytes(int32_t bytes) { options_.max_message_bytes = bytes; }
  // Why nothing is appended any more, whatever happens: bytes of the file were lost under the map. Empty: all is well.
  const std::string& lost() const { return lost_; }
  // Largest record a file can hold: larger is refused up front.
  int64_t max_record_bytes() const { return options_.commit_log_file_bytes - 8; }

 private:
  CommitLog(const StoreOptions& options, Positions& positions, PhysicalOffset end);
  // Makes room for `bytes` (plus the 8 that must remain) in the current file, rolling if needed.
  AppendStatus MakeRoom(int64_t bytes);
  AppendStatus OpenNextFile();
  std::string NewFileDirectory(int64_t start) const;
  AppendStatus TakeTarget();
  // Where the byte at `wrote` goes.
  char* Target() const { return target_ + (wrote_.value() - current_->start()); }
  void Publish();
  std::string_view Reason(AppendStatus status) const;
  void WriteBlank();
  bool BytesAreGone();
  AppendResult CheckLimits(const protocol::MessageView& message) const;
  Status CheckBatch(const protocol::MessageView& envelope, std::string_view batch_body);

  StoreOptions options_;
  StoreLayout layout_;
  const Positions* positions_;
  BrokerPage* page_;
  std::shared_ptr<MappedFile> current_;
  std::shared_ptr<MappedFile> next_;
  TransientPool* pool_ = nullptr;
  char* target_ = nullptr;  // the first byte of the current file, in its map or in the pool; null: no slot yet
  PhysicalOffset wrote_;
  int64_t last_store_timestamp_ = 0;
  std::string error_text_;
  std::string lost_;
  uint64_t map_faults_ = MapFaults::count();
  struct BatchPlan {
    protocol::BatchEntry entry;
    int64_t record_bytes;
  };
  std::vector<BatchPlan> plan_;  // reused between calls
};

// Reads log bytes by position. Never looks past what is readable, whatever the files hold behind it, nor below
// the published minimum. Any process that has the positions; one thread each.
class LogReader {
 public:
  // `positions` may be null for a log without a broker (--once, dump): then `end` bounds reads.
  LogReader(const StoreOptions& options, const Positions* positions, PhysicalOffset end = PhysicalOffset(0));

  // Bytes [offset, offset + size) of one file. kNotFound: below the minimum or file gone
  // (MESSAGE_WAS_REMOVING); kInvalidArgument: beyond what is readable, or across a file's end.
  Result<Slice> Read(PhysicalOffset offset, int64_t size);
  // From `offset` to the end of the readable part of its file.
  Result<Slice> ReadRegion(PhysicalOffset offset);
  // The record at `offset`: magic, lengths and position checked. For lookups by id and by time.
  Result<protocol::MessageView> ReadRecord(PhysicalOffset offset, Slice* slice);
  // Store time of the record at `offset`.
  Result<int64_t> StoreTimestamp(PhysicalOffset offset);

  PhysicalOffset end() const;
  void set_end(PhysicalOffset end) { end_ = end; }
  PhysicalOffset min() const;
  void Forget() { files_.Forget(); }
  // Lets go of files below the published minimum: their space is given back only when nobody maps them any more.
  void ForgetRemoved() { files_.ForgetBelow(min().value()); }

 private:
  const Positions* positions_;
  PhysicalOffset end_;
  MappedFileReader files_;
};

}  // namespace mq::store
