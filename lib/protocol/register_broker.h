// Body of REGISTER_BROKER (103): what a broker tells a name server about itself, plain or compressed.
// Written by the broker, read by the name server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/topic_config.h"

namespace mq::protocol {

struct RegisterBrokerBody {
  TopicConfigSerializeWrapper topics;
  std::vector<std::string> filter_servers;
};

// `compressed`: one zlib stream of length-prefixed parts, which loses topicSysFlag and order.
Result<std::string> EncodeRegisterBrokerBody(const RegisterBrokerBody& body, bool compressed);
// An empty body is a broker without topics. Peers older than 3.0.11 send the bare topic table.
Result<RegisterBrokerBody> DecodeRegisterBrokerBody(std::string_view body, bool compressed, int32_t peer_version);

}  // namespace mq::protocol
