// Settings of mq-namesrv(8): the rows of namesrv.conf.
#include "conf/programs.h"

namespace mq::conf {
namespace {

constexpr Option kRows[] = {
    {.name = "listen",
     .key = "listen",
     .kind = Kind::kString,
     .metavar = "ADDR",
     .default_note = "0.0.0.0 with listenPort",
     .group = "Addresses",
     .doc = "the address to accept connections on; port 0 takes any free port",
     .brief = true,
     .readers = "namesrv"},
    {.key = "listenPort",
     .kind = Kind::kInt,
     .metavar = "PORT",
     .default_value = "9876",
     .min = 0,
     .max = 65535,
     .group = "Addresses",
     .doc = "the port to accept connections on when --listen names none",
     .readers = "namesrv"},
    {.key = "kvConfigPath",
     .kind = Kind::kPath,
     .metavar = "FILE",
     .default_note = "$HOME/namesrv/kvConfig.json",
     .group = "Files",
     .doc = "where the KV configuration is kept (mq-admin kv); it is made by the first change",
     .readers = "namesrv"},
    {.key = "configStorePath",
     .kind = Kind::kPath,
     .metavar = "FILE",
     .default_note = "the file of --config, else $HOME/namesrv/namesrv.properties",
     .group = "Files",
     .doc = "where settings that are changed over the network are kept; it is read at a start only as --config",
     .readers = "namesrv"},
    {.key = "orderMessageEnable",
     .kind = Kind::kBool,
     .default_value = "false",
     .group = "Routes",
     .doc = "tell clients the queues of ordered topics, as the KV namespace ORDER_TOPIC_CONFIG lists them",
     .readers = "namesrv",
     .apply = Apply::kLive},
};

}  // namespace

std::span<const Option> NamesrvSettings() { return kRows; }

const Program& MqNamesrvProgram() {
  static const Program program{.name = "mq-namesrv",
                               .section = 8,
                               .doc = "tell RocketMQ clients which brokers have which topics",
                               .daemon = true,
                               .tables = {NamesrvSettings(), DaemonOptions(), MetaOptions()},
                               .commands = {Command{}}};
  return program;
}

}  // namespace mq::conf
