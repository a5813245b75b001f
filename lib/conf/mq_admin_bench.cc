// Options of mq-admin bench.
#include "conf/mq_admin_rows.h"

namespace mq::conf::admin_rows {
namespace {

constexpr Option kGroup{.name = "group",
                        .letter = 'g',
                        .kind = Kind::kString,
                        .metavar = "GROUP",
                        .default_value = "TOOLS_CONSUMER",
                        .group = "What",
                        .doc = "the consumer group named in the pulls; nothing is committed under it"};
constexpr Option kDuration{.name = "duration",
                           .kind = Kind::kDuration,
                           .metavar = "DURATION",
                           .default_value = "5s",
                           .min = 1,
                           .max = kDayMs,
                           .group = "Load",
                           .doc = "how long to go on",
                           .brief = true};
constexpr Option kSize{.name = "size",
                       .kind = Kind::kSize,
                       .metavar = "BYTES",
                       .default_value = "128",
                       .min = 1,
                       .max = 4 * kMiB,
                       .group = "Load",
                       .doc = "size of each body",
                       .brief = true};

constexpr Option kBenchSend[] = {
    kTopic,
    {.name = "connections",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "1",
     .min = 1,
     .max = 10000,
     .group = "Load",
     .doc = "connections to send over, spread over the topic's queues",
     .brief = true},
    {.name = "window",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "1",
     .min = 1,
     .max = 65536,
     .group = "Load",
     .doc = "requests in flight on each connection",
     .brief = true},
    kSize,
    {.name = "batch",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "1",
     .min = 1,
     .max = 10000,
     .group = "Load",
     .doc = "messages in each request",
     .brief = true},
    kDuration,
    {.name = "keys", .kind = Kind::kFlag, .group = "Load", .doc = "give every message a key of its own"},
    {.name = "oneway",
     .kind = Kind::kFlag,
     .group = "Load",
     .doc = "ask for no answers: the rate is that of writing to the connections"},
};

constexpr Option kBenchConsume[] = {
    kTopic,
    kGroup,
    {.name = "pull-batch",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "256",
     .min = 1,
     .max = 1000000,
     .group = "Load",
     .doc = "messages to ask for in each pull",
     .brief = true},
};

constexpr Option kBenchLatency[] = {
    kTopic,
    kGroup,
    {.name = "rate",
     .kind = Kind::kRate,
     .metavar = "N/s",
     .default_value = "500/s",
     .min = 1,
     .max = 1000000,
     .group = "Load",
     .doc = "messages a second",
     .brief = true},
    kSize,
    kDuration,
};

constexpr std::string_view kFigures =
    "one object: rate, bytes_per_s, p50_us, p99_us, p999_us, max_us, failed, client_cpu_s";

}  // namespace

std::vector<Command> BenchCommands() {
  return {{.noun = "bench",
           .verb = "send",
           .doc = "how fast a cluster stores messages",
           .options = kBenchSend,
           .json = kFigures},
          {.noun = "bench",
           .verb = "consume",
           .doc = "how fast a cluster hands out what it holds",
           .options = kBenchConsume,
           .json = kFigures},
          {.noun = "bench",
           .verb = "latency",
           .doc = "how long messages take from being born to being consumed",
           .options = kBenchLatency,
           .json = kFigures}};
}

}  // namespace mq::conf::admin_rows
