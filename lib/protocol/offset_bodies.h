// Offsets of groups in bodies and files: ResetOffsetBody (220, 222), GetConsumerStatusBody (221, 223),
// QueryCorrectionOffsetBody (308), the tables of 43 and 45 (consumerOffset.json, delayOffset.json),
// QueryConsumeTimeSpanBody (303), and the event a broker stores when it moves an offset.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "protocol/message_queue.h"

namespace mq::protocol {

// 220 and the answer to 222. Java's client reads the map form only, the C++ client the list form only.
enum class ResetForm { kMap, kList };
using ResetOffsetBody = QueueMap<int64_t>;
std::string EncodeResetOffset(const ResetOffsetBody& offsets, ResetForm form);
Result<ResetOffsetBody> DecodeResetOffset(std::string_view body);  // both forms

// 221: one client's queues; 223: those of several clients.
struct GetConsumerStatusBody {
  QueueMap<int64_t> queues;
  std::map<std::string, QueueMap<int64_t>> clients;  // by client id
  bool operator==(const GetConsumerStatusBody&) const = default;
};
std::string EncodeConsumerStatus(const GetConsumerStatusBody& status);
Result<GetConsumerStatusBody> DecodeConsumerStatus(std::string_view body);

// A map of integers to offsets, which fastjson writes with bare keys: {0:5,1:7}. Of queues (43, 308) or of delay
// levels (45). A key that is no number is a fault.
using OffsetsById = std::map<int32_t, int64_t>;
void WriteOffsetsById(json::Writer& writer, const OffsetsById& offsets);
Result<OffsetsById> OffsetsByIdFromJson(const json::Value& value);

// 308.
std::string EncodeCorrectionOffsets(const OffsetsById& offsets);
Result<OffsetsById> DecodeCorrectionOffsets(std::string_view body);

// 43 and consumerOffset.json: by "topic@group".
using ConsumerOffsetTable = std::map<std::string, OffsetsById, std::less<>>;
void WriteConsumerOffsets(json::Writer& writer, const ConsumerOffsetTable& table);
std::string EncodeConsumerOffsets(const ConsumerOffsetTable& table);
Result<ConsumerOffsetTable> ConsumerOffsetsFromJson(const json::Value& value);
Result<ConsumerOffsetTable> DecodeConsumerOffsets(std::string_view body);

// 45 and delayOffset.json: by delay level.
void WriteDelayOffsets(json::Writer& writer, const OffsetsById& offsets);
std::string EncodeDelayOffsets(const OffsetsById& offsets);
Result<OffsetsById> DelayOffsetsFromJson(const json::Value& value);
Result<OffsetsById> DecodeDelayOffsets(std::string_view body);

// 303. The texts of the times are made when writing (local time, yyyy-MM-dd#HH:mm:ss:SSS) and not read.
struct QueueTimeSpan {
  MessageQueue queue;
  int64_t min_timestamp = 0;
  int64_t max_timestamp = 0;
  int64_t consume_timestamp = 0;
  int64_t delay_ms = 0;
  bool operator==(const QueueTimeSpan&) const = default;
};
std::string EncodeTimeSpans(const std::vector<QueueTimeSpan>& spans);
Result<std::vector<QueueTimeSpan>> DecodeTimeSpans(std::string_view body);

// The body of a message in topic OFFSET_MOVED_EVENT.
struct OffsetMovedEvent {
  std::string group;
  MessageQueue queue;
  int64_t offset_request = 0;
  int64_t offset_new = 0;
  bool operator==(const OffsetMovedEvent&) const = default;
};
std::string EncodeOffsetMoved(const OffsetMovedEvent& event);
Result<OffsetMovedEvent> DecodeOffsetMoved(std::string_view body);

}  // namespace mq::protocol
