// Every bound of mq-broker in one place, each with its reason: what a peer, a helper or a file can make it keep or do
// is never more than stands here. Bounds of connections and their output: remoting/limits.h; of frames and messages:
// protocol/limits.h; of settings and tables: base/file_bounds.h; of the datagrams of helpers: ctl/message.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "remoting/limits.h"

namespace mq::broker::bounds {

// --- Sends that are held (append_gate.h) ---
// A client gives a send up after 3 s by default and tries elsewhere; what is held longer would be stored for nobody.
inline constexpr int64_t kHoldMs = 5000;
// Frames of held sends: a second of full-speed sending. One more is refused as busy.
inline constexpr size_t kMaxHeldSendBytes = size_t{64} << 20;

// --- Pulls that are held (pull_hold.h) ---
// A member holds one pull for each of its queues: 1,000 clients of 100 queues.
inline constexpr size_t kMaxHeldPulls = 100'000;
// They keep group names and tag filters as the clients sent them. One more is refused as busy: an empty answer would
// make its client ask again at once.
inline constexpr size_t kMaxHeldPullBytes = size_t{64} << 20;

// --- Memory of the queues (queues.h) ---
// Entries of all rings of recent appends together, 24 bytes each: 6 MiB. Each queue may have its first 16 beyond it.
inline constexpr size_t kRingEntries = 256 * 1024;

// --- Descriptors (broker_boot.cc) ---
// Log and queue files that are mapped, sockets of the helpers and the files being saved need descriptors even when
// clients have taken all they may: so many are never given to connections.
inline constexpr size_t kReservedDescriptors = 256;
// Below this even a broker without clients could not work.
inline constexpr size_t kFewestConnections = 16;

// --- A stop ---
// A stop is over within 10 s (service managers kill after 90): most of it may go into flushing and dispatching.
inline constexpr int64_t kDrainMs = 8000;

// How many connections may be open: at most remoting's bound, and fewer where the process may open fewer files.
size_t MaxConnections();

// What this process may use at most: the machine's memory, or what its container allows.
int64_t MemoryBytes();
// What may be held in this process: the bounds above, and in a small container an eighth of its memory for each.
size_t HeldSendBytes();
size_t HeldPullBytes();

// Says how much memory there is where a container or service manager allows less than the machine has.
void TellMemoryLimit();

}  // namespace mq::broker::bounds
