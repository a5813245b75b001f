// The part of dump_verify that looks at checkpoint (I-14) and config/*.json: topics, consumer offsets, delay offsets
// (I-15).
//
// All of them are read before log and queues are: on a store that is in use they then never speak of more than is found
// afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "store/checkpoint.h"
#include "store/dump_verify.h"
#include "store/dump_verify_queues.h"
#include "store/layout.h"

namespace mq::store {

class ConfigVerifier {
 public:
  ConfigVerifier(const VerifyOptions& options, const FaultSink& sink) : layout_(options.root), sink_(sink) {}

  // Reads the checkpoint and the tables, and says which of these are no JSON.
  void Load();
  // Whether the checkpoint can be one: its times are not later than `newest_time`, the newest record's, or than now
  // where there is no record.
  void CheckCheckpoint(std::optional<int64_t> newest_time);
  // Topics that topics.json names, sorted; empty when it cannot be read.
  const std::vector<std::string>& topics() const { return topics_; }
  // Up to where the checkpoint says the index is durable; 0: nowhere.
  int64_t index_time() const;

  // After QueueVerifier::Finish. `newest_time`: store time of the newest record; `log_end`: nothing while the log
  // grows.
  void Check(const QueueVerifier& queues, bool has_records, int64_t newest_time, PhysicalOffset log_min,
             std::optional<PhysicalOffset> log_end);

 private:
  void LoadCheckpoint();
  std::optional<json::Value> LoadFile(std::string_view name);
  void CheckTopics(const QueueVerifier& queues);
  void CheckOffsets(const QueueVerifier& queues);
  void CheckOffsetsOf(std::string_view topic, std::string_view group, const json::Value& offsets,
                      const QueueVerifier& queues);
  void CheckDelayOffsets(const QueueVerifier& queues);
  std::string PathOf(std::string_view name) const { return layout_.ConfigDir() + "/" + std::string(name) + ".json"; }
  bool Knows(std::string_view topic) const;
  void Say(std::string_view name, Severity severity, std::string_view rule, std::string text);

  StoreLayout layout_;
  const FaultSink& sink_;
  std::vector<std::string> topics_;
  std::optional<json::Value> offsets_;
  std::optional<json::Value> delay_offsets_;
  std::optional<Checkpoint> checkpoint_;
};

}  // namespace mq::store
