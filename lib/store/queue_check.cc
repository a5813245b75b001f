#include "store/queue_check.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "store/consume_queue.h"
#include "store/entry_search.h"
#include "store/first_record.h"
#include "store/layout.h"
#include "store/log_tail.h"
#include "store/mapped_file.h"
#include "store/remove_name.h"

namespace mq::store {

namespace {

class QueueFiles {
 public:
  QueueFiles(const StoreOptions& options, const QueueName& name, QueueCheckMode mode)
      : mode_(mode),
        file_bytes_(options.consume_queue_file_bytes),
        directory_(StoreLayout(options.root).QueueDir(name.topic, name.queue_id)) {}

  // Files of a wrong size (a crash of another writer) are worth nothing, nor is what has the name of a file and is
  // none, a link above all, which no writer follows: they are removed.
  Status Load(QueueCheck& check) {
    const auto names = ListDirectory(directory_);
    if (!names && (names.error().code == ErrorCode::kNotFound || names.error().sys_errno == ENOTDIR)) return Ok();
    if (!names) return names.error();
    for (const std::string& name : *names) {
      const auto start = ParseMappedFileName(name);
      struct stat status {};
      if (!start || ::lstat(JoinPath(directory_, name).c_str(), &status) != 0) continue;
      const FileEntry file{*start, status.st_size};
      if (S_ISREG(status.st_mode) && file.bytes == file_bytes_ && file.start % file_bytes_ == 0) {
        files_.push_back(file);
      } else {
        MQ_TRY(Remove(file, check));
      }
    }
    return Ok();
  }

  bool empty() const { return files_.empty(); }
  int64_t first() const { return files_.front().start; }

  // End of the files that follow one another from the first on.
  int64_t ContiguousEnd() const {
    int64_t end = files_.front().start;
    for (const FileEntry& file : files_) {
      if (file.start != end) break;
      end += file_bytes_;
    }
    return end;
  }

  Result<QueueEntry> EntryAt(QueueOffset offset) const {
    const int64_t position = offset.value() * kQueueEntryBytes;
    const int64_t start = position / file_bytes_ * file_bytes_;
    MQ_ASSIGN(auto file, MappedFile::OpenReadOnly(directory_ + "/" + MappedFileName(start), start, file_bytes_));
    return LoadQueueEntry(file.data() + (position - start));
  }

  // Whether the ends of each file up to `end` are entries of this queue's records. Files that have changed places, or
  // whose first or last page is lost, show it there; damage further inside is found by who reads it.
  Result<bool> EndsAgree(const QueueName& name, QueueOffset end, PhysicalOffset log_min, LogReader& log) const {
    bool live = false;  // some entry in front is that of a record that is there: none behind it has expired
    for (const FileEntry& file : files_) {
      const QueueOffset first(file.start / kQueueEntryBytes);
      const QueueOffset behind = std::min(QueueOffset((file.start + file_bytes_) / kQueueEntryBytes), end);
      if (first >= behind) break;
      MQ_ASSIGN(const End begins, EndSays(name, first, behind, 1, log_min, log));
      if (begins == End::kDamaged || (begins == End::kExpired && live)) return false;
      live = live || begins == End::kAgrees;
      MQ_ASSIGN(const End ends, EndSays(name, behind - 1, first - 1, -1, log_min, log));
      if (ends == End::kDamaged || (ends == End::kExpired && live)) return false;
      live = live || ends == End::kAgrees;
    }
    return true;
  }

  // Whether files in front of the first one may hold entries of records that are still there: it does not begin with
  // one that has expired.
  Result<bool> MayBeginTooLate(QueueOffset end, PhysicalOffset log_min) const {
    MappedFileReader files(directory_, file_bytes_, 2);
    const QueueOffset begin(first() / kQueueEntryBytes);
    MQ_ASSIGN(const QueueOffset live, FirstRecord(files, log_min).Find(begin, end));
    return live == begin;
  }

  // Nothing but zeros behind `end`; files that start at or behind it go.
  Status CutTo(QueueOffset end, QueueCheck& check) {
    if (mode_ == QueueCheckMode::kLookOnly) return Ok();
    const int64_t position = end.value() * kQueueEntryBytes;
    for (const FileEntry& file : files_) {
      if (file.start >= position) {
        MQ_TRY(Remove(file, check));
      } else if (file.start + file_bytes_ > position) {
        MQ_TRY(ZeroTail(directory_ + "/" + MappedFileName(file.start), position - file.start));
      }
    }
    return SyncNames();
  }

