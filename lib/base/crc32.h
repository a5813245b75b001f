// CRC-32 (the zlib polynomial, reflected), computed with the processor's carry-less multiply where it has one.
#pragma once

#include <cstdint>
#include <string_view>

namespace mq {

uint32_t Crc32(std::string_view bytes);
// Crc32 of some bytes and then these, from that of the first ones (of none: 0).
uint32_t ExtendCrc32(uint32_t crc, std::string_view bytes);
// What RocketMQ stores in a record and sends in a registration: Crc32 with the sign bit cleared.
uint32_t MessageCrc(std::string_view bytes);

}  // namespace mq
