// Options and sub-commands of mq-admin(1).
#include "conf/programs.h"

namespace mq::conf {
namespace {

constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;
constexpr std::int64_t kMiB = 1024 * 1024;

constexpr Option kAdmin[] = {
    {.name = "timeout",
     .kind = Kind::kDuration,
     .metavar = "DURATION",
     .default_value = "3s",
     .min = 1,
     .max = kDayMs,
     .group = "Where",
     .doc = "how long all name servers and brokers together may take to answer"},
    {.name = "json", .kind = Kind::kFlag, .group = "Output", .doc = "print JSON objects, one a line", .brief = true},
    {.name = "header",
     .kind = Kind::kFlag,
     .group = "Output",
     .doc = "begin a listing with its column names in a pipe too"},
};

#define MQ_CLUSTER_ROW                                                             \
  {                                                                                \
    .name = "cluster", .kind = Kind::kString, .metavar = "NAME", .group = "Which", \
    .doc = "on the masters of this cluster; needed when there is more than one"    \
  }
#define MQ_DRY_RUN_ROW \
  { .name = "dry-run", .kind = Kind::kFlag, .group = "Which", .doc = "show what would change and change nothing" }
#define MQ_TOPIC_ROW                                                                            \
  {                                                                                             \
    .name = "topic", .letter = 't', .kind = Kind::kString, .metavar = "TOPIC", .group = "What", \
    .doc = "the topic to use", .required = true, .in_synopsis = true, .brief = true             \
  }
#define MQ_GROUP_ROW                                                                                              \
  {                                                                                                               \
    .name = "group", .letter = 'g', .kind = Kind::kString, .metavar = "GROUP", .default_value = "TOOLS_CONSUMER", \
    .group = "What", .doc = "the consumer group named in the pulls; nothing is committed under it"                \
  }
#define MQ_DURATION_ROW                                                                                  \
  {                                                                                                      \
    .name = "duration", .kind = Kind::kDuration, .metavar = "DURATION", .default_value = "5s", .min = 1, \
    .max = kDayMs, .group = "Load", .doc = "how long to go on", .brief = true                            \
  }
#define MQ_SIZE_ROW                                                                                             \
  {                                                                                                             \
    .name = "size", .kind = Kind::kSize, .metavar = "BYTES", .default_value = "128", .min = 1, .max = 4 * kMiB, \
    .group = "Load", .doc = "size of each body", .brief = true                                                  \
  }

constexpr Option kTopicCreate[] = {
    MQ_CLUSTER_ROW,
    {.name = "read-queues",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "8",
     .min = 1,
     .max = 65536,
     .group = "What",
     .doc = "queues consumers read"},
    {.name = "write-queues",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "8",
     .min = 1,
     .max = 65536,
     .group = "What",
     .doc = "queues producers write"},
    {.name = "perm",
     .kind = Kind::kEnum,
     .default_value = "rw",
     .choices = "rw|r|w",
     .group = "What",
     .doc = "whether the topic may be read and written"},
    MQ_DRY_RUN_ROW,
};

constexpr Option kTopicDelete[] = {
    MQ_CLUSTER_ROW,
    {.name = "yes", .letter = 'y', .kind = Kind::kFlag, .group = "Which", .doc = "do not ask"},
    MQ_DRY_RUN_ROW,
};

constexpr Option kTopicWait[] = {
    {.name = "wait",
     .kind = Kind::kDuration,
     .metavar = "DURATION",
     .default_value = "30s",
     .min = 0,
     .max = kDayMs,
     .group = "What",
     .doc = "give up after this long, with status 7"},
};

#define MQ_MESSAGE_OUTPUT_ROWS                                                           \
  {.name = "format",                                                                     \
   .kind = Kind::kEnum,                                                                  \
   .default_value = "text",                                                              \
   .choices = "text|lines|nul|whole|json|msgpack",                                       \
   .group = "Output",                                                                    \
   .doc = "how a message is printed: as text for people, or in a format of mq-consume"}, \
  {                                                                                      \
    .name = "epoch-ms", .kind = Kind::kFlag, .group = "Output",                          \
    .doc = "in JSON and msgpack: times as milliseconds since 1970"                       \
  }

constexpr Option kMsgGet[] = {
    {.name = "topic",
     .letter = 't',
     .kind = Kind::kString,
     .metavar = "TOPIC",
     .group = "What",
     .doc = "the message's topic; needed for an id that a producer made",
     .in_synopsis = true,
     .brief = true},
    {.name = "any-address",
     .kind = Kind::kFlag,
     .group = "What",
     .doc = "connect to the address in the id even if it is no broker of this cluster"},
    MQ_MESSAGE_OUTPUT_ROWS,
};

constexpr Option kMsgFind[] = {
    MQ_TOPIC_ROW,
    {.name = "key",
     .kind = Kind::kString,
     .metavar = "KEY",
     .group = "What",
     .doc = "one of the message's keys",
     .required = true,
     .in_synopsis = true,
     .brief = true},
    {.name = "begin",
     .kind = Kind::kString,
     .metavar = "TIME",
     .group = "What",
     .doc = "only messages stored at this time or later"},
    {.name = "end",
     .kind = Kind::kString,
     .metavar = "TIME",
     .group = "What",
     .doc = "only messages stored at this time or earlier"},
    {.name = "max",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "32",
     .min = 1,
     .max = 64,
     .group = "What",
     .doc = "the newest N of them"},
    MQ_MESSAGE_OUTPUT_ROWS,
};
constexpr Option kDryRun[] = {MQ_DRY_RUN_ROW};
constexpr Option kBrokerConfig[] = {MQ_CLUSTER_ROW, MQ_DRY_RUN_ROW};

constexpr Option kBenchSend[] = {
    MQ_TOPIC_ROW,
    {.name = "connections",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "1",
     .min = 1,
     .max = 10000,
     .group = "Load",
     .doc = "connections to send over, spread over the topic's queues",
     .brief = true},
    {.name = "window",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "1",
     .min = 1,
     .max = 65536,
     .group = "Load",
     .doc = "requests in flight on each connection",
     .brief = true},
    MQ_SIZE_ROW,
    {.name = "batch",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "1",
     .min = 1,
     .max = 10000,
     .group = "Load",
     .doc = "messages in each request",
     .brief = true},
    MQ_DURATION_ROW,
    {.name = "keys", .kind = Kind::kFlag, .group = "Load", .doc = "give every message a key of its own"},
    {.name = "oneway",
     .kind = Kind::kFlag,
     .group = "Load",
     .doc = "ask for no answers: the rate is that of writing to the connections"},
};

constexpr Option kBenchConsume[] = {
    MQ_TOPIC_ROW,
    MQ_GROUP_ROW,
    {.name = "pull-batch",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "256",
     .min = 1,
     .max = 1000000,
     .group = "Load",
     .doc = "messages to ask for in each pull",
     .brief = true},
};

constexpr Option kBenchLatency[] = {
    MQ_TOPIC_ROW,
    MQ_GROUP_ROW,
    {.name = "rate",
     .kind = Kind::kRate,
     .metavar = "N/s",
     .default_value = "500/s",
     .min = 1,
     .max = 1000000,
     .group = "Load",
     .doc = "messages a second",
     .brief = true},
    MQ_SIZE_ROW,
    MQ_DURATION_ROW,
};

#undef MQ_CLUSTER_ROW
#undef MQ_DRY_RUN_ROW
#undef MQ_TOPIC_ROW
#undef MQ_GROUP_ROW
#undef MQ_DURATION_ROW
#undef MQ_SIZE_ROW
#undef MQ_MESSAGE_OUTPUT_ROWS

constexpr Operand kTopicOperand{.metavar = "TOPIC", .doc = "the topic", .min = 1, .max = 1, .synopsis = "TOPIC"};
constexpr Operand kMessageOperand{.metavar = "ID",
                                  .doc = "the id that the producer's client made, or the broker's offset id",
                                  .min = 1,
                                  .max = 1,
                                  .synopsis = "ID"};
constexpr Operand kBrokerOperand{
    .metavar = "BROKER", .doc = "a broker's name or address; all of them without", .max = 1, .synopsis = "[BROKER]"};
constexpr Operand kBrokerNameOperand{
    .metavar = "BROKER", .doc = "the broker's name", .min = 1, .max = 1, .synopsis = "BROKER"};
constexpr Operand kConfigOperand{.metavar = "get [KEY...] | set KEY=VALUE...",
                                 .doc = "show all settings or those named, or change some; get without any",
                                 .max = -1,
                                 .synopsis = "[get [KEY...] | set KEY=VALUE...]"};
constexpr Operand kKeyOperand{
    .metavar = "NAMESPACE KEY", .doc = "the key and its namespace", .min = 2, .max = 2, .synopsis = "NAMESPACE KEY"};
constexpr Operand kKeyValueOperand{.metavar = "NAMESPACE KEY VALUE",
                                   .doc = "the key, its namespace and its value",
                                   .min = 3,
                                   .max = 3,
                                   .synopsis = "NAMESPACE KEY VALUE"};
constexpr Operand kNamespaceOperand{
    .metavar = "NAMESPACE", .doc = "the namespace", .min = 1, .max = 1, .synopsis = "NAMESPACE"};

}  // namespace

const Program& MqAdminProgram() {
  static const Program program{
      .name = "mq-admin",
      .section = 1,
      .doc = "ask and change a RocketMQ cluster",
      .daemon = false,
      .tables = {RouteOptions(), kAdmin, ToolOptions(), MetaOptions()},
      .commands = {
          {.noun = "topic", .verb = "list", .doc = "names of all topics"},
          {.noun = "topic", .verb = "show", .doc = "a topic's queues on each broker", .operand = kTopicOperand},
          {.noun = "topic", .verb = "route", .doc = "what clients are told about a topic", .operand = kTopicOperand},
          {.noun = "topic",
           .verb = "create",
           .doc = "make a topic, or change it, on every master of the cluster",
           .options = kTopicCreate,
           .operand = kTopicOperand},
          {.noun = "topic",
           .verb = "delete",
           .doc = "delete a topic and its messages",
           .options = kTopicDelete,
           .operand = kTopicOperand},
          {.noun = "topic",
           .verb = "wait",
           .doc = "wait until a topic can be sent to",
           .options = kTopicWait,
           .operand = kTopicOperand},
          {.noun = "msg",
           .verb = "get",
           .doc = "the message of an id: status 1 when there is none",
           .options = kMsgGet,
           .operand = kMessageOperand},
          {.noun = "msg",
           .verb = "find",
           .doc = "messages by one of their keys: status 1 when there is none",
           .options = kMsgFind},
          {.noun = "cluster", .verb = "list", .doc = "brokers and what they do"},
          {.noun = "broker",
           .verb = "status",
           .doc = "everything a broker says about itself",
           .operand = kBrokerOperand},
          {.noun = "broker",
           .verb = "config",
           .doc = "show or change the settings of brokers",
           .options = kBrokerConfig,
           .operand = kConfigOperand},
          {.noun = "namesrv",
           .verb = "config",
           .doc = "show or change the settings of name servers",
           .options = kDryRun,
           .operand = kConfigOperand},
          {.noun = "namesrv",
           .verb = "drain",
           .doc = "let no client write to a broker any more",
           .options = kDryRun,
           .operand = kBrokerNameOperand},
          {.noun = "namesrv",
           .verb = "undrain",
           .doc = "let clients write to a broker again",
           .options = kDryRun,
           .operand = kBrokerNameOperand},
          {.noun = "kv",
           .verb = "put",
           .doc = "set a key of the name servers' KV configuration",
           .options = kDryRun,
           .operand = kKeyValueOperand},
          {.noun = "kv", .verb = "get", .doc = "the value of a key", .operand = kKeyOperand},
          {.noun = "kv", .verb = "delete", .doc = "remove a key", .options = kDryRun, .operand = kKeyOperand},
          {.noun = "kv", .verb = "list", .doc = "keys and values of a namespace", .operand = kNamespaceOperand},
          {.noun = "health", .doc = "whether the cluster is ready: status 0, or 1 with reasons"},
          {.noun = "bench", .verb = "send", .doc = "how fast a cluster stores messages", .options = kBenchSend},
          {.noun = "bench",
           .verb = "consume",
           .doc = "how fast a cluster hands out what it holds",
           .options = kBenchConsume},
          {.noun = "bench",
           .verb = "latency",
           .doc = "how long messages take from being born to being consumed",
           .options = kBenchLatency},
      }};
  return program;
}

}  // namespace mq::conf
