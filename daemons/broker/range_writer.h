// Writes ranges of the mapped log as the body of a reply whose header has just been written.
#pragma once

#include <vector>

#include "remoting/channel.h"
#include "store/mapped_file.h"

namespace mq::broker {

// Ends with OutputAdded. Short ranges are copied, long ones go out straight from the map.
void WriteRanges(remoting::Channel& channel, const std::vector<store::Slice>& ranges);

}  // namespace mq::broker
