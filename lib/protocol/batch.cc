#include "protocol/batch.h"

#include "base/bytes.h"

namespace mq::protocol {

void AppendBatchEntry(std::string& out, const BatchEntry& entry) {
  const size_t total = BatchEntryBytes(entry.body.size(), entry.properties.size());
  char head[20] = {};
  StoreBe32(head, static_cast<uint32_t>(total));
  StoreBe32(head + 12, static_cast<uint32_t>(entry.flag));
  StoreBe32(head + 16, static_cast<uint32_t>(entry.body.size()));
  out.append(head, sizeof head);
  out.append(entry.body);
  AppendBe16(out, static_cast<uint16_t>(entry.properties.size()));
  out.append(entry.properties);
}

Result<std::optional<BatchEntry>> BatchReader::Next() {
  if (rest_.empty()) return std::optional<BatchEntry>();
  const auto fail = [this](const char* what) {
    return MakeError(ErrorCode::kProtocol,
                     "batch: " + std::string(what) + " at byte " + std::to_string(total_ - rest_.size()));
  };
  ByteReader reader(rest_);
  const int32_t total = reader.I32();
  reader.Skip(8);
  BatchEntry entry;
  entry.flag = reader.I32();
  const int32_t body = reader.I32();
  if (reader.failed()) return fail("an entry is cut off");
  if (body < 0) return fail("a negative body length");
  entry.body = reader.Bytes(static_cast<size_t>(body));
  const int16_t properties = reader.I16();
  if (reader.failed()) return fail("a body is cut off");
  if (properties < 0) return fail("a negative property length");
  entry.properties = reader.Bytes(static_cast<size_t>(properties));
  if (reader.failed()) return fail("properties are cut off");
  if (total < 0 || static_cast<size_t>(total) != reader.position()) return fail("a total that is not its parts'");
  rest_.remove_prefix(reader.position());
  return std::optional<BatchEntry>(entry);
}

}  // namespace mq::protocol
