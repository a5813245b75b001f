#include "broker/topics.h"

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/clock.h"
#include "base/log.h"
#include "protocol/names.h"

namespace mq::broker {

using protocol::kPermInherit;
using protocol::kPermRead;
using protocol::kPermWrite;

Topics::Topics(loop::Loop& loop, std::string path, Identity identity, Queues& queues)
    : identity_(std::move(identity)), queues_(queues), file_(loop, std::move(path)) {}

void Topics::AddBuiltIn(std::string_view name, int32_t queues, int32_t perm) {
  protocol::TopicConfig config;
  config.name = name;
  config.read_queues = config.write_queues = queues;
  config.perm = perm;
  Insert(std::move(config));
}

Topic& Topics::Insert(protocol::TopicConfig config) {
  auto& slot = topics_[config.name];
  if (!slot) slot = std::make_unique<Topic>();
  slot->config = std::move(config);
  return *slot;
}

Status Topics::Load() {
  constexpr int32_t kReadWrite = kPermRead | kPermWrite;
  AddBuiltIn(protocol::kSelfTestTopic, 1, kReadWrite);
  AddBuiltIn(protocol::kBenchmarkTopic, 1024, kReadWrite);
  AddBuiltIn(identity_.cluster, 16, kReadWrite | kPermInherit);
  AddBuiltIn(identity_.broker, 1, kReadWrite | kPermInherit);
  AddBuiltIn(protocol::kOffsetMovedTopic, 1, kReadWrite);
  AddBuiltIn(protocol::kScheduleTopic, 18, kReadWrite);
  AddBuiltIn(protocol::ReplyTopic(identity_.cluster), 1, kReadWrite);
  MQ_ASSIGN(auto value, file_.Load("topicConfigTable"));
  if (value) {
    auto stored = protocol::TopicConfigsFromJson(*value);
    if (!stored) return MakeError(ErrorCode::kCorruption, file_.path() + ": " + stored.error().what);
    version_ = stored->data_version;
    for (auto& [name, config] : stored->topics) {
      if (auto ok = protocol::CheckTopicName(name); !ok) {
        log::Warn("topics.load", "skipped").Field("file", file_.path()).Field("error", ok.error());
        continue;
      }
      Insert(std::move(config));
    }
  }
  if (identity_.auto_create) {
    AddBuiltIn(protocol::kAutoCreateTopic, identity_.default_queues, kReadWrite | kPermInherit);
  } else {
    topics_.erase(std::string(protocol::kAutoCreateTopic));
  }
  // A start is a new version: what the name servers hold may be of another configuration of this broker.
  ++version_.counter;
  version_.timestamp = NowMs();
  if (Status saved = file_.SaveNow(FileText()); !saved) {
    // On a disk that is full what was loaded serves on; the new version is saved as soon as there is space.
    if (saved.error().sys_errno != ENOSPC && saved.error().sys_errno != EDQUOT) return saved;
    log::Warn("topic.save", "not saved yet").Field("error", saved.error());
    ++changes_;
  }
  return Ok();
}

Topic* Topics::Find(std::string_view name) {
  const auto it = topics_.find(name);
  return it == topics_.end() ? nullptr : it->second.get();
}

Queue* Topics::QueueOf(Topic& topic, int32_t queue_id) {
  const int32_t count = std::max(topic.config.read_queues, topic.config.write_queues);
  if (queue_id < 0 || queue_id >= count) return nullptr;
  const auto index = static_cast<size_t>(queue_id);
  if (index >= topic.queues.size()) topic.queues.resize(static_cast<size_t>(count));
  Queue*& queue = topic.queues[index];
  if (queue == nullptr) queue = &queues_.GetOrCreate(topic.config.name, queue_id);
  return queue;
}

Topic* Topics::AutoCreate(std::string_view name, std::string_view default_topic, int32_t client_queues) {
  protocol::TopicConfig config;
  config.name = name;
  const Topic* like = identity_.auto_create ? Find(default_topic) : nullptr;
  if (like != nullptr && (like->config.perm & kPermInherit) != 0) {
    config.read_queues = config.write_queues = std::max(0, std::min(client_queues, like->config.write_queues));
    config.perm = like->config.perm & ~kPermInherit;
    config.filter_type = like->config.filter_type;
  } else if (protocol::IsRetryTopic(name)) {
    config.read_queues = config.write_queues = 1;
  } else {
    return nullptr;
  }
  if (config.write_queues == 0) return nullptr;
  // A table that lost the topic: the messages of all its queues can be read again.
  config.read_queues = std::max(config.read_queues, std::min(queues_.RecoveredQueues(name), kMaxQueues));
  log::Info("topic.create", "made by a send").Field("topic", name).Field("queues", config.write_queues);
  return &Put(std::move(config));
}

bool Topics::EnsureRetryTopic(std::string_view group, int32_t queues, int32_t sys_flag) {
  const std::string name = protocol::RetryTopic(group);
  if (queues <= 0 || Find(name) != nullptr) return false;
  protocol::TopicConfig config;
  config.name = name;
  config.read_queues = config.write_queues = queues;
  config.sys_flag = sys_flag;
  Put(std::move(config));
  return true;
}

Topic& Topics::Put(protocol::TopicConfig config) {
  const bool fresh = Find(config.name) == nullptr;
  Topic& topic = Insert(std::move(config));
  if (fresh) topic.made_by = changes_ + 1;
  if (fresh && on_made_) on_made_(topic.config.name);
  Changed();
  return topic;
}

void Topics::MarkOrdered(const protocol::KvTable& ordered) {
  std::set<std::string_view> names;
  for (const auto& [name, queues] : ordered) names.insert(name);
  bool changed = false;
  for (auto& [name, topic] : topics_) {
    const bool order = names.contains(name);
    if (topic->config.order == order) continue;
    topic->config.order = order;
    changed = true;
    log::Info("topic.order", order ? "ordered from now on" : "no longer ordered").Field("topic", name);
  }
  if (changed) Changed();
}

bool Topics::Remove(std::string_view name) {
  const auto it = topics_.find(name);
  if (it == topics_.end()) return false;
  topics_.erase(it);
  Changed();
  return true;
}

bool Topics::IsSystem(std::string_view name) const {
  return protocol::IsSystemTopic(name) || name == identity_.cluster || name == identity_.broker ||
         name == protocol::ReplyTopic(identity_.cluster);
}

void Topics::AdvertiseAnew() { Changed(); }

void Topics::Changed() {
  ++version_.counter;
  version_.timestamp = NowMs();
  ++changes_;
  Save();
  const auto heard = [this, change = changes_] {
    announced_ = std::max(announced_, change);
    Advance();
  };
  if (announce_) {
    announce_(heard);
  } else {
    heard();
  }
}

void Topics::Save() {
  file_.Save(FileText(), [this, change = changes_](const Status& saved) {
    if (!saved) return Fail(change, saved);
    saved_ = std::max(saved_, change);
    Advance();
  });
}

void Topics::Advance() {
  ready_ = std::min(saved_, announced_);
  std::vector<Waiting> waiting;
  waiting.swap(waiting_);
  for (auto& one : waiting) {
    if (one.change <= ready_) {
      one.done(Ok());
    } else {
      waiting_.push_back(std::move(one));
    }
  }
}

// Who waits for this change or an earlier one; a later one is being saved already.
void Topics::Fail(uint64_t change, const Status& why) {
  std::vector<Waiting> waiting;
  waiting.swap(waiting_);
  for (auto& one : waiting) {
    if (one.change <= change) {
      one.done(why);
    } else {
      waiting_.push_back(std::move(one));
    }
  }
}

void Topics::WhenReady(Ready done) {
  if (changes_ <= ready_) return done(Ok());
  waiting_.push_back({changes_, std::move(done)});
}

void Topics::Tick() {
  if (saved_ < changes_ && !file_.saving()) Save();
}

protocol::TopicConfigSerializeWrapper Topics::Snapshot() const {
  protocol::TopicConfigSerializeWrapper out;
  out.data_version = version_;
  for (const auto& [name, topic] : topics_) out.topics.emplace(name, topic->config);
  return out;
}

std::string Topics::FileText() const {
  json::Writer writer(json::Writer::Style::kPretty);
  WriteJson(writer, Snapshot());
  return writer.Take();
}

}  // namespace mq::broker
