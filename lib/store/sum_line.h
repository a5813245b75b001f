// The last line of our own small files in mq/: "sum CRC32-IN-HEX" of everything above it. A file without it, or with
// another sum, was cut or changed by somebody, and none of its numbers is believed. And how their lines are read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace mq::store {

// The line for these bytes, with its newline.
std::string SumLine(std::string_view text);
// What lies above a right sum line that ends `text`; nothing when there is none.
std::optional<std::string_view> AboveSumLine(std::string_view text);

// Splits a line "word n n n rest": numbers into `numbers`, what follows them into `rest`, which must be something where
// it is asked for, and nothing where it is not. False for any other line.
bool ReadFields(std::string_view line, std::string_view word, std::initializer_list<int64_t*> numbers,
                std::string_view* rest);

}  // namespace mq::store
