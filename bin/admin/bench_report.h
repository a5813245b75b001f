// The figures every bench command prints: a line of name=value, or one object with --json.
#pragma once

#include <cstdint>

#include "admin/context.h"
#include "admin/histogram.h"

namespace mq::admin {

struct BenchFigures {
  uint64_t messages = 0;
  uint64_t bytes = 0;  // of bodies
  uint64_t failed = 0;
  int64_t elapsed_ns = 0;
  const Histogram* latencies = nullptr;
};

// Processor time of this process so far, in seconds.
double ProcessorSeconds();

// Prints, and says how the command ends: 0, 3 when some failed, 128+n after signal n.
Result<int> PrintFigures(const Context& context, const BenchFigures& figures, double client_cpu_s, int signal);

}  // namespace mq::admin
