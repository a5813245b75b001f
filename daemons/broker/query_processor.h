// QueryProcessor: single messages by key (QUERY_MESSAGE 12) and by position (VIEW_MESSAGE_BY_ID 33).
//
// A query by key that comes before mq-reputd has indexed what was in the log at that moment waits for it, a second at
// most: who has sent a message finds it. Index and log are read on a thread of the pool, one query after the other,
// because they may have to come from the disk. Spec: store 4.6 and 11.7, protocol 12, 33.
//
// "There is no such message" is never a guess: as long as the index is behind, or has files that mq-reputd has not
// looked into or is making anew, the answer is SYSTEM_BUSY. A query that meets what cannot be in an index (a chain that
// does not fall, a position without a record) asks mq-reputd to look into the files, and is SYSTEM_BUSY until it has.
// What is still there after that is damage of the log, and the record is gone.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "broker/core.h"
#include "broker/topic_processor.h"
#include "protocol/command.h"
#include "remoting/channel.h"
#include "store/index_reader.h"

namespace mq::broker {

class QueryProcessor {
 public:
  // More queries than this that wait or run: the next one is answered SYSTEM_BUSY.
  static constexpr size_t kMaxQueries = 4096;
  static constexpr int64_t kWaitForIndexMs = 1000;
  // Positions without a record that are remembered; beyond it mq-reputd is asked again.
  static constexpr size_t kMaxOdd = 100000;

  QueryProcessor(Core& core, const TopicProcessor& topics);
  ~QueryProcessor();

  void ProcessByKey(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessById(remoting::Channel& channel, const protocol::CommandView& request);

  bool any_waiting() const { return !waiting_.empty(); }
  // mq-reputd has indexed further.
  void OnIndexed();
  // Files of log or index are on their way out: none of them stays mapped here.
  void ForgetFiles();
  void Tick(int64_t now_ms);
  // The broker stops: nobody waits any more.
  void AnswerAll();

 private:
  struct Query;
  struct Readers;
  void Submit(std::shared_ptr<Query> query);
  void RunNext();
  void Answer(Query& query);
  bool IsAnswerable(const Query& query) const;
  std::string WhyUnsure(const Query& query);
  std::string WhyOdd(const store::IndexOddity& oddity);
  void ReplyFound(remoting::Channel& channel, const Query& query, protocol::CommandHead head);

  Core& core_;
  const TopicProcessor& topics_;
  std::shared_ptr<Readers> readers_;             // used by the pool's thread while running_
  std::vector<std::shared_ptr<Query>> waiting_;  // for mq-reputd
  std::deque<std::shared_ptr<Query>> ready_;
  bool running_ = false;
  // Positions at which the index has a record and the log has none, with the number of the request to look into it.
  std::map<store::PhysicalOffset, uint32_t> odd_;
  log::RateLimit odd_log_{6};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace mq::broker
