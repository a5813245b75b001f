// What a run of mq-consume was asked to do: its settings, checked against each other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/consumer.h"
#include "conf/settings.h"
#include "consume/where.h"
#include "stream/writer.h"

namespace mq::consume {

struct Options {
  std::vector<std::string> topics;
  std::vector<std::int32_t> queues;  // empty: all
  client::PullConsumerOptions consumer;

  std::string group;   // empty: no group is joined
  bool commit = true;  // of a group: --ack is not none

  Where from;
  std::optional<Where> to;
  std::int64_t last = 0;  // 0: not asked for
  bool per_queue = false;
  bool follow = false;
  std::string grep;
  bool wait_topic = false;

  std::int64_t count = 0;  // 0: no limit
  bool exit_at_end = false;
  std::int64_t wait_ms = 0;      // 0: for ever
  std::int64_t deadline_ms = 0;  // 0: none

  stream::WriterOptions writer;
  std::optional<stream::PrintfFormat> printf;
  std::string dump;  // directory; empty: stdout
  bool line_buffered = false;

  bool quiet = false;
  int verbose = 0;
};

// An error is a usage error: nothing was tried. `terminal` says whether stdout is one.
Result<Options> OptionsFrom(const conf::Settings& settings, std::int64_t now_ms, bool terminal);

}  // namespace mq::consume
