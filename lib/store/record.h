// What lies at a position of the commit log: a record, a blank, or damage.
//
// The layout itself is protocol/message.h; this adds what only the log can tell: the blank at a file's
// end, that the record's own position field equals where it lies (bytes of an earlier life of the file
// fail this), and how to find the next record behind damage. Shared by recovery, reput and dump.
// Bytes from disk never trip a check: damage is an answer. Spec: mq-store(5), "Record".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/message.h"
#include "store/types.h"

namespace mq::store {

inline constexpr int64_t kBlankHeaderBytes = 8;

enum class RecordKind {
  kMessage,
  kBlank,  // the rest of this file is unused
  kBad,
};

struct RecordCheck {
  RecordKind kind = RecordKind::kBad;
  // kMessage: size of the record. kBlank: all that is left of the file. kBad: size claimed by a record
  // whose frame is whole but whose contents are damaged (a reader may step over it), else 0.
  int64_t bytes = 0;
  const char* reason = "";        // kBad: what is wrong
  bool body_only = false;         // kBad: all lengths are right, and only the body is not that of its checksum
  protocol::MessageView message;  // kMessage only
};

inline constexpr const char* kHidesRecords = "a blank with records behind it in its file";

// What the head of a blank with the size `claimed` means where `left` bytes are left of the file. A blank always names
// all of them: one of another size was not written by a broker, and to believe it would hide every record behind it.
RecordCheck CheckBlank(int64_t claimed, int64_t left);

// Whether `bytes` begin with the head of a blank of `size` bytes, more of it or not.
bool IsBlankUpTo(std::string_view bytes, int64_t size);

// The first record inside of the blank whose bytes these are (they lie at `position`) whose store time is not below
// `newest_ms`, that of the last record in front of the blank. Nothing in a sound log: such a blank hides records and is
// damage. Older records are no news: RocketMQ leaves them behind where it cut the log, and a blank may come to lie
// there.
std::optional<PhysicalOffset> FindRecordInBlank(std::string_view bytes, PhysicalOffset position, int64_t newest_ms);

// Looks at `bytes`, which lie at `position` and end where the file (or the readable part of it) ends.
RecordCheck CheckRecord(std::string_view bytes, PhysicalOffset position, protocol::BodyCheck body_check);

// The first position >= `from` (up to the end of `bytes`, which lie at `position`) where a whole record
// starts whose position field agrees. Used behind damage; linear.
std::optional<PhysicalOffset> FindNextRecord(std::string_view bytes, PhysicalOffset position, PhysicalOffset from);

// Records that consume queues carry: none and commit, not prepared or rollback.
inline bool EntersQueue(int32_t sys_flag) {
  int32_t type = sys_flag & protocol::sys_flag::kTransactionMask;
  return type == 0 || type == protocol::sys_flag::kTransactionCommit;
}

}  // namespace mq::store
