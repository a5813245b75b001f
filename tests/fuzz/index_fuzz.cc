// An index file: whatever its bytes are, a lookup ends and stays within it, verification ends, and what a repair leaves
// is sound and stays as it is when it is repaired again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "scratch.h"
#include "store/dump_index.h"
#include "store/dump_verify_index_file.h"
#include "store/index_reader.h"
#include "store/index_scan.h"

using mq::store::PhysicalOffset;

namespace {

constexpr int32_t kSlots = 5;
constexpr int32_t kEntries = 20;
constexpr const char* kName = "20260101000000000";
constexpr PhysicalOffset kLogEnd{1 << 20};

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

// Without a log no entry's record is there, so nothing may be found.
void LookUp(const mq::store::StoreOptions& options) {
  mq::store::IndexReader reader(options, nullptr, kLogEnd);
  for (const char* key : {"a", "b", "c", "d", "e", "f"}) {
    mq::store::IndexQuery query;
    query.topic = "T";
    query.key = key;
    query.max_messages = 64;
    query.end_timestamp = INT64_MAX;
    const auto answer = reader.Query(query);
    Require(answer.has_value() && answer->records.empty());
  }
}

void Verify(const std::string& path) {
  auto index = mq::store::DumpIndex::Open(path, kSlots);
  Require(index.has_value() && index->end() >= 1 && index->end() <= kEntries);
  uint64_t faults = 0;
  const mq::store::FaultSink sink = [&faults](const mq::store::Fault&) { ++faults; };
  mq::store::IndexFileVerifier verifier(false, false, sink);
  Require(verifier.Check(*index).has_value());
}

void Repair(const mq::store::StoreOptions& options, const std::string& path) {
  int32_t sound = 0;
  {
    auto scan = mq::store::IndexScan::Open(options, path);
    Require(scan.has_value());
    sound = scan->SoundCount(scan->header().count, kLogEnd);
    Require(sound >= 1 && sound <= kEntries);
    Require(scan->Repair(sound, scan->header(), true).has_value());
  }
  const auto bytes = mq::ReadFile(path);
  auto again = mq::store::IndexScan::Open(options, path);
  Require(bytes && again && again->SlotsWithinCount());
  Require(again->SoundCount(again->header().count, kLogEnd) == sound);
  Require(again->Repair(sound, again->header(), true).has_value());
  Require(mq::ReadFile(path).value() == *bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static mq::fuzz::Scratch scratch;
  mq::store::StoreOptions options;
  options.root = scratch.root();
  options.index_slots = kSlots;
  options.index_entries = kEntries;
  const std::string path = scratch.layout().IndexFile(kName);
  const auto whole = static_cast<size_t>(mq::store::IndexFileBytes(options));
  std::string file(reinterpret_cast<const char*>(data), std::min(size, whole));
  file.resize(whole);
  scratch.Put(path, file);
  LookUp(options);
  Verify(path);
  Repair(options, path);
  LookUp(options);
  return 0;
}
