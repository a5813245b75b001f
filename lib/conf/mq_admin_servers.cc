// Options and columns of mq-admin cluster, broker, namesrv, kv and health.
#include "conf/mq_admin_rows.h"

namespace mq::conf::admin_rows {
namespace {

constexpr Option kDryRunOnly[] = {kDryRun};
constexpr Option kBrokerConfig[] = {kCluster, kDryRun};
constexpr Option kHealth[] = {{.name = "strict",
                               .kind = Kind::kFlag,
                               .group = "What",
                               .doc = "status 1 for warnings too: unread messages were removed, or are about to be, "
                                      "because a disk is nearly full"}};
constexpr Option kBrokerStatus[] = {{.name = "cluster",
                                     .kind = Kind::kString,
                                     .metavar = "CLUSTER",
                                     .group = "Which",
                                     .doc = "only brokers of this cluster"}};
constexpr Option kBrokerClean[] = {
    kCluster,
    {.name = "expired-queues",
     .kind = Kind::kFlag,
     .group = "What",
     .doc = "delete files of consume queues whose messages are gone"},
    {.name = "unused-topics",
     .kind = Kind::kFlag,
     .group = "What",
     .doc = "delete what is left of topics that do not exist any more"},
    {.name = "expired-log",
     .kind = Kind::kFlag,
     .group = "What",
     .doc = "delete commit log files older than the broker keeps them, without waiting for its hour"},
    kDryRun,
};

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

constexpr Column kCluster_{.name = "cluster", .doc = "the cluster"};
constexpr Column kBroker{.name = "broker", .doc = "the broker's name"};
constexpr Column kId{.name = "id", .type = Type::kNumber, .doc = "0 is the master"};
constexpr Column kAddress{.name = "address", .doc = "where it listens"};
constexpr Column kNamesrv{.name = "namesrv", .doc = "the name server"};
constexpr Column kNamespace{.name = "namespace", .doc = "the namespace"};
constexpr Column kKey{.name = "key", .doc = "the key"};
constexpr Column kValue{.name = "value", .doc = "its value"};

constexpr Column kClusterColumns[] = {
    kCluster_,
    kBroker,
    kId,
    kAddress,
    {.name = "version", .doc = "as it says itself"},
    {.name = "in_per_s", .type = Type::kNumber, .doc = "messages stored a second"},
    {.name = "out_per_s", .type = Type::kNumber, .doc = "messages handed out a second"},
    {.name = "disk_ratio", .type = Type::kNumber, .doc = "how full the disk of its commit log is, from 0 to 1"},
};
constexpr Column kBrokerColumns[] = {kCluster_, kBroker, kId, {.name = "role", .doc = "master or slave"}, kAddress};
constexpr Column kStatusColumns[] = {kBroker, kAddress, kKey, kValue};
constexpr Column kBrokerConfigColumns[] = {kBroker, kKey, kValue};
constexpr Column kBrokerConfigChanges[] = {kBroker, kKey, kOld, kNew, kChanged};
constexpr Column kCleanChanges[] = {kBroker,
                                    {.name = "what", .doc = "the option that asked for it"},
                                    {.name = "result", .doc = "done; - with --dry-run"},
                                    {.name = "changed",
                                     .type = Type::kBool,
                                     .doc = "true; - with --dry-run: no broker says beforehand what it would do"}};
constexpr Column kNamesrvConfigColumns[] = {kNamesrv, kKey, kValue};
constexpr Column kNamesrvConfigChanges[] = {kNamesrv, kKey, kOld, kNew, kChanged};
constexpr Column kDrainChanges[] = {
    kNamesrv,
    kBroker,
    {.name = "new", .doc = "drained or writable"},
    {.name = "topics", .type = Type::kNumber, .doc = "topics this name server changed"},
    kChanged,
};
constexpr Column kKvColumns[] = {kNamespace, kKey, kValue};
constexpr Column kKvChanges[] = {kNamesrv, kNamespace, kKey, kOld, kNew, kChanged};

}  // namespace

std::vector<Command> ServerCommands() {
  return {
      {.noun = "cluster", .verb = "list", .doc = "brokers and what they do", .columns = kClusterColumns},
      {.noun = "broker",
       .verb = "list",
       .doc = "brokers as the name servers know them; none of them is asked",
       .columns = kBrokerColumns},
      {.noun = "broker",
       .verb = "status",
       .doc = "everything a broker says about itself",
       .options = kBrokerStatus,
       .operand = kBrokerOperand,
       .columns = kStatusColumns,
       .json = "without --columns: one object a broker, with broker, address and every key it says"},
      {.noun = "broker",
       .verb = "config",
       .doc = "show or change the settings of brokers",
       .options = kBrokerConfig,
       .operand = kConfigOperand,
       .columns = kBrokerConfigColumns,
       .changes = kBrokerConfigChanges},
      {.noun = "broker",
       .verb = "clean",
       .doc = "let brokers delete now what nobody needs any more",
       .options = kBrokerClean,
       .operand = kBrokerOperand,
       .changes = kCleanChanges},
      {.noun = "namesrv",
       .verb = "config",
       .doc = "show or change the settings of name servers",
       .options = kDryRunOnly,
       .operand = kConfigOperand,
       .columns = kNamesrvConfigColumns,
       .changes = kNamesrvConfigChanges},
      {.noun = "namesrv",
       .verb = "drain",
       .doc = "let no client write to a broker any more",
       .options = kDryRunOnly,
       .operand = kBrokerNameOperand,
       .changes = kDrainChanges},
      {.noun = "namesrv",
       .verb = "undrain",
       .doc = "let clients write to a broker again",
       .options = kDryRunOnly,
       .operand = kBrokerNameOperand,
       .changes = kDrainChanges},
      {.noun = "kv",
       .verb = "put",
       .doc = "set a key of the name servers' KV configuration",
       .options = kDryRunOnly,
       .operand = kKeyValueOperand,
       .changes = kKvChanges},
      {.noun = "kv", .verb = "get", .doc = "the value of a key", .operand = kKeyOperand, .columns = kKvColumns},
      {.noun = "kv",
       .verb = "delete",
       .doc = "remove a key",
       .options = kDryRunOnly,
       .operand = kKeyOperand,
       .changes = kKvChanges},
      {.noun = "kv",
       .verb = "list",
       .doc = "keys and values of a namespace",
       .operand = kNamespaceOperand,
       .columns = kKvColumns},
      {.noun = "health",
       .doc =
           "whether the cluster is ready: status 0, or 1 with reasons; warnings tell of messages that are lost unread",
       .options = kHealth,
       .json = "one object: ready (true or false), and reasons and warnings, lists of texts"},
  };
}

}  // namespace mq::conf::admin_rows
