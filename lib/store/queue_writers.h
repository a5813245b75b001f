// QueueWriters: the writers of all consume queues of a store (queue_writer.h), with what they do together: their syncs
// and their trimming. Owned by Reput, in mq-reputd alone; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/layout.h"
#include "store/queue_writer.h"
#include "store/store_options.h"

namespace mq::store {

class QueueWriters {
 public:
  explicit QueueWriters(const StoreOptions& options);
  QueueWriters(const QueueWriters&) = delete;
  QueueWriters& operator=(const QueueWriters&) = delete;

  // Takes over queues whose files end where `queues` says.
  void Start(const std::map<QueueName, KeptQueue>& queues);
  QueueWriter& GetOrCreate(std::string_view topic, int32_t queue_id);
  // Removes all files of a topic and forgets its queues.
  Status RemoveTopic(std::string_view topic);

  // Syncs queues with at least `least_pages` dirty pages; 0 = all dirty ones. Each sync of a file waits for the disk,
  // so the writing of all is started before the first is waited for.
  Status Sync(int32_t least_pages);
  std::map<QueueName, MarkedQueue> Marked() const;

  // Trims all queues in pieces: from BeginTrim on each call deals with at most `max_queues`, and is true while some are
  // left. A queue that fails is passed over and said.
  void BeginTrim();
  bool Trim(PhysicalOffset log_min, size_t max_queues);
  QueueAnomalies& anomalies() { return anomalies_; }

 private:
  struct Key {
    std::string_view topic;  // points into the writer
    int32_t queue_id;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const noexcept {
      return std::hash<std::string_view>()(key.topic) ^ (static_cast<size_t>(key.queue_id) * 0x9E3779B97F4A7C15u);
    }
  };
  QueueWriter& Add(QueueName name, std::optional<KeptQueue> start);

  StoreOptions options_;
  StoreLayout layout_;
  std::unordered_map<Key, std::unique_ptr<QueueWriter>, KeyHash> queues_;
  QueueWriter* last_ = nullptr;  // records come in runs of one queue
  QueueAnomalies anomalies_;
  std::vector<QueueName> to_trim_;
};

}  // namespace mq::store
