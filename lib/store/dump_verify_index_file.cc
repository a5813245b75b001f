#include "store/dump_verify_index_file.h"

namespace mq::store {

namespace {

constexpr uint64_t kSaidOfOneFile = 50;  // more are counted

}  // namespace

void IndexFileVerifier::Say(const DumpIndex& index, int64_t byte, Severity severity, std::string_view rule,
                            std::string text) {
  ++said_;
  if (said_ <= kSaidOfOneFile) sink_({index.path(), byte, severity, rule, std::move(text)});
}

Status IndexFileVerifier::Check(DumpIndex& index) {
  said_ = 0;
  // Only the last file may be one that waits for its first key.
  if (!empty_.empty()) {
    sink_({empty_, 36, Severity::kError, "I-13", "holds no entry though a file follows it"});
    empty_.clear();
  }
  if (index.end() <= 1) empty_ = index.path();
  MQ_TRY(CheckHeader(index));
  MQ_TRY(CheckChains(index));
  if (said_ > kSaidOfOneFile) {
    sink_({index.path(), 0, Severity::kError, "I-12", std::to_string(said_ - kSaidOfOneFile) + " more faults"});
  }
  return Ok();
}

// Nothing was put into it yet, or only the first entry, halfway; unless its header is lost.
Status IndexFileVerifier::CheckEmpty(DumpIndex& index) {
  if (live_) return Ok();
  for (int64_t number = 2; number < index.entries(); ++number) {
    MQ_ASSIGN(const IndexEntry entry, index.Entry(number));
    if (entry.hash == 0 && entry.position.value() == 0 && entry.seconds == 0 && entry.previous == 0) continue;
    Say(index, 36, Severity::kError, "I-13",
        "index count is " + std::to_string(index.header().count) + ", but there is an entry " + std::to_string(number));
    break;
  }
  return Ok();
}

// The count is written last: until then the header's end is that of an entry that does not count yet.
Result<bool> IndexFileVerifier::IsHalfway(DumpIndex& index) const {
  const int64_t next = index.header().count;
  if (!(live_ || unclean_) || next >= index.entries()) return false;
  MQ_ASSIGN(const IndexEntry entry, index.Entry(next));
  return entry.position == index.header().end;
}

Status IndexFileVerifier::CheckHeader(DumpIndex& index) {
  const IndexHeader header = index.header();
  if (header.count < 0 || header.count > index.entries()) {
    Say(index, 36, Severity::kError, "I-13",
        "index count " + std::to_string(header.count) + " is not within 1 and " + std::to_string(index.entries()));
    return Ok();
  }
  if (header.count <= 1) return CheckEmpty(index);
  if (header.end.value() < last_end_offset_ || header.end_timestamp < last_end_time_) {
    Say(index, 8, Severity::kError, "I-13", "ends before the file in front of it does");
  }
  last_end_offset_ = header.end.value();
  last_end_time_ = header.end_timestamp;
  MQ_ASSIGN(const IndexEntry first, index.Entry(1));
  MQ_ASSIGN(const IndexEntry last, index.Entry(header.count - 1));
  if (first_offset_ < 0) first_offset_ = first.position.value();
  if (first.position != header.begin) {
    Say(index, 16, Severity::kError, "I-13",
        "begin offset " + std::to_string(header.begin.value()) + " is not that of the first entry, " +
            std::to_string(first.position.value()));
  }
  MQ_ASSIGN(const bool halfway, IsHalfway(index));
  if (last.position != header.end && !halfway) {
    Say(index, 24, Severity::kError, "I-13",
        "end offset " + std::to_string(header.end.value()) + " is not that of the last entry, " +
            std::to_string(last.position.value()));
  }
  return Ok();
}

// Each entry must name the one that was the newest of its slot when it was put: then, and only then, every entry is
// reached from its slot and no chain has a loop.
Status IndexFileVerifier::CheckChains(DumpIndex& index) {
  std::vector<int32_t> newest(static_cast<size_t>(index.slots()));
  for (int64_t number = 1; number < index.end(); ++number) {
    MQ_ASSIGN(const IndexEntry entry, index.Entry(number));
    if (entry.hash < 0 || entry.position.value() < 0 || entry.seconds < 0) {
      Say(index, index.EntryByte(number), Severity::kError, "I-12",
          "entry " + std::to_string(number) + " has a negative field");
      continue;
    }
    int32_t& slot = newest[static_cast<size_t>(index.SlotOf(entry.hash))];
    if (entry.previous != slot) {
      Say(index, index.EntryByte(number), Severity::kError, "I-12",
          "entry " + std::to_string(number) + " names " + std::to_string(entry.previous) +
              " as the one before it in slot " + std::to_string(index.SlotOf(entry.hash)) + ", which is " +
              std::to_string(slot));
    }
    slot = static_cast<int32_t>(number);
  }
  return CheckSlots(index, newest);
}

void IndexFileVerifier::SaySlot(const DumpIndex& index, int64_t slot, int32_t value, int32_t expected,
                                Severity severity) {
  Say(index, index.SlotByte(slot), severity, "I-12",
      "slot " + std::to_string(slot) + " names entry " + std::to_string(value) + "; its newest is " +
          std::to_string(expected));
}

Status IndexFileVerifier::CheckSlots(DumpIndex& index, const std::vector<int32_t>& newest) {
  struct Ahead {
    int64_t slot;
    int32_t value;
  };
  std::vector<Ahead> ahead;
  const IndexHeader seen = index.header();
  int32_t used = 0;
  for (int64_t slot = 0; slot < index.slots(); ++slot) {
    const int32_t expected = newest[static_cast<size_t>(slot)];
    MQ_ASSIGN(const int32_t value, index.Slot(slot));
    if (expected != 0) ++used;
    if (value == expected) continue;
    if (value >= seen.count && (live_ || unclean_)) {
      if (!live_) ahead.push_back({slot, value});
    } else {
      SaySlot(index, slot, value, expected, Severity::kError);
    }
  }
  if (live_) return Ok();
  // Whether somebody writes is not known: entries that count by now were put since, the others are what a kill between
  // slot and header leaves.
  if (unclean_) MQ_TRY(index.Refresh());
  for (const Ahead& each : ahead) {
    if (each.value < index.header().count) continue;
    SaySlot(index, each.slot, each.value, newest[static_cast<size_t>(each.slot)], Severity::kWarning);
  }
  if (seen.count > 1 && seen.slots_used != used && index.header() == seen) {
    Say(index, 32, Severity::kWarning, "I-13",
        "the header counts " + std::to_string(seen.slots_used) + " used slots; there are " + std::to_string(used));
  }
  return Ok();
}

}  // namespace mq::store
