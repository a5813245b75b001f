// Small bodies: TopicList (206, 224) and KVTable (28, 219, the answer to 103).
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

using KvTable = std::vector<std::pair<std::string, std::string>>;

std::string EncodeKvTable(const KvTable& table);
Result<KvTable> DecodeKvTable(std::string_view body);

}  // namespace mq::protocol
