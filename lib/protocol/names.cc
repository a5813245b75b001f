#include "protocol/names.h"

#include <algorithm>
#include <iterator>

#include "protocol/limits.h"

namespace mq::protocol {
namespace {

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '%' || c == '|';
}

// A name for an error text: short, and nothing in it that could break a line or a terminal.
std::string Quoted(std::string_view name) {
  std::string out = "\"";
  for (const char c : name.substr(0, 160)) {
    out += (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) ? '?' : c;
  }
  if (name.size() > 160) out += "...";
  return out += '"';
}

Status CheckName(std::string_view kind, std::string_view name, size_t limit) {
  const auto fail = [&](const std::string& why) {
    return MakeError(ErrorCode::kInvalidArgument, std::string(kind) + " name " + Quoted(name) + " " + why);
  };
  if (name.empty()) return fail("is empty");
  if (name.size() > limit) {
    return fail("has " + std::to_string(name.size()) + " bytes, more than " + std::to_string(limit));
  }
  if (!std::all_of(name.begin(), name.end(), IsNameByte)) {
    return fail("holds a character outside letters, digits, '_', '-', '%' and '|'");
  }
  return Ok();
}

constexpr std::string_view kForbidden[] = {kScheduleTopic,      kHalfTopic,     kOpHalfTopic,
                                           kTransCheckMaxTopic, kSelfTestTopic, kOffsetMovedTopic};

}  // namespace

Status CheckTopicName(std::string_view topic) { return CheckName("topic", topic, kMaxTopicBytes); }

Status CheckGroupName(std::string_view group) {
  MQ_TRY(CheckName("group", group, kMaxGroupBytes));
  const size_t longest = kMaxTopicBytes - kRetryPrefix.size();
  if (group.size() > longest) {
    return MakeError(ErrorCode::kInvalidArgument, "group name " + Quoted(group) + " has " +
                                                      std::to_string(group.size()) + " bytes: its retry topic " +
                                                      "would not fit a topic name, so " + std::to_string(longest) +
                                                      " is the limit");
  }
  return Ok();
}

bool IsForbiddenToSend(std::string_view topic) {
  return std::find(std::begin(kForbidden), std::end(kForbidden), topic) != std::end(kForbidden);
}

bool IsSystemTopic(std::string_view topic) {
  return IsForbiddenToSend(topic) || topic == kAutoCreateTopic || topic == kBenchmarkTopic || topic == kTraceTopic ||
         topic.starts_with(kSystemTopicPrefix);
}

std::string ReplyTopic(std::string_view cluster) { return std::string(cluster).append("_").append(kReplyTopicSuffix); }

}  // namespace mq::protocol
