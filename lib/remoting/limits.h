// The bounds of connections, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mq::remoting {

// As RocketMQ: a connection without traffic either way is closed.
inline constexpr int64_t kIdleCloseMs = 120'000;
// A client connects in order to ask: one that has not said a whole frame by then only holds a place.
inline constexpr int64_t kFirstFrameMs = 30'000;
// A frame that has begun must be whole by then, however slowly its bytes drip: 16 MiB at the speed of an old DSL line.
inline constexpr int64_t kWholeFrameMs = 120'000;
inline constexpr int64_t kConnectTimeoutMs = 3'000;
// More than any broker of RocketMQ has clients; a descriptor each.
inline constexpr size_t kMaxConnections = 16'384;
// Calls waiting for their answer on one connection (RocketMQ's own client allows as many).
inline constexpr size_t kMaxPendingCalls = 65'535;
// Output a slow reader may pile up before its requests are no longer read, ...
inline constexpr size_t kOutputHighWater = 8 * 1024 * 1024;
// ... below which reading goes on, ...
inline constexpr size_t kOutputLowWater = 1 * 1024 * 1024;
// ... and above which it is disconnected: replies made earlier (held pulls) may still come on top.
inline constexpr size_t kOutputHardLimit = 256 * 1024 * 1024;
// Java servers from V4_0_0 on understand the binary header whatever they answer with.
inline constexpr int32_t kVersionBinaryHeader = 213;
// One line per peer and guess and minute about bytes that are not this protocol.
inline constexpr int64_t kGarbageLogPeriodMs = 60'000;
inline constexpr size_t kGarbageLogPeers = 1'024;

}  // namespace mq::remoting
