// Asks a broker by key for what must be there.
#pragma once

#include "base/result.h"
#include "damage_expect.h"
#include "damage_read.h"

namespace mq::crash {

// Every intact record that counts is found by each of its keys, byte for byte; of every `step`th one only, from a
// random one on. A broker may say that it is busy with its index, for a few seconds; it may never say that there is no
// such message.
Status CompareKeys(QueueClient& reader, const Truth& truth, const Expectation& expected, size_t first, size_t step);

}  // namespace mq::crash
