#include "store/index_check.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/file.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "store/index_scan.h"
#include "store/log_walk.h"
#include "store/remove_name.h"

namespace mq::store {

namespace {

// Entries of a file that are compared with the log, besides its first and last.
constexpr int32_t kSamples = 30;

class Checker {
 public:
  Checker(const StoreOptions& options, PhysicalOffset log_min, PhysicalOffset log_end, LogReader& log)
      : options_(options), layout_(options.root), log_min_(log_min), log_end_(log_end), log_(log) {}

  Result<IndexCheck> Run(const std::optional<MarkedIndex>& marked, IndexCheckMode mode) {
    MQ_ASSIGN(files_, ListIndexFiles(layout_));
    if (mode == IndexCheckMode::kRebuild) {
      MQ_TRY(RemoveFrom(0));
    } else if (marked) {
      MQ_TRY(FollowMarker(*marked, mode));
    } else {
      MQ_TRY(VerifyAll());
    }
    MQ_TRY(FindResumePoint());
    check_.position = std::max({check_.position, check_.resume_record, log_min_});
    return std::move(check_);
  }

 private:
  std::string PathOf(size_t i) const { return layout_.IndexFile(files_[i].name); }

  Status RemoveFrom(size_t first) {
    if (first >= files_.size()) return Ok();
    for (size_t i = first; i < files_.size(); ++i) MQ_TRY(RemoveName(PathOf(i)));
    files_.resize(first);
    return FsyncDirectory(layout_.IndexDir());
  }

  // Kept for a person to look at, until others take their place. The disk is never filled with them.
  Status SetAsideFrom(size_t first, const char* why) {
    if (first >= files_.size()) return Ok();
    const std::string directory = layout_.IndexSetAsideDir();
    MQ_TRY(RemoveTree(directory));
    MQ_TRY(MakeDirectories(directory));
    log::Warn("store.index", why)
        .Field("first", files_[first].name)
        .Field("files", static_cast<uint64_t>(files_.size() - first))
        .Field("set_aside", directory);
    for (size_t i = first; i < files_.size(); ++i) {
      const std::string to = directory + "/" + files_[i].name;
      if (std::rename(PathOf(i).c_str(), to.c_str()) != 0) return ErrnoError(ErrorCode::kIo, "rename " + PathOf(i));
    }
    files_.resize(first);
    MQ_TRY(FsyncDirectory(directory));
    return FsyncDirectory(layout_.IndexDir());
  }

  void Lost(const std::string& name, const char* what) {
    log::Warn("store.index", what).Field("file", name).Field("kept_files", static_cast<uint64_t>(check_.files.size()));
  }

  // --- With a marker ---

  Status FollowMarker(const MarkedIndex& marked, IndexCheckMode mode) {
    check_.position = marked.position;
    size_t at = 0;  // in files_
    for (size_t i = 0; i < marked.files.size(); ++i) {
      const MarkedIndexFile& file = marked.files[i];
      const bool found = at < files_.size() && files_[at].name == file.name;
      // Expired and trimmed after the marker.
      if (!found && check_.files.empty() && i + 1 < marked.files.size() && file.header.end < log_min_) continue;
      bool kept = false;
      if (found) {
        MQ_ASSIGN(kept, KeepMarked(file, i + 1 == marked.files.size(), mode));
      }
      if (!kept) {
        Lost(file.name, found ? "an index file is not as marked: built again from the log"
                              : "an index file is gone: built again from the log");
        check_.position = PhysicalOffset(0);
        return RemoveFrom(at);
      }
      ++at;
    }
    return mode == IndexCheckMode::kGoOn ? GoOnWith(at) : RemoveFrom(at);
  }

  Result<bool> KeepMarked(const MarkedIndexFile& file, bool last, IndexCheckMode mode) {
    auto scan = IndexScan::Open(options_, layout_.IndexFile(file.name));
    if (!scan) {
      if (scan.error().code == ErrorCode::kCorruption || scan.error().code == ErrorCode::kNotFound) return false;
      return std::move(scan).error();
    }
    if (last && mode == IndexCheckMode::kGoOn) return KeepAsItIs(file.name, *scan);
    if (!(scan->header() == file.header && (!last || scan->SlotsWithinCount()))) {
      if (scan->SoundCount(file.header.count, log_end_) != file.header.count) return false;
      MQ_TRY(scan->Repair(file.header.count, file.header, last));
      PassKillPoint(KillPoint::kIndexFileChecked);
    }
    check_.files.push_back(file);
    return true;
  }

  // Files made since the marker, in the same life: whole but for the last put.
  Status GoOnWith(size_t at) {
    for (; at < files_.size(); ++at) {
      MQ_ASSIGN(IndexScan scan, IndexScan::Open(options_, PathOf(at)));
      MQ_ASSIGN(const bool kept, KeepAsItIs(files_[at].name, scan));
      if (!kept) {
        Lost(files_[at].name, "an index file is damaged: built again from the log");
        check_.position = PhysicalOffset(0);
        return RemoveFrom(at);
      }
    }
    return Ok();
  }

  // The count may be one ahead of the positions in the header: the entries say how far the file goes.
  Result<bool> KeepAsItIs(const std::string& name, IndexScan& scan) {
    const int32_t count = scan.header().count;
    if (scan.SoundCount(count, log_end_) != count) return false;
    MQ_TRY(RepairFromEntries(scan, count, false));
    check_.files.push_back({name, scan.header()});
    return true;
  }

  // --- Without a marker ---

