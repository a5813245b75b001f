#include "admin/config_change.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/strings.h"
#include "conf/properties.h"

namespace mq::admin {
namespace {

using protocol::Command;
using Config = std::map<std::string, std::string>;

std::vector<Result<Config>> ConfigsOf(Context& context, const std::vector<ConfigPeer>& peers, const ConfigKind& kind) {
  std::vector<std::string> addresses;
  for (const ConfigPeer& peer : peers) addresses.push_back(peer.address);
  std::vector<Result<Config>> configs;
  for (const auto& reply : context.admin.AskAll(addresses, Command(kind.get))) {
    if (!reply) {
      configs.emplace_back(reply.error());
      continue;
    }
    const auto properties = conf::ParseProperties(reply->body, "the answer");
    if (!properties) {
      configs.emplace_back(MakeError(ErrorCode::kProtocol, properties.error().what));
      continue;
    }
    Config config;
    for (const conf::Property& property : *properties) config[property.key] = property.value;
    configs.emplace_back(std::move(config));
  }
  return configs;
}

Error NoSuchKey(const std::string& key, const Config& config) {
  std::vector<std::string> keys;
  for (const auto& [name, value] : config) keys.push_back(name);
  Error error = MakeError(ErrorCode::kNotFound, "no setting is named " + key);
  error.hint = DidYouMean(NearestMatch(key, keys));
  return error;
}

Result<int> Show(Context& context, const std::vector<ConfigPeer>& peers, const ConfigKind& kind,
                 const std::vector<std::string>& keys) {
  const auto configs = ConfigsOf(context, peers, kind);
  Table table = context.Listing();
  Outcome outcome(context, kind.noun);
  for (size_t i = 0; i < peers.size(); ++i) {
    if (!configs[i]) {
      outcome.Failed(peers[i].name, configs[i].error());
      continue;
    }
    outcome.Done();
    for (const std::string& key : keys) {
      const auto found = configs[i]->find(key);
      if (found == configs[i]->end()) return NoSuchKey(key, *configs[i]);
      table.Add({peers[i].name, key, found->second});
    }
    if (!keys.empty()) continue;
    for (const auto& [key, value] : *configs[i]) table.Add({peers[i].name, key, value});
  }
  return outcome.Finish(table);
}

Result<std::vector<std::pair<std::string, std::string>>> ParseChanges(const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> changes;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return MakeError(ErrorCode::kConfig, "'" + word + "' is not KEY=VALUE");
    }
    std::string key = word.substr(0, equals);
    const bool twice = std::any_of(changes.begin(), changes.end(), [&](const auto& one) { return one.first == key; });
    if (twice) return MakeError(ErrorCode::kConfig, "setting " + key + " is given twice");
    changes.emplace_back(std::move(key), word.substr(equals + 1));
  }
  if (changes.empty()) return MakeError(ErrorCode::kConfig, "nothing to set: say KEY=VALUE");
  return changes;
}

Result<int> Change(Context& context, const std::vector<ConfigPeer>& peers, const ConfigKind& kind,
                   const std::vector<std::string>& words) {
  MQ_ASSIGN(const auto wanted, ParseChanges(words));
  const auto before = ConfigsOf(context, peers, kind);
  std::vector<std::optional<client::Question>> changes(peers.size());
  for (size_t i = 0; i < peers.size(); ++i) {
    if (!before[i]) continue;
    std::vector<std::pair<std::string, std::string>> differing;
    for (const auto& one : wanted) {
      const auto old = before[i]->find(one.first);
      if (old == before[i]->end() || old->second != one.second) differing.push_back(one);
    }
    if (differing.empty()) continue;
    changes[i] = client::Question{peers[i].address, Command(kind.set)};
    changes[i]->command.body = conf::FormatProperties(differing);
  }
  const auto replies = Apply(context, std::move(changes));
  Table table = context.Changes();
  Outcome outcome(context, kind.noun);
  for (size_t i = 0; i < peers.size(); ++i) {
    if (!before[i] || (replies[i] && !*replies[i])) {
      outcome.Failed(peers[i].name, before[i] ? replies[i]->error() : before[i].error());
      continue;
    }
    if (replies[i] && !(*replies[i])->remark.empty()) {
      context.Notice(std::string(kind.noun) + " " + peers[i].name + ": " + (*replies[i])->remark);
    }
    outcome.Done();
    for (const auto& [key, value] : wanted) {
      const auto old = before[i]->find(key);
      const bool known = old != before[i]->end();
      table.Add(
          {peers[i].name, key, known ? Cell(old->second) : Cell::Unknown(), value, !known || old->second != value});
    }
  }
  return outcome.Finish(table);
}

}  // namespace

Result<int> ConfigGetOrSet(Context& context, const std::vector<ConfigPeer>& peers, const ConfigKind& kind) {
  const std::vector<std::string>& operands = context.settings.operands();
  const std::string action = operands.empty() ? "get" : operands.front();
  const std::vector<std::string> rest(operands.begin() + (operands.empty() ? 0 : 1), operands.end());
  if (action == "get") return Show(context, peers, kind, rest);
  if (action == "set") return Change(context, peers, kind, rest);
  return MakeError(ErrorCode::kConfig, "'" + action + "' is neither get nor set");
}

}  // namespace mq::admin
