#include "ctl/message.h"

#include <array>
#include <exception>
#include <utility>

#define MSGPACK_NO_BOOST
#include <msgpack.hpp>

namespace mq::ctl {

namespace {

constexpr std::array<std::pair<MessageType, std::string_view>, 12> kTypes{{
    {MessageType::kHello, "hello"},
    {MessageType::kWelcome, "welcome"},
    {MessageType::kRefused, "refused"},
    {MessageType::kWake, "wake"},
    {MessageType::kSettings, "settings"},
    {MessageType::kDrain, "drain"},
    {MessageType::kDrained, "drained"},
    {MessageType::kStatus, "status"},
    {MessageType::kWho, "who"},
    {MessageType::kHolder, "holder"},
    {MessageType::kLook, "look"},
    {MessageType::kPositions, "positions"},
}};

constexpr std::array<std::pair<Role, std::string_view>, 4> kRoles{{
    {Role::kNone, ""},
    {Role::kBroker, "broker"},
    {Role::kFlushd, "flushd"},
    {Role::kReputd, "reputd"},
}};

// A hello's settings nest two deep; more is no message of ours.
constexpr size_t kMaxDepth = 4;

Error NotOurs(const char* what) { return MakeError(ErrorCode::kProtocol, std::string("ctl message: ") + what); }

std::string TextOf(const msgpack::object& value) {
  return value.type == msgpack::type::STR ? std::string(value.via.str.ptr, value.via.str.size) : std::string();
}

int64_t NumberOf(const msgpack::object& value) {
  if (value.type == msgpack::type::POSITIVE_INTEGER) return static_cast<int64_t>(value.via.u64);
  if (value.type == msgpack::type::NEGATIVE_INTEGER) return value.via.i64;
  return 0;
}

void ReadMember(std::string_view key, const msgpack::object& value, Message& message) {
  if (key == "role") {
    message.role = ParseRole(TextOf(value));
  } else if (key == "pid") {
    message.pid = NumberOf(value);
  } else if (key == "page_version") {
    message.page_version = NumberOf(value);
  } else if (key == "build") {
    message.build = TextOf(value);
  } else if (key == "text") {
    message.text = TextOf(value);
  } else if (key == "settings" && value.type == msgpack::type::MAP) {
    for (uint32_t i = 0; i < value.via.map.size; ++i) {
      message.settings[TextOf(value.via.map.ptr[i].key)] = TextOf(value.via.map.ptr[i].val);
    }
  }
}

}  // namespace

std::string_view RoleName(Role role) {
  for (const auto& [value, name] : kRoles) {
    if (value == role) return name;
  }
  return "";
}

Role ParseRole(std::string_view name) {
  for (const auto& [value, text] : kRoles) {
    if (text == name) return value;
  }
  return Role::kNone;
}

std::string Encode(const Message& message) {
  msgpack::sbuffer buffer;
  msgpack::packer<msgpack::sbuffer> packer(buffer);
  std::string_view type;
  for (const auto& [value, name] : kTypes) {
    if (value == message.type) type = name;
  }
  auto text = [&packer](std::string_view s) {
    packer.pack_str(static_cast<uint32_t>(s.size()));
    packer.pack_str_body(s.data(), static_cast<uint32_t>(s.size()));
  };
  uint32_t members = 1;
  members += message.role != Role::kNone;
  members += message.pid != 0;
  members += message.page_version != 0;
  members += !message.build.empty();
  members += !message.text.empty();
  members += !message.settings.empty();
  packer.pack_map(members);
  text("type");
  text(type);
  if (message.role != Role::kNone) {
    text("role");
    text(RoleName(message.role));
  }
  if (message.pid != 0) {
    text("pid");
    packer.pack(message.pid);
  }
  if (message.page_version != 0) {
    text("page_version");
    packer.pack(message.page_version);
  }
  if (!message.build.empty()) {
    text("build");
    text(message.build);
  }
  if (!message.text.empty()) {
    text("text");
    text(message.text);
  }
  if (!message.settings.empty()) {
    text("settings");
    packer.pack_map(static_cast<uint32_t>(message.settings.size()));
    for (const auto& [key, value] : message.settings) {
      text(key);
      text(value);
    }
  }
  return std::string(buffer.data(), buffer.size());
}

Result<Message> Decode(std::string_view bytes) {
  if (bytes.size() > kMaxMessageBytes) return NotOurs("too long");
  msgpack::object_handle handle;
  try {
    const msgpack::unpack_limit limit(64, 1024, kMaxMessageBytes, kMaxMessageBytes, 64, kMaxDepth);
    size_t used = 0;
    handle = msgpack::unpack(bytes.data(), bytes.size(), used, nullptr, nullptr, limit);
    if (used != bytes.size()) return NotOurs("bytes behind its end");
  } catch (const std::exception&) {
    return NotOurs("no msgpack value");
  }
  const msgpack::object& map = handle.get();
  if (map.type != msgpack::type::MAP) return NotOurs("no map");
  Message message;
  bool known = false;
  for (uint32_t i = 0; i < map.via.map.size; ++i) {
    const std::string key = TextOf(map.via.map.ptr[i].key);
    const msgpack::object& value = map.via.map.ptr[i].val;
    if (key != "type") {
      ReadMember(key, value, message);
      continue;
    }
    const std::string name = TextOf(value);
    for (const auto& [type, text] : kTypes) {
      if (text != name) continue;
      message.type = type;
      known = true;
    }
  }
  if (!known) return NotOurs("unknown type");
  return message;
}

}  // namespace mq::ctl
