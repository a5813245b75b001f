// The table of RocketMQ's command names. To make one work whose feature has come: fill in its row.
#include "conf/mq_admin_aliases.h"

namespace mq::conf {
namespace {

constexpr AliasOption kBrokerAddr{'b', "brokerAddr", "--broker"};
constexpr AliasOption kClusterName{'c', "clusterName", "--cluster"};
constexpr AliasOption kShortCluster{'c', "cluster", "--cluster"};
constexpr AliasOption kTopic{'t', "topic", "1"};
constexpr AliasOption kTopicOption{'t', "topic", "--topic"};
constexpr AliasOption kForce{'f', "force", "", Turn::kOnlyTrue};
constexpr AliasOption kUtf8{'c', "charsetName", "", Turn::kRefused};

constexpr AliasOption kUpdateTopic[] = {
    kBrokerAddr,
    kClusterName,
    kTopic,
    {'r', "readQueueNums", "--read-queues"},
    {'w', "writeQueueNums", "--write-queues"},
    {'p', "perm", "--perm", Turn::kPerm},
    {'o', "order", "--order"},
    {'u', "unit", "", Turn::kOnlyFalse},
    {'s', "hasUnitSub", "", Turn::kOnlyFalse},
};
constexpr AliasOption kDeleteTopic[] = {kTopic, kClusterName};
constexpr AliasOption kUpdateSubGroup[] = {
    kBrokerAddr,
    kClusterName,
    {'g', "groupName", "1"},
    {'s', "consumeEnable", "--consume-enable"},
    {'m', "consumeFromMinEnable", "--consume-from-min"},
    {'d', "consumeBroadcastEnable", "--broadcast"},
    {'q', "retryQueueNums", "--retry-queues"},
    {'r', "retryMaxTimes", "--retry-max"},
    {'i', "brokerId", "--broker-id"},
    {'w', "whichBrokerWhenConsumeSlowly", "--slow-broker-id"},
    {'a', "notifyConsumerIdsChanged", "--notify"},
};
constexpr AliasOption kDeleteSubGroup[] = {
    kBrokerAddr, kClusterName, {'g', "groupName", "1"}, {'r', "removeOffset", "--offsets", Turn::kIfTrue}};
constexpr AliasOption kUpdateBrokerConfig[] = {
    kBrokerAddr, kClusterName, {'k', "key", "", Turn::kKey}, {'v', "value", "", Turn::kValue}};
constexpr AliasOption kUpdateTopicPerm[] = {kBrokerAddr, kClusterName, kTopic, {'p', "perm", "--perm", Turn::kPerm}};
constexpr AliasOption kTopicRoute[] = {kTopic, {'l', "list", "", Turn::kNothing, false}};
constexpr AliasOption kTopicAlone[] = {kTopic};
constexpr AliasOption kBrokerStatus[] = {kBrokerAddr, kClusterName};
constexpr AliasOption kQueryMsgById[] = {
    {'i', "msgId", "1"},
    {'g', "consumerGroup", "", Turn::kRefused},
    {'d', "clientId", "", Turn::kRefused},
    {'s', "sendMessage", "", Turn::kOnlyFalse},
    {'u', "unitName", "", Turn::kRefused},
};
constexpr AliasOption kQueryMsgByKey[] = {kTopicOption, {'k', "msgKey", "--key"}};
constexpr AliasOption kQueryMsgByUniqueKey[] = {
    {'i', "msgId", "1"},
    kTopicOption,
    {'g', "consumerGroup", "", Turn::kRefused},
    {'d', "clientId", "", Turn::kRefused},
    {'a', "showAll", "", Turn::kRefused, false},
};
constexpr AliasOption kPrintMsg[] = {
    kTopicOption,
    kUtf8,
    {'s', "subExpression", "--tags"},
    {'b', "beginTimestamp", "--from", Turn::kTime},
    {'e', "endTimestamp", "--to", Turn::kTime},
    {'d', "printBody", "", Turn::kOnlyTrue},
};
constexpr AliasOption kPrintMsgByQueue[] = {
    kTopicOption,
    {'a', "brokerName", "", Turn::kRefused},
    {'i', "queueId", "--queue"},
    kUtf8,
    {'s', "subExpression", "--tags"},
    {'b', "beginTimestamp", "--from", Turn::kTime},
    {'e', "endTimestamp", "--to", Turn::kTime},
    {'p', "printMsg", "", Turn::kOnlyTrue},
    {'d', "printBody", "", Turn::kOnlyTrue},
    {'f', "calculate", "", Turn::kOnlyFalse},
};
constexpr AliasOption kProducerConnection[] = {{'g', "producerGroup", "1"}, {'t', "topic", "", Turn::kNothing}};
constexpr AliasOption kConsumerConnection[] = {{'g', "consumerGroup", "1"}, kBrokerAddr};
constexpr AliasOption kConsumerProgress[] = {{'g', "groupName", "1"}, {'s', "showClientIP", "", Turn::kOnlyFalse}};
constexpr AliasOption kClusterList[] = {{'m', "moreStats", "", Turn::kRefused, false},
                                        {'i', "interval", "--watch", Turn::kSeconds}};
constexpr AliasOption kTopicList[] = {{'c', "clusterModel", "", Turn::kRefused, false}};
constexpr AliasOption kUpdateKv[] = {{'s', "namespace", "1"}, {'k', "key", "2"}, {'v', "value", "3"}};
constexpr AliasOption kDeleteKv[] = {{'s', "namespace", "1"}, {'k', "key", "2"}};
constexpr AliasOption kWritePerm[] = {{'b', "brokerName", "1"}};
constexpr AliasOption kReset[] = {{'g', "group", "1"},
                                  {'t', "topic", "2"},
                                  {'s', "timestamp", "--to", Turn::kTime},
                                  kForce,
                                  {'c', "cplus", "", Turn::kRefused, false}};
constexpr AliasOption kSkip[] = {{'g', "group", "1"}, {'t', "topic", "2"}, kForce};
constexpr AliasOption kClean[] = {kBrokerAddr, kShortCluster};
constexpr AliasOption kUpdateNamesrvConfig[] = {{'k', "key", "", Turn::kKey}, {'v', "value", "", Turn::kValue}};
constexpr AliasOption kGetBrokerConfig[] = {kBrokerAddr, kClusterName};
constexpr AliasOption kGetConsumerConfig[] = {{'g', "groupName", "1"}};
constexpr AliasOption kSendMessage[] = {
    kTopicOption,
    {'p', "body", "--message"},
    {'k', "key", "--key"},
    {'c', "tags", "--tag"},
    {'i', "qid", "--queue"},
    {'b', "broker", "", Turn::kRefused},
    {'m', "msgTraceEnable", "", Turn::kOnlyFalse},
};
constexpr AliasOption kConsumeMessage[] = {
    kTopicOption,
    {'b', "brokerName", "", Turn::kRefused},
    {'i', "queueId", "--queue"},
    {'o', "offset", "--from"},
    {'g', "consumerGroup", "", Turn::kRefused},
    {'s', "beginTimestamp", "--from", Turn::kTime},
    {'e', "endTimestamp", "--to", Turn::kTime},
    {'c', "MessageNumber", "--count"},
};

// RocketMQ wants a broker or a cluster for most changes; without either it is every master of the only cluster here.
constexpr Alias kAliases[] = {
    {.name = "updateTopic", .to = "topic create", .options = kUpdateTopic},
    {.name = "deleteTopic", .to = "topic delete", .always = "--yes", .options = kDeleteTopic},
    {.name = "updateSubGroup", .to = "group create", .options = kUpdateSubGroup},
    {.name = "deleteSubGroup", .to = "group delete", .always = "--topics --force --yes", .options = kDeleteSubGroup},
    {.name = "updateBrokerConfig", .to = "broker config set", .options = kUpdateBrokerConfig},
    {.name = "updateTopicPerm", .to = "topic update", .options = kUpdateTopicPerm},
    {.name = "topicRoute", .to = "topic route", .options = kTopicRoute},
    {.name = "topicStatus", .to = "topic stats", .options = kTopicAlone},
    {.name = "topicClusterList", .to = "topic show", .always = "--columns=cluster", .options = kTopicAlone},
    {.name = "brokerStatus", .to = "broker status", .options = kBrokerStatus},
    {.name = "queryMsgById", .to = "msg get", .options = kQueryMsgById},
    {.name = "queryMsgByKey", .to = "msg find", .options = kQueryMsgByKey},
    {.name = "queryMsgByUniqueKey", .to = "msg get", .options = kQueryMsgByUniqueKey},
    {.name = "queryMsgByOffset", .missing = "reading one queue of one broker at an offset"},
    {.name = "queryMsgTraceById", .missing = "message traces"},
    {.name = "printMsg", .to = "-e", .options = kPrintMsg, .program = "mq-consume"},
    {.name = "printMsgByQueue", .to = "-e", .options = kPrintMsgByQueue, .program = "mq-consume"},
    {.name = "sendMsgStatus", .missing = "sending to one broker by its name"},
    {.name = "brokerConsumeStats", .missing = "one broker's view of all groups"},
    {.name = "producerConnection", .to = "group members", .always = "--producers", .options = kProducerConnection},
    {.name = "consumerConnection", .to = "group members", .options = kConsumerConnection},
    {.name = "consumerProgress", .to = "group lag", .options = kConsumerProgress},
    {.name = "consumerStatus", .missing = "what a running consumer says about itself"},
    {.name = "cloneGroupOffset", .missing = "cloning of a group's offsets"},
    {.name = "producer", .missing = "a list of all producers of a broker"},
    {.name = "clusterList", .to = "cluster list", .options = kClusterList},
    {.name = "topicList", .to = "topic list", .options = kTopicList},
    {.name = "updateKvConfig", .to = "kv put", .options = kUpdateKv},
    {.name = "deleteKvConfig", .to = "kv delete", .options = kDeleteKv},
    {.name = "wipeWritePerm", .to = "namesrv drain", .options = kWritePerm},
    {.name = "addWritePerm", .to = "namesrv undrain", .options = kWritePerm},
    {.name = "resetOffsetByTime", .to = "offset reset", .always = "--apply", .options = kReset},
    {.name = "skipAccumulatedMessage", .to = "offset skip", .always = "--apply", .options = kSkip},
    {.name = "updateOrderConf", .missing = "an own command; mq-admin kv put ORDER_TOPIC_CONFIG TOPIC VALUE does it"},
    {.name = "cleanExpiredCQ", .to = "broker clean", .always = "--expired-queues", .options = kClean},
    {.name = "deleteExpiredCommitLog", .to = "broker clean", .always = "--expired-log", .options = kClean},
    {.name = "cleanUnusedTopic", .to = "broker clean", .always = "--unused-topics", .options = kClean},
    {.name = "startMonitoring", .missing = "a monitor"},
    {.name = "statsAll", .missing = "rates by topic and group"},
    {.name = "allocateMQ", .missing = "a trial of the allocation strategies"},
    {.name = "checkMsgSendRT",
     .missing = "the round trips of single sends; mq-admin bench latency measures the whole way"},
    {.name = "clusterRT", .missing = "the round trips of single sends; mq-admin bench latency measures the whole way"},
    {.name = "getNamesrvConfig", .to = "namesrv config get"},
    {.name = "updateNamesrvConfig", .to = "namesrv config set", .options = kUpdateNamesrvConfig},
    {.name = "getBrokerConfig", .to = "broker config get", .options = kGetBrokerConfig},
    {.name = "getConsumerConfig", .to = "group show", .options = kGetConsumerConfig},
    {.name = "queryCq", .missing = "a view into consume queues of a broker; mq-storedump STORE queue shows them"},
    {.name = "sendMessage", .options = kSendMessage, .program = "mq-send"},
    {.name = "consumeMessage", .to = "-e", .options = kConsumeMessage, .program = "mq-consume"},
    {.name = "updateAclConfig", .missing = "access control"},
    {.name = "deleteAclConfig", .missing = "access control"},
    {.name = "clusterAclConfigVersion", .missing = "access control"},
    {.name = "updateGlobalWhiteAddr", .missing = "access control"},
    {.name = "exportMetadata", .missing = "exports; the listings with --json hold the same"},
    {.name = "exportConfigs", .missing = "exports; mq-admin broker config get --json holds the same"},
    {.name = "exportMetrics", .missing = "exports; mq-admin broker status --json holds the same"},
};

}  // namespace

std::span<const Alias> Aliases() { return kAliases; }

}  // namespace mq::conf
