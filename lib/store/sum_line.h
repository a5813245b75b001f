// The last line of our own small files in mq/: "sum CRC32-IN-HEX" of everything above it. A file without it, or with
// another sum, was cut or changed by somebody, and none of its numbers is believed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mq::store {

// The line for these bytes, with its newline.
std::string SumLine(std::string_view text);
// What lies above a right sum line that ends `text`; nothing when there is none.
std::optional<std::string_view> AboveSumLine(std::string_view text);

}  // namespace mq::store
