// Rows that several sub-commands of mq-admin share, and where the sub-commands of each noun are. For the mq_admin_*.cc
// files alone.
#pragma once

#include <vector>

#include "conf/option.h"
#include "conf/shared_rows.h"

namespace mq::conf::admin_rows {

inline constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;
inline constexpr std::int64_t kMiB = 1024 * 1024;
inline constexpr std::int64_t kMaxQueues = 65536;

inline constexpr Option kCluster{.name = "cluster",
                                 .kind = Kind::kString,
                                 .metavar = "CLUSTER",
                                 .group = "Which",
                                 .doc = "on the masters of this cluster; needed when there is more than one"};
inline constexpr Option kDryRun{
    .name = "dry-run", .kind = Kind::kFlag, .group = "Which", .doc = "show what would change and change nothing"};
inline constexpr Option kYes{.name = "yes", .letter = 'y', .kind = Kind::kFlag, .group = "Which", .doc = "do not ask"};
inline constexpr Option kTopic = Required(InSynopsis(TopicRow("What", "the topic to use")));

inline constexpr Operand kTopicOperand{.metavar = "TOPIC", .doc = "the topic", .min = 1, .max = 1, .synopsis = "TOPIC"};
inline constexpr Operand kGroupOperand{
    .metavar = "GROUP", .doc = "the consumer group", .min = 1, .max = 1, .synopsis = "GROUP"};

// A row of a command that changes something: what is not given stays as it is.
constexpr Option Kept(Option row) {
  row.default_value = {};
  row.default_note = "as it is";
  return row;
}

using Type = Column::Type;
inline constexpr Column kOld{.name = "old", .doc = "what it was; - when there was nothing"};
inline constexpr Column kNew{.name = "new", .doc = "what it is now; - when it is gone"};
inline constexpr Column kChanged{.name = "changed", .type = Type::kBool, .doc = "whether that is a change"};

// The sub-commands of each noun, in the order of help and page.
std::vector<Command> TopicCommands();
std::vector<Command> GroupCommands();
std::vector<Command> OffsetCommands();
std::vector<Command> MsgCommands();
std::vector<Command> ServerCommands();  // cluster, broker, namesrv, kv, health
std::vector<Command> BenchCommands();

}  // namespace mq::conf::admin_rows
