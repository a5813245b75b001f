#include "broker/options.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/log.h"
#include "base/strings.h"
#include "conf/settings.h"
#include "conf/store_root.h"
#include "loop/stream_util.h"
#include "protocol/names.h"
#include "store/log_paths.h"

namespace mq::broker {
namespace {

std::string HostName() {
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "DEFAULT_BROKER";
  return name;
}

bool IsWildcard(const std::string& host) { return host == "0.0.0.0" || host == "::"; }

void ChooseAdvertisedHost(const conf::Settings& settings, BrokerOptions& options) {
  if (settings.Has("brokerIP1")) {
    options.advertised_host = settings.String("brokerIP1");
    options.advertised_reason = "brokerIP1 from " + settings.Origin("brokerIP1");
  } else if (!IsWildcard(options.listen.host)) {
    options.advertised_host = options.listen.host;
    options.advertised_reason = "the address listened on";
  } else if (std::string host = loop::FirstNonLoopbackAddress(); !host.empty()) {
    options.advertised_host = std::move(host);
    options.advertised_reason = "the first address of this machine that is not loopback";
  } else {
    options.advertised_host = "127.0.0.1";
    options.advertised_reason = "this machine has no other address; set brokerIP1 if it should be reached from others";
  }
}

// 0.85 as RocketMQ 4's system property, 85 as its 5.x setting: in permille.
Result<int32_t> ReadRatio(const conf::Settings& settings, const char* key) {
  const std::string& text = settings.String(key);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc() && stop == text.data() + text.size();
  if (number && value > 1) value /= 100;
  if (number && value >= 0.01 && value <= 1) return static_cast<int32_t>(std::lround(value * 1000));
  return MakeError(ErrorCode::kConfig, settings.Origin(key) + ": " + key + ": '" + text +
                                           "' is no ratio from 0.01 to 1 or percentage to 100");
}

Result<store::CleanOptions> ReadCleanOptions(const conf::Settings& settings) {
  store::CleanOptions clean;
  auto hours = store::ParseHours(settings.String("deleteWhen"));
  if (!hours) return MakeError(ErrorCode::kConfig, settings.Origin("deleteWhen") + ": " + hours.error().what);
  clean.hours = std::move(*hours);
  clean.reserved_ms = settings.Int("fileReservedTime") * 3600 * 1000;
  clean.interval_ms = settings.DurationMs("cleanResourceInterval");
  clean.file_pause_ms = settings.DurationMs("deleteCommitLogFilesInterval");
  clean.early_permille = static_cast<int32_t>(std::clamp<int64_t>(settings.Int("diskMaxUsedSpaceRatio"), 10, 95)) * 10;
  MQ_ASSIGN(clean.force_permille, ReadRatio(settings, "diskSpaceCleanForciblyRatio"));
  MQ_ASSIGN(clean.full_permille, ReadRatio(settings, "diskSpaceWarningLevelRatio"));
  clean.forcibly = settings.Bool("cleanFileForciblyEnable");
  return clean;
}

Error WrongName(const conf::Settings& settings, const char* key, const Error& why) {
  return MakeError(ErrorCode::kConfig, settings.Origin(key) + ": " + key + ": " + why.what);
}

}  // namespace

Result<store::StoreOptions> ReadStoreOptions(const conf::Settings& settings) {
  store::StoreOptions store;
  MQ_ASSIGN(store.root, conf::StoreRoot(settings));
  MQ_ASSIGN(store.log_paths,
            store::ParseLogPaths(store.root, settings.String("storePathCommitLog"),
                                 settings.String("readOnlyCommitLogStorePaths"), settings.String("multiPathSplitter")));
  store.commit_log_file_bytes = settings.Bytes("mappedFileSizeCommitLog");
  store.consume_queue_file_bytes = settings.Bytes("mappedFileSizeConsumeQueue");
  store.max_message_bytes = static_cast<int32_t>(settings.Bytes("maxMessageSize"));
  store.check_crc_on_recover = settings.Bool("checkCRCOnRecover");
  store.flush_disk_type =
      settings.String("flushDiskType") == "SYNC_FLUSH" ? store::FlushDiskType::kSync : store::FlushDiskType::kAsync;
  store.flush_interval_ms = settings.DurationMs("flushIntervalCommitLog");
  store.flush_least_pages = static_cast<int32_t>(settings.Int("flushCommitLogLeastPages"));
  store.flush_thorough_interval_ms = settings.DurationMs("flushCommitLogThoroughInterval");
  store.flush_timed = settings.Bool("flushCommitLogTimed");
  // As in RocketMQ: who waits for the disk would gain nothing by waiting for memory first.
  if (settings.Bool("transientStorePoolEnable") && store.flush_disk_type == store::FlushDiskType::kAsync) {
    store.pool_slots = static_cast<int32_t>(settings.Int("transientStorePoolSize"));
  }
  store.commit_interval_ms = settings.DurationMs("commitIntervalCommitLog");
  store.commit_least_pages = static_cast<int32_t>(settings.Int("commitCommitLogLeastPages"));
  store.commit_thorough_interval_ms = settings.DurationMs("commitCommitLogThoroughInterval");
  store.queue_flush_interval_ms = settings.DurationMs("flushIntervalConsumeQueue");
  store.queue_flush_least_pages = static_cast<int32_t>(settings.Int("flushConsumeQueueLeastPages"));
  store.queue_flush_thorough_interval_ms = settings.DurationMs("flushConsumeQueueThoroughInterval");
  store.index_enable = settings.Bool("messageIndexEnable");
  store.index_slots = static_cast<int32_t>(settings.Int("maxHashSlotNum"));
  store.index_entries = static_cast<int32_t>(settings.Int("maxIndexNum"));
  store.warm_window_bytes = settings.Bytes("warmWindow");
  store.warm_whole_file = settings.Bool("warmMapedFileEnable");
  MQ_ASSIGN(store.clean, ReadCleanOptions(settings));
  MQ_ASSIGN(store.delay_levels_ms, store::ParseDelayLevels(store::kDefaultDelayLevels));
  MQ_TRY(store::NormalizeOptions(store));
  return store;
}

Result<BrokerOptions> ReadBrokerOptions(const conf::Settings& settings) {
  BrokerOptions options;
  MQ_ASSIGN(options.store, ReadStoreOptions(settings));
  options.broker_name = settings.Has("brokerName") ? settings.String("brokerName") : HostName();
  options.cluster_name = settings.String("brokerClusterName");
  // Both become topics of the same name, as in RocketMQ. A host name may hold dots, which a topic may not.
  if (settings.Has("brokerName")) {
    if (auto ok = protocol::CheckTopicName(options.broker_name); !ok)
      return WrongName(settings, "brokerName", ok.error());
  }
  if (auto ok = protocol::CheckTopicName(options.cluster_name); !ok) {
    return WrongName(settings, "brokerClusterName", ok.error());
  }
  options.broker_id = settings.Int("brokerId");
  const auto port = static_cast<int>(settings.Int("listenPort"));
  const std::string listen = settings.Has("listen") ? settings.String("listen") : "0.0.0.0";
  auto address = loop::Address::Parse(listen, port);
  if (!address) return WrongName(settings, "listen", address.error());
  if (address->kind != loop::Address::Kind::kTcp) {
    return MakeError(ErrorCode::kConfig, "listen: the broker's main address is host:port; its Unix socket is " +
                                             options.store.root + "/mq/broker.sock");
  }
  options.listen = *address;
  sockaddr_storage resolved{};
  if (!loop::NumericSockaddr(address->host, address->port, &resolved) &&
      !loop::ResolveSockaddr(address->host, address->port, &resolved)) {
    return WrongName(settings, "listen", MakeError(ErrorCode::kConfig, "the host '" + address->host + "' is unknown"));
  }
  ChooseAdvertisedHost(settings, options);
  for (const auto piece : SplitAny(settings.String("namesrvAddr"), ";, ")) {
    const auto server = loop::Address::Parse(piece);
    if (!server) return WrongName(settings, "namesrvAddr", server.error());
    options.name_servers.emplace_back(piece);
  }
  options.register_period_ms = settings.DurationMs("registerNameServerPeriod");
  options.register_timeout_ms = settings.DurationMs("registerBrokerTimeoutMills");
  options.compressed_register = settings.Bool("compressedRegister");
  options.force_register = settings.Bool("forceRegister");
  options.spawn_helpers = settings.String("helpers") == "spawn";
  options.sync_flush_timeout_ms = settings.DurationMs("syncFlushTimeout");
  options.pool_asked_for = settings.Bool("transientStorePoolEnable");
  options.pool_fail_fast = settings.Bool("fastFailIfNoBufferInStorePool");
  options.page_cache_busy_ms = settings.DurationMs("osPageCacheBusyTimeOutMills");
  options.fast_failure = settings.Bool("brokerFastFailureEnable");
  options.wait_send_ms = settings.DurationMs("waitTimeMillsInSendQueue");
  options.wait_pull_ms = settings.DurationMs("waitTimeMillsInPullQueue");
  options.wait_heartbeat_ms = settings.DurationMs("waitTimeMillsInHeartbeatQueue");
  options.permission = static_cast<int32_t>(settings.Int("brokerPermission"));
  options.auto_create_topic = settings.Bool("autoCreateTopicEnable");
  options.default_topic_queues = static_cast<int32_t>(settings.Int("defaultTopicQueueNums"));
  options.auto_create_group = settings.Bool("autoCreateSubscriptionGroup");
  options.notify_consumer_ids = settings.Bool("notifyConsumerIdsChangedEnable");
  options.offset_save_period_ms = settings.DurationMs("flushConsumerOffsetInterval");
  options.long_polling = settings.Bool("longPollingEnable");
  options.short_polling_ms = settings.DurationMs("shortPollingTimeMills");
  options.max_transfer_bytes = settings.Bytes("maxTransferBytesOnMessageInMemory");
  options.max_transfer_count = static_cast<int32_t>(settings.Int("maxTransferCountOnMessageInMemory"));
  options.query_max_messages = static_cast<int32_t>(settings.Int("maxMsgsNumBatch"));
  options.query_by_id_messages = static_cast<int32_t>(settings.Int("defaultQueryMaxNum"));
  options.detail_stat = settings.Bool("enableDetailStat");
  if (settings.Has("ready-fd")) options.ready_fd = static_cast<int>(settings.Int("ready-fd"));
  return options;
}

void CopyLiveOptions(const BrokerOptions& from, BrokerOptions& to) {
  to.store.max_message_bytes = from.store.max_message_bytes;
  to.store.clean = from.store.clean;
  to.sync_flush_timeout_ms = from.sync_flush_timeout_ms;
  to.pool_fail_fast = from.pool_fail_fast;
  to.page_cache_busy_ms = from.page_cache_busy_ms;
  to.fast_failure = from.fast_failure;
  to.wait_send_ms = from.wait_send_ms;
  to.wait_pull_ms = from.wait_pull_ms;
  to.wait_heartbeat_ms = from.wait_heartbeat_ms;
  to.permission = from.permission;
  to.auto_create_group = from.auto_create_group;
  to.notify_consumer_ids = from.notify_consumer_ids;
  to.offset_save_period_ms = from.offset_save_period_ms;
  to.name_servers = from.name_servers;
  to.long_polling = from.long_polling;
  to.short_polling_ms = from.short_polling_ms;
  to.max_transfer_bytes = from.max_transfer_bytes;
  to.max_transfer_count = from.max_transfer_count;
  to.detail_stat = from.detail_stat;
  to.query_max_messages = from.query_max_messages;
  to.query_by_id_messages = from.query_by_id_messages;
}

Result<protocol::Host> StoreHost(const std::string& host, int port) {
  sockaddr_storage address{};
  if (!loop::NumericSockaddr(host, port, &address) && !loop::ResolveSockaddr(host, port, &address)) {
    return MakeError(ErrorCode::kConfig, "the advertised host '" + host + "' (brokerIP1) cannot be resolved");
  }
  const loop::HostPort found = loop::HostPortOf(address);
  protocol::Host out;
  std::memcpy(out.address.data(), found.bytes, static_cast<size_t>(found.length));
  out.v6 = found.length == 16;
  out.port = port;
  return out;
}

}  // namespace mq::broker
