// Bodies of sends and answers of pulls: the entries of a batch and the records of a pull are written as they were read,
// and never reach behind their end.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/batch.h"
#include "protocol/compress.h"
#include "protocol/message.h"

namespace {

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

void ReadBatch(std::string_view body) {
  mq::protocol::BatchReader reader(body);
  std::string again;
  for (;;) {
    const auto entry = reader.Next();
    if (!entry || !entry->has_value()) break;
    mq::protocol::AppendBatchEntry(again, **entry);
    Require(again.size() <= body.size());
  }
  mq::protocol::BatchReader copy(again);
  std::string third;
  for (;;) {
    const auto entry = copy.Next();
    Require(entry.has_value());
    if (!entry->has_value()) break;
    mq::protocol::AppendBatchEntry(third, **entry);
  }
  Require(third == again);
}

void ReadPull(std::string_view body) {
  while (!body.empty()) {
    const auto message = mq::protocol::DecodeMessage(body);
    if (!message) return;
    Require(message->size > 0 && static_cast<size_t>(message->size) <= body.size());
    std::string again(mq::protocol::RecordBytes(*message), '\0');
    Require(mq::protocol::EncodeRecord(*message, again.data()) == again.size());
    const auto same = mq::protocol::DecodeMessage(again, mq::protocol::BodyCheck::kCrc);
    Require(same && same->topic == message->topic && same->body == message->body &&
            same->properties == message->properties && same->queue_offset == message->queue_offset &&
            same->physical_offset == message->physical_offset);
    body.remove_prefix(static_cast<size_t>(message->size));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) ReadBatch(body);
  if (data[0] % 2 != 0) ReadPull(body);
  return 0;
}
