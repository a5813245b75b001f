// Core: what the broker's processors share. Owned by Broker (broker.h), which fills it in boot order; every reference
// is valid while the loop runs. Loop thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "broker/consumer_offsets.h"
#include "broker/damage_met.h"
#include "broker/entry_finder.h"
#include "broker/options.h"
#include "broker/queues.h"
#include "broker/stats.h"
#include "broker/stats_table.h"
#include "broker/subscription_groups.h"
#include "broker/topics.h"
#include "broker/unknown_topics.h"
#include "loop/loop.h"
#include "protocol/host.h"
#include "store/boot_minimums.h"
#include "store/commit_log.h"
#include "store/consume_queue.h"
#include "store/positions.h"
#include "store/transient_pool.h"

namespace mq::broker {

struct Core {
  Core(loop::Loop& l, const BrokerOptions& o) : loop(l), options(o) {}

  loop::Loop& loop;
  const BrokerOptions& options;
  protocol::Host store_host;  // of every record this broker writes first
  int64_t boot_ms = 0;
  int64_t serving_since_ms = 0;

  store::Positions* positions = nullptr;
  std::unique_ptr<store::QueueTable> queue_table;
  std::unique_ptr<Queues> queues;
  std::unique_ptr<Topics> topics;
  UnknownTopics unknown_topics;
  std::unique_ptr<SubscriptionGroups> groups;
  std::unique_ptr<ConsumerOffsets> offsets;
  std::unique_ptr<store::TransientPool> pool;  // null without one
  std::unique_ptr<store::CommitLog> log;
  std::unique_ptr<store::LogReader> log_reader;
  std::unique_ptr<store::ConsumeQueueReader> queue_reader;
  std::unique_ptr<EntryFinder> entry_finder;
  std::unique_ptr<store::BootMinimums> boot_minimums;
  DamageMet damage_met;
  Stats stats;
  StatsTable counters;     // by topic, queue and group
  bool draining = false;   // no more appends
  std::string log_damage;  // what recovery found of it; empty: none
  std::string pool_loss;   // what this start could not take from a left transient pool; empty: nothing

  bool sync_flush() const { return options.store.flush_disk_type == store::FlushDiskType::kSync; }
  store::PhysicalOffset flushed() const {
    return store::PhysicalOffset(positions->flushd().flushed.load(std::memory_order_acquire));
  }
  store::PhysicalOffset dispatched() const {
    return store::PhysicalOffset(positions->reputd().dispatched.load(std::memory_order_acquire));
  }
  store::PhysicalOffset indexed() const {
    return store::PhysicalOffset(positions->reputd().indexed.load(std::memory_order_acquire));
  }
  // End of what anybody may see: with SYNC_FLUSH only what is durable, with a pool what is in the log files.
  store::PhysicalOffset visible_end() const {
    return sync_flush() ? store::LoadFlushed(*positions) : store::LoadReadable(*positions);
  }
  // Whether that may be behind what was acknowledged or appended.
  bool shows_later() const { return sync_flush() || pool != nullptr; }
  // Whether mq-reputd has looked at the queue files in this life of the positions: before that none is read.
  bool QueueFilesAreChecked() const { return positions->reputd().queues_checked.load(std::memory_order_acquire) != 0; }
  // Whether the consume queue on disk is this queue's: a deleted topic's old entries are not.
  bool QueueFileIsBelieved(Queue& queue) const;
  // Start of the log file that a pull could not read last.
  std::optional<store::PhysicalOffset> unreadable;
  // Why it still cannot be read; empty: it can, or it has expired.
  std::string LogUnreadable() const;
  // Empty while messages may be appended; otherwise why not. Looked at anew on every tick and wake-up.
  std::string unwritable;
  // The slowest thing a held send may be waiting for, with its figures: "sync of the log: 812 ms".
  std::string SlowestStep() const;
  // Records this far behind the end of the log count as on disk (accessMessageInMemoryMaxRatio).
  int64_t in_memory_bytes() const;
  // Where the record of that offset lies, as far as ring and consume queue know; nothing when there is none.
  std::optional<store::PhysicalOffset> PositionOf(Queue& queue, store::QueueOffset offset) const;
  // Smallest offset that can still be read. Nothing while it is not known, which is not 0: the queue's files were lost
  // and mq-reputd has not derived them again, or cannot be read. Then who asks is told to come back (MinUnknown).
  std::optional<store::QueueOffset> MinOffset(Queue& queue) const;
  static std::string MinUnknown(const Queue& queue);
};

}  // namespace mq::broker
