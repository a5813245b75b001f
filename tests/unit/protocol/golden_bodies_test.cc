// Bodies and typed headers of every recorded request and answer: what RocketMQ wrote is read, and what is read can be
// written again with the same meaning.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "base/json.h"
#include "protocol/acl_headers.h"
#include "protocol/admin_headers.h"
#include "protocol/broker_views.h"
#include "protocol/connections.h"
#include "protocol/consume_stats.h"
#include "protocol/group_config.h"
#include "protocol/group_headers.h"
#include "protocol/kv_headers.h"
#include "protocol/lists.h"
#include "protocol/locks.h"
#include "protocol/message.h"
#include "protocol/message_headers.h"
#include "protocol/offset_bodies.h"
#include "protocol/pull_headers.h"
#include "protocol/query_headers.h"
#include "protocol/running_info.h"
#include "protocol/send_headers.h"

namespace mq::protocol {
namespace {

// JSON with the members of every object sorted by key, and queues as keys in one spelling: equal texts mean the same,
// whatever order a hash table was written in.
void Canonical(const json::Value& value, std::string& out) {
  if (value.is_object()) {
    std::map<std::string, std::string> members;
    for (const auto& [key, item] : value.members()) {
      std::string text;
      Canonical(item, text);
      members[key] = text;
    }
    out += '{';
    for (const auto& [key, text] : members) out += key + ':' + text + ',';
    out += '}';
  } else if (value.is_array()) {
    std::multiset<std::string> items;  // RocketMQ's lists of this kind are sets
    for (const json::Value& item : value.items()) {
      std::string text;
      Canonical(item, text);
      items.insert(text);
    }
    out += '[';
    for (const std::string& text : items) out += text + ',';
    out += ']';
  } else {
    out += value.AsString("null");
  }
}

std::string Meaning(std::string_view body) {
  const auto value = json::Parse(body);
  EXPECT_TRUE(value) << body;
  std::string out;
  if (value) Canonical(*value, out);
  return out;
}

using Check = std::function<void(const CommandView&)>;

template <class Decode, class Encode>
Check Body(const Decode& decode, const Encode& encode) {
  return [decode, encode](const CommandView& command) {
    const auto read = decode(command.body);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(Meaning(encode(*read)), Meaning(command.body));
  };
}

// Fields of a signature, which a layer above the header puts in and takes out, and the broker name of newer clients.
const std::set<std::string_view> kAnyRequest = {"AccessKey", "OnsChannel", "SecurityToken", "Signature", "bname"};

// A header that is read, and written again with every field it had (peers may add fields of their own).
template <class Header>
Check Head() {
  return [](const CommandView& command) {
    const auto header = Header::Decode(command);
    ASSERT_TRUE(header) << header.error().what;
    std::string bytes;
    CommandHead head;
    head.code = command.code;
    CommandWriter writer(bytes, head);
    header->Encode(writer);
    writer.Finish(0);
    CommandView again;
    ASSERT_TRUE(DecodeCommand(bytes, again));
    for (const ExtField& field : command.ext) {
      if (kAnyRequest.contains(field.key) || field.value.empty()) continue;
      if (field.value == "false" || field.value == "0") continue;  // may be left out: it is what absence means
      EXPECT_EQ(again.Find(field.key).value_or("(absent)"), field.value) << field.key;
    }
  };
}

void CheckMessages(const CommandView& command) {
  std::string_view rest = command.body;
  while (!rest.empty()) {
    const auto message = DecodeMessage(rest, BodyCheck::kCrc);
    ASSERT_TRUE(message) << message.error().what;
    rest.remove_prefix(static_cast<size_t>(message->size));
  }
}

std::multimap<int, Check> Requests() {
  std::multimap<int, Check> checks = {
      {12, Head<QueryMessageRequestHeader>()},
      {14, Head<QueryConsumerOffsetRequestHeader>()},
      {15, Head<UpdateConsumerOffsetRequestHeader>()},
      {33, Head<ViewMessageRequestHeader>()},
      {36, Head<SendBackRequestHeader>()},
      {37, Head<EndTransactionRequestHeader>()},
      {38, Head<ConsumerGroupRequestHeader>()},
      {39, Head<CheckTransactionRequestHeader>()},
      {39, CheckMessages},
      {40, Head<ConsumerGroupRequestHeader>()},
      {41, Body(DecodeLockRequest, EncodeLockRequest)},
      {42, Body(DecodeLockRequest, EncodeLockRequest)},
      {46, Body(DecodeCheckClient, EncodeCheckClient)},
      {50, Head<UpdateAclConfigRequestHeader>()},
      {51, Head<DeleteAclConfigRequestHeader>()},
      {53, Head<GlobalWhiteAddrsRequestHeader>()},
      {100, Head<PutKvConfigRequestHeader>()},
      {101, Head<KvKeyRequestHeader>()},
      {102, Head<KvKeyRequestHeader>()},
      {200, Body(DecodeGroupConfig, EncodeGroupConfig)},
      {202, Head<TopicOnlyRequestHeader>()},
      {203, Head<ConsumerGroupRequestHeader>()},
      {204, Head<ProducerGroupRequestHeader>()},
      {205, Head<BrokerNameRequestHeader>()},
      {207, Head<DeleteGroupRequestHeader>()},
      {208, Head<ConsumeStatsRequestHeader>()},
      {219, Head<KvNamespaceRequestHeader>()},
      {220, Head<ResetOffsetRequestHeader>()},
      {220,
       [](const CommandView& command) {
         const auto read = DecodeResetOffset(command.body);
         ASSERT_TRUE(read) << read.error().what;
         const bool list = command.body.find("[") != std::string_view::npos;
         EXPECT_EQ(Meaning(EncodeResetOffset(*read, list ? ResetForm::kList : ResetForm::kMap)), Meaning(command.body));
       }},
      {221, Head<ConsumerStatusRequestHeader>()},
      {222, Head<ResetOffsetRequestHeader>()},
      {223, Head<ConsumerStatusRequestHeader>()},
      {224, Head<ClusterRequestHeader>()},
      {300, Head<TopicOnlyRequestHeader>()},
      {303, Head<ConsumeTimeSpanRequestHeader>()},
      {307, Head<RunningInfoRequestHeader>()},
      {308, Head<CorrectionOffsetRequestHeader>()},
      {309, Head<ConsumeDirectlyRequestHeader>()},
      {314, Head<CloneGroupOffsetRequestHeader>()},
      {315, Head<BrokerStatsRequestHeader>()},
      {317, Head<BrokerConsumeStatsRequestHeader>()},
      {321, Head<QueryConsumeQueueRequestHeader>()},
      {323, Head<MessageIdRequestHeader>()},
      {325, [](const CommandView& command) { EXPECT_TRUE(SendMessageRequestHeader::Decode(command)); }},
      {326, Head<PushReplyRequestHeader>()},
      {327, Head<BrokerNameRequestHeader>()},
  };
  return checks;
}

std::multimap<int, Check> Answers() {
  std::multimap<int, Check> checks = {
      {12, Head<QueryMessageResponseHeader>()},
      {12, CheckMessages},
      {33, CheckMessages},
      {38, Body(DecodeConsumerIds, EncodeConsumerIds)},
      {41, Body(DecodeLockResponse, EncodeLockResponse)},
      {43, Body(DecodeConsumerOffsets, EncodeConsumerOffsets)},
      {45, Body(DecodeDelayOffsets, EncodeDelayOffsets)},
      {52, Head<AclInfoResponseHeader>()},
      {101, Head<GetKvConfigResponseHeader>()},
      {201, Body(DecodeGroupConfigs, EncodeGroupConfigs)},
      {202, Body(DecodeTopicStats, EncodeTopicStats)},
      {203, Body(DecodeConsumerConnection, EncodeConsumerConnection)},
      {204, Body(DecodeProducerConnection, EncodeProducerConnection)},
      {205, Head<WipeWritePermResponseHeader>()},
      {206, Body(DecodeTopicList, EncodeTopicList)},
      {208, Body(DecodeConsumeStats, EncodeConsumeStats)},
      {219, Body(DecodeKvTable, EncodeKvTable)},
      {221, Body(DecodeConsumerStatus, EncodeConsumerStatus)},
      {223, Body(DecodeConsumerStatus, EncodeConsumerStatus)},
      {224, Body(DecodeTopicList, EncodeTopicList)},
      {300, Body(DecodeGroupList, EncodeGroupList)},
      {304, Body(DecodeTopicList, EncodeTopicList)},
      {305, Body(DecodeTopicList, EncodeTopicList)},
      {307, Body(DecodeRunningInfo, EncodeRunningInfo)},
      {308, Body(DecodeCorrectionOffsets, EncodeCorrectionOffsets)},
      {309, Body(DecodeConsumeDirectly, EncodeConsumeDirectly)},
      {311, Body(DecodeTopicList, EncodeTopicList)},
      {312, Body(DecodeTopicList, EncodeTopicList)},
      {313, Body(DecodeTopicList, EncodeTopicList)},
      {315, Body(DecodeBrokerStats, EncodeBrokerStats)},
      {317, Body(DecodeConsumeStatsList, EncodeConsumeStatsList)},
      {321, Body(DecodeConsumeQueueView, EncodeConsumeQueueView)},
      {327, Head<AddWritePermResponseHeader>()},
      {328, Body(DecodeProducerTable, EncodeProducerTable)},
  };
  return checks;
}

Check TimeSpans() {
  return [](const CommandView& command) {
    const auto read = DecodeTimeSpans(command.body);
    ASSERT_TRUE(read) << read.error().what;
    ASSERT_FALSE(read->empty());
    EXPECT_GT(read->front().max_timestamp, read->front().min_timestamp);
    // The texts of the times depend on the zone; what they stand for does not.
    EXPECT_EQ(*DecodeTimeSpans(EncodeTimeSpans(*read)), *read);
  };
}

TEST(GoldenBodiesTest, EveryRecordedBodyAndHeaderIsReadAndWrittenAgain) {
  const std::string dir = std::string(MQ_GOLDEN_DIR) + "/wire/";
  std::ifstream lines(dir + "index.jsonl");
  const auto requests = Requests();
  auto answers = Answers();
  answers.emplace(303, TimeSpans());
  answers.emplace(222, [](const CommandView& command) {
    if (command.body.empty()) return;
    const auto read = DecodeResetOffset(command.body);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(Meaning(EncodeResetOffset(*read, ResetForm::kMap)), Meaning(command.body));
  });
  std::set<int> checked;
  CommandView command;
  for (std::string line; std::getline(lines, line);) {
    const auto index = json::Parse(line);
    ASSERT_TRUE(index) << line;
    SCOPED_TRACE(index->Text("file"));
    std::ifstream in(dir + index->Text("file"), std::ios::binary);
    std::stringstream bytes;
    bytes << in.rdbuf();
    const std::string frame = bytes.str();
    ASSERT_TRUE(DecodeCommand(frame, command));
    const bool is_request = index->Text("kind") == "request";
    if (!is_request && command.code != 0) continue;
    const int code = static_cast<int>(index->Int("requestCode"));
    const auto [begin, end] = (is_request ? requests : answers).equal_range(code);
    for (auto it = begin; it != end; ++it) {
      it->second(command);
      checked.insert(it->first);
      if (HasFatalFailure()) break;
    }
  }
  std::set<int> wanted;
  for (const auto& [code, check] : requests) wanted.insert(code);
  for (const auto& [code, check] : answers) wanted.insert(code);
  wanted.erase(52);  // recorded only as a refusal
  EXPECT_EQ(checked, wanted);
}

}  // namespace
}  // namespace mq::protocol
