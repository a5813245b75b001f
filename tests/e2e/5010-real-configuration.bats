load helper

@test "bug 139: a broker.conf and a namesrv.properties of a real RocketMQ are accepted as they are" {
  mkdir "$T/conf"
  cat > "$T/conf/namesrv.properties" <<CONF
# name server of the test cluster
listenPort=0
rocketmqHome=/opt/rocketmq
kvConfigPath=$T/namesrv/kvConfig.json
configStorePath=$T/namesrv/namesrv.properties
serverWorkerThreads=8
serverCallbackExecutorThreads=0
serverSelectorThreads=3
serverOnewaySemaphoreValue=256
serverAsyncSemaphoreValue=64
serverChannelMaxIdleTimeSeconds=120
serverSocketSndBufSize=65535
serverSocketRcvBufSize=65535
serverPooledByteBufAllocatorEnable=true
useEpollNativeSelector=false
orderMessageEnable=false
clusterTest=false
productEnvName=center
CONF
  start namesrv mq-namesrv -c "$T/conf/namesrv.properties" --listen 127.0.0.1:0
  export NS=$READY MQ_NAMESRV=$READY
  cat > "$T/conf/broker.conf" <<CONF
# Licensed to the Apache Software Foundation (ASF) under one or more
# contributor license agreements.
brokerClusterName = DefaultCluster
brokerName = broker-a
brokerId = 0
brokerIP1 = 127.0.0.1
brokerIP2 = 127.0.0.1
namesrvAddr = $NS
listenPort = 0
haListenPort = 10912
brokerRole = ASYNC_MASTER
flushDiskType = ASYNC_FLUSH
deleteWhen = 04
fileReservedTime = 48
diskMaxUsedSpaceRatio = 88
storePathRootDir = $STORE
storePathCommitLog = $STORE/commitlog
storePathConsumeQueue = $STORE/consumequeue
storePathIndex = $STORE/index
storeCheckpoint = $STORE/checkpoint
abortFile = $STORE/abort
mapedFileSizeCommitLog = 1073741824
mapedFileSizeConsumeQueue = 300000
mappedFileSizeCommitLog = 4194304
maxMessageSize = 65536 
defaultTopicQueueNums = 4
autoCreateTopicEnable = true
autoCreateSubscriptionGroup = true
sendMessageThreadPoolNums = 128
pullMessageThreadPoolNums = 128
useReentrantLockWhenPutMessage = true
waitTimeMillsInSendQueue = 300
osPageCacheBusyTimeOutMills = 5000
transientStorePoolEnable = false
transferMsgByHeap = true
slaveReadEnable = true
enablePropertyFilter = false
traceTopicEnable = true
msgTraceTopicName = RMQ_SYS_TRACE_TOPIC
aclEnable = false
checkTransactionMessageEnable = false
messageDelayLevel = 1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h
transactionTimeOut = 6000
transactionCheckMax = 15
flushConsumerOffsetInterval = 5000
notifyConsumerIdsChangedEnable = true
enableDetailStat = true
warmMapedFileEnable = false
CONF
  start broker mq-broker -c "$T/conf/broker.conf"
  seq 10 | mq-send -t T -q
  [ "$(mq-consume -t T --from start -e | wc -l)" = 10 ]
  # What has no effect here is said, once a key, with its line; nothing of it was fatal.
  grep -q "broker.conf:7: key 'brokerIP2'" "$T/broker.log"
  for key in brokerIP2 messageDelayLevel; do
    [ "$(grep -c "'$key'" "$T/broker.log")" = 1 ]
  done
  mq-admin broker config get autoCreateSubscriptionGroup | grep -q true
  [ "$(mq-admin broker config get fileReservedTime --columns value)" = 48 ]
  stop broker
  stop namesrv
}
