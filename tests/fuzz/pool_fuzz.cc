// What a transient pool's file holds after everybody was killed: of any header and any slots only what they hold comes
// into the log, at its own position, and what is no whole record among it is told.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "scratch.h"
#include "store/commit_log.h"
#include "store/pool_name.h"
#include "store/record.h"
#include "store/transient_pool.h"

using mq::store::PoolHeader;

namespace {

constexpr int64_t kFileBytes = 4096;
constexpr uint32_t kSlots = 2;
constexpr size_t kHeadBytes = 8 + 3 * 8 * kSlots;  // of the input: wrote and slots

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

int64_t Number(const uint8_t* at) {
  int64_t number = 0;
  std::memcpy(&number, at, sizeof number);
  return number;
}

// A sound header of this store in front, except where the input's first byte says otherwise.
std::string PoolFile(const mq::store::PoolName& name, const uint8_t* data, size_t size) {
  std::string file(static_cast<size_t>(mq::store::kPoolHeaderBytes + kFileBytes * kSlots), '\0');
  auto* header = new (file.data()) PoolHeader();
  std::memcpy(header->magic, mq::store::kPoolMagic, sizeof header->magic);
  header->version = mq::store::kPoolVersion;
  header->slots = kSlots;
  header->file_bytes = kFileBytes;
  header->device = name.device;
  header->inode = name.inode;
  std::snprintf(header->boot_id, sizeof header->boot_id, "%s", name.boot_id.c_str());
  std::snprintf(header->id, sizeof header->id, "%s", name.id.c_str());
  for (auto& slot : header->slot) slot.start = -1;
  header->wrote = Number(data);
  for (uint32_t i = 0; i < kSlots; ++i) {
    header->slot[i].start = Number(data + 8 + 16 * i);
    header->slot[i].from = Number(data + 16 + 16 * i);
  }
  if (data[kHeadBytes - 1] % 4 == 1) header->file_bytes = Number(data + 8 + 16 * kSlots);
  if (data[kHeadBytes - 1] % 4 == 2) header->slots = static_cast<uint32_t>(Number(data + 8 + 16 * kSlots));
  const size_t held = std::min(size - kHeadBytes, file.size() - mq::store::kPoolHeaderBytes);
  std::memcpy(file.data() + mq::store::kPoolHeaderBytes, data + kHeadBytes, held);
  return file;
}

// What was brought is records and blanks, end to end, or said to be damaged, and nothing lies in front of it or behind
// it.
void RequireRecords(const std::string& log, const mq::store::LeftPool& left) {
  int64_t at = left.from;
  const int64_t end = std::min(left.to, kFileBytes);
  while (at < end && left.damage.empty()) {
    const std::string_view rest = std::string_view(log).substr(static_cast<size_t>(at));
    const auto check = mq::store::CheckRecord(rest, mq::store::PhysicalOffset(at), mq::protocol::BodyCheck::kCrc);
    Require(check.kind != mq::store::RecordKind::kBad);
    at += check.bytes;
  }
  const size_t first = log.find_first_not_of('\0');
  const size_t last = log.find_last_not_of('\0');
  Require(first == std::string::npos ||
          (static_cast<int64_t>(first) >= left.from && static_cast<int64_t>(last) < left.to));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static mq::fuzz::Scratch scratch;
  if (size < kHeadBytes) return 0;
  mq::store::StoreOptions options;
  options.root = scratch.root();
  options.commit_log_file_bytes = kFileBytes;
  const mq::store::StoreLayout layout = options.layout();
  const std::string log_file = layout.CommitLogFile(mq::store::PhysicalOffset(0));
  scratch.Put(log_file, std::string(kFileBytes, '\0'));
  const auto name = mq::store::MakePoolName(layout);
  Require(name && mq::store::WritePoolName(layout, *name));
  scratch.Put(name->path, PoolFile(*name, data, size));
  const auto left = mq::store::CommitLeftPool(options, false);
  const auto log = mq::ReadFile(log_file);
  Require(log && log->size() == static_cast<size_t>(kFileBytes));
  if (left && left->found && left->from < kFileBytes) RequireRecords(*log, *left);
  Require(mq::store::RemovePool(layout).has_value());
  ::unlink(name->path.c_str());
  ::unlink((name->path + ".aside").c_str());
  return 0;
}
