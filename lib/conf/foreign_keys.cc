// Keys of RocketMQ 4.9's broker.conf without a row in our table, so that they can be told from misspelt ones.
//
// The first list is about its Java process. There is nothing here for them to act on, so a
// real broker.conf that has them is accepted with one line at level info.
#include <algorithm>
#include <array>

#include "conf/programs.h"

namespace mq::conf {
namespace {

// Sorted, for the binary search below.
constexpr auto kForeignKeys = std::to_array<std::string_view>({
    "adminBrokerThreadPoolNums",
    "clientAsyncSemaphoreValue",
    "clientCallbackExecutorThreads",
    "clientChannelMaxIdleTimeSeconds",
    "clientCloseSocketIfTimeout",
    "clientManageThreadPoolNums",
    "clientManagerThreadPoolQueueCapacity",
    "clientOnewaySemaphoreValue",
    "clientPooledByteBufAllocatorEnable",
    "clientSocketRcvBufSize",
    "clientSocketSndBufSize",
    "clientWorkerThreads",
    "connectTimeoutMillis",
    "consumerManageThreadPoolNums",
    "consumerManagerThreadPoolQueueCapacity",
    "debugLockEnable",
    "defaultThreadPoolQueueCapacity",
    "disableNettyWorkerGroup",
    "endTransactionPoolQueueCapacity",
    "endTransactionThreadPoolNums",
    "flushLeastPagesWhenWarmMapedFile",
    "heartbeatThreadPoolNums",
    "heartbeatThreadPoolQueueCapacity",
    "instanceName",
    "messageIndexSafe",
    "messageStorePlugIn",
    "processReplyMessageThreadPoolNums",
    "pullMessageThreadPoolNums",
    "pullThreadPoolQueueCapacity",
    "putMessageFutureThreadPoolNums",
    "putMsgIndexHightWater",
    "putThreadPoolQueueCapacity",
    "queryMessageThreadPoolNums",
    "queryThreadPoolQueueCapacity",
    "replyThreadPoolQueueCapacity",
    "rocketmqHome",
    "sendMessageThreadPoolNums",
    "sendThreadPoolQueueCapacity",
    "serverAsyncSemaphoreValue",
    "serverCallbackExecutorThreads",
    "serverChannelMaxIdleTimeSeconds",
    "serverNettyWorkerGroupEnable",
    "serverOnewaySemaphoreValue",
    "serverPooledByteBufAllocatorEnable",
    "serverSelectorThreads",
    "serverSocketBacklog",
    "serverSocketRcvBufSize",
    "serverSocketSndBufSize",
    "serverWorkerThreads",
    "transferMsgByHeap",
    "useEpollNativeSelector",
    "useReentrantLockWhenPutMessage",
    "writeBufferHighWaterMark",
    "writeBufferLowWaterMark",
});
// Keys of broker.conf that change what RocketMQ's broker does and that are not supported here. A key moves from this
// list to the settings table (broker_settings.cc) with the feature behind it.
constexpr auto kUnsupportedKeys = std::to_array<std::string_view>({
    "accessMessageInMemoryMaxRatio",
    "aclEnable",
    "allowListenPort",
    "bitMapLengthConsumeQueueExt",
    "brokerIP2",
    "brokerTopicEnable",
    "channelNotActiveInterval",
    "clusterTopicEnable",
    "consumerFallbehindThreshold",
    "dLegerGroup",
    "dLegerPeers",
    "dLegerSelfId",
    "deleteConsumeQueueFilesInterval",
    "destroyMapedFileIntervalForcibly",
    "disableConsumeIfConsumerReadSlowly",
    "diskFallRecorded",
    "duplicationEnable",
    "enableCalcFilterBitMap",
    "enableConsumeQueueExt",
    "enableDLegerCommitLog",
    "enableLmq",
    "enableMultiDispatch",
    "enablePropertyFilter",
    "enableScheduleAsyncDeliver",
    "enableScheduleMessageStats",
    "expectConsumerNumUseFilter",
    "fetchNamesrvAddrByAddressServer",
    "filterDataCleanTimeSpan",
    "filterSupportRetry",
    "flushConsumerOffsetHistoryInterval",
    "flushDelayOffsetInterval",
    "haHousekeepingInterval",
    "haListenPort",
    "haMasterAddress",
    "haSendHeartbeatInterval",
    "haSlaveFallbehindMax",
    "haTransferBatchSize",
    "isEnableBatchPush",
    "mappedFileSizeConsumeQueueExt",
    "maxErrorRateOfBloomFilter",
    "maxLmqConsumeQueueNum",
    "maxTransferBytesOnMessageInDisk",
    "maxTransferCountOnMessageInDisk",
    "messageDelayLevel",
    "msgTraceTopicName",
    "offsetCheckInSlave",
    "preferredLeaderId",
    "redeleteHangedFileInterval",
    "regionId",
    "rejectTransactionMessage",
    "scheduleAsyncDeliverMaxPendingLimit",
    "scheduleAsyncDeliverMaxResendNum2Blocked",
    "slaveReadEnable",
    "slaveTimeout",
    "startAcceptSendRequestTimeStamp",
    "storePathDLedgerCommitLog",
    "traceOn",
    "traceTopicEnable",
    "transactionCheckInterval",
    "transactionCheckMax",
    "transactionTimeOut",
    "useTLS",
    "waitTimeMillsInTransactionQueue",
});
static_assert(std::is_sorted(kForeignKeys.begin(), kForeignKeys.end()));
static_assert(std::is_sorted(kUnsupportedKeys.begin(), kUnsupportedKeys.end()));

}  // namespace

bool IsForeignBrokerKey(std::string_view key) {
  return std::binary_search(kForeignKeys.begin(), kForeignKeys.end(), key);
}

bool IsUnsupportedBrokerKey(std::string_view key) {
  return std::binary_search(kUnsupportedKeys.begin(), kUnsupportedKeys.end(), key);
}

std::span<const std::string_view> UnsupportedBrokerKeys() { return kUnsupportedKeys; }

}  // namespace mq::conf
