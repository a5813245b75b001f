#include "stream/body_pattern.h"

#include <regex.h>

#include <utility>

namespace mq::stream {

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

}  // namespace mq::stream
