// Options and columns of mq-admin topic.
#include "conf/mq_admin_rows.h"

namespace mq::conf::admin_rows {
namespace {

constexpr Option kReadQueues{.name = "read-queues",
                             .kind = Kind::kInt,
                             .metavar = "N",
                             .default_value = "8",
                             .min = 1,
                             .max = kMaxQueues,
                             .group = "What",
                             .doc = "queues consumers read"};
constexpr Option kWriteQueues{.name = "write-queues",
                              .kind = Kind::kInt,
                              .metavar = "N",
                              .default_value = "8",
                              .min = 1,
                              .max = kMaxQueues,
                              .group = "What",
                              .doc = "queues producers write"};
constexpr Option kPerm{.name = "perm",
                       .kind = Kind::kEnum,
                       .default_value = "rw",
                       .choices = "rw|r|w",
                       .group = "What",
                       .doc = "whether the topic may be read and written"};
constexpr Option kOrder{.name = "order",
                        .kind = Kind::kBool,
                        .default_value = "false",
                        .group = "What",
                        .doc =
                            "whether the topic keeps order over the whole cluster: true also names its queues in the "
                            "name servers' KV namespace ORDER_TOPIC_CONFIG, which decides, and false removes them "
                            "there; it needs --namesrv"};
constexpr Option kForce{.name = "force",
                        .kind = Kind::kFlag,
                        .group = "Which",
                        .doc = "take queues away from readers even if messages in them are unread"};

constexpr Option kCreate[] = {kCluster, kReadQueues, kWriteQueues, kPerm, kOrder, kForce, kDryRun};
constexpr Option kUpdate[] = {kCluster, Kept(kReadQueues), Kept(kWriteQueues), Kept(kPerm), Kept(kOrder), kForce,
                              kDryRun};
constexpr Option kDelete[] = {kCluster, kYes, kDryRun};
constexpr Option kWait[] = {
    {.name = "wait",
     .kind = Kind::kDuration,
     .metavar = "DURATION",
     .default_value = "30s",
     .min = 0,
     .max = kDayMs,
     .group = "What",
     .doc = "give up after this long, with status 7"},
};

constexpr Column kTopicColumn{.name = "topic", .doc = "the topic"};
constexpr Column kBroker{.name = "broker", .doc = "the broker's name"};
constexpr Column kReadColumn{.name = "read_queues", .type = Type::kNumber, .doc = "queues consumers read"};
constexpr Column kWriteColumn{.name = "write_queues", .type = Type::kNumber, .doc = "queues producers write"};
constexpr Column kPermColumn{.name = "perm", .doc = "rw, r, w or -"};

constexpr Column kListColumns[] = {{.name = "name", .doc = "the topic"}};
constexpr Column kShowColumns[] = {kTopicColumn,
                                   kBroker,
                                   {.name = "cluster", .doc = "the broker's cluster"},
                                   {.name = "address", .doc = "of the master, else of any"},
                                   kReadColumn,
                                   kWriteColumn,
                                   kPermColumn};
constexpr Column kRouteColumns[] = {kTopicColumn,
                                    kBroker,
                                    {.name = "id", .type = Type::kNumber, .doc = "0 is the master"},
                                    {.name = "address", .doc = "where it listens"},
                                    kReadColumn,
                                    kWriteColumn,
                                    kPermColumn};
constexpr Column kStatsColumns[] = {
    kTopicColumn,
    kBroker,
    {.name = "queue", .type = Type::kNumber, .doc = "the queue"},
    {.name = "min", .type = Type::kNumber, .doc = "offset of its first message"},
    {.name = "max", .type = Type::kNumber, .doc = "offset of its next message"},
    {.name = "messages", .type = Type::kNumber, .doc = "how many it holds"},
    {.name = "last", .type = Type::kTime, .doc = "when the newest was stored"},
};
constexpr Column kChanges[] = {kTopicColumn, kBroker, kOld, kNew, kChanged};

}  // namespace

std::vector<Command> TopicCommands() {
  return {
      {.noun = "topic", .verb = "list", .doc = "names of all topics", .columns = kListColumns},
      {.noun = "topic",
       .verb = "show",
       .doc = "a topic's queues on each broker",
       .operand = kTopicOperand,
       .columns = kShowColumns},
      {.noun = "topic",
       .verb = "route",
       .doc = "what clients are told about a topic",
       .operand = kTopicOperand,
       .columns = kRouteColumns,
       .json = "without --columns: the route as name servers send it to clients, in standard JSON"},
      {.noun = "topic",
       .verb = "stats",
       .doc = "how many messages each queue of a topic holds",
       .operand = kTopicOperand,
       .columns = kStatsColumns},
      {.noun = "topic",
       .verb = "create",
       .doc = "make a topic, or change it, on every master of the cluster; what is not given is as on the brokers that "
              "have it already",
       .options = kCreate,
       .operand = kTopicOperand,
       .changes = kChanges},
      {.noun = "topic",
       .verb = "update",
       .doc = "change a topic that exists: what is not given stays as it is",
       .options = kUpdate,
       .operand = kTopicOperand,
       .changes = kChanges},
      {.noun = "topic",
       .verb = "delete",
       .doc = "delete a topic and its messages",
       .options = kDelete,
       .operand = kTopicOperand,
       .changes = kChanges},
      {.noun = "topic",
       .verb = "wait",
       .doc = "wait until a topic can be sent to",
       .options = kWait,
       .operand = kTopicOperand},
  };
}

}  // namespace mq::conf::admin_rows
