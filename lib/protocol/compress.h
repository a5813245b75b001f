// Compression of message bodies and registrations: zlib (RFC 1950), LZ4 frames, zstd.
// Inflating is bounded: a body that would grow past the limit is an error, never an allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/limits.h"
#include "protocol/message.h"

namespace mq::protocol {

// The number in bits 8-10 of sysFlag. Do not renumber.
enum class CompressionType : int32_t { kLz4 = 1, kZstd = 2, kZlib = 3 };

inline constexpr int kDefaultCompressLevel = 5;

Result<std::string> Compress(CompressionType type, std::string_view bytes, int level = kDefaultCompressLevel);
Result<std::string> Decompress(CompressionType type, std::string_view bytes, size_t limit = kMaxInflatedBytes);

// sysFlag bits for a body compressed that way (compressed bit included).
constexpr int32_t CompressionFlags(CompressionType type) {
  return sys_flag::kCompressed | (static_cast<int32_t>(type) << sys_flag::kCompressionTypeShift);
}
// Type named by a sysFlag with the compressed bit; 0 and 3 both mean zlib.
Result<CompressionType> CompressionTypeOf(int32_t sys_flag);

// The body as its sender meant it: `storage` receives the inflated bytes when the record is
// compressed, otherwise the record's own bytes are returned.
Result<std::string_view> MessageBody(const MessageView& message, std::string& storage,
                                     size_t limit = kMaxInflatedBytes);

}  // namespace mq::protocol
