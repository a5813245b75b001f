// A record of the commit log as lines: all its fields under RocketMQ's names, or its bytes field by field.
// Used by mq-storedump for --format record, text and --hex.
#pragma once

#include <string>

#include "base/result.h"
#include "store/dump_log.h"
#include "store/dump_row.h"

namespace mq::store {

// One line: kind msg, blank, damage or torn. The body last: `body` when it is UTF-8 as its sender meant it, else
// `bodyBase64`. With `redact` sizes stand for bodies, keys and the values of user properties.
void AppendRecordRow(std::string& out, const LogItem& item, RowStyle style, bool redact);

// The record (or blank, or whatever is there) at `position`, one field a line: byte, bytes, name, value, hex.
// kNotFound when no file holds it.
Result<std::string> HexOfRecord(DumpLog& log, PhysicalOffset position, RowStyle style, bool redact);

// The property string with keys and values of user properties replaced by "[N bytes]".
std::string RedactProperties(std::string_view properties);
std::string RedactedBody(std::string_view body);

}  // namespace mq::store
