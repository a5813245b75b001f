// DumpLog: the commit log in order as mq-storedump sees it: records, blanks, damage, and where it ends.
//
// Unlike LogWalk it needs no positions, no known end and no files of the right size: it works on copied, damaged and
// RocketMQ's own stores. With the positions of a live broker it stops at `wrote`. Damage is an answer, never an error;
// errors are those of the operating system and of a file that is cut while it is read. Reads dump_file; read by
// dump_verify, dump_summary and mq-storedump.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/dump_file.h"
#include "store/layout.h"
#include "store/record.h"

namespace mq::store {

enum class LogItemKind {
  kRecord,
  kBlank,
  kDamage,    // a stretch that is no record, with records or files behind it
  kTornTail,  // the same at the end of the log: nothing but it follows
};

struct LogItem {
  LogItemKind kind = LogItemKind::kRecord;
  PhysicalOffset position;
  int64_t bytes = 0;
  std::string reason;             // damage
  protocol::MessageView message;  // kRecord; valid until the next call
};

class DumpLog {
 public:
  struct File {
    int64_t start = 0;
    int64_t bytes = 0;
  };

  // Lists the files. A store without a commitlog folder is kNotFound.
  static Result<DumpLog> Open(const StoreLayout& layout, protocol::BodyCheck check);

  const std::vector<File>& files() const { return files_; }
  // The size most files have; 0 without files.
  int64_t file_bytes() const { return file_bytes_; }
  PhysicalOffset min() const { return PhysicalOffset(files_.empty() ? 0 : files_.front().start); }

  // Nothing at or behind it is looked at: `wrote` of a live broker.
  void set_limit(PhysicalOffset limit);
  void clear_limit() { limit_.reset(); }
  // Goes on at `from`, which need not be a record's start: the next one is looked for.
  void Seek(PhysicalOffset from);
  // Looks for files that came into being, and reads the window anew.
  Status Refresh();

  // The next item; nothing at the end. The position then is end().
  Result<std::optional<LogItem>> Next();
  // Whether a record or blank is at position() now: a cheap look for who waits for the log to grow.
  Result<bool> HasNext();
  // Where Next() looks next; after the end, the end of the log.
  PhysicalOffset position() const { return position_; }
  // The record at `position`, or nothing when none starts there. Spoils views of Next().
  Result<std::optional<LogItem>> RecordAt(PhysicalOffset position);
  // Bytes from `position` on, at most `size` and within its file; empty where there is no file.
  Result<std::string_view> BytesAt(PhysicalOffset position, int64_t size);
  // The first byte at or behind `from` that is not zero, in this and the following files.
  Result<std::optional<PhysicalOffset>> FindNonZero(PhysicalOffset from);

  // "/store/commitlog/00000000000000000000" and the byte in it, for messages.
  std::string PathOf(PhysicalOffset position) const;
  int64_t ByteOf(PhysicalOffset position) const;
  // "position 5000 (/store/commitlog/00000000000000000000:5000)".
  std::string PlaceOf(PhysicalOffset position) const;
  // kCorruption when position() lies beyond the end of its file: it was longer when it was read up to there.
  Status CheckNotCut() const;
  // Files that went away (expired) while they were read.
  uint64_t vanished_files() const { return vanished_; }

 private:
  explicit DumpLog(const StoreLayout& layout, protocol::BodyCheck check) : layout_(layout), check_(check) {}
  Status List();
  const File* FileOf(PhysicalOffset position) const;
  const File* FileBehind(PhysicalOffset position) const;
  int64_t EndOf(const File& file) const;
  // False when the file has vanished.
  Result<bool> OpenFile(const File& file);
  Result<RecordCheck> CheckAt(const File& file, int64_t position);
  Result<std::optional<int64_t>> FindRecord(const File& file, int64_t from);
  Result<std::optional<LogItem>> Damage(const File& file, const char* reason);
  Result<bool> IsWholeNow(const File& file, PhysicalOffset position);
  // The blank at position_: it ends its file, unless it hides records that were stored after the last one.
  Result<LogItem> Blank(const File& file, int64_t bytes);
  Result<std::optional<LogItem>> Gap();

  StoreLayout layout_;
  protocol::BodyCheck check_;
  std::vector<File> files_;
  int64_t file_bytes_ = 0;
  std::optional<int64_t> limit_;
  PhysicalOffset position_;
  bool seek_ = false;      // position_ may lie inside a record
  int64_t last_time_ = 0;  // store time of the last record
  DumpFile file_;
  int64_t open_start_ = -1;
  uint64_t vanished_ = 0;
};

}  // namespace mq::store
