// Every bound of the wire format in one place, each with its reason. See mq-remoting(5).
#pragma once

#include <cstddef>
#include <cstdint>

namespace mq::protocol {

// Frame length including the length word: the decoder limit of every RocketMQ peer.
inline constexpr size_t kMaxFrameBytes = 16 * 1024 * 1024;
// Header length is a 24-bit field.
inline constexpr size_t kMaxHeaderBytes = 0xFFFFFF;
// A header nested deeper is an attack; ours are two levels deep.
inline constexpr int kMaxJsonDepth = 32;
// RocketMQ's largest header has about twenty fields; duplicates are looked for pairwise.
inline constexpr size_t kMaxExtFields = 256;

// Topic length is one signed byte in the stored record.
inline constexpr size_t kMaxTopicBytes = 127;
// Group names are limited by RocketMQ's client; retry topics limit them further (names.h).
inline constexpr size_t kMaxGroupBytes = 255;
// Property length is a signed 16-bit field of the stored record.
inline constexpr size_t kMaxPropertiesBytes = 32767;
// Default of maxMessageSize (the body alone).
inline constexpr int32_t kDefaultMaxMessageBytes = 4 * 1024 * 1024;
// A compressed body or registration may not inflate past this, whatever its frame says.
inline constexpr size_t kMaxInflatedBytes = 64 * 1024 * 1024;

}  // namespace mq::protocol
