#include "store/commit_log.h"

#include <cstring>

#include "base/bytes.h"
#include "base/kill_point.h"
#include "protocol/limits.h"
#include "store/record.h"

namespace mq::store {

namespace {

// RocketMQ's allowance for everything of a record that is not its body.
constexpr int64_t kHeadAllowance = 64 * 1024;

}  // namespace

CommitLog::CommitLog(const StoreOptions& options, Positions& positions, PhysicalOffset end)
    : options_(options),
      layout_(options.layout()),
      positions_(&positions),
      page_(&positions.own_broker()),
      wrote_(end) {
  last_store_timestamp_ = page_->store_timestamp.load(std::memory_order_relaxed);
}

Result<std::unique_ptr<CommitLog>> CommitLog::Open(const StoreOptions& options, Positions& positions,
                                                   PhysicalOffset end, TransientPool* pool) {
  std::unique_ptr<CommitLog> log(new CommitLog(options, positions, end));
  log->pool_ = pool;
  const int64_t start = end.value() / options.commit_log_file_bytes * options.commit_log_file_bytes;
  MQ_ASSIGN(auto files, ListLogFiles(log->layout_));
  if (files.empty()) {
    // Before any helper has come: the only file the broker makes.
    MQ_TRY(CreateMappedFile(log->NewFileDirectory(start), start, options.commit_log_file_bytes, 0));
  }
  auto file = MappedFile::OpenReadWrite(log->layout_.CommitLogFile(PhysicalOffset(start)), start,
                                        options.commit_log_file_bytes);
  if (file) {
    log->current_ = std::make_shared<MappedFile>(std::move(*file));
    if (pool == nullptr) log->target_ = log->current_->mutable_data();
  } else if (file.error().code != ErrorCode::kNotFound || start != end.value()) {
    return std::move(file).error();
  }
  return log;
}

std::string CommitLog::NewFileDirectory(int64_t start) const {
  return layout_.DirForNewLogFile(start / options_.commit_log_file_bytes, [](const std::string&) { return false; });
}

PhysicalOffset CommitLog::next_file_start() const {
  if (current_ != nullptr) return PhysicalOffset(current_->end());
  return wrote_;
}

void CommitLog::PrepareNextFile() {
  if (next_ != nullptr) return;
  const PhysicalOffset start = next_file_start();
  auto file = MappedFile::OpenReadWrite(layout_.CommitLogFile(start), start.value(), options_.commit_log_file_bytes);
  if (file) next_ = std::make_shared<MappedFile>(std::move(*file));
}

AppendStatus CommitLog::OpenNextFile() {
  const PhysicalOffset start = wrote_;
  if (next_ != nullptr && next_->start() == start.value()) {
    current_ = std::move(next_);
    next_ = nullptr;
    StopWaiting(page_->waits_for_file);
    return TakeTarget();
  }
  if (options_.self_allocate) {
    Status made = CreateMappedFile(NewFileDirectory(start.value()), start.value(), options_.commit_log_file_bytes, 0);
    if (!made) {
      error_text_ = made.error().what;
      return AppendStatus::kFileError;
    }
  }
  // The flag goes up before we look, so that a file made meanwhile is either seen here or rung for.
  StartWaiting(page_->waits_for_file);
  auto file = MappedFile::OpenReadWrite(layout_.CommitLogFile(start), start.value(), options_.commit_log_file_bytes);
  if (!file) {
    if (file.error().code == ErrorCode::kNotFound) return AppendStatus::kNoFile;
    error_text_ = file.error().what;
    return AppendStatus::kFileError;
  }
  StopWaiting(page_->waits_for_file);
  current_ = std::make_shared<MappedFile>(std::move(*file));
  return TakeTarget();
}

// The flag goes up before the slots are looked at: what is committed meanwhile is seen here or rung for.
AppendStatus CommitLog::TakeTarget() {
  if (pool_ == nullptr) {
    target_ = current_->mutable_data();
    return AppendStatus::kOk;
  }
  target_ = pool_->Take(current_->start(), wrote_.value());
  if (target_ != nullptr) return AppendStatus::kOk;
  StartWaiting(page_->waits_for_file);
  pool_->Release(LoadCommitted(*positions_).value());
  target_ = pool_->Take(current_->start(), wrote_.value());
  if (target_ == nullptr) return AppendStatus::kNoBuffer;
  StopWaiting(page_->waits_for_file);
  return AppendStatus::kOk;
}

void CommitLog::Publish() {
  if (pool_ != nullptr) pool_->Publish(wrote_.value());
  PublishWrote(*page_, wrote_, last_store_timestamp_);
}

std::string_view CommitLog::Reason(AppendStatus status) const {
  if (status == AppendStatus::kNoFile) return "the next commit log file is not there yet";
  if (status == AppendStatus::kNoBuffer) return "no buffer of the transient pool is free";
  return error_text_;
}

void CommitLog::WriteBlank() {
  const int64_t left = current_->end() - wrote_.value();
  char* at = Target();
  // A slot holds bytes of an earlier file: they must not follow the blank into this one.
  if (pool_ != nullptr) std::memset(at, 0, static_cast<size_t>(left));
  StoreBe32(at, static_cast<uint32_t>(left));
  PassKillPoint(KillPoint::kBlankHalfWritten);
  StoreBe32(at + 4, protocol::kBlankMagic);
  PassKillPoint(KillPoint::kBlankWritten);
  wrote_ = PhysicalOffset(current_->end());
  Publish();
}

AppendStatus CommitLog::MakeRoom(int64_t bytes) {
  if (current_ != nullptr) {
    if (target_ == nullptr) {
      if (const AppendStatus taken = TakeTarget(); taken != AppendStatus::kOk) return taken;
    }
    const int64_t left = current_->end() - wrote_.value();
    if (bytes + kBlankHeaderBytes <= left) return AppendStatus::kOk;
    // After any append at least 8 bytes remain, so there is room for the blank; 0 remain after one.
    if (left > 0) WriteBlank();
    PassKillPoint(KillPoint::kFileLeft);
    current_ = nullptr;
    target_ = nullptr;
  }
  return OpenNextFile();
}

AppendResult CommitLog::CheckLimits(const protocol::MessageView& message) const {
  if (message.topic.empty() || message.topic.size() > protocol::kMaxTopicBytes) {
    return AppendResult::Refusal(AppendStatus::kMessageIllegal, "topic is empty or longer than 127 bytes");
  }
  if (message.queue_id < 0) return AppendResult::Refusal(AppendStatus::kMessageIllegal, "queue id is negative");
  if (message.properties.size() > protocol::kMaxPropertiesBytes) {
    return AppendResult::Refusal(AppendStatus::kPropertiesSizeExceeded, "properties are longer than 32767 bytes");
  }
  if (static_cast<int64_t>(message.body.size()) > options_.max_message_bytes) {
    return AppendResult::Refusal(AppendStatus::kMessageIllegal, "body is longer than maxMessageSize");
  }
  const int64_t bytes = static_cast<int64_t>(protocol::RecordBytes(message));
  if (bytes > options_.max_message_bytes + kHeadAllowance) {
    return AppendResult::Refusal(AppendStatus::kMessageIllegal, "record is longer than maxMessageSize + 64 KiB");
  }
  if (bytes > max_record_bytes()) {
    return AppendResult::Refusal(AppendStatus::kMessageIllegal, "record does not fit into a commit log file");
  }
  return {};
}

// What was just written went nowhere when the file was cut or its device fails (base/map_fault.h). Nothing of it was
// published; nothing more is, because what was acknowledged before may be gone too.
bool CommitLog::BytesAreGone() {
  if (map_faults_ == MapFaults::count()) return false;
  map_faults_ = MapFaults::count();
  const std::string place = MapFaults::Latest();
  const auto bytes = FileSize(current_->path());
  const bool ours =
      place.starts_with(DirectoryOf(current_->path())) || (pool_ != nullptr && place.starts_with(pool_->path()));
  if (!ours && bytes && *bytes == current_->bytes()) return false;
  lost_ = "bytes of the commit log are gone: " + (place.empty() ? current_->path() : place);
  return true;
}

AppendResult CommitLog::Append(const protocol::MessageView& message, QueueState& queue, int64_t now_ms) {
  if (!lost_.empty()) return AppendResult::Refusal(AppendStatus::kFileError, lost_);
  AppendResult result = CheckLimits(message);
  if (result.status != AppendStatus::kOk) return result;
  const int64_t bytes = static_cast<int64_t>(protocol::RecordBytes(message));
  result.status = MakeRoom(bytes);
  if (result.status != AppendStatus::kOk) {
    result.reason = Reason(result.status);
    return result;
  }

  const bool enters_queue = EntersQueue(message.sys_flag);
  protocol::MessageView record = message;
  record.queue_id = queue.queue_id;
  record.queue_offset = enters_queue ? queue.next : QueueOffset(0);
  record.physical_offset = wrote_;
  record.store_timestamp = now_ms;
  protocol::EncodeRecord(record, Target());
  if (BytesAreGone()) return AppendResult::Refusal(AppendStatus::kFileError, lost_);
  PassKillPoint(KillPoint::kRecordCopied);

  result.physical_offset = wrote_;
  result.queue_offset = record.queue_offset;
  result.bytes = bytes;
  result.messages = 1;
  result.store_timestamp = now_ms;
  // Bytes first, then the position: a kill before this line leaves bytes nobody looks at. The numbering
  // moves last, so that no queue offset is used up by a record that is not there.
  last_store_timestamp_ = now_ms;
  wrote_ += bytes;
  Publish();
  PassKillPoint(KillPoint::kRecordPublished);
  if (enters_queue) {
    ++queue.next;
    queue.last_record_end = wrote_;
  }
  return result;
}

}  // namespace mq::store
