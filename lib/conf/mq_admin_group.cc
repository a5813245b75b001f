// Options and columns of mq-admin group and mq-admin offset.
#include <iterator>

#include "conf/mq_admin_rows.h"

namespace mq::conf::admin_rows {
namespace {

constexpr Option kTopicOnly = TopicRow("Which", "only this topic");

constexpr Option kChange[] = {
    kCluster,
    {.name = "consume-enable",
     .kind = Kind::kBool,
     .default_value = "true",
     .group = "What",
     .doc = "whether the group may consume at all"},
    {.name = "consume-from-min",
     .kind = Kind::kBool,
     .default_value = "true",
     .group = "What",
     .doc = "whether it may begin at a queue's first message"},
    {.name = "broadcast",
     .kind = Kind::kBool,
     .default_value = "true",
     .group = "What",
     .doc = "whether it may consume in broadcasting mode"},
    {.name = "retry-queues",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "1",
     .min = 0,
     .max = kMaxQueues,
     .group = "What",
     .doc = "queues of its retry topic"},
    {.name = "retry-max",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "16",
     .min = -1,
     .max = 1000000,
     .group = "What",
     .doc = "retries of a message before it becomes a dead letter"},
    {.name = "broker-id",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "0",
     .min = 0,
     .max = 1000000,
     .group = "What",
     .doc = "the broker id it consumes from"},
    {.name = "slow-broker-id",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "1",
     .min = 0,
     .max = 1000000,
     .group = "What",
     .doc = "the broker id it is sent to when it is slow"},
    {.name = "notify",
     .kind = Kind::kBool,
     .default_value = "true",
     .group = "What",
     .doc = "whether its members are told at once when members come and go"},
    kDryRun,
};

// The same for a group that exists: there is no default then.
constexpr Option kUpdate[] = {kChange[0],       Kept(kChange[1]), Kept(kChange[2]), Kept(kChange[3]), Kept(kChange[4]),
                              Kept(kChange[5]), Kept(kChange[6]), Kept(kChange[7]), Kept(kChange[8]), kDryRun};
static_assert(std::size(kUpdate) == std::size(kChange));

constexpr Option kDelete[] = {
    kCluster,
    {.name = "offsets", .kind = Kind::kFlag, .group = "What", .doc = "forget how far the group has come as well"},
    {.name = "topics",
     .kind = Kind::kFlag,
     .group = "What",
     .doc = "delete its retry and dead-letter topics and their messages as well"},
    {.name = "force",
     .kind = Kind::kFlag,
     .group = "Which",
     .doc = "delete it although members are online, whose next heartbeat may make it again; else that is refused with "
            "status 4, naming them"},
    kYes,
    kDryRun,
};

constexpr Option kLag[] = {
    {.name = "max",
     .kind = Kind::kInt,
     .metavar = "N",
     .min = 0,
     .group = "What",
     .doc = "leave with status 1 when more than N messages wait, over all queues listed",
     .brief = true},
    kTopicOnly,
};

constexpr Option kStatus[] = {kTopicOnly};

constexpr Option kMembers[] = {
    {.name = "producers", .kind = Kind::kFlag, .group = "Which", .doc = "members of the producer group of that name"},
};

constexpr Option kTo{.name = "to",
                     .kind = Kind::kString,
                     .metavar = "start|end|TIME|OFFSET",
                     .group = "What",
                     .doc =
                         "where the group shall go on: the first message, behind the last, the first one stored at "
                         "that time or later, or that offset",
                     .in_synopsis = true,
                     .brief = true};
constexpr Option kQueue{.name = "queue",
                        .kind = Kind::kInt,
                        .metavar = "N",
                        .min = 0,
                        .max = kMaxQueues,
                        .group = "Which",
                        .doc = "only this queue"};
constexpr Option kOnBroker{.name = "broker-name",
                           .kind = Kind::kString,
                           .metavar = "BROKER",
                           .group = "Which",
                           .doc = "only queues of this broker"};
constexpr Option kApply{
    .name = "apply", .kind = Kind::kFlag, .group = "What", .doc = "do it; without, it is only shown", .brief = true};
constexpr Option kSaveUndo{.name = "save-undo",
                           .kind = Kind::kPath,
                           .metavar = "FILE",
                           .group = "What",
                           .doc =
                               "with --apply: write the offsets as they were to FILE first, for --undo; FILE must not "
                               "exist"};

constexpr Option kReset[] = {
    kTo,
    {.name = "undo",
     .kind = Kind::kPath,
     .metavar = "FILE",
     .group = "What",
     .doc = "go back to the offsets that --save-undo wrote to FILE; group and topic may be left out"},
    kQueue,
    kOnBroker,
    kApply,
    kSaveUndo,
};
constexpr Option kSkip[] = {kQueue, kOnBroker, kApply, kSaveUndo};

constexpr Column kGroup{.name = "group", .doc = "the group"};
constexpr Column kTopicColumn{.name = "topic", .doc = "the topic"};
constexpr Column kBroker{.name = "broker", .doc = "the broker's name"};
constexpr Column kQueueColumn{.name = "queue", .type = Type::kNumber, .doc = "the queue"};
constexpr Column kMax{.name = "max", .type = Type::kNumber, .doc = "offset of the queue's next message"};
constexpr Column kOffset{.name = "offset", .type = Type::kNumber, .doc = "where the group goes on"};

constexpr Column kListColumns[] = {{.name = "name", .doc = "the group"}};
constexpr Column kShowColumns[] = {
    kGroup,
    kBroker,
    {.name = "consume_enable", .type = Type::kBool, .doc = "it may consume"},
    {.name = "consume_from_min", .type = Type::kBool, .doc = "it may begin at the first message"},
    {.name = "broadcast", .type = Type::kBool, .doc = "it may broadcast"},
    {.name = "retry_queues", .type = Type::kNumber, .doc = "queues of its retry topic"},
    {.name = "retry_max", .type = Type::kNumber, .doc = "retries before the dead letter"},
    {.name = "broker_id", .type = Type::kNumber, .doc = "where it consumes"},
    {.name = "slow_broker_id", .type = Type::kNumber, .doc = "where it is sent when slow"},
    {.name = "notify", .type = Type::kBool, .doc = "members are told of each other at once"},
};
constexpr Column kLagColumns[] = {
    kGroup,
    kTopicColumn,
    kBroker,
    kQueueColumn,
    kMax,
    kOffset,
    {.name = "lag",
     .type = Type::kNumber,
     .doc = "messages yet to consume; below 0 when the stored offset is beyond the end"},
    {.name = "last", .type = Type::kTime, .doc = "when the last one consumed was stored"},
    {.name = "lost",
     .type = Type::kNumber,
     .doc = "messages removed above the committed offset, whether a member had printed them or not"},
};
constexpr Column kStatusColumns[] = {
    kTopicColumn,
    kBroker,
    kQueueColumn,
    kOffset,
    {.name = "lag", .type = Type::kNumber, .doc = "messages yet to consume"},
    {.name = "state",
     .doc =
         "all read, behind, beyond the end, or N removed above the committed offset: a member may have printed them"},
};
constexpr Column kMemberColumns[] = {
    kGroup,
    {.name = "client", .doc = "the client's id"},
    {.name = "address", .doc = "where it connects from"},
    {.name = "language", .doc = "as it says itself"},
    {.name = "version", .type = Type::kNumber, .doc = "as it says itself"},
    {.name = "brokers", .doc = "those it is connected to"},
    {.name = "model", .doc = "CLUSTERING or BROADCASTING; - for producers"},
    {.name = "topics", .doc = "the group's subscriptions, as TOPIC:EXPRESSION; - for producers"},
};
constexpr Column kChanges[] = {kGroup, kBroker, kOld, kNew, kChanged};
constexpr Column kOffsetColumns[] = {
    kGroup,
    kTopicColumn,
    kBroker,
    kQueueColumn,
    {.name = "min", .type = Type::kNumber, .doc = "offset of the queue's first message"},
    kOffset,
    kMax,
};
constexpr Column kOffsetChanges[] = {
    kGroup,
    kTopicColumn,
    kBroker,
    kQueueColumn,
    {.name = "old", .type = Type::kNumber, .doc = "where it went on"},
    {.name = "new", .type = Type::kNumber, .doc = "where it goes on"},
    kChanged,
};

constexpr Operand kAnyGroup{
    .metavar = "GROUP", .doc = "the consumer group; all of them without", .max = 1, .synopsis = "[GROUP]"};
constexpr Operand kGroupAnyTopic{.metavar = "GROUP TOPIC",
                                 .doc = "the consumer group, and one topic of it",
                                 .min = 1,
                                 .max = 2,
                                 .synopsis = "GROUP [TOPIC]"};
constexpr Operand kGroupTopic{
    .metavar = "GROUP TOPIC", .doc = "the consumer group and the topic", .min = 2, .max = 2, .synopsis = "GROUP TOPIC"};
constexpr Operand kMaybeGroupTopic{.metavar = "GROUP TOPIC",
                                   .doc = "the consumer group and the topic; may be left out with --undo",
                                   .max = 2,
                                   .synopsis = "GROUP TOPIC"};

}  // namespace

std::vector<Command> GroupCommands() {
  return {
      {.noun = "group", .verb = "list", .doc = "names of all consumer groups", .columns = kListColumns},
      {.noun = "group",
       .verb = "show",
       .doc = "a group's settings on each broker",
       .operand = kGroupOperand,
       .columns = kShowColumns},
      {.noun = "group",
       .verb = "create",
       .doc = "make a group, or change it, on every master of the cluster",
       .options = kChange,
       .operand = kGroupOperand,
       .changes = kChanges},
      {.noun = "group",
       .verb = "update",
       .doc = "change a group that exists: what is not given stays as it is",
       .options = kUpdate,
       .operand = kGroupOperand,
       .changes = kChanges},
      {.noun = "group",
       .verb = "delete",
       .doc = "delete a group's settings, and what else is asked for",
       .options = kDelete,
       .operand = kGroupOperand,
       .changes = kChanges},
      {.noun = "group",
       .verb = "lag",
       .doc = "how many messages a group, or every group, has yet to consume",
       .options = kLag,
       .operand = kAnyGroup,
       .columns = kLagColumns},
      {.noun = "group",
       .verb = "status",
       .doc = "how a group does in each queue, and what expired before it had read it",
       .options = kStatus,
       .operand = kGroupOperand,
       .columns = kStatusColumns},
      {.noun = "group",
       .verb = "members",
       .doc = "the clients of a group that are connected: status 1 when there is none",
       .options = kMembers,
       .operand = kGroupOperand,
       .columns = kMemberColumns},
  };
}

std::vector<Command> OffsetCommands() {
  return {
      {.noun = "offset",
       .verb = "show",
       .doc = "where a group goes on in each queue; - where nothing is stored",
       .operand = kGroupAnyTopic,
       .columns = kOffsetColumns},
      {.noun = "offset",
       .verb = "reset",
       .doc = "let a group go on elsewhere: shows what would change, and does it with --apply",
       .options = kReset,
       .operand = kMaybeGroupTopic,
       .changes = kOffsetChanges},
      {.noun = "offset",
       .verb = "skip",
       .doc = "let a group go on behind the last message: shows what would change, and does it with --apply",
       .options = kSkip,
       .operand = kGroupTopic,
       .changes = kOffsetChanges},
  };
}

}  // namespace mq::conf::admin_rows
