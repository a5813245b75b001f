// mq-admin complete topics|groups|brokers|clusters: names for completions. Nobody waits for a key press: it has a
// quarter of a second, and says nothing at all when that is not enough.
#include <algorithm>
#include <set>

#include "admin/group_config.h"

namespace mq::admin {
namespace {

constexpr int64_t kCompleteMs = 250;

std::set<std::string> GroupNames(Context& context) {
  std::set<std::string> names;
  const auto masters = AllMasters(context);
  if (!masters) return names;
  for (const auto& groups : GroupsOn(context, *masters)) {
    if (!groups) continue;
    for (const auto& [name, config] : *groups) names.insert(name);
  }
  return names;
}

}  // namespace

Result<int> Complete(Context& context) {
  client::Admin admin(context.loop, context.admin.endpoints(), std::min(kCompleteMs, context.admin.timeout_ms()));
  Context quick{context.settings, context.loop, admin, context.style};
  const std::string& kind = context.operand();
  std::set<std::string> names;
  if (kind == "topics") {
    const auto topics = admin.Topics();
    if (topics) names.insert(topics->begin(), topics->end());
  } else if (kind == "groups") {
    names = GroupNames(quick);
  } else if (kind == "brokers" || kind == "clusters") {
    const auto info = admin.Cluster();
    if (info) {
      for (const auto& broker : client::BrokersOf(*info))
        names.insert(kind == "brokers" ? broker.name : broker.cluster);
    }
  } else {
    return MakeError(ErrorCode::kConfig, "'" + kind + "' is none of topics, groups, brokers and clusters");
  }
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  MQ_TRY(PrintOut(text));
  return kDone;
}

}  // namespace mq::admin
