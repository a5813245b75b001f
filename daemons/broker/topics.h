// Topics: the broker's table of topics (config/topics.json), and the rules by which sends make new ones.
//
// Read by every processor; changed by 17, 215, heartbeats and the first send to a new topic. Each change raises the
// data version, is saved, and is announced to the name servers (on_change). Spec: mq-store(5) "config", protocol 7.3.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/strings.h"
#include "broker/config_file.h"
#include "broker/queues.h"
#include "protocol/lists.h"
#include "protocol/topic_config.h"

namespace mq::broker {

class StatsItem;

struct Topic {
  protocol::TopicConfig config;
  std::vector<Queue*> queues;     // by queue id, filled on demand by Topics::QueueOf
  StatsItem* put_nums = nullptr;  // of StatsTable, from the first message on
  StatsItem* put_size = nullptr;
  uint64_t made_by = 0;  // the change that made it; sends wait until that is ready
};

class Topics {
 public:
  // More queues than any deployment has; each costs a directory and files.
  static constexpr int32_t kMaxQueues = 65536;

  struct Identity {
    std::string cluster;
    std::string broker;
    bool auto_create = true;
    int32_t default_queues = 8;
  };
  Topics(loop::Loop& loop, std::string path, Identity identity, Queues& queues);

  // Loads the file over the built-in topics. Without auto-creation the template topic is dropped, so that no client
  // finds it in a route.
  Status Load();

  Topic* Find(std::string_view name);
  // The queue of a topic, or null when queue_id is not below max(read, write).
  Queue* QueueOf(Topic& topic, int32_t queue_id);

  // The topic a send wants to exist, made after its template: null when the rules do not allow it.
  Topic* AutoCreate(std::string_view name, std::string_view default_topic, int32_t client_queues);
  // Makes the retry topic of a group where it is missing; true when it was.
  bool EnsureRetryTopic(std::string_view group, int32_t queues, int32_t sys_flag);
  // Creates or changes. The name was checked by the caller.
  Topic& Put(protocol::TopicConfig config);
  // Marks as ordered the topics that `ordered` names, and no others (a name server's ORDER_TOPIC_CONFIG).
  void MarkOrdered(const protocol::KvTable& ordered);
  // False when there is no such topic.
  bool Remove(std::string_view name);
  // Names that an operator may neither make nor delete.
  bool IsSystem(std::string_view name) const;

  bool IsReady(const Topic& topic) const { return topic.made_by <= ready_; }
  // Calls back once every change made so far is ready, or with the error when it cannot be saved: it is in effect then,
  // and is saved later by itself, but a restart before that would lose it.
  using Ready = std::function<void(const Status&)>;
  void WhenReady(Ready done);
  // Why the newest change is not saved; empty when nothing is known to be wrong.
  const std::string& save_problem() const { return file_.problem(); }
  // Tells the name servers and calls back when those that answer have heard.
  using Announce = std::function<void(std::function<void()> done)>;
  void SetAnnounce(Announce announce) { announce_ = std::move(announce); }
  // Called for every topic that comes to life while the broker runs.
  void SetOnMade(std::function<void(std::string_view topic)> on_made) { on_made_ = std::move(on_made); }
  // Tries to save again what could not be saved; once a second.
  void Tick();
  // What is advertised has changed though no topic has: a new version, saved and announced.
  void AdvertiseAnew();
  const protocol::DataVersion& data_version() const { return version_; }
  protocol::TopicConfigSerializeWrapper Snapshot() const;
  size_t size() const { return topics_.size(); }

 private:
  Topic& Insert(protocol::TopicConfig config);
  void AddBuiltIn(std::string_view name, int32_t queues, int32_t perm);
  void Changed();
  void Save();
  void Advance();
  void Fail(uint64_t change, const Status& why);
  std::string FileText() const;

  Identity identity_;
  Queues& queues_;
  ConfigFile file_;
  protocol::DataVersion version_;
  std::unordered_map<std::string, std::unique_ptr<Topic>, StringHash, std::equal_to<>> topics_;
  Announce announce_;
  std::function<void(std::string_view)> on_made_;
  struct Waiting {
    uint64_t change;
    Ready done;
  };
  std::vector<Waiting> waiting_;
  uint64_t changes_ = 0;
  uint64_t saved_ = 0;
  uint64_t announced_ = 0;
  uint64_t ready_ = 0;
};

}  // namespace mq::broker
