// Records from a disk: whatever the bytes are, the answer is a record, a blank or damage, and never a look past them.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/compress.h"
#include "protocol/message.h"
#include "protocol/properties.h"
#include "store/record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  mq::store::PhysicalOffset at(0);
  while (at.value() < static_cast<int64_t>(size)) {
    const auto rest = bytes.substr(static_cast<size_t>(at.value()));
    const auto check = mq::store::CheckRecord(rest, at, mq::protocol::BodyCheck::kCrc);
    if (check.kind == mq::store::RecordKind::kMessage) {
      mq::protocol::ParseProperties(check.message.properties);
      mq::protocol::TagsCode(check.message.properties);
      if (check.bytes < 1 || check.bytes > static_cast<int64_t>(rest.size())) __builtin_trap();
    }
    if (check.bytes <= 0) {
      const auto next = mq::store::FindNextRecord(bytes, mq::store::PhysicalOffset(0), at + 1);
      if (!next) return 0;
      at = *next;
    } else {
      at += check.bytes;
    }
  }
  return 0;
}
