// A file of a consume queue: whatever its bytes are, readers stay within it, nothing behind the end of the log is
// visible, the search for the first offset that can be read ends, and entries are written as they were read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "scratch.h"
#include "store/commit_log.h"
#include "store/consume_queue.h"
#include "store/dump_queue.h"

using mq::store::PhysicalOffset;
using mq::store::QueueOffset;

namespace {

constexpr int64_t kEntries = 40;
constexpr int64_t kFileBytes = kEntries * mq::store::kQueueEntryBytes;
constexpr int64_t kLogEnd = 1 << 20;

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

void RoundTrip(const std::string& file) {
  char bytes[mq::store::kQueueEntryBytes];
  for (int64_t i = 0; i < kEntries; ++i) {
    const char* at = file.data() + i * mq::store::kQueueEntryBytes;
    mq::store::StoreQueueEntry(bytes, mq::store::LoadQueueEntry(at));
    Require(std::memcmp(bytes, at, sizeof bytes) == 0);
  }
}

void Read(const mq::store::StoreOptions& options, int64_t from, PhysicalOffset log_end) {
  mq::store::ConsumeQueueReader reader(options, nullptr, log_end);
  const auto max = reader.MaxOffset("T", 0);
  const auto min = reader.MinOffset("T", 0);
  Require(max.has_value() && min.has_value());
  Require(max->value() >= 0 && max->value() <= kEntries);
  const QueueOffset first = min->value_or(QueueOffset(0));
  Require(first.value() >= 0 && first <= std::max(*max, QueueOffset(0)));
  const auto span = reader.Read("T", 0, QueueOffset(from), kEntries);
  Require(span.has_value() && span->count >= 0 && span->count <= kEntries - from);
  if (span->count > 0) {
    const mq::store::QueueEntry last = (*span)[span->count - 1];
    Require(last.IsPreBlank() || (last.IsValid() && last.end() <= log_end));
  }
  const mq::store::QueueSpan written = reader.ReadWritten("T", 0, QueueOffset(from), kEntries);
  Require(written.count == kEntries - from);
  mq::store::LogReader log(options, nullptr, log_end);
  const auto found = reader.OffsetByTime("T", 0, 1000, mq::store::TimeBoundary::kLower, *max, log);
  Require(found.has_value() && found->value() >= 0 && found->value() <= kEntries);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static mq::fuzz::Scratch scratch;
  static const std::string folder = scratch.layout().QueueDir("T", 0);
  static const bool made = mq::MakeDirectories(folder).has_value();
  Require(made);
  if (size == 0) return 0;
  std::string file(reinterpret_cast<const char*>(data) + 1, std::min<size_t>(size - 1, kFileBytes));
  file.resize(kFileBytes);
  scratch.Put(folder + "/" + mq::store::MappedFileName(0), file);
  RoundTrip(file);
  mq::store::StoreOptions options;
  options.root = scratch.root();
  options.commit_log_file_bytes = 65536;
  options.consume_queue_file_bytes = kFileBytes;
  // The first byte says where a reader begins and where the log ends.
  Read(options, data[0] % kEntries, PhysicalOffset(data[0] % 2 == 0 ? kLogEnd : int64_t{data[0]} << 8));
  auto dump = mq::store::DumpQueue::Open(scratch.layout(), {"T", 0});
  Require(dump.has_value());
  const auto end = dump->End();
  Require(end.has_value() && *end >= 0 && *end <= kEntries);
  for (int64_t i = -1; i <= kEntries; ++i) {
    const auto entry = dump->Entry(i);
    Require(entry.has_value() && entry->has_value() == (i >= 0 && i < kEntries));
  }
  return 0;
}
