// The messages our own daemons exchange over mq/ctl.sock: one msgpack map per datagram of a
// SOCK_SEQPACKET Unix socket. See mq-ctl(7).
//
//   hello     helper -> broker   role, pid, page version, build
//   welcome   broker -> helper   settings; descriptors: positions, lock
//   refused   broker -> asker    text; the asker says it in one line and leaves with status 8
//   wake      either way         "look now"; to names who is meant, the broker forwards
//   settings  broker -> helper   settings that have changed while it is attached
//   drain     broker -> helper   finish what was published, make it durable, answer
//   drained   helper -> broker   text is empty when everything was finished
//   status    helper -> broker   one line of what it is doing, when it changes
//   who       anybody -> broker  who holds this store?
//   holder    broker -> asker    pid, state
//   look      anybody -> broker  may I watch the positions? Answered to its own user and to root alone
//   positions broker -> asker    pid; descriptor: the positions, opened for reading only
//
// A lost wake costs latency, never data. Unknown types and members are ignored.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace mq::ctl {

// The store's settings as the helpers need them (store_options.h makes and reads them).
using Settings = std::map<std::string, std::string>;

// Larger datagrams are refused: the settings of a hello are the longest and stay far below it.
inline constexpr size_t kMaxMessageBytes = 64 * 1024;

enum class Role { kNone, kBroker, kFlushd, kReputd };
std::string_view RoleName(Role role);  // "broker", "flushd", "reputd"
Role ParseRole(std::string_view name);

enum class MessageType {
  kHello,
  kWelcome,
  kRefused,
  kWake,
  kSettings,
  kDrain,
  kDrained,
  kStatus,
  kWho,
  kHolder,
  kLook,
  kPositions
};

struct Message {
  MessageType type = MessageType::kWake;
  Role role = Role::kNone;  // hello: who speaks; wake: who is meant
  int64_t pid = 0;
  int64_t page_version = 0;
  std::string build;
  std::string text;
  Settings settings;
};

std::string Encode(const Message& message);
// Damaged bytes and unknown types are errors; never throws.
Result<Message> Decode(std::string_view bytes);

}  // namespace mq::ctl
