// Options of mq-admin msg.
#include "conf/mq_admin_rows.h"

namespace mq::conf::admin_rows {
namespace {

constexpr Option kFormat{.name = "format",
                         .kind = Kind::kEnum,
                         .default_value = "text",
                         .choices = "text|lines|nul|whole|json|msgpack",
                         .group = "Output",
                         .doc = "how a message is printed: as text for people, or in a format of mq-consume"};
constexpr Option kEpochMs = EpochMsRow("in JSON and msgpack: times as milliseconds since 1970");

constexpr Option kMsgGet[] = {
    InSynopsis(TopicRow("What", "the message's topic; needed for an id that a producer made")),
    {.name = "any-address",
     .kind = Kind::kFlag,
     .group = "What",
     .doc = "connect to the address in the id even if it is no broker of this cluster"},
    kFormat,
    kEpochMs,
};

constexpr Option kMsgFind[] = {
    kTopic,
    {.name = "key",
     .kind = Kind::kString,
     .metavar = "KEY",
     .group = "What",
     .doc = "one of the message's keys",
     .required = true,
     .in_synopsis = true,
     .brief = true},
    {.name = "begin",
     .kind = Kind::kString,
     .metavar = "TIME",
     .group = "What",
     .doc = "only messages stored at this time or later"},
    {.name = "end",
     .kind = Kind::kString,
     .metavar = "TIME",
     .group = "What",
     .doc = "only messages stored at this time or earlier"},
    {.name = "max",
     .kind = Kind::kInt,
     .metavar = "N",
     .default_value = "32",
     .min = 1,
     .max = 64,
     .group = "What",
     .doc = "the newest N of them"},
    kFormat,
    kEpochMs,
};

constexpr Operand kMessageOperand{.metavar = "ID",
                                  .doc = "the id that the producer's client made, or the broker's offset id",
                                  .min = 1,
                                  .max = 1,
                                  .synopsis = "ID"};
constexpr std::string_view kMessage = "the message, as mq-consume -J prints it";

}  // namespace

std::vector<Command> MsgCommands() {
  return {{.noun = "msg",
           .verb = "get",
           .doc = "the message of an id: status 1 when there is none",
           .options = kMsgGet,
           .operand = kMessageOperand,
           .json = kMessage},
          {.noun = "msg",
           .verb = "find",
           .doc = "messages by one of their keys: status 1 when there is none",
           .options = kMsgFind,
           .json = kMessage}};
}

}  // namespace mq::conf::admin_rows
