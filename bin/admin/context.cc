#include "admin/context.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <set>

#include "base/strings.h"
#include "conf/run.h"

namespace mq::admin {

bool Context::dry_run() const { return settings.Bool("dry-run"); }

void Context::Notice(std::string_view text) const { conf::Notice(settings, text); }

Status Confirm(const Context& context, const std::string& what) {
  if (context.settings.Bool("yes")) return Ok();
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) {
    return MakeError(ErrorCode::kConfig, what).WithHint("say --yes when that is meant");
  }
  std::fprintf(stderr, "mq-admin: %s; go on? [y/N] ", what.c_str());
  std::string answer;
  std::getline(std::cin, answer);
  context.admin.Begin();
  if (answer == "y" || answer == "yes") return Ok();
  return MakeError(ErrorCode::kConfig, "nothing was changed");
}

Result<std::vector<client::BrokerAddress>> TargetMasters(Context& context) {
  MQ_ASSIGN(const protocol::ClusterInfo info, context.admin.Cluster());
  const std::string& wanted = context.settings.String("cluster");
  std::vector<client::BrokerAddress> masters;
  std::set<std::string> clusters;
  for (client::BrokerAddress& broker : client::BrokersOf(info)) {
    if (broker.id != protocol::kMasterId || (!wanted.empty() && broker.cluster != wanted)) continue;
    clusters.insert(broker.cluster);
    masters.push_back(std::move(broker));
  }
  if (masters.empty()) {
    const std::string where = wanted.empty() ? std::string() : " in cluster " + wanted;
    if (!wanted.empty() && !info.brokers.empty()) return MakeError(ErrorCode::kNotFound, "no master" + where);
    return MakeError(ErrorCode::kUnreachable, "no master is registered at the name server");
  }
  if (clusters.size() > 1) {
    const std::vector<std::string> names(clusters.begin(), clusters.end());
    return MakeError(ErrorCode::kConfig, "there are several clusters: " + JoinStrings(names, ", "))
        .WithHint("choose one with --cluster");
  }
  return masters;
}

Result<std::vector<client::BrokerAddress>> AllMasters(Context& context) {
  MQ_ASSIGN(const protocol::ClusterInfo info, context.admin.Cluster());
  std::vector<client::BrokerAddress> masters = client::BrokersOf(info);
  std::erase_if(masters, [](const client::BrokerAddress& broker) { return broker.id != protocol::kMasterId; });
  if (masters.empty()) return MakeError(ErrorCode::kUnreachable, "no master is registered at the name server");
  return masters;
}

std::vector<std::string> AddressesOf(const std::vector<client::BrokerAddress>& brokers) {
  std::vector<std::string> addresses;
  for (const client::BrokerAddress& broker : brokers) addresses.push_back(broker.address);
  return addresses;
}

std::string NameOf(const client::BrokerAddress& broker) {
  return broker.name == broker.address
             ? "broker " + broker.address
             : "broker " + broker.name + " " + std::to_string(broker.id) + " at " + broker.address;
}

bool Matches(const client::BrokerAddress& broker, const std::string& wanted) {
  return broker.name == wanted || broker.address == wanted;
}

}  // namespace mq::admin
