// ConsumerOffsets: how far each group has consumed each queue (config/consumerOffset.json).
//
// An offset is the next message to consume. It is written by synchronous commits (15), which are obeyed whatever they
// say, and by one-way commits and pulls, which may be late: a member that was stopped or cut off wakes up and tells
// where it was, while a new owner is further. Those go back only while a reset of that queue is under way, or when the
// stored offset lies beyond the end of the queue and the new one does not. Saved every flushConsumerOffsetInterval and
// at a clean stop: after a crash messages of the last seconds come again, none is lost. Loop thread only.
// Spec: protocol 7.4, mq-store(5) "config".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "broker/config_file.h"
#include "protocol/offset_bodies.h"

namespace mq::broker {

class ConsumerOffsets {
 public:
  // A reset is under way until the member has committed it, or for so long: Java's client waits 10 s before it does.
  static constexpr int64_t kResetMs = 60000;

  // The offset after the last message of a queue; 0 for one that nobody has written to.
  using EndOf = std::function<int64_t(std::string_view topic, int32_t queue_id)>;
  ConsumerOffsets(loop::Loop& loop, std::string path, EndOf end_of);

  // What is no offset (below -1) is dropped and told.
  Status Load();
  // Takes back offsets that are beyond the end of their queue, because a crash has taken the messages away; each is
  // logged. After recovery for everything, and for a topic that was made anew.
  void LimitToQueues();
  void LimitTopic(std::string_view topic);

  // Nothing when the group has no offset there (or -1, the wire's way to say the same).
  std::optional<int64_t> Find(std::string_view group, std::string_view topic, int32_t queue_id) const;
  // Obeyed whatever is stored. -1 makes the group a new one for that queue.
  void Set(std::string_view group, std::string_view topic, int32_t queue_id, int64_t offset);
  // A commit that may be late. False when it was, and nothing has changed.
  bool Advance(std::string_view group, std::string_view topic, int32_t queue_id, int64_t offset);
  // From now on members may commit down to `offset`.
  void BeginReset(std::string_view group, std::string_view topic, int32_t queue_id, int64_t offset, int64_t now_ms);

  std::vector<std::string> TopicsOf(std::string_view group) const;
  std::vector<std::string> GroupsOf(std::string_view topic) const;
  void Clone(std::string_view topic, std::string_view from, std::string_view to);
  void RemoveGroup(std::string_view group);
  void RemoveTopic(std::string_view topic);
  const protocol::ConsumerOffsetTable& table() const { return table_; }
  int64_t late_commits() const { return late_commits_; }

  // Saves what has changed when the interval is over.
  void Tick(int64_t now_ms, int64_t interval_ms);
  // Saves what has changed and calls back when that is over, with the outcome.
  void SaveAll(ConfigFile::Done done);
  const std::string& save_problem() const { return file_.problem(); }

 private:
  using Offsets = protocol::OffsetsById;
  const std::string& KeyOf(std::string_view topic, std::string_view group) const;
  void Limit(std::string_view key, Offsets& offsets);
  bool MayGoBack(int32_t queue_id, std::string_view topic, int64_t stored, int64_t offset);
  void Save(ConfigFile::Done done);
  std::string FileText() const;
  void DropNonsense();
  void RemoveIf(const std::function<bool(std::string_view topic, std::string_view group)>& unwanted);

  struct Reset {
    int64_t offset;
    int64_t until_ms;
  };
  ConfigFile file_;
  EndOf end_of_;
  protocol::ConsumerOffsetTable table_;  // "topic@group" -> queue id -> offset
  std::map<std::pair<std::string, int32_t>, Reset> resets_;
  mutable std::string key_;  // reused
  bool changed_ = false;
  int64_t saved_ms_ = 0;
  int64_t late_commits_ = 0;
  log::RateLimit late_lines_{6};
};

}  // namespace mq::broker