  Status RemoveAll(QueueCheck& check) {
    for (const FileEntry& file : files_) MQ_TRY(Remove(file, check));
    return SyncNames();
  }

 private:
  enum class End {
    kAgrees,   // with a record that is there
    kExpired,  // its record is none any more
    kUnknown,  // nothing says it
    kDamaged,
  };
  // Looks from `at` on (in steps of `step`, up to `stop`) for an entry that says something.
  Result<End> EndSays(const QueueName& name, QueueOffset at, QueueOffset stop, int64_t step, PhysicalOffset log_min,
                      LogReader& log) const {
    constexpr int kLooks = 16;  // entries whose records are damaged prove nothing
    for (int looks = 0; at != stop && looks < kLooks; at += step) {
      MQ_ASSIGN(const QueueEntry entry, EntryAt(at));
      if (entry.IsPreBlank()) continue;
      if (!entry.IsValid()) return End::kDamaged;
      if (entry.physical_offset < log_min) return End::kExpired;
      if (entry.end() > log.end()) return End::kDamaged;  // none in front of the marker speaks of what lies behind it
      const EntryAgrees agrees = CompareEntry(log, name, at, entry);
      if (agrees != EntryAgrees::kUnknown) return agrees == EntryAgrees::kYes ? End::kAgrees : End::kDamaged;
      ++looks;
    }
    return End::kUnknown;
  }

  // Once for all files of the queue.
  Status SyncNames() const {
    if (!removed_) return Ok();
    removed_ = false;
    return FsyncDirectory(directory_);
  }

  Status Remove(const FileEntry& file, QueueCheck& check) const {
    if (mode_ == QueueCheckMode::kLookOnly) return Ok();
    const std::string path = directory_ + "/" + MappedFileName(file.start);
    MQ_TRY(RemoveName(path));
    ++check.removed_files;
    removed_ = true;
    return Ok();
  }

