// What the laboratory's clients share on the wire: the broker's own socket, and the head of a request.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "protocol/command.h"

namespace mq::crash {

Result<UniqueFd> ConnectTo(const std::string& socket_path);
protocol::CommandHead HeadOf(protocol::RequestCode code, int32_t opaque);

}  // namespace mq::crash
