#include "store/index_file.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "base/file.h"
#include "base/java_hash.h"
#include "base/strings.h"

namespace mq::store {

namespace {

constexpr size_t kNameDigits = 17;

}  // namespace

IndexHeader LoadIndexHeader(const char* bytes) {
  IndexHeader header;
  header.begin_timestamp = static_cast<int64_t>(LoadBe64(bytes));
  header.end_timestamp = static_cast<int64_t>(LoadBe64(bytes + 8));
  header.begin = PhysicalOffset(static_cast<int64_t>(LoadBe64(bytes + 16)));
  header.end = PhysicalOffset(static_cast<int64_t>(LoadBe64(bytes + 24)));
  header.slots_used = static_cast<int32_t>(LoadBe32(bytes + 32));
  header.count = static_cast<int32_t>(LoadBe32(bytes + 36));
  return header;
}

IndexEntry LoadIndexEntry(const char* bytes) {
  return {static_cast<int32_t>(LoadBe32(bytes)), PhysicalOffset(static_cast<int64_t>(LoadBe64(bytes + 4))),
          static_cast<int32_t>(LoadBe32(bytes + 12)), static_cast<int32_t>(LoadBe32(bytes + 16))};
}

IndexHeader IndexView::LoadHeader() const {
  const int32_t count = std::max(LoadCount(), 1);
  IndexHeader header = LoadIndexHeader(data_);
  header.count = count;
  return header;
}

void IndexView::StoreHeader(const IndexHeader& header) {
  StoreBe64(data_, static_cast<uint64_t>(header.begin_timestamp));
  StoreBe64(data_ + 8, static_cast<uint64_t>(header.end_timestamp));
  StoreBe64(data_ + 16, static_cast<uint64_t>(header.begin.value()));
  StoreBe64(data_ + 24, static_cast<uint64_t>(header.end.value()));
  StoreBe32(data_ + 32, static_cast<uint32_t>(header.slots_used));
}

void IndexView::StoreEntry(int32_t number, const IndexEntry& entry) {
  char* bytes = data_ + EntryStart(number);
  StoreBe32(bytes, static_cast<uint32_t>(entry.hash));
  StoreBe64(bytes + 4, static_cast<uint64_t>(entry.position.value()));
  StoreBe32(bytes + 12, static_cast<uint32_t>(entry.seconds));
  StoreBe32(bytes + 16, static_cast<uint32_t>(entry.previous));
}

int32_t IndexKeyHash(uint32_t topic_hash, std::string_view key) {
  const auto hash = JavaHash(key, topic_hash);
  if (hash == INT32_MIN) return 0;
  return hash < 0 ? -hash : hash;
}

int32_t IndexKeyHash(std::string_view topic, std::string_view key) {
  return IndexKeyHash(static_cast<uint32_t>(JavaHash("#", static_cast<uint32_t>(JavaHash(topic)))), key);
}

std::string IndexFileName(int64_t now_ms, std::string_view last) {
  const std::time_t seconds = now_ms / 1000;
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char text[32];
  const size_t length = std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &local);
  std::snprintf(text + length, sizeof text - length, "%03d", static_cast<int>(now_ms % 1000));
  std::string name(text);
  if (name > last) return name;
  // Only the order of names counts, so the next number will do.
  const auto number = ParseInt64(last);
  return number ? std::to_string(*number + 1) : name;
}

bool IsIndexFileName(std::string_view name) {
  return name.size() == kNameDigits &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Result<std::vector<IndexFileEntry>> ListIndexFiles(const StoreLayout& layout) {
  auto names = ListDirectory(layout.IndexDir());
  std::vector<IndexFileEntry> files;
  if (!names) {
    if (names.error().code == ErrorCode::kNotFound) return files;
    return std::move(names).error();
  }
  for (const std::string& name : *names) {
    if (!IsIndexFileName(name)) continue;
    auto bytes = FileSize(layout.IndexFile(name));
    if (!bytes) {
      // Just trimmed, or a link that leads nowhere.
      const int why = bytes.error().sys_errno;
      if (bytes.error().code == ErrorCode::kNotFound || why == ENOENT || why == ELOOP) continue;
      return std::move(bytes).error();
    }
    files.push_back({name, *bytes});
  }
  return files;
}

}  // namespace mq::store
