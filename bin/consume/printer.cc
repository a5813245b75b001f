#include "consume/printer.h"

#include <fcntl.h>
#include <regex.h>

#include <cstdio>
#include <utility>

#include "base/file.h"

namespace mq::consume {

struct BodyPattern::Compiled {
  regex_t regex{};
  ~Compiled() { ::regfree(&regex); }
};

BodyPattern::BodyPattern(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
BodyPattern::~BodyPattern() = default;
BodyPattern::BodyPattern(BodyPattern&&) noexcept = default;
BodyPattern& BodyPattern::operator=(BodyPattern&&) noexcept = default;

Result<BodyPattern> BodyPattern::Compile(const std::string& expression) {
  auto compiled = std::make_unique<Compiled>();
  const int code = ::regcomp(&compiled->regex, expression.c_str(), REG_EXTENDED | REG_NEWLINE);
  if (code == 0) return BodyPattern(std::move(compiled));
  char text[256];
  ::regerror(code, &compiled->regex, text, sizeof text);
  return MakeError(ErrorCode::kConfig, "--grep: '" + expression + "': " + text);
}

bool BodyPattern::Matches(std::string_view body) const {
  // REG_STARTEND: the body need not end in NUL and may contain some.
  regmatch_t range{};
  range.rm_so = 0;
  range.rm_eo = static_cast<regoff_t>(body.size());
  const char* bytes = body.empty() ? "" : body.data();
  return ::regexec(&compiled_->regex, bytes, 1, &range, REG_STARTEND) == 0;
}

Printer::Printer(const Options& options, Output& output)
    : options_(options), output_(output), writer_(options.writer) {}

Status Printer::Open() {
  if (!options_.grep.empty()) {
    MQ_ASSIGN(BodyPattern pattern, BodyPattern::Compile(options_.grep));
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
