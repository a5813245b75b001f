// What a send request and a stored record cost to encode and decode.
#include <benchmark/benchmark.h>

#include "protocol/message.h"
#include "protocol/send_headers.h"

namespace {

using namespace mq::protocol;  // NOLINT: a bench of that one part

std::string SendFrame(SerializeType type) {
  SendMessageRequestHeader header;
  header.producer_group = "CLIENT_INNER_PRODUCER";
  header.topic = "BenchmarkTest";
  header.default_topic = "TBW102";
  header.default_topic_queues = 4;
  header.queue_id = 3;
  header.born_timestamp = 1700000000000;
  header.properties =
      "UNIQ_KEY\x01"
      "7F0000010000276B0000000000000400\x02TAGS\x01TagA";
  CommandHead head;
  head.type = type;
  head.code = 310;
  head.opaque = 123456;
  std::string frame;
  CommandWriter writer(frame, head);
  header.EncodeShort(writer);
  const std::string body(128, 'x');
  writer.Finish(body.size());
  return frame + body;
}

void DecodeSend(benchmark::State& state, SerializeType type) {
  const std::string frame = SendFrame(type);
  CommandView view;
  for (auto _ : state) {
    const mq::Status status = DecodeCommand(frame, view);
    benchmark::DoNotOptimize(status.has_value());
    const auto header = SendMessageRequestHeader::Decode(view);
    benchmark::DoNotOptimize(header->queue_id);
  }
}
BENCHMARK_CAPTURE(DecodeSend, json, SerializeType::kJson);
BENCHMARK_CAPTURE(DecodeSend, binary, SerializeType::kRocketMq);

void EncodeSendReply(benchmark::State& state, SerializeType type) {
  CommandHead head;
  head.type = type;
  head.opaque = 123456;
  head.flag = kFlagResponse;
  SendMessageResponseHeader header;
  header.msg_id = "7F00000100002A9F0000000000001234";
  header.queue_offset = QueueOffset(1234567);
  std::string out;
  for (auto _ : state) {
    out.clear();
    CommandWriter writer(out, head);
    header.Encode(writer);
    writer.Finish(0);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK_CAPTURE(EncodeSendReply, json, SerializeType::kJson);
BENCHMARK_CAPTURE(EncodeSendReply, binary, SerializeType::kRocketMq);

void EncodeStoredRecord(benchmark::State& state) {
  const std::string body(128, 'x');
  MessageView message;
  message.topic = "BenchmarkTest";
  message.body = body;
  message.properties =
      "UNIQ_KEY\x01"
      "7F0000010000276B0000000000000400";
  std::string out(RecordBytes(message), '\0');
  for (auto _ : state) benchmark::DoNotOptimize(EncodeRecord(message, out.data()));
}
BENCHMARK(EncodeStoredRecord);

void DecodeStoredRecord(benchmark::State& state) {
  const std::string body(128, 'x');
  MessageView message;
  message.topic = "BenchmarkTest";
  message.body = body;
  std::string out(RecordBytes(message), '\0');
  EncodeRecord(message, out.data());
  for (auto _ : state) {
    const auto record = DecodeMessage(out);
    benchmark::DoNotOptimize(record->body.size());
  }
}
BENCHMARK(DecodeStoredRecord);

}  // namespace

BENCHMARK_MAIN();
