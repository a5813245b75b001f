// What a run of mq-send was asked to do: its settings, checked against each other, in the types its parts work with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/producer.h"
#include "conf/settings.h"
#include "send/field.h"
#include "stream/reader.h"

namespace mq::send {

enum class Progress { kNone, kText, kJson };

struct Options {
  std::string topic;                // may be empty with keep_topic
  std::vector<std::string> texts;   // -m
  std::vector<std::string> inputs;  // files, "-" for standard input; empty with -m
  stream::ReaderOptions reader;
  bool keep_topic = false;
  bool keep_queue = false;

  std::vector<std::string> keys;
  std::string tag;
  std::vector<std::pair<std::string, std::string>> properties;
  std::size_t key_field = 0;  // 0: none
  std::string field_separator;
  std::optional<JsonPath> key_json;

  std::optional<std::int32_t> queue;
  std::optional<std::string> shard;
  std::size_t shard_field = 0;  // 0: none
  std::optional<JsonPath> shard_json;

  client::ProducerOptions producer;
  bool oneway = false;
  std::int64_t rate = 0;  // messages a second; 0: as fast as it goes
  bool need_flushed = false;
  bool keep_going = false;
  bool dry_run = false;

  std::string report;  // empty: none
  std::string resume;
  bool tee = false;
  Progress progress = Progress::kNone;
  bool quiet = false;
  int verbose = 0;
};

// An error is a usage error: nothing was tried.
Result<Options> OptionsFrom(const conf::Settings& settings);

}  // namespace mq::send