  QueueCheckMode mode_;
  int64_t file_bytes_;
  std::string directory_;
  std::vector<FileEntry> files_;
  mutable bool removed_ = false;
};

void WarnLost(const QueueName& name, QueueOffset kept, const char* what) {
  log::Warn("store.reput", what).Field("topic", name.topic).Field("queue", name.queue_id).Field("kept", kept.value());
}

// What is whole of a queue that the marker names.
struct MarkedState {
  const char* lost = nullptr;  // why nothing of it is; the rest does not count then
  QueueOffset whole;
  PhysicalOffset last_end;
};

Result<MarkedState> Examine(PhysicalOffset log_min, const DispatchedMarker& marker, const QueueName& name,
                            const MarkedQueue& marked, const QueueFiles& files, LogReader& log) {
  MarkedState state;
  const auto lost = [&state](const char* why) {
    state.lost = why;
    return state;
  };
  if (files.empty()) return lost("queue files are gone: derived again from the log");
  state.whole = QueueOffset(std::min(files.ContiguousEnd() / kQueueEntryBytes, marked.end.value()));
  if (state.whole.value() * kQueueEntryBytes <= files.first()) return lost("queue files are damaged: derived again");
  // Old files go when the log below them has expired, not otherwise.
  if (files.first() > marked.first) {
    bool too_late = marker.log_min == log_min;
    if (!too_late) {
      MQ_ASSIGN(too_late, files.MayBeginTooLate(state.whole, log_min));
    }
    if (too_late) return lost("the first queue file is gone: derived again from the log");
  }
  // Behind the last record there may be empty entries, which keep the numbers of records that are lost.
  QueueOffset at = state.whole - 1;
  MQ_ASSIGN(QueueEntry last, files.EntryAt(at));
  while (last.IsPreBlank() && at.value() * kQueueEntryBytes > files.first()) {
    at = at - 1;
    MQ_ASSIGN(last, files.EntryAt(at));
  }
  if (!last.IsValid() || (last.IsRecord() && last.end() > marker.offset)) {
    return lost("queue entries are not as marked: derived again");
  }
  MQ_ASSIGN(const bool agree, files.EndsAgree(name, state.whole, log_min, log));
  if (!agree) return lost("queue entries are not those of its records: derived again");
  state.last_end = last.IsRecord() ? last.end() : log_min;
  return state;
}

// Keeps what is whole of it, cuts the rest, lowers check.start where entries are lost.
Status KeepMarked(PhysicalOffset log_min, const DispatchedMarker& marker, const QueueName& name,
                  const MarkedQueue& marked, QueueFiles& files, LogReader& log, QueueCheck& check) {
  MQ_ASSIGN(const MarkedState state, Examine(log_min, marker, name, marked, files, log));
  if (state.lost != nullptr) {
    WarnLost(name, QueueOffset(0), state.lost);
    ++check.rebuilt_queues;
    check.lost[name] = marked.end;
    check.start = log_min;
    return files.RemoveAll(check);
  }
  KeptQueue kept{{files.first(), state.whole, marked.pending}, marker.offset};
  if (state.whole < marked.end) {
    WarnLost(name, state.whole, "a queue file is gone: derived again from there on");
    ++check.rebuilt_queues;
    check.lost[name] = marked.end;
    kept.marked.pending.reset();
    kept.derived = std::max(state.last_end, log_min);
    check.start = std::min(check.start, kept.derived);
  }
  MQ_TRY(files.CutTo(state.whole, check));
  PassKillPoint(KillPoint::kQueueCut);
  check.queues[name] = kept;
  return Ok();
}

// Without a marker only entries of expired records are kept: they carry the numbering.
Status KeepExpired(const StoreOptions& options, PhysicalOffset log_min, const QueueName& name, QueueFiles& files,
                   QueueCheck& check) {
  if (files.empty()) return Ok();
  QueueOffset end(0);
  if (log_min.value() > 0) {
    ConsumeQueueReader reader(options, nullptr, log_min);
    MQ_ASSIGN(end, reader.MaxOffset(name.topic, name.queue_id));
  }
  MQ_TRY(files.CutTo(end, check));
  if (end.value() * kQueueEntryBytes > files.first()) check.queues[name] = {{files.first(), end, {}}, log_min};
  return Ok();
}

}  // namespace

Result<std::optional<MarkedQueue>> LookAtMarked(const StoreOptions& options, PhysicalOffset log_min,
                                                const DispatchedMarker& marker, const QueueName& name,
                                                const MarkedQueue& marked) {
  QueueFiles files(options, name, QueueCheckMode::kLookOnly);
  QueueCheck unchanged;
  MQ_TRY(files.Load(unchanged));
  LogReader log(options, nullptr, marker.offset);
  MQ_ASSIGN(const MarkedState state, Examine(log_min, marker, name, marked, files, log));
  if (state.lost != nullptr) return std::optional<MarkedQueue>();
  return std::optional(MarkedQueue{files.first(), state.whole, marked.pending});
}

Result<QueueCheck> CheckQueues(const StoreOptions& options, PhysicalOffset log_min,
                               const std::optional<DispatchedMarker>& marker, const Tombstones& tombstones,
                               QueueCheckMode mode) {
  QueueCheck check;
  check.start = marker ? marker->offset : log_min;
  const StoreLayout layout(options.root);
  MQ_ASSIGN(auto names, ListQueues(layout));
  std::map<QueueName, MarkedQueue> marked;
  if (marker) marked = marker->queues;
  // Marked before the deletion of its topic was reached: its former life.
  std::erase_if(marked, [&](const auto& queue) {
    const PhysicalOffset dead = tombstones.Of(queue.first.topic);
    return dead.value() > 0 && marker->offset <= dead;
  });
  LogReader log(options, nullptr, check.start);
  for (const QueueName& name : names) {
    QueueFiles files(options, name, mode);
    MQ_TRY(files.Load(check));
    auto it = marked.find(name);
    if (it != marked.end()) {
      MQ_TRY(KeepMarked(log_min, *marker, name, it->second, files, log, check));
      marked.erase(it);
    } else if (marker) {
      // Made after the marker: all its records are derived again anyway.
      MQ_TRY(files.RemoveAll(check));
    } else {
      MQ_TRY(KeepExpired(options, log_min, name, files, check));
    }
  }
  for (const auto& [name, queue] : marked) {
    WarnLost(name, QueueOffset(0), "the queue's directory is gone: derived again from the log");
    check.lost[name] = queue.end;
    ++check.rebuilt_queues;
    check.start = log_min;
  }
  return check;
}

}  // namespace mq::store
