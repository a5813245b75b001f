#include "consume/printer.h"

#include <fcntl.h>

#include <cstdio>
#include <utility>

#include "base/file.h"

namespace mq::consume {

Printer::Printer(const Options& options, Output& output)
    : options_(options), output_(output), writer_(options.writer) {}

Status Printer::Open() {
  if (!options_.grep.empty()) {
    MQ_ASSIGN(stream::BodyPattern pattern, stream::BodyPattern::Compile(options_.grep));
    pattern_ = std::move(pattern);
  }
  if (!options_.dump.empty()) MQ_TRY(MakeDirectories(options_.dump));
  return Ok();
}

bool Printer::Wants(std::string_view body) const { return !pattern_ || pattern_->Matches(body); }

Status Printer::Print(const stream::OutputMessage& message) {
  if (!options_.dump.empty()) return Dump(message);
  std::string& out = output_.buffer();
  if (options_.printf) {
    options_.printf->Append(out, message, options_.writer.epoch_ms, options_.writer.for_terminal, times_);
  } else {
    writer_.Append(out, message);
  }
  output_.Added(options_.line_buffered);
  return Ok();
}

std::string DumpName(const stream::OutputMessage& message) {
  std::string broker(message.broker);
  for (char& c : broker) {
    if (c == '/' || c == '\0') c = '_';
  }
  char offset[24];
  std::snprintf(offset, sizeof offset, "%020lld", static_cast<long long>(message.record->queue_offset.value()));
  return std::string(message.record->topic) + "." + broker + "." + std::to_string(message.record->queue_id) + "." +
         offset;
}

// Under a name beginning with a dot first: a file that can be seen is whole.
Status Printer::Dump(const stream::OutputMessage& message) {
  const std::string name = DumpName(message);
  const std::string path = JoinPath(options_.dump, name);
  const std::string partial = JoinPath(options_.dump, "." + name);
  {
    MQ_ASSIGN(const UniqueFd fd, OpenFile(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC));
    MQ_TRY(WriteAll(fd.get(), message.body, partial));
  }
  if (std::rename(partial.c_str(), path.c_str()) != 0) return ErrnoError(ErrorCode::kIo, "rename " + partial);
  return Ok();
}

}  // namespace mq::consume
