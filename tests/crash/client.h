// Client: a producer for the laboratory. One connection to the broker's Unix socket, many sends on their way at once,
// and a journal of what was answered. It may be broken off at any time; answers that have come by then count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "disk.h"
#include "journal.h"

namespace mq::crash {

class Client {
 public:
  explicit Client(Journal& journal) : journal_(journal) {}

  Status Connect(const std::string& socket_path);
  void Close();
  bool connected() const { return socket_.valid(); }

  // One message, or a batch of several; with keys. Only queued: Turn sends.
  void Send(const std::string& topic, int32_t queue, const std::vector<int32_t>& body_bytes);
  size_t outstanding() const { return waiting_.size(); }
  // Writes and reads what is possible within the time; false when the connection is gone.
  bool Turn(int timeout_ms);
  // Answers that lie in the socket already.
  void TakeAnswers();

  // 17 and 215, answered or not; the journal's topics say what is known.
  void MakeTopic(const std::string& topic, int32_t queues);
  void DeleteTopic(const std::string& topic);
  // Waits for the answer of the last request of the two.
  bool WaitForTopic(int timeout_ms);

  // 329: log files that have expired are to go now. Nobody waits for the answer.
  void CleanLog();
  // 31; nothing when there is no good answer in time.
  std::optional<int64_t> MinOffset(const std::string& topic, int32_t queue, int timeout_ms);

  uint64_t refused() const { return refused_; }

 private:
  bool Read();
  void OnAnswer(std::string_view frame);
  void OnSendAnswer(std::string_view ids, int64_t queue_offset, const std::vector<uint64_t>& messages);

  Journal& journal_;
  UniqueFd socket_;
  std::string out_;
  std::string in_;
  int32_t opaque_ = 0;
  std::unordered_map<int32_t, std::vector<uint64_t>> waiting_;  // messages of a request
  int32_t topic_request_ = -1;
  std::string topic_;
  TopicState topic_becomes_ = TopicState::kUnknown;
  int32_t offset_request_ = -1;
  std::optional<int64_t> offset_;
  uint64_t refused_ = 0;
};

}  // namespace mq::crash
