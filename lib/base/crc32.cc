#include "base/crc32.h"

#include <libdeflate.h>

namespace mq {

uint32_t Crc32(std::string_view bytes) { return ExtendCrc32(0, bytes); }

uint32_t ExtendCrc32(uint32_t crc, std::string_view bytes) { return libdeflate_crc32(crc, bytes.data(), bytes.size()); }

uint32_t MessageCrc(std::string_view bytes) { return Crc32(bytes) & 0x7FFFFFFFu; }

}  // namespace mq
