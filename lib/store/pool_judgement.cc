#include "store/pool_judgement.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "store/mapped_file.h"
#include "store/record.h"

namespace mq::store {

namespace {

HeldSlot LookAtSlot(const PoolHeader& header, int32_t slot, const char* data, PhysicalOffset count_from) {
  HeldSlot held;
  held.start = header.slot[slot].start.load(std::memory_order_acquire);
  held.from = header.slot[slot].from.load(std::memory_order_relaxed);
  held.data = data;
  const int64_t end = std::min(header.wrote.load(std::memory_order_acquire), held.start + header.file_bytes);
  held.to = held.copy_from = held.from;
  while (held.to < end) {
    const std::string_view rest(data + (held.to - held.start), static_cast<size_t>(end - held.to));
    const RecordCheck check = CheckRecord(rest, PhysicalOffset(held.to), protocol::BodyCheck::kCrc);
    if (check.kind == RecordKind::kBad) {
      // The last one: what lies in front may be in the log already.
      held.damaged_at = held.to;
      held.reason = check.reason;
      if (!check.body_only) {
        const std::string_view all(data, static_cast<size_t>(end - held.start));
        const auto next = FindNextRecord(all, PhysicalOffset(held.start), PhysicalOffset(held.to + 1));
        held.to = next ? next->value() : end;
        continue;
      }
    }
    if (check.kind == RecordKind::kMessage && PhysicalOffset(held.to) >= count_from) ++held.records;
    held.to += check.bytes;
  }
  return held;
}

// A slot of a file that has been removed since was in it before.
void FillSlots(PoolJudgement& taken, int64_t log_min, PhysicalOffset count_from) {
  const PoolHeader& header = taken.pool->header();
  for (int32_t i = 0; i < static_cast<int32_t>(header.slots); ++i) {
    const int64_t start = header.slot[i].start.load(std::memory_order_acquire);
    const int64_t from = header.slot[i].from.load(std::memory_order_relaxed);
    if (start == -1) continue;  // free
    if (start < 0 || start > INT64_MAX - header.file_bytes || start % header.file_bytes != 0 || from < start ||
        from > start + header.file_bytes) {
      ++taken.wrong_slots;
      continue;
    }
    if (start + header.file_bytes <= log_min) continue;
    taken.slots.push_back(LookAtSlot(header, i, taken.pool->SlotData(i), count_from));
  }
  std::sort(taken.slots.begin(), taken.slots.end(),
            [](const HeldSlot& a, const HeldSlot& b) { return a.start < b.start; });
}

bool HoldsNothing(const HeldSlot& held) { return held.to == held.from; }

// More than one field: a damaged one makes no other record, and one that was being copied is not whole or keeps its
// time.
bool IsAnother(const RecordCheck& logged, const RecordCheck& pooled) {
  if (logged.kind == RecordKind::kBad) return false;
  if (logged.kind != pooled.kind) return true;
  return logged.message.store_timestamp != pooled.message.store_timestamp &&
         (logged.message.body_crc != pooled.message.body_crc ||
          logged.message.born_timestamp != pooled.message.born_timestamp || logged.bytes != pooled.bytes);
}

// The file of the log that a slot is for and that is not there: what was committed of it is gone. Empty: none.
std::string MissingFile(const StoreLayout& layout, const std::vector<HeldSlot>& slots) {
  for (const HeldSlot& held : slots) {
    std::string path = layout.CommitLogFile(PhysicalOffset(held.start));
    if (!HoldsNothing(held) && !PathExists(path)) return path;
  }
  return {};
}

// Finds where the log does not have a slot's bytes yet. A whole record of it is never written over by a damaged copy.
// True when it is another one: a broker that knew nothing of the pool has gone on with the log.
bool LogWentOn(const StoreLayout& layout, HeldSlot& held, int64_t file_bytes) {
  const auto file = MappedFile::OpenReadOnly(layout.CommitLogFile(PhysicalOffset(held.start)), held.start, file_bytes);
  if (!file) return false;  // told by who writes it
  int64_t& at = held.copy_from;
  while (at < held.to) {
    const auto rest = [&](const char* data) {
      return std::string_view(data + (at - held.start), static_cast<size_t>(held.start + file_bytes - at));
    };
    RecordCheck logged = CheckRecord(rest(file->data()), PhysicalOffset(at), protocol::BodyCheck::kSkip);
    if (logged.kind == RecordKind::kBad) return false;
    const auto bytes = static_cast<size_t>(logged.bytes);
    if (rest(file->data()).substr(0, bytes) != rest(held.data).substr(0, bytes)) {
      logged = CheckRecord(rest(file->data()), PhysicalOffset(at), protocol::BodyCheck::kCrc);
      if (logged.kind == RecordKind::kBad) return false;
      const RecordCheck pooled = CheckRecord(rest(held.data), PhysicalOffset(at), protocol::BodyCheck::kCrc);
      // The rest of a record that was being copied looks like another one no more than a damaged copy does.
      if (pooled.kind != RecordKind::kBad) return IsAnother(logged, pooled);
    }
    at += logged.bytes;
  }
  return false;
}

// Whether anything was ever put into its slots. Pages that were only reserved are holes.
bool NeverWritten(const std::string& path) {
  const auto fd = OpenFile(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  return fd && ::lseek(fd->get(), kPoolHeaderBytes, SEEK_DATA) < 0 && errno == ENXIO &&
         ::lseek(fd->get(), 0, SEEK_END) > kPoolHeaderBytes;
}

// The store names none that can be read: what lies at its place may still be its own.
Result<PoolJudgement> JudgeUnnamed(const StoreLayout& layout, bool clean) {
  using Kind = PoolJudgement::Kind;
  PoolJudgement found;
  MQ_ASSIGN(found.name, MakePoolName(layout));
  struct stat status {};
  if (::lstat(found.name.path.c_str(), &status) != 0) return found;
  if (S_ISREG(status.st_mode) && NeverWritten(found.name.path)) {
    found.kind = Kind::kUnused;
    return found;
  }
  auto pool = TransientPoolReader::OpenUnnamed(found.name);
  if (!pool || clean) {
    found.kind = Kind::kSetAside;
    found.why = !pool ? pool.error().what
                      : "the transient pool " + found.name.path + " is of a store that was stopped cleanly since";
    return found;
  }
  found.kind = Kind::kTake;
  found.adopt = true;
  found.name.id.assign((*pool)->header().id, 32);
  found.pool = std::move(*pool);
  return found;
}

// Changes nothing.
Result<PoolJudgement> Judge(const StoreLayout& layout, bool clean) {
  using Kind = PoolJudgement::Kind;
  auto name = ReadPoolName(layout);
  if (!name && (name.error().code == ErrorCode::kNotFound || name.error().code == ErrorCode::kCorruption)) {
    const bool damaged = name.error().code == ErrorCode::kCorruption;
    MQ_ASSIGN(PoolJudgement found, JudgeUnnamed(layout, clean));
    if (damaged && found.kind == Kind::kNone) {
      found.kind = Kind::kForget;
      found.why = name.error().what + ", and there is none at " + found.name.path;
    }
    return found;
  }
  if (!name) return std::move(name).error();
  MQ_ASSIGN(const PoolName own, MakePoolName(layout));
  PoolJudgement found;
  found.name = *name;
  auto pool = TransientPoolReader::Open(layout);
  if (pool) {
    found.kind = Kind::kTake;
    found.pool = std::move(*pool);
    return found;
  }
  if (pool.error().code != ErrorCode::kCorruption && PathExists(name->path)) return std::move(pool).error();
  if (own.path != name->path) {
    // A name that was changed leads elsewhere.
    MQ_ASSIGN(PoolJudgement at_own_place, JudgeUnnamed(layout, clean));
    if (at_own_place.kind == Kind::kTake || at_own_place.kind == Kind::kSetAside) return at_own_place;
  }
  // A copy of a store names the pool of its original, which is not ours to touch.
  found.kind = own.path == name->path && PathExists(name->path) ? Kind::kSetAside : Kind::kForget;
  if (PathExists(name->path)) {
    found.why = pool.error().what;
  } else if (own.boot_id != name->boot_id) {
    found.why = "the machine was restarted, and the transient pool " + name->path + " went with its memory";
  } else {
    found.why = "the transient pool " + name->path + " is gone";
  }
  return found;
}

}  // namespace

Result<PoolJudgement> JudgePool(const StoreOptions& options, bool clean, PhysicalOffset count_from) {
  const StoreLayout layout = options.layout();
  MQ_ASSIGN(PoolJudgement found, Judge(layout, clean));
  if (found.kind != PoolJudgement::Kind::kTake) return found;
  MQ_ASSIGN(const auto files, ListLogFiles(layout));
  FillSlots(found, files.empty() ? 0 : files.front().start, count_from);
  const int64_t file_bytes = found.pool->header().file_bytes;
  if (files.empty() && found.wrong_slots == 0 && std::all_of(found.slots.begin(), found.slots.end(), HoldsNothing)) {
    found.kind = PoolJudgement::Kind::kUnused;
  } else if (files.empty()) {
    found.kind = PoolJudgement::Kind::kSetAside;
    found.why = "the log of the transient pool " + found.name.path + " is gone";
  } else if (found.missing = MissingFile(layout, found.slots); !found.missing.empty()) {
    found.kind = PoolJudgement::Kind::kRefuse;
    found.why = "is missing, and the transient pool " + found.name.path + " holds records for it";
  } else if (std::any_of(found.slots.begin(), found.slots.end(),
                         [&](HeldSlot& held) { return LogWentOn(layout, held, file_bytes); })) {
    found.kind = PoolJudgement::Kind::kSetAside;
    found.why = "another broker has gone on with the log since the transient pool " + found.name.path + " was left";
  }
  if (found.kind == PoolJudgement::Kind::kTake) return found;
  found.slots.clear();
  found.pool.reset();
  return found;
}

std::vector<HeldSlot> SlotsToTake(const PoolJudgement& taken, LeftPool& left) {
  std::vector<HeldSlot> slots;
  std::string why;
  for (const HeldSlot& held : taken.slots) {
    if (!slots.empty() && held.from != left.to) {
      why = "holds nothing from position " + std::to_string(left.to) + " on";
      break;
    }
    if (slots.empty()) left.from = held.from;
    left.to = held.to;
    left.records += held.records;
    if (left.damage.empty() && held.damaged_at >= held.copy_from) {
      left.damage = "the transient pool " + left.path + " is damaged at position " + std::to_string(held.damaged_at) +
                    ": " + held.reason + "; it goes into the log as it is";
    }
    slots.push_back(held);
  }
  if (why.empty() && taken.wrong_slots > 0) why = "has a damaged head";
  if (!why.empty()) left.loss = "the transient pool " + left.path + " " + why + "; the rest of it is not in the log";
  return slots;
}

}  // namespace mq::store
