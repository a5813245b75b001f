// Reads a broker's queues as a consumer does and asks it by key, and keeps every record as it came.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "damage_expect.h"
#include "protocol/command.h"

namespace mq::crash {

class QueueClient {
 public:
  Status Connect(const std::string& socket_path);

  // Everything from offset 0 to the end: records by queue offset. kNotFound when the broker does not know the topic
  // or the queue. Nothing may take longer than a few seconds.
  Result<std::map<int64_t, std::string>> ReadQueue(const QueueKey& queue);
  // Asks by key for all of them, many at a time: each answer's code and records. 64 records are the most that come.
  struct KeyQuestion {
    std::string topic;
    std::string key;
  };
  struct KeyAnswer {
    protocol::ResponseCode code = protocol::ResponseCode::kSystemError;
    std::string body;
    std::string remark;
  };
  Result<std::vector<KeyAnswer>> FindByKeys(const std::vector<KeyQuestion>& questions);
  // Makes a topic as an operator would whose topics.json is damaged; that the broker refuses is no error.
  Status MakeTopic(const std::string& topic, int32_t queues);

 private:
  struct Pulled {
    protocol::ResponseCode code;
    int64_t next = 0;
    int64_t min = 0;
    int64_t max = 0;
    std::string body;
  };
  Result<Pulled> Pull(const QueueKey& queue, int64_t offset);
  Status SendAll(const std::string& requests);
  Result<protocol::CommandView> Exchange(const std::string& request);
  // The first frame that comes, in in_; the view into it lives until the next call.
  Result<std::string_view> Receive(int64_t deadline_ms);

  UniqueFd socket_;
  int32_t opaque_ = 0;
  std::string in_;
  size_t taken_ = 0;
};

// Compares what the broker serves with the truth: every intact record at its offset, byte for byte, and nothing at an
// offset that no record ever had.
Status CompareQueue(const Truth& truth, const QueueKey& queue, const std::map<int64_t, std::string>& served,
                    const Expectation& expected);

}  // namespace mq::crash
