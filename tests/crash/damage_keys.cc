#include "damage_keys.h"

#include <poll.h>

#include <map>
#include <utility>

#include "base/clock.h"
#include "protocol/message.h"

namespace mq::crash {

namespace {

constexpr int64_t kBusyMs = 10000;
constexpr int kPauseMs = 20;
// Keys of more records than that are not asked for: an answer holds the newest 64, whole or hit.
constexpr size_t kMostRecords = 32;

using Key = std::pair<std::string, std::string>;  // topic and key

struct Wanted {
  size_t records = 0;  // that have it
  std::vector<size_t> intact;
};

bool Holds(std::string_view body, std::string_view record) {
  while (!body.empty()) {
    const auto message = protocol::DecodeMessage(body);
    if (!message) return false;
    const auto bytes = static_cast<size_t>(message->size);
    if (body.substr(0, bytes) == record) return true;
    body.remove_prefix(bytes);
  }
  return false;
}

std::map<Key, Wanted> WantedKeys(const Truth& truth, const Expectation& expected) {
  std::map<Key, Wanted> wanted;
  for (size_t i = 0; i < truth.records.size(); ++i) {
    const TrueRecord& record = truth.records[i];
    for (const std::string& key : record.keys) {
      Wanted& of_key = wanted[{record.queue.first, key}];
      ++of_key.records;
      if (record.queue_offset >= 0 && expected.Intact(truth, i)) of_key.intact.push_back(i);
    }
  }
  std::erase_if(wanted,
                [](const auto& each) { return each.second.records > kMostRecords || each.second.intact.empty(); });
  return wanted;
}

}  // namespace

Status CompareKeys(QueueClient& reader, const Truth& truth, const Expectation& expected, size_t first, size_t step) {
  const std::map<Key, Wanted> wanted = WantedKeys(truth, expected);
  std::vector<QueueClient::KeyQuestion> questions;
  size_t number = 0;
  for (const auto& [key, records] : wanted) {
    if (number++ % step == first % step) questions.push_back({key.first, key.second});
  }
  const int64_t deadline = MonotonicMs() + kBusyMs;
  while (!questions.empty()) {
    MQ_ASSIGN(const auto answers, reader.FindByKeys(questions));
    std::vector<QueueClient::KeyQuestion> again;
    for (size_t i = 0; i < questions.size(); ++i) {
      const QueueClient::KeyAnswer& answer = answers[i];
      const std::string what = "the key '" + questions[i].key + "' of " + questions[i].topic;
      if (answer.code == protocol::ResponseCode::kSystemBusy) {
        if (MonotonicMs() > deadline) return MakeError(ErrorCode::kTimeout, what + " is refused: " + answer.remark);
        again.push_back(questions[i]);
        continue;
      }
      for (const size_t record : wanted.at({questions[i].topic, questions[i].key}).intact) {
        if (Holds(answer.body, truth.BytesOf(truth.records[record]))) continue;
        return MakeError(ErrorCode::kCorruption, what + " does not find the intact record at position " +
                                                     std::to_string(truth.records[record].position) + " (answer " +
                                                     std::to_string(static_cast<int>(answer.code)) + ")");
      }
    }
    if (!again.empty()) ::poll(nullptr, 0, kPauseMs);
    questions = std::move(again);
  }
  return Ok();
}

}  // namespace mq::crash
