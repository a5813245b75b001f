#include "protocol/properties.h"

#include <algorithm>
#include <iterator>

#include "base/java_hash.h"

namespace mq::protocol {
namespace {

// Names with a meaning of RocketMQ's own; a user's property may not take one. Sorted.
constexpr std::string_view kReserved[] = {
    "1ST_POP_TIME",
    "ARRIVE_TIME",
    "BORN_TIMESTAMP",
    "BUYER_ID",
    "CHECK_IMMUNITY_TIME_IN_SECONDS",
    "CLUSTER",
    "CONSUME_START_TIME",
    "CORRECTION_FLAG",
    "CORRELATION_ID",
    "DELAY",
    "DLQ_ORIGIN_MESSAGE_ID",
    "DLQ_ORIGIN_TOPIC",
    "DUP_INFO",
    "EXTEND_UNIQ_INFO",
    "INNER_BASE",
    "INNER_MULTI_DISPATCH",
    "INNER_MULTI_QUEUE_OFFSET",
    "INNER_NUM",
    "INSTANCE_ID",
    "KEYS",
    "MAX_OFFSET",
    "MAX_RECONSUME_TIMES",
    "MIN_OFFSET",
    "MQ2_FLAG",
    "MSG_REGION",
    "MSG_TYPE",
    "ORIGIN_MESSAGE_ID",
    "PGROUP",
    "POP_CK",
    "POP_CK_OFFSET",
    "PUSH_REPLY_TIME",
    "REAL_QID",
    "REAL_TOPIC",
    "RECONSUME_TIME",
    "REDIRECT",
    "REPLY_TO_CLIENT",
    "RETRY_TOPIC",
    "TAGS",
    "TIMER_DELAY_LEVEL",
    "TIMER_DELAY_MS",
    "TIMER_DELAY_SEC",
    "TIMER_DELIVER_MS",
    "TIMER_DEL_UNIQKEY",
    "TIMER_DEQUEUE_MS",
    "TIMER_ENQUEUE_MS",
    "TIMER_OUT_MS",
    "TIMER_ROLL_TIMES",
    "TRACE_ON",
    "TRANSACTION_CHECK_TIMES",
    "TRANSFER_FLAG",
    "TRAN_MSG",
    "TRAN_PREPARED_QUEUE_OFFSET",
    "TTL",
    "UNIQ_KEY",
    "WAIT",
};

bool HasSeparator(std::string_view text) {
  return text.find(kPropertyNameSeparator) != std::string_view::npos ||
         text.find(kPropertySeparator) != std::string_view::npos;
}

}  // namespace

std::optional<std::pair<std::string_view, std::string_view>> PropertyReader::Next() {
  while (!rest_.empty()) {
    const size_t end = rest_.find(kPropertySeparator);
    const std::string_view piece = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    const size_t middle = piece.find(kPropertyNameSeparator);
    if (middle == std::string_view::npos || middle == 0 || middle + 1 == piece.size()) continue;
    return std::make_pair(piece.substr(0, middle), piece.substr(middle + 1));
  }
  return std::nullopt;
}

std::optional<std::string_view> FindProperty(std::string_view properties, std::string_view name) {
  std::optional<std::string_view> found;
  // Looks for the name first: most strings do not hold it, and pairs need not be cut then.
  size_t at = 0;
  while ((at = properties.find(name, at)) != std::string_view::npos) {
    const size_t after = at + name.size();
    const bool starts = at == 0 || properties[at - 1] == kPropertySeparator;
    if (starts && after < properties.size() && properties[after] == kPropertyNameSeparator) {
      const size_t end = std::min(properties.find(kPropertySeparator, after), properties.size());
      if (end > after + 1) found = properties.substr(after + 1, end - after - 1);
    }
    at = after;
  }
  return found;
}

std::vector<std::pair<std::string, std::string>> ParseProperties(std::string_view properties) {
  std::vector<std::pair<std::string, std::string>> pairs;
  PropertyReader reader(properties);
  while (const auto pair = reader.Next()) {
    const auto known = std::find_if(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == pair->first; });
    if (known != pairs.end()) {
      known->second = pair->second;
    } else {
      pairs.emplace_back(pair->first, pair->second);
    }
  }
  return pairs;
}

void AppendProperty(std::string& properties, std::string_view name, std::string_view value) {
  if (!properties.empty() && properties.back() != kPropertySeparator) properties += kPropertySeparator;
  properties.append(name);
  properties += kPropertyNameSeparator;
  properties.append(value);
}

std::string WithoutProperty(std::string_view properties, std::string_view name) {
  std::string out;
  out.reserve(properties.size());
  PropertyReader reader(properties);
  while (const auto pair = reader.Next()) {
    if (pair->first != name) AppendProperty(out, pair->first, pair->second);
  }
  return out;
}

bool IsReservedProperty(std::string_view name) {
  return std::binary_search(std::begin(kReserved), std::end(kReserved), name);
}

Status CheckUserPropertyName(std::string_view name) {
  if (name.empty()) return MakeError(ErrorCode::kInvalidArgument, "a property without a name");
  if (HasSeparator(name)) {
    std::string shown(name);
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
    return MakeError(ErrorCode::kInvalidArgument, "property name \"" + shown + "\" holds a separator byte (1 or 2)");
  }
  if (IsReservedProperty(name)) {
    return MakeError(ErrorCode::kInvalidArgument, "property name " + std::string(name) + " is RocketMQ's own");
  }
  return Ok();
}

Status CheckPropertyValue(std::string_view name, std::string_view value) {
  if (value.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "property " + std::string(name) + " has an empty value");
  }
  if (HasSeparator(value)) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "the value of property " + std::string(name) + " holds a separator byte (1 or 2)");
  }
  return Ok();
}

int64_t TagsCode(std::string_view properties) {
  const auto tags = FindProperty(properties, property::kTags);
  return tags ? JavaHash(*tags) : 0;
}

}  // namespace mq::protocol
