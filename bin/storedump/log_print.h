// Prints the commit log: all of it, a range, what matches, and what comes. Also sums it up per queue.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "conf/settings.h"
#include "store/dump_log.h"
#include "storedump/live.h"
#include "storedump/options.h"
#include "storedump/output.h"
#include "stream/body_pattern.h"
#include "stream/writer.h"

namespace mq::storedump {

class LogPrint {
 public:
  LogPrint(const conf::Settings& settings, const Options& options, LiveBroker& live, Output& output)
      : settings_(settings), options_(options), live_(live), output_(output), writer_(options.writer) {}

  // Returns the exit status: 3 when damage was stepped over.
  Result<int> Print();
  Result<int> Summary();

 private:
  Status Open();
  // Hands every wanted record to `print`; blanks and damage to OnOther.
  Status Walk(bool summary);
  Status OnItem(const store::LogItem& item, bool summary);
  bool Wants(const store::LogItem& item) const;
  Status PrintRecord(const store::LogItem& item);
  Status OnOther(const store::LogItem& item, bool summary);
  Status Follow();
  // Waits for more; false when a signal came.
  Result<bool> WaitForMore();
  Result<bool> Settled();
  bool MayBeDamage() const;
  void LookAtBroker();
  Error AtPosition(Error error) const;

  const conf::Settings& settings_;
  const Options& options_;
  LiveBroker& live_;
  Output& output_;
  stream::Writer writer_;
  std::optional<stream::BodyPattern> pattern_;
  std::optional<store::DumpLog> log_;
  store::PhysicalOffset to_;
  int status_ = 0;
  std::string scratch_;
  std::string body_text_;
  std::string properties_text_;
  // Without a broker's word the last record is believed when it has not changed between two looks.
  store::PhysicalOffset seen_at_{-1};
  std::string seen_;
  int waits_ = 0;
  bool stop_ = false;
};

}  // namespace mq::storedump
