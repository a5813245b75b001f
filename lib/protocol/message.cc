#include "protocol/message.h"

#include <cstring>
#include <string>

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/kill_point.h"
#include "protocol/properties.h"

namespace mq::protocol {
namespace {

char* Put32(char* p, int32_t value) {
  StoreBe32(p, static_cast<uint32_t>(value));
  return p + 4;
}

char* Put64(char* p, int64_t value) {
  StoreBe64(p, static_cast<uint64_t>(value));
  return p + 8;
}

char* PutHost(char* p, const Host& host) {
  EncodeHost(host, p);
  return p + host.encoded_bytes();
}

char* PutBytes(char* p, std::string_view bytes) {
  if (!bytes.empty()) std::memcpy(p, bytes.data(), bytes.size());
  return p + bytes.size();
}

bool NeedsSeparator(std::string_view first, std::string_view second) {
  return !first.empty() && !second.empty() && first.back() != kPropertySeparator;
}

Error Damage(const std::string& what) { return MakeError(ErrorCode::kCorruption, "record: " + what); }

}  // namespace

size_t JoinedPropertiesBytes(std::string_view first, std::string_view second) {
  return first.size() + second.size() + (NeedsSeparator(first, second) ? 1 : 0);
}

size_t EncodeRecord(const MessageView& message, char* out) { return EncodeRecord(message, {}, out); }

size_t EncodeRecord(const MessageView& message, std::string_view more_properties, char* out) {
  const size_t properties = JoinedPropertiesBytes(message.properties, more_properties);
  const size_t size =
      RecordBytes(message.body.size(), message.topic.size(), properties, message.born_host.v6, message.store_host.v6);
  int32_t flags = message.sys_flag & ~(sys_flag::kBornHostV6 | sys_flag::kStoreHostV6);
  if (message.born_host.v6) flags |= sys_flag::kBornHostV6;
  if (message.store_host.v6) flags |= sys_flag::kStoreHostV6;

  char* p = out;
  p = Put32(p, static_cast<int32_t>(size));
  p = Put32(p, static_cast<int32_t>(kMessageMagic));
  p = Put32(p, static_cast<int32_t>(message.body.empty() ? 0 : MessageCrc(message.body)));
  p = Put32(p, message.queue_id);
  p = Put32(p, message.flag);
  p = Put64(p, message.queue_offset.value());
  p = Put64(p, message.physical_offset.value());
  p = Put32(p, flags);
  p = Put64(p, message.born_timestamp);
  p = PutHost(p, message.born_host);
  p = Put64(p, message.store_timestamp);
  p = PutHost(p, message.store_host);
  p = Put32(p, message.reconsume_times);
  p = Put64(p, message.prepared_transaction_offset.value());
  p = Put32(p, static_cast<int32_t>(message.body.size()));
  PassKillPoint(KillPoint::kRecordHalfCopied);
  p = PutBytes(p, message.body);
  *p++ = static_cast<char>(message.topic.size());
  p = PutBytes(p, message.topic);
  StoreBe16(p, static_cast<uint16_t>(properties));
  p = PutBytes(p + 2, message.properties);
  if (NeedsSeparator(message.properties, more_properties)) *p++ = kPropertySeparator;
  PutBytes(p, more_properties);
  return size;
}

Result<MessageView> DecodeMessage(std::string_view bytes, BodyCheck check) {
  if (bytes.size() < 8) return Damage("cut off after " + std::to_string(bytes.size()) + " bytes");
  const uint32_t size = LoadBe32(bytes.data());
  const uint32_t magic = LoadBe32(bytes.data() + kRecordMagicAt);
  if (magic != kMessageMagic) return Damage("magic is " + std::to_string(static_cast<int32_t>(magic)));
  if (size < kMinRecordBytes) return Damage("a size of " + std::to_string(size) + " bytes is too small");
  if (size > bytes.size()) {
    return Damage("a size of " + std::to_string(size) + " bytes, but " + std::to_string(bytes.size()) + " are there");
  }
  ByteReader reader(bytes.substr(0, size));
  MessageView message;
  message.size = static_cast<int32_t>(size);
  reader.Skip(8);
  message.body_crc = reader.U32();
  message.queue_id = reader.I32();
  message.flag = reader.I32();
  message.queue_offset = QueueOffset(reader.I64());
  message.physical_offset = PhysicalOffset(reader.I64());
  message.sys_flag = reader.I32();
  message.born_timestamp = reader.I64();
  const bool born_v6 = (message.sys_flag & sys_flag::kBornHostV6) != 0;
  const bool store_v6 = (message.sys_flag & sys_flag::kStoreHostV6) != 0;
  const std::string_view born = reader.Bytes(born_v6 ? 20 : 8);
  message.store_timestamp = reader.I64();
  const std::string_view store = reader.Bytes(store_v6 ? 20 : 8);
  message.reconsume_times = reader.I32();
  message.prepared_transaction_offset = PhysicalOffset(reader.I64());
  const int32_t body_bytes = reader.I32();
  if (reader.failed() || body_bytes < 0) return Damage("body length " + std::to_string(body_bytes));
  message.body = reader.Bytes(static_cast<size_t>(body_bytes));
  if (reader.failed()) return Damage("a body of " + std::to_string(body_bytes) + " bytes leaves the record");
  const int8_t topic_bytes = reader.I8();
  if (reader.failed() || topic_bytes < 0) return Damage("topic length " + std::to_string(topic_bytes));
  message.topic = reader.Bytes(static_cast<size_t>(topic_bytes));
  const int16_t properties_bytes = reader.I16();
  if (reader.failed() || properties_bytes < 0) return Damage("property length " + std::to_string(properties_bytes));
  message.properties = reader.Bytes(static_cast<size_t>(properties_bytes));
  if (reader.failed()) return Damage("properties leave the record");
  if (reader.remaining() != 0) return Damage(std::to_string(reader.remaining()) + " bytes more than its parts");
  message.born_host = DecodeHost(born.data(), born_v6);
  message.store_host = DecodeHost(store.data(), store_v6);
  if (check == BodyCheck::kCrc && !message.body.empty() && MessageCrc(message.body) != message.body_crc) {
    return Damage("body checksum does not match");
  }
  return message;
}

}  // namespace mq::protocol
