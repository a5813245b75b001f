// Keys of RocketMQ 4.9's broker.conf that are about its Java process. There is nothing here for them to act on, so a
// real broker.conf that has them is accepted with one line at level info.
#include <algorithm>
#include <array>

#include "conf/programs.h"

namespace mq::conf {
namespace {

// Sorted, for the binary search below.
constexpr std::array<std::string_view, 55> kForeignKeys = {
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
    "flushCommitLogTimed",
    "flushLeastPagesWhenWarmMapedFile",
    "heartbeatThreadPoolNums",
    "heartbeatThreadPoolQueueCapacity",
    "instanceName",
    "messageStorePlugIn",
    "osPageCacheBusyTimeOutMills",
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
};
static_assert(std::is_sorted(kForeignKeys.begin(), kForeignKeys.end()));

}  // namespace

bool IsForeignBrokerKey(std::string_view key) {
  return std::binary_search(kForeignKeys.begin(), kForeignKeys.end(), key);
}

}  // namespace mq::conf
