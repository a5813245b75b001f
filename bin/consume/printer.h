// Decides whether a message is wanted (--grep) and prints it: to stdout in the chosen form, or to a file of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "consume/options.h"
#include "consume/output.h"
#include "stream/body_pattern.h"
#include "stream/writer.h"

namespace mq::consume {

class Printer {
 public:
  Printer(const Options& options, Output& output);
  // Compiles the pattern and makes the dump directory.
  Status Open();
  bool Wants(std::string_view body) const;
  // An error only comes from a file of --dump.
  Status Print(const stream::OutputMessage& message);

 private:
  Status Dump(const stream::OutputMessage& message);

  const Options& options_;
  Output& output_;
  stream::Writer writer_;
  stream::TimePrinter times_;
  std::optional<stream::BodyPattern> pattern_;
};

// TOPIC.BROKER.QUEUE.OFFSET, the offset in 20 digits so that names sort in order.
std::string DumpName(const stream::OutputMessage& message);

}  // namespace mq::consume
