// mq-admin kv put|get|delete|list
#include <map>
#include <optional>

#include "admin/context.h"
#include "protocol/kv_headers.h"
#include "protocol/lists.h"

namespace mq::admin {
namespace {

using protocol::Command;
using protocol::RequestCode;

const std::string& Operand(const Context& context, size_t index) { return context.settings.operands()[index]; }

Command KeyCommand(const Context& context, RequestCode code) {
  Command command(code);
  command.Set("namespace", Operand(context, 0)).Set("key", Operand(context, 1));
  return command;
}

using Value = std::optional<std::string>;

// The value at each name server; nothing where the key is missing.
std::vector<Result<Value>> Values(Context& context) {
  std::vector<Result<Value>> values;
  for (const auto& reply : context.admin.AskAll(NameServers(context), KeyCommand(context, RequestCode::kGetKvConfig))) {
    if (reply) {
      values.emplace_back(Value(std::string(reply->Find("value").value_or(""))));
    } else if (reply.error().code == ErrorCode::kNotFound) {
      values.emplace_back(Value());
    } else {
      values.emplace_back(reply.error());
    }
  }
  return values;
}

Cell Shown(const Value& value) { return value ? Cell(*value) : Cell::Unknown(); }

// Changes the key at every name server where that changes anything.
Result<int> ChangeAll(Context& context, const Command& command, const Value& wanted) {
  const std::vector<std::string>& servers = NameServers(context);
  const auto before = Values(context);
  std::vector<std::optional<client::Question>> changes(servers.size());
  for (size_t i = 0; i < servers.size(); ++i) {
    if (before[i] && *before[i] != wanted) changes[i] = client::Question{servers[i], command};
  }
  const auto replies = Apply(context, std::move(changes));
  Table table = context.Changes();
  Outcome outcome(context, "name server");
  for (size_t i = 0; i < servers.size(); ++i) {
    if (!before[i]) {
      outcome.Failed(servers[i], before[i].error());
    } else if (replies[i] && !*replies[i]) {
      outcome.Failed(servers[i], replies[i]->error());
    } else {
      outcome.Done();
      table.Add({servers[i], Operand(context, 0), Operand(context, 1), Shown(*before[i]), Shown(wanted),
                 *before[i] != wanted});
    }
  }
  return outcome.Finish(table);
}

}  // namespace

Result<int> KvPut(Context& context) {
  MQ_TRY(NeedNameServers(context));
  Command command = KeyCommand(context, RequestCode::kPutKvConfig);
  command.Set("value", Operand(context, 2));
  return ChangeAll(context, command, Operand(context, 2));
}

Result<int> KvDelete(Context& context) {
  MQ_TRY(NeedNameServers(context));
  return ChangeAll(context, KeyCommand(context, RequestCode::kDeleteKvConfig), std::nullopt);
}

Result<int> KvGet(Context& context) {
  MQ_TRY(NeedNameServers(context));
  const std::vector<std::string>& servers = NameServers(context);
  const auto values = Values(context);
  Outcome outcome(context, "name server");
  std::optional<std::string> found;
  for (size_t i = 0; i < servers.size(); ++i) {
    if (!values[i]) {
      outcome.Failed(servers[i], values[i].error());
      continue;
    }
    outcome.Done();
    const Value& value = *values[i];
    if (i > 0 && found != value) context.Notice("name server " + servers[i] + " says " + Shown(value).text);
    if (!found) found = value;
  }
  if (outcome.none()) return outcome.ExitStatus();
  if (!found) {
    return MakeError(ErrorCode::kNotFound, "no key " + Operand(context, 1) + " in namespace " + Operand(context, 0));
  }
  Table table = context.Listing();
  table.Add({Operand(context, 0), Operand(context, 1), *found});
  return outcome.Finish(table);
}

// Name servers do not tell each other: each is asked, and what any of them has is listed.
Result<int> KvList(Context& context) {
  MQ_TRY(NeedNameServers(context));
  Command command(RequestCode::kGetKvlistByNamespace);
  command.Set("namespace", context.operand());
  const std::vector<std::string>& servers = NameServers(context);
  const auto replies = context.admin.AskAll(servers, command);
  Outcome outcome(context, "name server");
  std::map<std::string, std::string> merged;
  bool known = false;
  for (size_t i = 0; i < servers.size(); ++i) {
    if (!replies[i] && replies[i].error().code == ErrorCode::kNotFound) {
      outcome.Done();
      continue;
    }
    const auto entries = replies[i] ? protocol::DecodeKvTable(replies[i]->body) : replies[i].error();
    if (!entries) {
      outcome.Failed(servers[i], entries.error());
      continue;
    }
    outcome.Done();
    known = true;
    for (const auto& [key, value] : *entries) {
      const auto [first, added] = merged.emplace(key, value);
      if (!added && first->second != value) {
        context.Notice("name server " + servers[i] + " says " + value + " for key " + key);
      }
    }
  }
  if (!known && !outcome.failed()) {
    return MakeError(ErrorCode::kNotFound, "no namespace " + context.operand());
  }
  Table table = context.Listing();
  for (const auto& [key, value] : merged) table.Add({context.operand(), key, value});
  return outcome.Finish(table);
}

}  // namespace mq::admin
