#include "store/record.h"

#include <cstring>

#include "base/bytes.h"

namespace mq::store {

namespace {

RecordCheck Bad(const char* reason, int64_t bytes = 0) {
  RecordCheck check;
  check.reason = reason;
  check.bytes = bytes;
  return check;
}

}  // namespace

RecordCheck CheckBlank(int64_t claimed, int64_t left) {
  if (claimed != left) return Bad("a blank that names another size than what is left of its file");
  RecordCheck check;
  check.kind = RecordKind::kBlank;
  check.bytes = left;
  return check;
}

bool IsBlankUpTo(std::string_view bytes, int64_t size) {
  return static_cast<int64_t>(bytes.size()) >= kBlankHeaderBytes &&
         LoadBe32(bytes.data() + protocol::kRecordMagicAt) == protocol::kBlankMagic &&
         static_cast<int32_t>(LoadBe32(bytes.data())) == size;
}

RecordCheck CheckRecord(std::string_view bytes, PhysicalOffset position, protocol::BodyCheck body_check) {
  const int64_t left = static_cast<int64_t>(bytes.size());
  if (left < kBlankHeaderBytes) return Bad("fewer than 8 bytes are left of the file");
  const int64_t size = static_cast<int32_t>(LoadBe32(bytes.data()));
  const uint32_t magic = LoadBe32(bytes.data() + protocol::kRecordMagicAt);
  if (magic == protocol::kBlankMagic) return CheckBlank(size, left);
  if (magic != protocol::kMessageMagic) return Bad(magic == 0 ? "nothing is written here" : "unknown magic");
  if (size < static_cast<int64_t>(protocol::kMinRecordBytes)) return Bad("record size is too small");
  if (size > left) return Bad("record reaches past the end of the file");
  const int64_t own = static_cast<int64_t>(LoadBe64(bytes.data() + protocol::kRecordPhysicalOffsetAt));
  if (own != position.value()) return Bad("record says it lies somewhere else");
  auto message = protocol::DecodeMessage(bytes.substr(0, static_cast<size_t>(size)), body_check);
  if (!message) {
    const bool crc = body_check == protocol::BodyCheck::kCrc &&
                     protocol::DecodeMessage(bytes.substr(0, static_cast<size_t>(size))).has_value();
    RecordCheck bad = Bad(crc ? "body does not match its checksum" : "lengths inside the record do not add up", size);
    bad.body_only = crc;
    return bad;
  }
  RecordCheck check;
  check.kind = RecordKind::kMessage;
  check.bytes = size;
  check.message = *message;
  return check;
}

std::optional<PhysicalOffset> FindNextRecord(std::string_view bytes, PhysicalOffset position, PhysicalOffset from) {
  // The first byte of the magic is rare enough to look for by memchr.
  const char* const begin = bytes.data();
  const char* const end = begin + bytes.size();
  if (from - position + static_cast<int64_t>(protocol::kRecordMagicAt) > static_cast<int64_t>(bytes.size())) {
    return std::nullopt;
  }
  const char* at = begin + (from - position) + protocol::kRecordMagicAt;
  while (at + 4 <= end) {
    at = static_cast<const char*>(std::memchr(at, 0xDA, static_cast<size_t>(end - at)));
    if (at == nullptr || at + 4 > end) return std::nullopt;
    if (LoadBe32(at) == protocol::kMessageMagic) {
      const char* record = at - protocol::kRecordMagicAt;
      const PhysicalOffset where = position + (record - begin);
      const std::string_view rest(record, static_cast<size_t>(end - record));
      if (CheckRecord(rest, where, protocol::BodyCheck::kSkip).kind == RecordKind::kMessage) return where;
    }
    ++at;
  }
  return std::nullopt;
}

std::optional<PhysicalOffset> FindRecordInBlank(std::string_view bytes, PhysicalOffset position, int64_t newest_ms) {
  PhysicalOffset from = position + kBlankHeaderBytes;
  while (auto found = FindNextRecord(bytes, position, from)) {
    const RecordCheck check =
        CheckRecord(bytes.substr(static_cast<size_t>(*found - position)), *found, protocol::BodyCheck::kSkip);
    if (check.message.store_timestamp >= newest_ms) return found;
    from = *found + check.bytes;
  }
  return std::nullopt;
}

}  // namespace mq::store
