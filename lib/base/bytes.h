// Bytes are std::string_view; integers on the wire and on disk are big-endian two's complement.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace mq {

inline uint16_t LoadBe16(const void* p) {
  uint16_t v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_bswap16(v);
}
inline uint32_t LoadBe32(const void* p) {
  uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_bswap32(v);
}
inline uint64_t LoadBe64(const void* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_bswap64(v);
}
inline void StoreBe16(void* p, uint16_t v) {
  v = __builtin_bswap16(v);
  std::memcpy(p, &v, sizeof v);
}
inline void StoreBe32(void* p, uint32_t v) {
  v = __builtin_bswap32(v);
  std::memcpy(p, &v, sizeof v);
}
inline void StoreBe64(void* p, uint64_t v) {
  v = __builtin_bswap64(v);
  std::memcpy(p, &v, sizeof v);
}
inline void AppendBe16(std::string& out, uint16_t v) {
  char b[2];
  StoreBe16(b, v);
  out.append(b, sizeof b);
}
inline void AppendBe32(std::string& out, uint32_t v) {
  char b[4];
  StoreBe32(b, v);
  out.append(b, sizeof b);
}
inline void AppendBe64(std::string& out, uint64_t v) {
  char b[8];
  StoreBe64(b, v);
  out.append(b, sizeof b);
}
static_assert(std::endian::native == std::endian::little, "the byte swaps above are for little-endian machines");

// Reads fields off the front of a view. A read past the end sets failed() for good and yields zeros, so that a parser
// can read a whole layout and ask once.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  uint8_t U8() { return Need(1) ? static_cast<uint8_t>(*Take(1)) : 0; }
  int8_t I8() { return static_cast<int8_t>(U8()); }
  int16_t I16() { return Need(2) ? static_cast<int16_t>(LoadBe16(Take(2))) : 0; }
  int32_t I32() { return Need(4) ? static_cast<int32_t>(LoadBe32(Take(4))) : 0; }
  uint32_t U32() { return static_cast<uint32_t>(I32()); }
  int64_t I64() { return Need(8) ? static_cast<int64_t>(LoadBe64(Take(8))) : 0; }
  std::string_view Bytes(size_t n) { return Need(n) ? std::string_view(Take(n), n) : std::string_view(); }
  void Skip(size_t n) { Bytes(n); }

  bool failed() const { return failed_; }
  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }

 private:
  bool Need(size_t n) {
    if (n > bytes_.size() - position_) failed_ = true;
    return !failed_;
  }
  const char* Take(size_t n) {
    const char* p = bytes_.data() + position_;
    position_ += n;
    return p;
  }
  std::string_view bytes_;
  size_t position_ = 0;
  bool failed_ = false;
};

}  // namespace mq
