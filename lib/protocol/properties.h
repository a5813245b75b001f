// The property string of a message: name \x01 value, joined by \x02, with or without a last \x02.
// A piece without \x01, with an empty name or an empty value is dropped when reading; of a name given
// twice the last wins. See mq-remoting(5).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace mq::protocol {

namespace property {
inline constexpr std::string_view kKeys = "KEYS";
inline constexpr std::string_view kTags = "TAGS";
inline constexpr std::string_view kWait = "WAIT";
inline constexpr std::string_view kDelay = "DELAY";
inline constexpr std::string_view kUniqKey = "UNIQ_KEY";
inline constexpr std::string_view kCluster = "CLUSTER";
inline constexpr std::string_view kMultiDispatch = "INNER_MULTI_DISPATCH";
inline constexpr std::string_view kRealTopic = "REAL_TOPIC";
inline constexpr std::string_view kRealQueueId = "REAL_QID";
inline constexpr std::string_view kRetryTopic = "RETRY_TOPIC";
inline constexpr std::string_view kTranMsg = "TRAN_MSG";
inline constexpr std::string_view kProducerGroup = "PGROUP";
inline constexpr std::string_view kMsgType = "MSG_TYPE";
inline constexpr std::string_view kMsgRegion = "MSG_REGION";
inline constexpr std::string_view kTraceOn = "TRACE_ON";
inline constexpr std::string_view kMinOffset = "MIN_OFFSET";
inline constexpr std::string_view kMaxOffset = "MAX_OFFSET";
inline constexpr std::string_view kOriginMessageId = "ORIGIN_MESSAGE_ID";
inline constexpr std::string_view kReconsumeTime = "RECONSUME_TIME";
inline constexpr std::string_view kMaxReconsumeTimes = "MAX_RECONSUME_TIMES";
}  // namespace property

inline constexpr char kPropertyNameSeparator = '\x01';
inline constexpr char kPropertySeparator = '\x02';

// Walks the kept pairs in order, duplicates included.
class PropertyReader {
 public:
  explicit PropertyReader(std::string_view text) : rest_(text) {}
  // Nothing at the end.
  std::optional<std::pair<std::string_view, std::string_view>> Next();

 private:
  std::string_view rest_;
};

// The last value of that name. Does not allocate.
std::optional<std::string_view> FindProperty(std::string_view properties, std::string_view name);
// All pairs in order of first appearance, each name once with its last value.
std::vector<std::pair<std::string, std::string>> ParseProperties(std::string_view properties);

// Appends a pair, with a separator before it where one is missing. No trailing separator is written.
void AppendProperty(std::string& properties, std::string_view name, std::string_view value);
// A copy without any pair of that name (and without a trailing separator).
std::string WithoutProperty(std::string_view properties, std::string_view name);

// A name a user may set: not empty, no \x01 \x02, not one of RocketMQ's own names.
Status CheckUserPropertyName(std::string_view name);
// A value that survives the format: not empty, no \x01 \x02. The error names the property.
Status CheckPropertyValue(std::string_view name, std::string_view value);
bool IsReservedProperty(std::string_view name);

// What a consume queue stores for filtering: Java's hash of TAGS sign-extended, 0 without tags.
int64_t TagsCode(std::string_view properties);

}  // namespace mq::protocol
