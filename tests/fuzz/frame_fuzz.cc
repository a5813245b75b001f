// Frames from the network: framing, both header codecs, every typed header and body this code reads.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/acl_config.h"
#include "protocol/acl_headers.h"
#include "protocol/admin_headers.h"
#include "protocol/batch.h"
#include "protocol/broker_views.h"
#include "protocol/command.h"
#include "protocol/connections.h"
#include "protocol/consume_stats.h"
#include "protocol/group_config.h"
#include "protocol/group_headers.h"
#include "protocol/heartbeat.h"
#include "protocol/kv_headers.h"
#include "protocol/lists.h"
#include "protocol/locks.h"
#include "protocol/message_headers.h"
#include "protocol/offset_bodies.h"
#include "protocol/pull_headers.h"
#include "protocol/query_headers.h"
#include "protocol/register_broker.h"
#include "protocol/route.h"
#include "protocol/running_info.h"
#include "protocol/send_headers.h"

namespace {

// A body that is read can be written, and what was written is read again.
template <class Decode, class Encode>
void RoundTrip(std::string_view body, const Decode& decode, const Encode& encode) {
  const auto read = decode(body);
  if (read && !decode(encode(*read))) __builtin_trap();
}

void ReadBodies(std::string_view body) {
  using namespace mq::protocol;
  RoundTrip(body, DecodeConsumeStats, EncodeConsumeStats);
  RoundTrip(body, DecodeConsumeStatsList, EncodeConsumeStatsList);
  RoundTrip(body, DecodeTopicStats, EncodeTopicStats);
  RoundTrip(body, DecodeConsumerConnection, EncodeConsumerConnection);
  RoundTrip(body, DecodeProducerConnection, EncodeProducerConnection);
  RoundTrip(body, DecodeProducerTable, EncodeProducerTable);
  RoundTrip(body, DecodeRunningInfo, EncodeRunningInfo);
  RoundTrip(body, DecodeConsumeDirectly, EncodeConsumeDirectly);
  RoundTrip(body, DecodeCheckClient, EncodeCheckClient);
  RoundTrip(body, DecodeConsumerStatus, EncodeConsumerStatus);
  RoundTrip(body, DecodeCorrectionOffsets, EncodeCorrectionOffsets);
  RoundTrip(body, DecodeConsumerOffsets, EncodeConsumerOffsets);
  RoundTrip(body, DecodeDelayOffsets, EncodeDelayOffsets);
  RoundTrip(body, DecodeOffsetMoved, EncodeOffsetMoved);
  RoundTrip(body, DecodeTimeSpans, EncodeTimeSpans);
  RoundTrip(body, DecodeGroupConfigs, EncodeGroupConfigs);
  RoundTrip(body, DecodeLockRequest, EncodeLockRequest);
  RoundTrip(body, DecodeLockResponse, EncodeLockResponse);
  RoundTrip(body, DecodeBrokerStats, EncodeBrokerStats);
  RoundTrip(body, DecodeConsumeQueueView, EncodeConsumeQueueView);
  RoundTrip(body, DecodeAclConfig, EncodeAclConfig);
  RoundTrip(body, DecodeGroupList, EncodeGroupList);
  RoundTrip(body, DecodeConsumerIds, EncodeConsumerIds);
  if (const auto reset = DecodeResetOffset(body)) {
    for (const ResetForm form : {ResetForm::kMap, ResetForm::kList}) {
      if (!DecodeResetOffset(EncodeResetOffset(*reset, form))) __builtin_trap();
    }
  }
}

// A header that was understood says the same after it was written anew, in the codec it came in.
void RequireSame(const mq::protocol::CommandView& command, const std::string& written) {
  static mq::protocol::CommandView again;
  if (!mq::protocol::DecodeCommand(written, again)) __builtin_trap();
  const bool same = again.type == command.type && again.code == command.code && again.opaque == command.opaque &&
                    again.flag == command.flag && again.version == command.version && again.remark == command.remark &&
                    again.body == command.body && again.ext.size() == command.ext.size();
  if (!same) __builtin_trap();
  for (const auto& [key, value] : command.ext) {
    if (again.Find(key) != command.Find(key)) __builtin_trap();
  }
}

void ReadHeaders(const mq::protocol::CommandView& command) {
  using namespace mq::protocol;
  PutKvConfigRequestHeader::Decode(command).Ignore("any answer will do");
  BrokerNameRequestHeader::Decode(command).Ignore("any answer will do");
  QueryMessageRequestHeader::Decode(command).Ignore("any answer will do");
  EndTransactionRequestHeader::Decode(command).Ignore("any answer will do");
  SendBackRequestHeader::Decode(command).Ignore("any answer will do");
  PushReplyRequestHeader::Decode(command).Ignore("any answer will do");
  ResetOffsetRequestHeader::Decode(command).Ignore("any answer will do");
  UpdateAclConfigRequestHeader::Decode(command).Ignore("any answer will do");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mq::protocol;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static CommandView command;
  while (true) {
    const auto frame = FrameSize(bytes);
    if (!frame || *frame == 0 || *frame > bytes.size()) return 0;
    if (!DecodeCommand(bytes.substr(0, *frame), command)) return 0;
    SendMessageRequestHeader::Decode(command).Ignore("any answer will do");
    SendMessageResponseHeader::Decode(command).Ignore("any answer will do");
    PullMessageRequestHeader::Decode(command).Ignore("any answer will do");
    PullMessageResponseHeader::Decode(command).Ignore("any answer will do");
    SearchOffsetRequestHeader::Decode(command).Ignore("any answer will do");
    CreateTopicRequestHeader::Decode(command).Ignore("any answer will do");
    RegisterBrokerRequestHeader::Decode(command).Ignore("any answer will do");
    UnregisterClientRequestHeader::Decode(command).Ignore("any answer will do");
    for (const bool compressed : {false, true}) {
      DecodeRegisterBrokerBody(command.body, compressed, command.version).Ignore("any answer will do");
    }
    DecodeHeartbeat(command.body).Ignore("any answer will do");
    DecodeTopicRoute(command.body).Ignore("any answer will do");
    DecodeClusterInfo(command.body).Ignore("any answer will do");
    DecodeTopicConfigs(command.body).Ignore("any answer will do");
    DecodeKvTable(command.body).Ignore("any answer will do");
    ReadBodies(command.body);
    ReadHeaders(command);
    BatchReader batch(command.body);
    while (true) {
      const auto entry = batch.Next();
      if (!entry || !entry->has_value()) break;
    }
    // What was understood can be written, and is then understood the same way.
    std::string again;
    EncodeCommand(CopyCommand(command), again);
    RequireSame(command, again);
    bytes.remove_prefix(*frame);
  }
}
