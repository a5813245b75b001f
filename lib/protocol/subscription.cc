#include "protocol/subscription.h"

#include <algorithm>

#include "base/java_hash.h"
#include "base/json.h"
#include "base/strings.h"

namespace mq::protocol {
namespace {

template <class T>
void SortUnique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

bool SubscriptionData::MatchesCode(int64_t tags_code) const {
  if (!is_tag_type() || codes.empty()) return true;
  return std::binary_search(codes.begin(), codes.end(), static_cast<int32_t>(tags_code));
}

bool SubscriptionData::MatchesTag(std::string_view tag) const {
  if (tags.empty()) return true;
  const auto found = std::lower_bound(tags.begin(), tags.end(), tag);
  return found != tags.end() && *found == tag;
}

Result<SubscriptionData> BuildSubscription(std::string_view topic, std::string_view expression, int64_t sub_version) {
  SubscriptionData subscription;
  subscription.topic = topic;
  subscription.sub_version = sub_version;
  if (expression.empty() || expression == "*") return subscription;
  subscription.sub_string = expression;
  std::string_view rest = expression;
  while (!rest.empty()) {
    const size_t end = rest.find("||");
    const std::string_view tag = Trim(rest.substr(0, end));
    if (!tag.empty()) {
      subscription.tags.emplace_back(tag);
      subscription.codes.push_back(JavaHash(tag));
    }
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 2);
  }
  if (subscription.tags.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "subscription \"" + std::string(expression) + "\" of topic " + std::string(topic) + " has no tag");
  }
  SortUnique(subscription.tags);
  SortUnique(subscription.codes);
  return subscription;
}

void WriteJson(json::Writer& writer, const SubscriptionData& subscription) {
  writer.BeginObject();
  writer.Key("classFilterMode").Bool(subscription.class_filter_mode);
  writer.Key("codeSet").BeginArray();
  for (const int32_t code : subscription.codes) writer.Int(code);
  writer.EndArray();
  writer.Key("expressionType").String(subscription.expression_type);
  writer.Key("subString").String(subscription.sub_string);
  writer.Key("subVersion").Int(subscription.sub_version);
  writer.Key("tagsSet").BeginArray();
  for (const std::string& tag : subscription.tags) writer.String(tag);
  writer.EndArray();
  writer.Key("topic").String(subscription.topic);
  writer.EndObject();
}

Result<SubscriptionData> SubscriptionFromJson(const json::Value& value) {
  if (!value.is_object()) return MakeError(ErrorCode::kProtocol, "SubscriptionData is not an object");
  SubscriptionData subscription;
  subscription.topic = value.Text("topic");
  subscription.sub_string = value.Text("subString", "*");
  subscription.expression_type = value.Text("expressionType", "TAG");
  subscription.sub_version = value.Int("subVersion");
  subscription.class_filter_mode = value.BoolOf("classFilterMode");
  if (const json::Value* tags = value.Find("tagsSet")) {
    for (const json::Value& tag : tags->items()) subscription.tags.push_back(tag.AsString());
  }
  if (const json::Value* codes = value.Find("codeSet")) {
    for (const json::Value& code : codes->items()) subscription.codes.push_back(static_cast<int32_t>(code.AsInt()));
  }
  SortUnique(subscription.tags);
  SortUnique(subscription.codes);
  return subscription;
}

}  // namespace mq::protocol
