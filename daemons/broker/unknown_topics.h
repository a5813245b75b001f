// UnknownTopics: topics of messages in the log that config/topics.json does not know: the file and its backup were
// lost, or another broker's store came here without them. RocketMQ's broker deletes their queues within the hour and
// says nothing; here the messages stay, and the broker says so, in its log and in `mq-admin health`, until somebody
// makes the topics again, puts the file back, or has them cleaned (mq-admin broker clean --unused-topics). Loop thread
// only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "broker/topics.h"
#include "store/queue_table.h"

namespace mq::broker {

class UnknownTopics {
 public:
  // After recovery; logs what it finds, once.
  void Look(const store::QueueTable& table, Topics& topics);
  // Its messages are gone on purpose.
  void Forget(const std::string& topic) { queues_.erase(topic); }
  // "A (4 queues), B (1 queue) and 7 more": what is still unknown; empty: nothing.
  std::string Text(Topics& topics) const;

 private:
  std::map<std::string, int32_t> queues_;  // by topic: one more than the largest queue id
};

}  // namespace mq::broker
