#include "broker/subscription_groups.h"

#include <algorithm>
#include <iterator>

#include "base/clock.h"
#include "base/log.h"
#include "broker/options.h"
#include "protocol/names.h"

namespace mq::broker {
namespace {

constexpr std::string_view kBuiltIn[] = {
    "TOOLS_CONSUMER",  "FILTERSRV_CONSUMER",    "SELF_TEST_C_GROUP", "CID_ONS-HTTP-PROXY",
    "CID_ONSAPI_PULL", "CID_ONSAPI_PERMISSION", "CID_ONSAPI_OWNER",
};

}  // namespace

SubscriptionGroups::SubscriptionGroups(loop::Loop& loop, std::string path, const BrokerOptions& options)
    : options_(options), file_(loop, std::move(path)) {}

Status SubscriptionGroups::Load() {
  for (const std::string_view name : kBuiltIn) {
    protocol::SubscriptionGroupConfig config;
    config.name = name;
    groups_.emplace(name, std::move(config));
  }
  MQ_ASSIGN(auto value, file_.Load("subscriptionGroupTable"));
  if (!value) return Ok();
  auto stored = protocol::GroupConfigsFromJson(*value);
  if (!stored) return MakeError(ErrorCode::kCorruption, file_.path() + ": " + stored.error().what);
  version_ = stored->data_version;
  for (auto& [name, config] : stored->groups) {
    if (auto ok = protocol::CheckGroupName(name); !ok) {
      log::Warn("groups.load", "skipped").Field("file", file_.path()).Field("error", ok.error());
      continue;
    }
    groups_.insert_or_assign(name, std::move(config));
  }
  return Ok();
}

bool SubscriptionGroups::IsSystem(std::string_view name) {
  return name.starts_with(protocol::kSystemGroupPrefix) ||
         std::find(std::begin(kBuiltIn), std::end(kBuiltIn), name) != std::end(kBuiltIn);
}

const protocol::SubscriptionGroupConfig* SubscriptionGroups::Find(std::string_view name) const {
  const auto it = groups_.find(name);
  return it == groups_.end() ? nullptr : &it->second;
}

const protocol::SubscriptionGroupConfig* SubscriptionGroups::FindOrCreate(std::string_view name, std::string* why) {
  if (const auto* found = Find(name)) return found;
  if (!options_.auto_create_group && !name.starts_with(protocol::kSystemGroupPrefix)) {
    *why = "make it with: mq-admin group create " + std::string(name);
    return nullptr;
  }
  if (auto ok = protocol::CheckGroupName(name); !ok) {
    *why = ok.error().what;
    return nullptr;
  }
  protocol::SubscriptionGroupConfig config;
  config.name = name;
  log::Info("group.create", "made by its first consumer").Field("group", name);
  const auto it = groups_.emplace(name, std::move(config)).first;
  RaiseVersion();
  unsaved_ = true;
  return &it->second;
}

void SubscriptionGroups::Put(protocol::SubscriptionGroupConfig config, ConfigFile::Done saved) {
  std::string name = config.name;
  groups_.insert_or_assign(std::move(name), std::move(config));
  RaiseVersion();
  Save(std::move(saved));
}

bool SubscriptionGroups::Remove(std::string_view name, ConfigFile::Done saved) {
  const auto it = groups_.find(name);
  if (it == groups_.end()) return false;
  groups_.erase(it);
  RaiseVersion();
  Save(std::move(saved));
  return true;
}

void SubscriptionGroups::RaiseVersion() {
  ++version_.counter;
  version_.timestamp = NowMs();
}

void SubscriptionGroups::Save(ConfigFile::Done saved) {
  json::Writer writer(json::Writer::Style::kPretty);
  WriteJson(writer, Snapshot());
  unsaved_ = false;
  file_.Save(writer.Take(), [this, saved = std::move(saved)](const Status& status) {
    if (!status) unsaved_ = true;
    if (saved) saved(status);
  });
}

void SubscriptionGroups::Tick() {
  if (unsaved_ && !file_.saving()) Save({});
}

void SubscriptionGroups::SaveAll(ConfigFile::Done done) {
  // A save under way counts as well: the newest text is written after it.
  if (unsaved_ || file_.saving()) return Save(std::move(done));
  done(Ok());
}

protocol::SubscriptionGroupWrapper SubscriptionGroups::Snapshot() const {
  protocol::SubscriptionGroupWrapper out;
  out.data_version = version_;
  for (const auto& [name, config] : groups_) out.groups.emplace(name, config);
  return out;
}

}  // namespace mq::broker
