#include "storedump/run.h"

#include <sys/stat.h>
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

// Every part, one after the other. A part that is not there is said and passed over, and so is one that cannot be read
// (status 3); a store without a log is none (status 1).
Result<int> PrintAll(Context& context) {
  constexpr Result<int> (*kParts[])(Context&) = {PrintCheckpoint, PrintConfig, PrintQueues, PrintIndex};
  int worst = 0;
  if (context.live.any() != nullptr) MQ_TRY(PrintPositions(context));
  for (const auto print : kParts) {
    Result<int> status = print(context);
    // What cannot be written ends the run; everything else is the part's own trouble.
    MQ_TRY(context.output.Flush());
    if (status) {
      worst = std::max(worst, *status);
    } else {
      conf::Notice(context.settings, status.error().what);
      if (status.error().code != ErrorCode::kNotFound) worst = std::max(worst, 3);
    }
    if (SignalThatCame() != 0) return worst;
  }
  Result<int> log = PrintLog(context);
  if (!log && log.error().code == ErrorCode::kNotFound) {
    conf::Notice(context.settings, log.error().what);
    return std::max(worst, 1);
  }
  if (!log) return log;
  return std::max(worst, *log);
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
    case Task::kPlan:
      return PrintPlan(context);
    case Task::kRebuild:
      return Rebuild(context);
    case Task::kDiff:
      return PrintDiff(context);
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
  struct stat status_of_root;
  if (::stat(options.root.c_str(), &status_of_root) != 0) return ErrnoError(ErrorCode::kIo, options.root);
  if (!S_ISDIR(status_of_root.st_mode)) return MakeError(ErrorCode::kIo, options.root + " is no folder");
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
