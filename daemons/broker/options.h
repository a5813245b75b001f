// What the broker needs to know of its settings, checked and worked out once at start.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "loop/address.h"
#include "protocol/host.h"
#include "store/store_options.h"

namespace mq::conf {
class Settings;
}

namespace mq::broker {

struct BrokerOptions {
  store::StoreOptions store;

  std::string broker_name;
  std::string cluster_name;
  int64_t broker_id = 0;
  loop::Address listen;
  std::string advertised_host;    // brokerIP1: what clients are told
  std::string advertised_reason;  // for the line at start: why this one
  std::vector<std::string> name_servers;
  int64_t register_period_ms = 30000;
  int64_t register_timeout_ms = 6000;
  bool compressed_register = false;
  bool force_register = true;

  bool spawn_helpers = true;
  int64_t sync_flush_timeout_ms = 5000;
  bool pool_asked_for = false;  // transientStorePoolEnable; store.pool_slots says whether there is one
  bool pool_fail_fast = false;  // fastFailIfNoBufferInStorePool

  int64_t page_cache_busy_ms = 1000;  // osPageCacheBusyTimeOutMills
  bool fast_failure = true;           // brokerFastFailureEnable
  int64_t wait_send_ms = 200;         // waitTimeMillsInSendQueue
  int64_t wait_pull_ms = 5000;        // waitTimeMillsInPullQueue
  int64_t wait_heartbeat_ms = 31000;  // waitTimeMillsInHeartbeatQueue

  int32_t permission = 6;
  bool auto_create_topic = true;
  int32_t default_topic_queues = 8;
  bool auto_create_group = true;         // autoCreateSubscriptionGroup
  bool notify_consumer_ids = true;       // notifyConsumerIdsChangedEnable
  int64_t offset_save_period_ms = 5000;  // flushConsumerOffsetInterval
  bool long_polling = true;
  int64_t short_polling_ms = 1000;
  int64_t max_transfer_bytes = 256 * 1024;
  int32_t max_transfer_count = 32;
  int32_t query_max_messages = 64;    // maxMsgsNumBatch
  int32_t query_by_id_messages = 32;  // defaultQueryMaxNum

  bool detail_stat = true;  // enableDetailStat: counters by queue, too

  int ready_fd = -1;
};

Result<BrokerOptions> ReadBrokerOptions(const conf::Settings& settings);
// Those that may change while the broker runs (Apply::kLive in the settings table).
void CopyLiveOptions(const BrokerOptions& from, BrokerOptions& to);

// The store's part alone.
Result<store::StoreOptions> ReadStoreOptions(const conf::Settings& settings);

// The address that goes into records and ids: numeric, or resolved once when it is a name.
Result<protocol::Host> StoreHost(const std::string& host, int port);

}  // namespace mq::broker
