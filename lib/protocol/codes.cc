#include "protocol/codes.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace mq::protocol {
namespace {

struct Name {
  int32_t code;
  std::string_view name;
};

// Sorted by code; requests of RocketMQ 4.9 that a log line or an error may have to name.
constexpr Name kRequestNames[] = {
    {10, "SEND_MESSAGE"},
    {11, "PULL_MESSAGE"},
    {12, "QUERY_MESSAGE"},
    {14, "QUERY_CONSUMER_OFFSET"},
    {15, "UPDATE_CONSUMER_OFFSET"},
    {17, "UPDATE_AND_CREATE_TOPIC"},
    {21, "GET_ALL_TOPIC_CONFIG"},
    {25, "UPDATE_BROKER_CONFIG"},
    {26, "GET_BROKER_CONFIG"},
    {28, "GET_BROKER_RUNTIME_INFO"},
    {29, "SEARCH_OFFSET_BY_TIMESTAMP"},
    {30, "GET_MAX_OFFSET"},
    {31, "GET_MIN_OFFSET"},
    {32, "GET_EARLIEST_MSG_STORETIME"},
    {33, "VIEW_MESSAGE_BY_ID"},
    {34, "HEART_BEAT"},
    {35, "UNREGISTER_CLIENT"},
    {36, "CONSUMER_SEND_MSG_BACK"},
    {37, "END_TRANSACTION"},
    {38, "GET_CONSUMER_LIST_BY_GROUP"},
    {39, "CHECK_TRANSACTION_STATE"},
    {40, "NOTIFY_CONSUMER_IDS_CHANGED"},
    {41, "LOCK_BATCH_MQ"},
    {42, "UNLOCK_BATCH_MQ"},
    {43, "GET_ALL_CONSUMER_OFFSET"},
    {45, "GET_ALL_DELAY_OFFSET"},
    {46, "CHECK_CLIENT_CONFIG"},
    {50, "UPDATE_AND_CREATE_ACL_CONFIG"},
    {51, "DELETE_ACL_CONFIG"},
    {52, "GET_BROKER_CLUSTER_ACL_INFO"},
    {53, "UPDATE_GLOBAL_WHITE_ADDRS_CONFIG"},
    {100, "PUT_KV_CONFIG"},
    {101, "GET_KV_CONFIG"},
    {102, "DELETE_KV_CONFIG"},
    {103, "REGISTER_BROKER"},
    {104, "UNREGISTER_BROKER"},
    {105, "GET_ROUTEINFO_BY_TOPIC"},
    {106, "GET_BROKER_CLUSTER_INFO"},
    {200, "UPDATE_AND_CREATE_SUBSCRIPTIONGROUP"},
    {201, "GET_ALL_SUBSCRIPTIONGROUP_CONFIG"},
    {202, "GET_TOPIC_STATS_INFO"},
    {203, "GET_CONSUMER_CONNECTION_LIST"},
    {204, "GET_PRODUCER_CONNECTION_LIST"},
    {205, "WIPE_WRITE_PERM_OF_BROKER"},
    {206, "GET_ALL_TOPIC_LIST_FROM_NAMESERVER"},
    {207, "DELETE_SUBSCRIPTIONGROUP"},
    {208, "GET_CONSUME_STATS"},
    {215, "DELETE_TOPIC_IN_BROKER"},
    {216, "DELETE_TOPIC_IN_NAMESRV"},
    {219, "GET_KVLIST_BY_NAMESPACE"},
    {220, "RESET_CONSUMER_CLIENT_OFFSET"},
    {221, "GET_CONSUMER_STATUS_FROM_CLIENT"},
    {222, "INVOKE_BROKER_TO_RESET_OFFSET"},
    {223, "INVOKE_BROKER_TO_GET_CONSUMER_STATUS"},
    {224, "GET_TOPICS_BY_CLUSTER"},
    {300, "QUERY_TOPIC_CONSUME_BY_WHO"},
    {303, "QUERY_CONSUME_TIME_SPAN"},
    {304, "GET_SYSTEM_TOPIC_LIST_FROM_NS"},
    {305, "GET_SYSTEM_TOPIC_LIST_FROM_BROKER"},
    {306, "CLEAN_EXPIRED_CONSUMEQUEUE"},
    {307, "GET_CONSUMER_RUNNING_INFO"},
    {308, "QUERY_CORRECTION_OFFSET"},
    {309, "CONSUME_MESSAGE_DIRECTLY"},
    {310, "SEND_MESSAGE_V2"},
    {311, "GET_UNIT_TOPIC_LIST"},
    {312, "GET_HAS_UNIT_SUB_TOPIC_LIST"},
    {313, "GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST"},
    {314, "CLONE_GROUP_OFFSET"},
    {315, "VIEW_BROKER_STATS_DATA"},
    {316, "CLEAN_UNUSED_TOPIC"},
    {317, "GET_BROKER_CONSUME_STATS"},
    {318, "UPDATE_NAMESRV_CONFIG"},
    {319, "GET_NAMESRV_CONFIG"},
    {320, "SEND_BATCH_MESSAGE"},
    {321, "QUERY_CONSUME_QUEUE"},
    {322, "QUERY_DATA_VERSION"},
    {323, "RESUME_CHECK_HALF_MESSAGE"},
    {324, "SEND_REPLY_MESSAGE"},
    {325, "SEND_REPLY_MESSAGE_V2"},
    {326, "PUSH_REPLY_MESSAGE_TO_CLIENT"},
    {327, "ADD_WRITE_PERM_OF_BROKER"},
    {328, "GET_ALL_PRODUCER_INFO"},
    {329, "DELETE_EXPIRED_COMMITLOG"},
};

constexpr Name kResponseNames[] = {
    {0, "SUCCESS"},
    {1, "SYSTEM_ERROR"},
    {2, "SYSTEM_BUSY"},
    {3, "REQUEST_CODE_NOT_SUPPORTED"},
    {4, "TRANSACTION_FAILED"},
    {10, "FLUSH_DISK_TIMEOUT"},
    {11, "SLAVE_NOT_AVAILABLE"},
    {12, "FLUSH_SLAVE_TIMEOUT"},
    {13, "MESSAGE_ILLEGAL"},
    {14, "SERVICE_NOT_AVAILABLE"},
    {15, "VERSION_NOT_SUPPORTED"},
    {16, "NO_PERMISSION"},
    {17, "TOPIC_NOT_EXIST"},
    {18, "TOPIC_EXIST_ALREADY"},
    {19, "PULL_NOT_FOUND"},
    {20, "PULL_RETRY_IMMEDIATELY"},
    {21, "PULL_OFFSET_MOVED"},
    {22, "QUERY_NOT_FOUND"},
    {23, "SUBSCRIPTION_PARSE_FAILED"},
    {24, "SUBSCRIPTION_NOT_EXIST"},
    {25, "SUBSCRIPTION_NOT_LATEST"},
    {26, "SUBSCRIPTION_GROUP_NOT_EXIST"},
    {27, "FILTER_DATA_NOT_EXIST"},
    {28, "FILTER_DATA_NOT_LATEST"},
    {200, "TRANSACTION_SHOULD_COMMIT"},
    {201, "TRANSACTION_SHOULD_ROLLBACK"},
    {202, "TRANSACTION_STATE_UNKNOW"},
    {203, "TRANSACTION_STATE_GROUP_WRONG"},
    {204, "NO_BUYER_ID"},
    {205, "NOT_IN_CURRENT_UNIT"},
    {206, "CONSUMER_NOT_ONLINE"},
    {207, "CONSUME_MSG_TIMEOUT"},
    {208, "NO_MESSAGE"},
    {209, "UPDATE_AND_CREATE_ACL_CONFIG_FAILED"},
    {210, "DELETE_ACL_CONFIG_FAILED"},
    {211, "UPDATE_GLOBAL_WHITE_ADDRS_CONFIG_FAILED"},
    {215, "FLOW_CONTROL"},
};

constexpr std::array<std::string_view, 14> kLanguages = {"JAVA",   "CPP",  "DOTNET", "PYTHON", "DELPHI",
                                                         "ERLANG", "RUBY", "OTHER",  "HTTP",   "GO",
                                                         "PHP",    "OMS",  "RUST",   "NODE_JS"};

template <size_t N>
std::string_view FindName(const Name (&names)[N], int32_t code) {
  const auto* found = std::lower_bound(std::begin(names), std::end(names), code,
                                       [](const Name& name, int32_t wanted) { return name.code < wanted; });
  return found != std::end(names) && found->code == code ? found->name : std::string_view("UNKNOWN");
}

}  // namespace

std::string_view RequestCodeName(int32_t code) { return FindName(kRequestNames, code); }

std::string_view ResponseCodeName(int32_t code) { return FindName(kResponseNames, code); }

std::string_view LanguageName(int language_code) {
  if (language_code < 0 || static_cast<size_t>(language_code) >= kLanguages.size()) return "UNKNOWN";
  return kLanguages[static_cast<size_t>(language_code)];
}

int LanguageFromName(std::string_view name) {
  for (size_t i = 0; i < kLanguages.size(); ++i) {
    if (kLanguages[i] == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace mq::protocol
