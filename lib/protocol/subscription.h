// SubscriptionData: what a consumer wants of one topic. Built from "a || b", sent in heartbeats, used by
// the broker (by hash) and again by the consumer (by text).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace mq::json {
class Value;
class Writer;
}  // namespace mq::json

namespace mq::protocol {

struct SubscriptionData {
  std::string topic;
  std::string sub_string = "*";
  std::string expression_type = "TAG";
  std::vector<std::string> tags;  // sorted, unique; empty means all
  std::vector<int32_t> codes;     // Java hash of each tag, sorted, unique
  int64_t sub_version = 0;
  bool class_filter_mode = false;
  bool operator==(const SubscriptionData&) const = default;

  bool is_tag_type() const { return expression_type.empty() || expression_type == "TAG"; }
  bool matches_all() const { return tags.empty() && codes.empty(); }
  // By hash, as the broker filters: a tags code of 64 bits, of which the low 32 are the hash.
  bool MatchesCode(int64_t tags_code) const;
  // By text, as the consumer filters again. `tag` is empty when the message has none.
  bool MatchesTag(std::string_view tag) const;
};

// "*" or empty means all; otherwise tags separated by "||", trimmed, empty ones dropped. An expression
// with separators and no tag at all is an error.
Result<SubscriptionData> BuildSubscription(std::string_view topic, std::string_view expression, int64_t sub_version);

void WriteJson(json::Writer& writer, const SubscriptionData& subscription);
Result<SubscriptionData> SubscriptionFromJson(const json::Value& value);

}  // namespace mq::protocol
