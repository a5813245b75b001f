// Rules for topic and group names, the system topics, and the names derived from a group.
// The same words are used by every tool and by the broker. See mq-remoting(5).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace mq::protocol {

inline constexpr std::string_view kAutoCreateTopic = "TBW102";
inline constexpr std::string_view kBenchmarkTopic = "BenchmarkTest";
inline constexpr std::string_view kSelfTestTopic = "SELF_TEST_TOPIC";
inline constexpr std::string_view kScheduleTopic = "SCHEDULE_TOPIC_XXXX";
inline constexpr std::string_view kOffsetMovedTopic = "OFFSET_MOVED_EVENT";
inline constexpr std::string_view kHalfTopic = "RMQ_SYS_TRANS_HALF_TOPIC";
inline constexpr std::string_view kOpHalfTopic = "RMQ_SYS_TRANS_OP_HALF_TOPIC";
inline constexpr std::string_view kTransCheckMaxTopic = "TRANS_CHECK_MAX_TIME_TOPIC";
inline constexpr std::string_view kTraceTopic = "RMQ_SYS_TRACE_TOPIC";
inline constexpr std::string_view kReplyTopicSuffix = "REPLY_TOPIC";
inline constexpr std::string_view kRetryPrefix = "%RETRY%";
inline constexpr std::string_view kDlqPrefix = "%DLQ%";
inline constexpr std::string_view kSystemTopicPrefix = "rmq_sys_";
inline constexpr std::string_view kSystemGroupPrefix = "CID_RMQ_SYS_";
inline constexpr std::string_view kToolsProducerGroup = "CLIENT_INNER_PRODUCER";

// perm bits of a topic. Do not renumber.
inline constexpr int32_t kPermPriority = 8;
inline constexpr int32_t kPermRead = 4;
inline constexpr int32_t kPermWrite = 2;
inline constexpr int32_t kPermInherit = 1;

// ^[%|a-zA-Z0-9_-]+$ , 1 to 127 bytes. The error quotes the name and the rule.
Status CheckTopicName(std::string_view topic);
// The same letters, 1 to 255 bytes, and its retry topic's name must fit a topic's limit too.
Status CheckGroupName(std::string_view group);

// Topics clients may not send to (answered with a refusal).
bool IsForbiddenToSend(std::string_view topic);
// System topics by name alone; cluster and broker names are the broker's to add.
bool IsSystemTopic(std::string_view topic);

inline bool IsRetryTopic(std::string_view topic) { return topic.starts_with(kRetryPrefix); }
inline bool IsDlqTopic(std::string_view topic) { return topic.starts_with(kDlqPrefix); }
inline std::string RetryTopic(std::string_view group) { return std::string(kRetryPrefix).append(group); }
inline std::string DlqTopic(std::string_view group) { return std::string(kDlqPrefix).append(group); }
std::string ReplyTopic(std::string_view cluster);

}  // namespace mq::protocol
