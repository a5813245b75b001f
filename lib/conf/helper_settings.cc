// Options of mq-flushd(8) and mq-reputd(8): their own few, and those rows of broker.conf that name them as a reader.
#include "conf/programs.h"

namespace mq::conf {
namespace {

constexpr Option kFlushd[] = {
    {.name = "once",
     .kind = Kind::kFlag,
     .group = "Mode",
     .doc = "without a broker: take the store's lock, flush the log, write the checkpoint and leave",
     .brief = true,
     .readers = "flushd"},
    {.name = "supervised",
     .kind = Kind::kFlag,
     .group = "Mode",
     .doc = "leave when the connection to the broker ends; otherwise wait for the next broker",
     .readers = "flushd"},
};

constexpr Option kReputd[] = {
    {.name = "once",
     .kind = Kind::kFlag,
     .group = "Mode",
     .doc =
         "without a broker: take the store's lock, build what is missing of the consume queues and the index and leave",
     .brief = true,
     .readers = "reputd"},
    {.name = "rebuild",
     .kind = Kind::kFlag,
     .group = "Mode",
     .doc = "with --once: build the consume queues and the index anew from the whole log",
     .readers = "reputd"},
    {.name = "supervised",
     .kind = Kind::kFlag,
     .group = "Mode",
     .doc = "leave when the connection to the broker ends; otherwise wait for the next broker",
     .readers = "reputd"},
};

std::vector<Option> RowsFor(std::string_view reader) {
  std::vector<Option> rows;
  for (const Option& row : BrokerSettings()) {
    if (row.readers.find(reader) != std::string_view::npos) rows.push_back(row);
  }
  return rows;
}

}  // namespace

const Program& MqFlushdProgram() {
  static const std::vector<Option> settings = RowsFor("flushd");
  static const Program program{.name = "mq-flushd",
                               .section = 8,
                               .doc = "make the commit log of a store durable",
                               .daemon = true,
                               .tables = {kFlushd, settings, DaemonOptions(), MetaOptions()},
                               .commands = {Command{}}};
  return program;
}

const Program& MqReputdProgram() {
  static const std::vector<Option> settings = RowsFor("reputd");
  static const Program program{.name = "mq-reputd",
                               .section = 8,
                               .doc = "build the consume queues and the index of a store from its commit log",
                               .daemon = true,
                               .tables = {kReputd, settings, DaemonOptions(), MetaOptions()},
                               .commands = {Command{}}};
  return program;
}

}  // namespace mq::conf
