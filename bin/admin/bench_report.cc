#include "admin/bench_report.h"

#include <sys/resource.h>

#include <cstdio>
#include <string>

namespace mq::admin {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::string Number(double value, int decimals) { return Cell::Number(value, decimals).text; }

}  // namespace

double ProcessorSeconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

Result<int> PrintFigures(const Context& context, const BenchFigures& figures, double client_cpu_s, int signal) {
  const double seconds = static_cast<double>(figures.elapsed_ns) / 1e9;
  const double per_second = seconds > 0 ? 1 / seconds : 0;
  const Histogram& latencies = *figures.latencies;
  const std::pair<const char*, std::string> values[] = {
      {"rate", Number(static_cast<double>(figures.messages) * per_second, 1)},
      {"bytes_per_s", Number(static_cast<double>(figures.bytes) * per_second, 0)},
      {"p50_us", Number(latencies.PercentileUs(0.5), 1)},
      {"p99_us", Number(latencies.PercentileUs(0.99), 1)},
      {"p999_us", Number(latencies.PercentileUs(0.999), 1)},
      {"max_us", Number(latencies.max_us(), 1)},
      {"failed", std::to_string(figures.failed)},
      {"client_cpu_s", Number(client_cpu_s, 3)},
      {"messages", std::to_string(figures.messages)},
      {"seconds", Number(seconds, 3)},
  };
  std::string text;
  for (const auto& [name, value] : values) {
    if (!text.empty()) text += context.style.json ? "," : " ";
    text += context.style.json ? "\"" + std::string(name) + "\":" + value : std::string(name) + "=" + value;
  }
  MQ_TRY(PrintOut(context.style.json ? "{" + text + "}\n" : text + "\n"));
  if (signal != 0) return 128 + signal;
  return figures.failed > 0 ? kPartly : kDone;
}

}  // namespace mq::admin
