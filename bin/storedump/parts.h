// Prints the parts of a store other than the log. Each returns the exit status.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "conf/settings.h"
#include "storedump/live.h"
#include "storedump/options.h"
#include "storedump/output.h"

namespace mq::storedump {

struct Context {
  const conf::Settings& settings;
  const Options& options;
  LiveBroker& live;
  Output& output;
};

Result<int> PrintQueues(Context& context);
Result<int> PrintIndex(Context& context);
Result<int> PrintCheckpoint(Context& context);
Result<int> PrintPositions(Context& context);
Result<int> PrintConfig(Context& context);
Result<int> PrintUsage(Context& context);
Result<int> PrintHex(Context& context);
Result<int> Verify(Context& context);
Result<int> PrintPlan(Context& context);
Result<int> Rebuild(Context& context);
Result<int> PrintDiff(Context& context);
// A value of fastjson's as strict JSON.
void AppendStrict(json::Writer& writer, const json::Value& value);

}  // namespace mq::storedump
