#include "protocol/compress.h"

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

namespace mq::protocol {
namespace {

constexpr size_t kInflateStep = 64 * 1024;

Error Fault(const char* library, const std::string& what) {
  return MakeError(ErrorCode::kCorruption, std::string(library) + ": " + what);
}

Error TooLarge(const char* library, size_t limit) {
  return Fault(library, "inflates past the limit of " + std::to_string(limit) + " bytes");
}

// Makes room for another step of output; false at the limit.
bool Grow(std::string& out, size_t limit) {
  if (out.size() >= limit) return false;
  out.resize(std::min(limit, std::max(out.size() * 2, kInflateStep)));
  return true;
}

Result<std::string> ZlibCompress(std::string_view bytes, int level) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  const int rc = compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                           bytes.size(), level);
  if (rc != Z_OK) return Fault("zlib", zError(rc));
  out.resize(size);
  return out;
}

Result<std::string> ZlibDecompress(std::string_view bytes, size_t limit) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return Fault("zlib", "cannot start");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  size_t used = 0;
  for (;;) {
    if (used == out.size() && !Grow(out, limit)) {
      // The limit may be met exactly: then one more byte of room must stay unused.
      char spare = 0;
      stream.next_out = reinterpret_cast<Bytef*>(&spare);
      stream.avail_out = 1;
      if (inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 1) break;
      return TooLarge("zlib", limit);
    }
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    stream.avail_out = static_cast<uInt>(out.size() - used);
    const int rc = inflate(&stream, Z_NO_FLUSH);
    used = out.size() - stream.avail_out;
    if (rc == Z_STREAM_END) break;
    if (rc == Z_BUF_ERROR || (rc == Z_OK && stream.avail_in == 0 && stream.avail_out != 0)) {
      return Fault("zlib", "cut off");
    }
    if (rc != Z_OK) return Fault("zlib", stream.msg != nullptr ? stream.msg : zError(rc));
  }
  out.resize(used);
  return out;
}

Result<std::string> Lz4Compress(std::string_view bytes, int level) {
  LZ4F_preferences_t preferences{};
  preferences.compressionLevel = level;
  std::string out(LZ4F_compressFrameBound(bytes.size(), &preferences), '\0');
  const size_t n = LZ4F_compressFrame(out.data(), out.size(), bytes.data(), bytes.size(), &preferences);
  if (LZ4F_isError(n)) return Fault("lz4", LZ4F_getErrorName(n));
  out.resize(n);
  return out;
}

Result<std::string> Lz4Decompress(std::string_view bytes, size_t limit) {
  LZ4F_dctx* raw = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION))) return Fault("lz4", "cannot start");
  const std::unique_ptr<LZ4F_dctx, size_t (*)(LZ4F_dctx*)> context(raw, LZ4F_freeDecompressionContext);
  std::string out;
  size_t used = 0;
  size_t at = 0;
  for (;;) {
    if (used == out.size() && !Grow(out, limit)) return TooLarge("lz4", limit);
    size_t produced = out.size() - used;
    size_t consumed = bytes.size() - at;
    const size_t rc = LZ4F_decompress(raw, out.data() + used, &produced, bytes.data() + at, &consumed, nullptr);
    if (LZ4F_isError(rc)) return Fault("lz4", LZ4F_getErrorName(rc));
    used += produced;
    at += consumed;
    if (rc == 0) break;
    if (produced == 0 && consumed == 0) return Fault("lz4", "cut off");
  }
  out.resize(used);
  return out;
}

Result<std::string> ZstdCompress(std::string_view bytes, int level) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t n = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(n)) return Fault("zstd", ZSTD_getErrorName(n));
  out.resize(n);
  return out;
}

Result<std::string> ZstdDecompress(std::string_view bytes, size_t limit) {
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) return Fault("zstd", "cannot start");
  std::string out;
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  size_t used = 0;
  for (;;) {
    if (used == out.size() && !Grow(out, limit)) return TooLarge("zstd", limit);
    ZSTD_outBuffer room{out.data(), out.size(), used};
    const size_t before = in.pos;
    const size_t rc = ZSTD_decompressStream(context.get(), &room, &in);
    if (ZSTD_isError(rc)) return Fault("zstd", ZSTD_getErrorName(rc));
    if (rc == 0) {
      used = room.pos;
      break;
    }
    if (room.pos == used && in.pos == before) return Fault("zstd", "cut off");
    used = room.pos;
  }
  out.resize(used);
  return out;
}

}  // namespace

Result<std::string> Compress(CompressionType type, std::string_view bytes, int level) {
  switch (type) {
    case CompressionType::kLz4:
      return Lz4Compress(bytes, level);
    case CompressionType::kZstd:
      return ZstdCompress(bytes, level);
    case CompressionType::kZlib:
      return ZlibCompress(bytes, level);
  }
  return MakeError(ErrorCode::kInvalidArgument, "unknown compression type");
}

Result<std::string> Decompress(CompressionType type, std::string_view bytes, size_t limit) {
  switch (type) {
    case CompressionType::kLz4:
      return Lz4Decompress(bytes, limit);
    case CompressionType::kZstd:
      return ZstdDecompress(bytes, limit);
    case CompressionType::kZlib:
      return ZlibDecompress(bytes, limit);
  }
  return MakeError(ErrorCode::kInvalidArgument, "unknown compression type");
}

Result<CompressionType> CompressionTypeOf(int32_t sys_flag) {
  const int32_t type = (sys_flag & sys_flag::kCompressionTypeMask) >> sys_flag::kCompressionTypeShift;
  if (type == 0) return CompressionType::kZlib;
  if (type >= 1 && type <= 3) return static_cast<CompressionType>(type);
  return MakeError(ErrorCode::kCorruption, "unknown compression type " + std::to_string(type) + " in sysFlag");
}

Result<std::string_view> MessageBody(const MessageView& message, std::string& storage, size_t limit) {
  if ((message.sys_flag & sys_flag::kCompressed) == 0) return message.body;
  MQ_ASSIGN(const CompressionType type, CompressionTypeOf(message.sys_flag));
  MQ_ASSIGN(storage, Decompress(type, message.body, limit));
  return std::string_view(storage);
}

}  // namespace mq::protocol
