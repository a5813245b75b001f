// Small bodies: TopicList (206, 224, 304, 305, 311-313), GroupList (300), the ids of a group's consumers (38) and
// KVTable (28, 219, the answer to 103).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace mq::protocol {

struct TopicList {
  std::vector<std::string> topics;
  std::string broker_address;  // empty: absent
};

std::string EncodeTopicList(const TopicList& list);
Result<TopicList> DecodeTopicList(std::string_view body);

// 300.
std::string EncodeGroupList(const std::vector<std::string>& groups);
Result<std::vector<std::string>> DecodeGroupList(std::string_view body);

// 38.
std::string EncodeConsumerIds(const std::vector<std::string>& ids);
Result<std::vector<std::string>> DecodeConsumerIds(std::string_view body);

using KvTable = std::vector<std::pair<std::string, std::string>>;

std::string EncodeKvTable(const KvTable& table);
Result<KvTable> DecodeKvTable(std::string_view body);

}  // namespace mq::protocol
