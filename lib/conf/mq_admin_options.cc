// mq-admin(1): its nouns, and the options that all of its sub-commands or all of its listings have. The sub-commands
// are in mq_admin_topic.cc and its neighbours.
#include "conf/mq_admin_aliases.h"
#include "conf/mq_admin_rows.h"
#include "conf/programs.h"

namespace mq::conf {
namespace {

constexpr Option kAdmin[] = {
    {.name = "timeout",
     .kind = Kind::kDuration,
     .metavar = "DURATION",
     .default_value = "3s",
     .min = 1,
     .max = admin_rows::kDayMs,
     .group = "Where",
     .doc = "how long all name servers and brokers together may take to answer"},
    {.name = "json", .kind = Kind::kFlag, .group = "Output", .doc = "print JSON objects, one a line", .brief = true},
    {.name = "verbose",
     .letter = 'v',
     .kind = Kind::kFlag,
     .group = "General",
     .doc = "say on stderr which name servers and brokers were asked and how long they took; twice: every request and "
            "the code of its answer too",
     .brief = true},
};

constexpr Option kListing[] = {
    {.name = "header",
     .kind = Kind::kFlag,
     .group = "Output",
     .doc = "begin with the names of the columns in a pipe too"},
    {.name = "columns",
     .kind = Kind::kString,
     .metavar = "NAME[,NAME...]",
     .group = "Output",
     .doc = "print only these columns, in this order"},
    {.name = "sort",
     .kind = Kind::kString,
     .metavar = "[-]NAME",
     .group = "Output",
     .doc = "sort by this column, numbers as numbers; with - in front the other way round"},
};

constexpr Option kWatching[] = {
    {.name = "watch",
     .kind = Kind::kDuration,
     .metavar = "DURATION",
     .min = 1,
     .max = admin_rows::kDayMs,
     .group = "Output",
     .doc = "print it again and again, this long apart, until a signal comes"},
};

constexpr Operand kCompleteOperand{
    .metavar = "KIND", .doc = "what to list", .min = 1, .max = 1, .synopsis = "topics|groups|brokers|clusters"};

std::vector<Command> AllCommands() {
  std::vector<Command> commands;
  for (const auto& list : {admin_rows::TopicCommands(), admin_rows::GroupCommands(), admin_rows::OffsetCommands(),
                           admin_rows::MsgCommands(), admin_rows::ServerCommands(), admin_rows::BenchCommands()}) {
    commands.insert(commands.end(), list.begin(), list.end());
  }
  commands.push_back({.noun = "complete",
                      .doc = "what completions offer: names the cluster knows, in a quarter of a second or not at all",
                      .operand = kCompleteOperand,
                      .hidden = true});
  return commands;
}

}  // namespace

const Program& MqAdminProgram() {
  static const Program program{
      .name = "mq-admin",
      .section = 1,
      .doc = "ask and change a RocketMQ cluster",
      .daemon = false,
      .tables = {RouteOptions(), kAdmin, ToolOptions(), MetaOptions()},
      .commands = AllCommands(),
      .nouns = {{.noun = "topic", .doc = "topics and their queues"},
                {.noun = "group", .doc = "consumer groups, their settings, members and lag"},
                {.noun = "offset", .doc = "where groups go on"},
                {.noun = "msg", .doc = "single messages"},
                {.noun = "cluster", .doc = "the brokers together"},
                {.noun = "broker", .doc = "brokers and their settings"},
                {.noun = "namesrv", .doc = "name servers and what they tell clients about brokers"},
                {.noun = "kv", .doc = "the name servers' KV configuration"},
                {.noun = "health", .doc = "whether the cluster is ready"},
                {.noun = "bench", .doc = "measurements"}},
      .listing = kListing,
      .watching = kWatching,
      .translate = TranslateAlias};
  return program;
}

}  // namespace mq::conf
