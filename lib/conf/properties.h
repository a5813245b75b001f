// Reader of Java properties files: broker.conf, namesrv.conf and the contexts of the tools (mq.conf(5)).
//
// Follows java.util.Properties: '#' and '!' comments, `key=value`, `key:value` and `key value`, a backslash at the end
// joins lines, escapes \n \t \r \f \\ \uXXXX; CR LF and CR end a line. Unlike Java, trailing blanks of a value are
// dropped (they are never meant) and an invalid escape or byte is an error that names its line.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace mq::conf {

struct Property {
  std::string key;
  std::string value;
  int line = 0;  // of its first character, from 1
};

// All properties in file order, duplicates included (the last one wins; the caller warns). `origin` names the text in
// errors.
Result<std::vector<Property>> ParseProperties(std::string_view text, std::string_view origin);

// The other way: `key=value` lines in the given order, as brokers and name servers tell their settings (26, 319) and
// are told them (25, 318). Escaped where reading needs it, so that ParseProperties gives the same again.
std::string FormatProperties(const std::vector<std::pair<std::string, std::string>>& properties);

// Reads and parses a file.
Result<std::vector<Property>> ReadProperties(const std::string& path);

}  // namespace mq::conf
