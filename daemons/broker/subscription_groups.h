// SubscriptionGroups: the broker's table of consumer groups (config/subscriptionGroup.json), and the rule by which a
// heartbeat or a pull makes a new one (autoCreateSubscriptionGroup).
//
// Read by heartbeats and pulls; changed by 200 and 207. Each change raises the data version and is saved: those of an
// operator at once, groups that were made by themselves within a second, many together. Names are checked before a
// group comes to life, so that its retry topic can have one. Loop thread only.
// Spec: mq-store(5) "config", protocol 3.15 and 7.1.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "base/strings.h"
#include "broker/config_file.h"
#include "protocol/group_config.h"

namespace mq::broker {

struct BrokerOptions;

class SubscriptionGroups {
 public:
  // `options` outlives the table: whether groups are made by themselves may change while the broker runs.
  SubscriptionGroups(loop::Loop& loop, std::string path, const BrokerOptions& options);

  // Loads the file over RocketMQ's built-in groups.
  Status Load();

  const protocol::SubscriptionGroupConfig* Find(std::string_view name) const;
  // The group, made when it is missing and may be made. Null otherwise; `why` then holds a clause for the answer. The
  // pointer is valid until the table changes.
  const protocol::SubscriptionGroupConfig* FindOrCreate(std::string_view name, std::string* why);

  // Creates or changes; the name was checked by the caller. `saved` (may be empty) learns whether it is durable.
  void Put(protocol::SubscriptionGroupConfig config, ConfigFile::Done saved);
  // False, and `saved` is not called, when there is no such group.
  bool Remove(std::string_view name, ConfigFile::Done saved);
  // Groups that RocketMQ itself uses; nobody deletes them.
  static bool IsSystem(std::string_view name);

  protocol::SubscriptionGroupWrapper Snapshot() const;
  size_t size() const { return groups_.size(); }
  // Saves what is not saved yet; once a second.
  void Tick();
  // Calls back, with the outcome, when everything is saved. For the end of a clean stop.
  void SaveAll(ConfigFile::Done done);
  const std::string& save_problem() const { return file_.problem(); }

 private:
  void RaiseVersion();
  void Save(ConfigFile::Done saved);

  const BrokerOptions& options_;
  ConfigFile file_;
  protocol::DataVersion version_;
  std::unordered_map<std::string, protocol::SubscriptionGroupConfig, StringHash, std::equal_to<>> groups_;
  bool unsaved_ = false;
};

}  // namespace mq::broker
