// --grep of the tools that print messages: which bodies match.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace mq::stream {

// An extended regular expression over bytes; ^ and $ match at every line.
class BodyPattern {
 public:
  static Result<BodyPattern> Compile(const std::string& expression);
  ~BodyPattern();
  BodyPattern(BodyPattern&&) noexcept;
  BodyPattern& operator=(BodyPattern&&) noexcept;
  bool Matches(std::string_view body) const;

 private:
  struct Compiled;
  explicit BodyPattern(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace mq::stream