  Status VerifyAll() {
    for (size_t at = 0; at < files_.size(); ++at) {
      auto scan = IndexScan::Open(options_, PathOf(at));
      if (!scan) {
        if (scan.error().code != ErrorCode::kCorruption) return std::move(scan).error();
        return SetAsideFrom(at, "index files have another size than the settings say: built again");
      }
      const int32_t claimed = scan->header().count;
      const int32_t sound = scan->SoundCount(claimed, log_end_);
      MQ_ASSIGN(const bool ours, SamplesAgree(*scan, sound));
      if (!ours || (sound == 1 && claimed > 1)) {
        return SetAsideFrom(at, "index files belong to another commit log: built again");
      }
      if (at > 0 && check_.files.back().header.count == 1) {
        // Only the last file may be one that waits for its first key.
        check_.files.pop_back();
        return SetAsideFrom(at - 1, "index files behind one that has lost its entries: built again");
      }
      if (sound > 1) {
        MQ_ASSIGN(const bool follows, FollowsOn(scan->Entry(1).position));
        if (!follows) return SetAsideFrom(at, "index files with keys missing in front of them: built again");
      }
      MQ_TRY(RepairFromEntries(*scan, sound, sound < claimed));
      check_.files.push_back({files_[at].name, scan->header()});
      if (sound == claimed) continue;
      Lost(files_[at].name, "an index file is damaged: built again from its last good entry on");
      return SetAsideFrom(at + 1, "index files behind a damaged one: built again");
    }
    return Ok();
  }

  // After a power cut each file may be whole and one in front of it gone, or have an old count: whether the log has no
  // key between the last entry kept so far and a file that begins with the record at `first`. A record may be filed
  // twice (RocketMQ does that), never left out.
  Result<bool> FollowsOn(PhysicalOffset first) {
    PhysicalOffset last = log_min_;
    int32_t filed = 0;  // keys of the record at `last`
    if (!check_.files.empty()) {
      MQ_ASSIGN(const IndexScan scan, IndexScan::Open(options_, layout_.IndexFile(check_.files.back().name)));
      const int32_t count = scan.header().count;
      const PhysicalOffset record = scan.Entry(count - 1).position;
      while (filed < count - 1 && scan.Entry(count - 1 - filed).position == record) ++filed;
      if (record < log_min_) filed = 0;
      last = std::max(last, record);
    }
    LogWalk walk(log_, last);
    while (walk.position() < first) {
      MQ_ASSIGN(const protocol::MessageView* record, walk.Next(first));
      if (record == nullptr) break;
      if (!EntersIndex(record->sys_flag)) continue;
      int32_t keys = 0;
      ForEachIndexKey(record->properties, [&keys](std::string_view) { return ++keys > 0; });
      if (keys > (walk.record_position() == last ? filed : 0)) return false;
    }
    return true;
  }

  Result<bool> SamplesAgree(const IndexScan& scan, int32_t count) {
    // Expired records cannot be compared any more.
    int32_t first = 1;
    int32_t high = count;
    while (first < high) {
      const int32_t middle = first + (high - first) / 2;
      if (scan.Entry(middle).position < log_min_) {
        first = middle + 1;
      } else {
        high = middle;
      }
    }
    if (first >= count) return true;
    const int32_t step = std::max((count - first) / kSamples, 1);
    for (int32_t number = first; number < count; number += step) {
      MQ_ASSIGN(const bool agrees, scan.AgreesWithLog(number, log_));
      if (!agrees) return false;
    }
    return scan.AgreesWithLog(count - 1, log_);
  }

  Status RepairFromEntries(IndexScan& scan, int32_t count, bool zero_rest) {
    IndexHeader header = scan.header();
    if (count > 1) {
      const PhysicalOffset last = scan.Entry(count - 1).position;
      const PhysicalOffset first = scan.Entry(1).position;
      if (header.end != last) header.end_timestamp = TimeOf(last, header.end_timestamp);
      if (header.begin != first) header.begin_timestamp = TimeOf(first, header.begin_timestamp);
      header.begin = first;
      header.end = last;
    }
    return scan.Repair(count, header, zero_rest);
  }

  int64_t TimeOf(PhysicalOffset record, int64_t otherwise) {
    Slice slice;
    const auto message = log_.ReadRecord(record, &slice);
    return message ? message->store_timestamp : otherwise;
  }

  // --- Both ---

  Status FindResumePoint() {
    for (auto file = check_.files.rbegin(); file != check_.files.rend(); ++file) {
      MQ_ASSIGN(const IndexScan scan, IndexScan::Open(options_, layout_.IndexFile(file->name)));
      for (int32_t number = file->header.count - 1; number >= 1; --number) {
        const PhysicalOffset position = scan.Entry(number).position;
        if (check_.resume_record.value() < 0) check_.resume_record = position;
        if (position != check_.resume_record) return Ok();
        ++check_.resume_keys;
      }
    }
    return Ok();
  }

  const StoreOptions& options_;
  StoreLayout layout_;
  PhysicalOffset log_min_;
  PhysicalOffset log_end_;
  LogReader& log_;
  std::vector<IndexFileEntry> files_;
  IndexCheck check_;
};

}  // namespace

Result<IndexCheck> CheckIndex(const StoreOptions& options, PhysicalOffset log_min, PhysicalOffset log_end,
                              const std::optional<MarkedIndex>& marked, IndexCheckMode mode, LogReader& log) {
  return Checker(options, log_min, log_end, log).Run(marked, mode);
}

}  // namespace mq::store
