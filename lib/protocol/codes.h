// Request codes, response codes and language codes of RocketMQ 4.9. Do not renumber: they are the wire.
// See mq-remoting(5).
#pragma once

#include <cstdint>
#include <string_view>

namespace mq::protocol {

enum class RequestCode : int32_t {
  kSendMessage = 10,
  kPullMessage = 11,
  kQueryMessage = 12,
  kQueryConsumerOffset = 14,
  kUpdateConsumerOffset = 15,
  kUpdateAndCreateTopic = 17,
  kGetAllTopicConfig = 21,
  kUpdateBrokerConfig = 25,
  kGetBrokerConfig = 26,
  kGetBrokerRuntimeInfo = 28,
  kSearchOffsetByTimestamp = 29,
  kGetMaxOffset = 30,
  kGetMinOffset = 31,
  kGetEarliestMsgStoretime = 32,
  kViewMessageById = 33,
  kHeartBeat = 34,
  kUnregisterClient = 35,
  kConsumerSendMsgBack = 36,
  kEndTransaction = 37,
  kGetConsumerListByGroup = 38,
  kCheckTransactionState = 39,
  kNotifyConsumerIdsChanged = 40,
  kLockBatchMq = 41,
  kUnlockBatchMq = 42,
  kGetAllConsumerOffset = 43,
  kGetAllDelayOffset = 45,
  kCheckClientConfig = 46,
  kUpdateAndCreateAclConfig = 50,
  kDeleteAclConfig = 51,
  kGetBrokerClusterAclInfo = 52,
  kUpdateGlobalWhiteAddrsConfig = 53,
  kPutKvConfig = 100,
  kGetKvConfig = 101,
  kDeleteKvConfig = 102,
  kRegisterBroker = 103,
  kUnregisterBroker = 104,
  kGetRouteinfoByTopic = 105,
  kGetBrokerClusterInfo = 106,
  kUpdateAndCreateSubscriptiongroup = 200,
  kGetAllSubscriptiongroupConfig = 201,
  kGetTopicStatsInfo = 202,
  kGetConsumerConnectionList = 203,
  kGetProducerConnectionList = 204,
  kWipeWritePermOfBroker = 205,
  kGetAllTopicListFromNameserver = 206,
  kDeleteSubscriptiongroup = 207,
  kGetConsumeStats = 208,
  kDeleteTopicInBroker = 215,
  kDeleteTopicInNamesrv = 216,
  kGetKvlistByNamespace = 219,
  kResetConsumerClientOffset = 220,
  kGetConsumerStatusFromClient = 221,
  kInvokeBrokerToResetOffset = 222,
  kInvokeBrokerToGetConsumerStatus = 223,
  kGetTopicsByCluster = 224,
  kQueryTopicConsumeByWho = 300,
  kQueryConsumeTimeSpan = 303,
  kGetSystemTopicListFromNs = 304,
  kGetSystemTopicListFromBroker = 305,
  kCleanExpiredConsumequeue = 306,
  kGetConsumerRunningInfo = 307,
  kQueryCorrectionOffset = 308,
  kConsumeMessageDirectly = 309,
  kSendMessageV2 = 310,
  kGetUnitTopicList = 311,
  kGetHasUnitSubTopicList = 312,
  kGetHasUnitSubUnunitTopicList = 313,
  kCloneGroupOffset = 314,
  kViewBrokerStatsData = 315,
  kCleanUnusedTopic = 316,
  kGetBrokerConsumeStats = 317,
  kUpdateNamesrvConfig = 318,
  kGetNamesrvConfig = 319,
  kSendBatchMessage = 320,
  kQueryConsumeQueue = 321,
  kQueryDataVersion = 322,
  kResumeCheckHalfMessage = 323,
  kSendReplyMessage = 324,
  kSendReplyMessageV2 = 325,
  kPushReplyMessageToClient = 326,
  kAddWritePermOfBroker = 327,
  kGetAllProducerInfo = 328,
  kDeleteExpiredCommitlog = 329,
};

enum class ResponseCode : int32_t {
  kSuccess = 0,
  kSystemError = 1,
  kSystemBusy = 2,
  kRequestCodeNotSupported = 3,
  kTransactionFailed = 4,
  kFlushDiskTimeout = 10,
  kSlaveNotAvailable = 11,
  kFlushSlaveTimeout = 12,
  kMessageIllegal = 13,
  kServiceNotAvailable = 14,
  kVersionNotSupported = 15,
  kNoPermission = 16,
  kTopicNotExist = 17,
  kTopicExistAlready = 18,
  kPullNotFound = 19,
  kPullRetryImmediately = 20,
  kPullOffsetMoved = 21,
  kQueryNotFound = 22,
  kSubscriptionParseFailed = 23,
  kSubscriptionNotExist = 24,
  kSubscriptionNotLatest = 25,
  kSubscriptionGroupNotExist = 26,
  kFilterDataNotExist = 27,
  kFilterDataNotLatest = 28,
  kTransactionShouldCommit = 200,
  kTransactionShouldRollback = 201,
  kTransactionStateUnknow = 202,
  kTransactionStateGroupWrong = 203,
  kNoBuyerId = 204,
  kNotInCurrentUnit = 205,
  kConsumerNotOnline = 206,
  kConsumeMsgTimeout = 207,
  kNoMessage = 208,
  kUpdateAndCreateAclConfigFailed = 209,
  kDeleteAclConfigFailed = 210,
  kUpdateGlobalWhiteAddrsConfigFailed = 211,
  kFlowControl = 215,
};

enum class LanguageCode : uint8_t {
  kJava = 0,
  kCpp = 1,
  kDotnet = 2,
  kPython = 3,
  kDelphi = 4,
  kErlang = 5,
  kRuby = 6,
  kOther = 7,
  kHttp = 8,
  kGo = 9,
  kPhp = 10,
  kOms = 11,
  kRust = 12,
  kNodeJs = 13,
};

// RocketMQ's own spelling ("SEND_MESSAGE_V2", "PULL_NOT_FOUND", "JAVA"); "UNKNOWN" when it has none.
std::string_view RequestCodeName(int32_t code);
std::string_view ResponseCodeName(int32_t code);
std::string_view LanguageName(int language_code);
// -1 when the name is not one of RocketMQ's.
int LanguageFromName(std::string_view name);

// Versions are ordinals of RocketMQ's version enumeration: 409 is V4_9_8, what we speak.
inline constexpr int32_t kOurVersion = 409;
// From this version on a client is sent standard JSON routes.
inline constexpr int32_t kVersionStandardJson = 401;
// From this version on REGISTER_BROKER carries a RegisterBrokerBody.
inline constexpr int32_t kVersionRegisterBody = 37;
// From this version on a consumer understands 220 and 221, ...
inline constexpr int32_t kVersionResetOffset = 28;
// ... and from this one 307.
inline constexpr int32_t kVersionRunningInfo = 62;
// From this version on maxReconsumeTimes of a client's header counts.
inline constexpr int32_t kVersionMaxReconsume = 121;

}  // namespace mq::protocol
