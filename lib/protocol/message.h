// The stored message: the same bytes in the commit log, in pull replies and in callbacks.
//
//   i32 total size | i32 magic 0xDAA320A7 | i32 body crc | i32 queue id | i32 flag | i64 queue offset
//   i64 commit log offset | i32 sys flag | i64 born time | born host 8/20 | i64 store time
//   store host 8/20 | i32 reconsume times | i64 prepared transaction offset
//   i32 n, body | i8 n, topic | i16 n, properties                        (91 bytes + contents for IPv4)
//
// The one encoder and decoder of this layout, for the store's append, recovery and reput, and for
// clients. Views point into the given bytes. No allocation. See mq-store(5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "protocol/host.h"
#include "protocol/offsets.h"

namespace mq::protocol {

// Do not renumber: on disk and on the wire.
inline constexpr uint32_t kMessageMagic = 0xDAA320A7;
inline constexpr uint32_t kBlankMagic = 0xCBD43194;

// Offsets of the fields that come before the first host, and what follows relative to the hosts.
inline constexpr size_t kRecordSizeAt = 0;
inline constexpr size_t kRecordMagicAt = 4;
inline constexpr size_t kRecordBodyCrcAt = 8;
inline constexpr size_t kRecordQueueIdAt = 12;
inline constexpr size_t kRecordFlagAt = 16;
inline constexpr size_t kRecordQueueOffsetAt = 20;
inline constexpr size_t kRecordPhysicalOffsetAt = 28;
inline constexpr size_t kRecordSysFlagAt = 36;
inline constexpr size_t kRecordBornTimeAt = 40;
inline constexpr size_t kRecordBornHostAt = 48;
// Store time comes after the born host: 56 or 68.
constexpr size_t RecordStoreTimeAt(bool born_v6) { return kRecordBornHostAt + (born_v6 ? 20 : 8); }
// Everything but hosts, body, topic and properties.
inline constexpr size_t kRecordFixedBytes = 75;
inline constexpr size_t kMinRecordBytes = kRecordFixedBytes + 16;
static_assert(kMinRecordBytes == 91);

// Bits of sysFlag. Do not renumber.
namespace sys_flag {
inline constexpr int32_t kCompressed = 1;
inline constexpr int32_t kMultiTags = 2;
inline constexpr int32_t kTransactionMask = 12;
inline constexpr int32_t kTransactionPrepared = 4;
inline constexpr int32_t kTransactionCommit = 8;
inline constexpr int32_t kTransactionRollback = 12;
inline constexpr int32_t kBornHostV6 = 16;
inline constexpr int32_t kStoreHostV6 = 32;
inline constexpr int32_t kCompressionTypeMask = 0x700;
inline constexpr int kCompressionTypeShift = 8;
}  // namespace sys_flag

// One message, decoded, or about to be encoded. Contents are views.
struct MessageView {
  std::string_view topic;
  std::string_view body;
  std::string_view properties;
  int32_t queue_id = 0;
  int32_t flag = 0;
  int32_t sys_flag = 0;  // the two host bits are set by the encoder from the hosts
  int32_t reconsume_times = 0;
  uint32_t body_crc = 0;  // encoder: computed from the body, this field is ignored
  QueueOffset queue_offset;
  PhysicalOffset physical_offset;
  PhysicalOffset prepared_transaction_offset;
  int64_t born_timestamp = 0;
  int64_t store_timestamp = 0;
  Host born_host;
  Host store_host;
  int32_t size = 0;  // of the whole record; decoder only
};

// Size the record will have. Contents must be within limits.h; the caller checks.
constexpr size_t RecordBytes(size_t body, size_t topic, size_t properties, bool born_v6, bool store_v6) {
  return kRecordFixedBytes + (born_v6 ? 20 : 8) + (store_v6 ? 20 : 8) + body + topic + properties;
}
inline size_t RecordBytes(const MessageView& message) {
  return RecordBytes(message.body.size(), message.topic.size(), message.properties.size(), message.born_host.v6,
                     message.store_host.v6);
}

// Writes the whole record to `out` (RecordBytes(message) bytes, which it returns). Computes the body
// CRC and sets the host bits of sysFlag.
size_t EncodeRecord(const MessageView& message, char* out);
// The same with the properties in two parts (a batch element's own and its envelope's), joined by
// \x02 where the first part does not end with one. `message.properties` is the first part.
size_t JoinedPropertiesBytes(std::string_view first, std::string_view second);
size_t EncodeRecord(const MessageView& message, std::string_view more_properties, char* out);

enum class BodyCheck { kSkip, kCrc };

// Decodes the first record of `bytes`. Checks magic, every length against the record's size, the
// length equation, and the body CRC when asked. Damage is an error that says which field; `bytes` may
// hold more records behind it. Does not inflate the body (compress.h: MessageBody).
Result<MessageView> DecodeMessage(std::string_view bytes, BodyCheck check = BodyCheck::kSkip);

}  // namespace mq::protocol
