#include "storedump/run.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "conf/run.h"
#include "storedump/live.h"
#include "storedump/log_print.h"
#include "storedump/output.h"
#include "storedump/parts.h"

namespace mq::storedump {
namespace {

Result<int> PrintLog(Context& context) {
  return LogPrint(context.settings, context.options, context.live, context.output).Print();
}

// Every part, one after the other. A part that is not there is said and passed over.
Result<int> PrintAll(Context& context) {
  constexpr Result<int> (*kParts[])(Context&) = {PrintCheckpoint, PrintConfig, PrintQueues, PrintIndex, PrintLog};
  int worst = 0;
  if (context.live.any() != nullptr) MQ_TRY(PrintPositions(context));
  for (const auto print : kParts) {
    Result<int> status = print(context);
    if (!status && status.error().code != ErrorCode::kNotFound) return status;
    if (!status) {
      conf::Notice(context.settings, status.error().what);
    } else {
      worst = std::max(worst, *status);
    }
    if (SignalThatCame() != 0) break;
  }
  return worst;
}

Result<int> Print(Context& context) {
  switch (context.options.part) {
    case Part::kCommitLog:
      return PrintLog(context);
    case Part::kQueue:
      return PrintQueues(context);
    case Part::kIndex:
      return PrintIndex(context);
    case Part::kCheckpoint:
      return PrintCheckpoint(context);
    case Part::kPositions:
      return PrintPositions(context);
    case Part::kConfig:
      return PrintConfig(context);
    case Part::kAll:
      return PrintAll(context);
  }
  return MakeError(ErrorCode::kInternal, "no code for this part");
}

Result<int> RunTask(Context& context) {
  switch (context.options.task) {
    case Task::kPrint:
      return Print(context);
    case Task::kVerify:
      return Verify(context);
    case Task::kSummary:
      return LogPrint(context.settings, context.options, context.live, context.output).Summary();
    case Task::kUsage:
      return PrintUsage(context);
    case Task::kHex:
      return PrintHex(context);
  }
  return MakeError(ErrorCode::kInternal, "no code for this task");
}

}  // namespace

Result<int> Run(const conf::Settings& settings, const Options& options) {
  if (!PathExists(options.root)) return MakeError(ErrorCode::kIo, options.root + " does not exist");
  WatchSignals();
  Output output(STDOUT_FILENO, options.line_buffered);
  LiveBroker live(options.root);
  if (const Status asked = live.Ask(); !asked && asked.error().code != ErrorCode::kUnreachable) {
    conf::Notice(settings, "the broker's positions cannot be used: " + asked.error().what);
  }
  Context context{settings, options, live, output};
  Result<int> status = RunTask(context);
  MQ_TRY(output.Flush());
  if (!status) return status;
  if (const int signal = SignalThatCame()) return conf::SignalStatus(signal);
  return status;
}

}  // namespace mq::storedump
