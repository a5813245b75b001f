#include "protocol/ids.h"

#include <unistd.h>

#include <ctime>
#include <random>

#include "base/bytes.h"
#include "base/strings.h"

namespace mq::protocol {
namespace {

void AppendHex(std::string& out, const char* bytes, size_t n) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  const size_t at = out.size();
  out.resize(at + 2 * n);
  char* p = out.data() + at;
  for (size_t i = 0; i < n; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    *p++ = kDigits[byte >> 4];
    *p++ = kDigits[byte & 15];
  }
}

int64_t MonthStartMs(std::tm tm) {
  tm.tm_mday = 1;
  tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
  tm.tm_isdst = -1;
  return static_cast<int64_t>(std::mktime(&tm)) * 1000;
}

}  // namespace

void AppendOffsetMessageId(std::string& out, const Host& store_host, PhysicalOffset offset) {
  char bytes[28];
  EncodeHost(store_host, bytes);
  const size_t n = store_host.encoded_bytes();
  StoreBe64(bytes + n, static_cast<uint64_t>(offset.value()));
  AppendHex(out, bytes, n + 8);
}

std::string MakeOffsetMessageId(const Host& store_host, PhysicalOffset offset) {
  std::string id;
  AppendOffsetMessageId(id, store_host, offset);
  return id;
}

Result<OffsetMessageId> ParseOffsetMessageId(std::string_view id) {
  if (id.size() != kMessageIdCharsV4 && id.size() != kMessageIdCharsV6) {
    return MakeError(ErrorCode::kInvalidArgument, "message id of " + std::to_string(id.size()) +
                                                      " characters: an offset id has 32, or 56 with IPv6");
  }
  Result<std::string> bytes = HexDecode(id);
  if (!bytes) return std::move(bytes).WithContext("message id " + std::string(id)).error();
  OffsetMessageId parsed;
  parsed.host = DecodeHost(bytes->data(), id.size() == kMessageIdCharsV6);
  parsed.offset = PhysicalOffset(static_cast<int64_t>(LoadBe64(bytes->data() + bytes->size() - 8)));
  return parsed;
}

UniqKeyGenerator::UniqKeyGenerator(const Host& address) {
  char bytes[22];
  char* p = bytes;
  for (size_t i = 0; i < address.address_bytes(); ++i) *p++ = static_cast<char>(address.address[i]);
  StoreBe16(p, static_cast<uint16_t>(getpid() & 0xFFFF));
  std::random_device random;
  StoreBe32(p + 2, random());
  AppendHex(prefix_, bytes, static_cast<size_t>(p + 6 - bytes));
  counter_ = static_cast<uint16_t>(random());
}

void UniqKeyGenerator::StartMonth(int64_t now_ms) {
  const auto seconds = static_cast<std::time_t>(now_ms / 1000);
  std::tm tm{};
  localtime_r(&seconds, &tm);
  month_start_ms_ = MonthStartMs(tm);
  tm.tm_mon += 1;
  next_month_ms_ = MonthStartMs(tm);
}

void UniqKeyGenerator::Append(std::string& out, int64_t now_ms) {
  if (now_ms >= next_month_ms_ || now_ms < month_start_ms_) StartMonth(now_ms);
  char bytes[6];
  StoreBe32(bytes, static_cast<uint32_t>(now_ms - month_start_ms_));
  StoreBe16(bytes + 4, counter_++);
  out.append(prefix_);
  AppendHex(out, bytes, sizeof bytes);
}

std::string UniqKeyGenerator::Next(int64_t now_ms) {
  std::string id;
  Append(id, now_ms);
  return id;
}

}  // namespace mq::protocol
