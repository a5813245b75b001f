// Frames from the network: framing, both header codecs, every typed header and body this code reads.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/admin_headers.h"
#include "protocol/batch.h"
#include "protocol/command.h"
#include "protocol/heartbeat.h"
#include "protocol/lists.h"
#include "protocol/pull_headers.h"
#include "protocol/register_broker.h"
#include "protocol/route.h"
#include "protocol/send_headers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mq::protocol;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static CommandView command;
  while (true) {
    const auto frame = FrameSize(bytes);
    if (!frame || *frame == 0 || *frame > bytes.size()) return 0;
    if (!DecodeCommand(bytes.substr(0, *frame), command)) return 0;
    SendMessageRequestHeader::Decode(command).Ignore("any answer will do");
    SendMessageResponseHeader::Decode(command).Ignore("any answer will do");
    PullMessageRequestHeader::Decode(command).Ignore("any answer will do");
    PullMessageResponseHeader::Decode(command).Ignore("any answer will do");
    SearchOffsetRequestHeader::Decode(command).Ignore("any answer will do");
    CreateTopicRequestHeader::Decode(command).Ignore("any answer will do");
    RegisterBrokerRequestHeader::Decode(command).Ignore("any answer will do");
    UnregisterClientRequestHeader::Decode(command).Ignore("any answer will do");
    for (const bool compressed : {false, true}) {
      DecodeRegisterBrokerBody(command.body, compressed, command.version).Ignore("any answer will do");
    }
    DecodeHeartbeat(command.body).Ignore("any answer will do");
    DecodeTopicRoute(command.body).Ignore("any answer will do");
    DecodeClusterInfo(command.body).Ignore("any answer will do");
    DecodeTopicConfigs(command.body).Ignore("any answer will do");
    DecodeKvTable(command.body).Ignore("any answer will do");
    BatchReader batch(command.body);
    while (true) {
      const auto entry = batch.Next();
      if (!entry || !entry->has_value()) break;
    }
    // What was understood can be written, and is then understood the same way.
    std::string again;
    EncodeCommand(CopyCommand(command), again);
    bytes.remove_prefix(*frame);
  }
}
