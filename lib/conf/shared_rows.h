// Rows that several programs have, with what all of them have in common: the same letters, names and words everywhere.
// A program says under which heading a row stands, and what it does there. For the option tables alone.
#pragma once

#include <string_view>

#include "conf/option.h"

namespace mq::conf {

// How messages lie in a pipe.
inline constexpr std::string_view kPipeFormats = "lines|nul|whole|json|msgpack";

constexpr Option TopicRow(std::string_view group, std::string_view doc) {
  return {.name = "topic", .letter = 't', .kind = Kind::kString, .metavar = "TOPIC", .group = group, .doc = doc};
}
constexpr Option FormatRow(std::string_view group, std::string_view doc) {
  return {.name = "format",
          .kind = Kind::kEnum,
          .default_value = "lines",
          .choices = kPipeFormats,
          .group = group,
          .doc = doc,
          .brief = true};
}
constexpr Option NulRow(std::string_view group) {
  return {
      .name = "nul", .letter = '0', .kind = Kind::kFlag, .group = group, .doc = "same as --format nul", .brief = true};
}
constexpr Option JsonRow(std::string_view group) {
  return {.name = "json",
          .letter = 'J',
          .kind = Kind::kFlag,
          .group = group,
          .doc = "same as --format json: one JSON object a line",
          .brief = true};
}
constexpr Option MsgpackRow(std::string_view group) {
  return {.name = "msgpack",
          .letter = 'M',
          .kind = Kind::kFlag,
          .group = group,
          .doc = "same as --format msgpack: one msgpack map a message",
          .brief = true};
}
constexpr Option EpochMsRow(std::string_view doc) {
  return {.name = "epoch-ms", .kind = Kind::kFlag, .group = "Output", .doc = doc};
}
constexpr Option NamesrvRow(std::string_view group, std::string_view doc) {
  return {.name = "namesrv",
          .letter = 'n',
          .kind = Kind::kString,
          .metavar = "ADDR[;ADDR...]",
          .default_value = "127.0.0.1:9876",
          .env = "MQ_NAMESRV NAMESRV_ADDR",
          .group = group,
          .doc = doc,
          .brief = true};
}

// What a program adds to a row of all.
constexpr Option InSynopsis(Option row) {
  row.in_synopsis = row.brief = true;
  return row;
}
constexpr Option Repeatable(Option row) {
  row.repeatable = row.brief = true;
  return row;
}
constexpr Option Required(Option row) {
  row.required = true;
  return row;
}

}  // namespace mq::conf
