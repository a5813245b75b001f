#include "store/dump_verify_config.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/clock.h"
#include "base/file.h"
#include "base/json_file.h"
#include "base/strings.h"
#include "protocol/names.h"

namespace mq::store {

namespace {

constexpr size_t kNamedTopics = 10;  // more are counted
// A start trusts no checkpoint that is further in the future.
constexpr int64_t kCheckpointMarginMs = 3000;

// The member of a table's file that a broker reads as the table.
const char* TableOf(std::string_view name) {
  if (name == "topics") return "topicConfigTable";
  return name == "subscriptionGroup" ? "subscriptionGroupTable" : "offsetTable";
}

// What is wrong with a file that must be a JSON object; nothing when it is one.
std::optional<std::string> ProblemOf(std::string_view name, const std::string& path,
                                     std::optional<json::Value>* value) {
  // A fifo would hold who reads it.
  if (std::error_code error; std::filesystem::is_other(path, error)) return "is no file";
  auto text = ReadFile(path);
  if (!text) return WithoutPath(text.error().what, path);
  auto parsed = json::Parse(*text);
  if (!parsed) return parsed.error().what;
  if (!parsed->is_object()) return "is no JSON object";
  if (const Status whole = json::HasObject(TableOf(name))(*parsed); !whole) return whole.error().what;
  *value = std::move(*parsed);
  return std::nullopt;
}

}  // namespace

void ConfigVerifier::Say(std::string_view name, Severity severity, std::string_view rule, std::string text) {
  sink_({PathOf(name), 0, severity, rule, std::move(text)});
}

// A start reads the file, or its backup: one of them must be sound.
std::optional<json::Value> ConfigVerifier::LoadFile(std::string_view name) {
  const std::string path = PathOf(name);
  const std::string backup = path + ".bak";
  const bool there = PathExists(path);
  if (!there && !PathExists(backup)) return std::nullopt;
  std::optional<json::Value> value;
  const std::optional<std::string> problem = there ? ProblemOf(name, path, &value) : "is missing";
  if (!problem) return value;
  if (!PathExists(backup)) {
    Say(name, Severity::kError, "config", *problem + "; there is no .bak either");
    return std::nullopt;
  }
  const std::optional<std::string> backup_problem = ProblemOf(name, backup, &value);
  Say(name, backup_problem ? Severity::kError : Severity::kWarning, "config",
      *problem + (backup_problem ? "; its .bak is not sound either" : "; its .bak is sound and will be used"));
  if (backup_problem) sink_({backup, 0, Severity::kError, "config", *backup_problem});
  return value;
}

void ConfigVerifier::Load() {
  LoadCheckpoint();
  // The offsets before anything they are compared with.
  offsets_ = LoadFile("consumerOffset");
  delay_offsets_ = LoadFile("delayOffset");
  for (const std::string_view name : {"subscriptionGroup", "consumerFilter"}) LoadFile(name);
  const std::optional<json::Value> topics = LoadFile("topics");
  const json::Value* table = topics ? topics->Find("topicConfigTable") : nullptr;
  if (table == nullptr) return;
  for (const auto& [name, value] : table->members()) topics_.push_back(name);
  std::sort(topics_.begin(), topics_.end());
}

void ConfigVerifier::LoadCheckpoint() {
  const std::string path = layout_.Checkpoint();
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return;  // none yet: nothing is known to be durable, which is always safe
  if (!S_ISREG(status.st_mode)) return;            // VerifyPlainFiles names it
  const auto text = ReadFile(path);
  if (!text) {
    sink_({path, 0, Severity::kError, "I-14", WithoutPath(text.error().what, path)});
  } else if (text->size() < kCheckpointTimesBytes) {
    sink_({path, static_cast<int64_t>(text->size()), Severity::kWarning, "I-14", "is shorter than its three times"});
  } else {
    checkpoint_ = DecodeCheckpoint(*text);
  }
}

int64_t ConfigVerifier::index_time() const { return checkpoint_ ? checkpoint_->index_timestamp : 0; }

void ConfigVerifier::CheckCheckpoint(std::optional<int64_t> newest_time) {
  if (!checkpoint_) return;
  constexpr std::string_view kNames[] = {"physicMsgTimestamp", "logicsMsgTimestamp", "indexMsgTimestamp"};
  const int64_t times[] = {checkpoint_->physic_timestamp, checkpoint_->logics_timestamp, checkpoint_->index_timestamp};
  const int64_t latest = newest_time.value_or(NowMs() + kCheckpointMarginMs);
  const std::string what =
      newest_time ? " is later than the newest record, " + std::to_string(*newest_time) : " is in the future";
  for (size_t i = 0; i < std::size(kNames); ++i) {
    const int64_t time = times[i];
    if (time >= 0 && time <= latest) continue;
    sink_({layout_.Checkpoint(), static_cast<int64_t>(i * 8), Severity::kError, "I-14",
           std::string(kNames[i]) + " " + std::to_string(time) + (time < 0 ? " is none" : what)});
  }
}

bool ConfigVerifier::Knows(std::string_view topic) const {
  return protocol::IsSystemTopic(topic) || topic.ends_with(protocol::kReplyTopicSuffix) ||
         std::binary_search(topics_.begin(), topics_.end(), topic);
}

// A broker answers nothing about a topic that it does not know, whatever its queues hold.
void ConfigVerifier::CheckTopics(const QueueVerifier& queues) {
  std::string names;
  size_t unknown = 0;
  for (const std::string& topic : queues.TopicsWithMessages()) {
    if (Knows(topic)) continue;
    if (++unknown <= kNamedTopics) names += (names.empty() ? "" : ", ") + topic;
  }
  if (unknown == 0) return;
  if (unknown > kNamedTopics) names += " and " + std::to_string(unknown - kNamedTopics) + " more";
  Say("topics", Severity::kWarning, "config", "no configuration knows the topics of these messages: " + names);
}

void ConfigVerifier::CheckOffsets(const QueueVerifier& queues) {
  const json::Value* table = offsets_->Find("offsetTable");
  if (table == nullptr) return;
  for (const auto& [name, offsets] : table->members()) {
    const size_t at = name.find('@');
    if (at == std::string::npos || at == 0 || at + 1 == name.size() || name.find('@', at + 1) != std::string::npos) {
      Say("consumerOffset", Severity::kWarning, "offsets", "'" + name + "' is no topic@group");
    } else if (!offsets.is_object()) {
      Say("consumerOffset", Severity::kError, "offsets", "the offsets of '" + name + "' are no JSON object");
    } else {
      CheckOffsetsOf(std::string_view(name).substr(0, at), std::string_view(name).substr(at + 1), offsets, queues);
    }
  }
}

void ConfigVerifier::CheckOffsetsOf(std::string_view topic, std::string_view group, const json::Value& offsets,
                                    const QueueVerifier& queues) {
  const std::string who = "group " + std::string(group);
  bool unknown = false;
  for (const auto& [queue_id, value] : offsets.members()) {
    const std::string queue = std::string(topic) + "/" + queue_id;
    const auto id = ParseInt64(queue_id);
    constexpr int64_t kNoNumber = INT64_MIN;
    const int64_t offset = value.AsInt(kNoNumber);
    if (!id || *id < 0 || *id > INT32_MAX) {
      Say("consumerOffset", Severity::kWarning, "offsets",
          who + ": '" + queue_id + "' is no queue of " + std::string(topic));
      continue;
    }
    if (offset < 0) {
      Say("consumerOffset", Severity::kWarning, "offsets",
          who + " has offset " + (offset == kNoNumber ? "that is no number" : std::to_string(offset)) + " in " + queue);
      continue;
    }
    const auto range = queues.RangeOf(topic, static_cast<int32_t>(*id));
    const std::string consumed = who + " has consumed " + queue + " up to " + std::to_string(offset);
    if (range.max >= 0 && offset > range.max) {
      Say("consumerOffset", Severity::kWarning, "offsets",
          consumed + ", beyond its end at " + std::to_string(range.max));
    } else if (range.max < 0 && offset > 0) {
      // A queue keeps its last file also when all of its messages have expired.
      if (Knows(topic)) {
        Say("consumerOffset", Severity::kWarning, "offsets", consumed + ", of which there are no files");
      } else {
        unknown = true;
      }
    }
  }
  if (!unknown) return;
  Say("consumerOffset", Severity::kWarning, "offsets",
      who + " has offsets in topic " + std::string(topic) +
          ", which there is not: it would skip messages of a new one");
}

void ConfigVerifier::CheckDelayOffsets(const QueueVerifier& queues) {
  const json::Value* table = delay_offsets_->Find("offsetTable");
  if (table == nullptr) return;
  for (const auto& [level, offset] : table->members()) {
    const auto number = ParseInt64(level);
    if (!number) continue;
    const auto range = queues.RangeOf(protocol::kScheduleTopic, static_cast<int32_t>(*number - 1));
    const int64_t min = std::max(range.min, int64_t{0});
    const int64_t max = std::max(range.max, int64_t{0});
    if (offset.AsInt() >= min && offset.AsInt() <= max) continue;
    Say("delayOffset", Severity::kError, "I-15",
        "delay level " + level + " is delivered up to " + std::to_string(offset.AsInt()) + ", outside of its queue's " +
            std::to_string(min) + " to " + std::to_string(max));
  }
}

void ConfigVerifier::Check(const QueueVerifier& queues, bool has_records, int64_t newest_time, PhysicalOffset log_min,
                           std::optional<PhysicalOffset> log_end) {
  CheckCheckpoint(has_records ? std::optional(newest_time) : std::nullopt);
  if (checkpoint_ && log_end && checkpoint_->flushed > *log_end) {
    sink_({layout_.Checkpoint(), kFlushedByte, Severity::kError, "I-14",
           "the log was durable up to position " + std::to_string(checkpoint_->flushed.value()) + "; it ends at " +
               std::to_string(log_end->value())});
  }
  if (checkpoint_ && checkpoint_->log_min.value() >= 0 && log_min > checkpoint_->log_min) {
    sink_({layout_.Checkpoint(), kLogMinByte, Severity::kError, "I-1",
           "the log began at position " + std::to_string(checkpoint_->log_min.value()) + "; it begins at " +
               std::to_string(log_min.value()) + ", and expiry has not removed the files between"});
  }
  CheckTopics(queues);
  if (offsets_) CheckOffsets(queues);
  if (delay_offsets_) CheckDelayOffsets(queues);
}

}  // namespace mq::store
