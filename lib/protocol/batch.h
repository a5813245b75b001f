// The body of SEND_BATCH_MESSAGE: records of
//   i32 total (counts itself) | i32 0 | i32 0 | i32 flag | i32 n, body | i16 n, properties
// Written by the producer, read by the broker. See mq-remoting(5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace mq::protocol {

inline constexpr size_t kBatchEntryFixedBytes = 22;

struct BatchEntry {
  std::string_view body;
  std::string_view properties;
  int32_t flag = 0;
};

constexpr size_t BatchEntryBytes(size_t body, size_t properties) { return kBatchEntryFixedBytes + body + properties; }
void AppendBatchEntry(std::string& out, const BatchEntry& entry);

class BatchReader {
 public:
  explicit BatchReader(std::string_view body) : rest_(body), total_(body.size()) {}
  // The next entry; nothing at the end; an error (with the byte offset in the batch) for bytes that do
  // not add up: a length below 0, past the record, or a total that is not the sum of its parts.
  Result<std::optional<BatchEntry>> Next();

 private:
  std::string_view rest_;
  size_t total_;
};

}  // namespace mq::protocol
