// What the programs say of a damaged store: the faults that mq-storedump --verify prints, why a broker did not start,
// and that none of them broke down.
#pragma once

#include <vector>

#include "base/result.h"
#include "damage_expect.h"
#include "damage_store.h"

namespace mq::crash {

Result<std::vector<FoundFault>> Verify(const DamageStores& stores, const Truth& truth);
// In the daemons' log: one line that says why and names a file, a second one at most with what to do.
Status CheckRefusalText(const DamageStores& stores);
// No process was ended by a signal, or by a check of its own.
Status CheckNoCrash(const DamageStores& stores);

}  // namespace mq::crash
