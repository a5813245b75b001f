// The pipe formats of mq-send and mq-consume: how messages become bytes of a pipe and back (mq-send(1)).
//
//   lines    body, delimiter (a newline unless -D says otherwise); not for bodies that contain it
//   nul      body, NUL
//   whole    one input is one message; nothing is added on output
//   json     one object a line: topic queue offset id offset_id tag keys properties flag born stored born_host tries
//            broker and body (valid UTF-8) or body_base64 (anything else)
//   msgpack  one map a message with the same names; body as bin
//
// json and msgpack carry everything a copy needs: body, tag, keys, properties and flag.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace mq::stream {

enum class Format { kLines, kNul, kWhole, kJson, kMsgpack };

// "lines", "nul", "whole", "json" or "msgpack".
Result<Format> ParseFormat(std::string_view name);

// Understands \n \r \t \0 \\ and \xNN; any other use of a backslash is an error that shows it.
Result<std::string> Unescape(std::string_view text);

// Appends `bytes` so that a terminal shows them and obeys nothing in them: control characters other than newline and
// tab, and bytes that are no UTF-8, become \xNN.
void AppendForTerminal(std::string& out, std::string_view bytes);

}  // namespace mq::stream
