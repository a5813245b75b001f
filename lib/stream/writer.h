// Prints messages in a pipe format, for mq-consume and everything else that writes one.
//
// Appends to a buffer of the caller's, who decides when to write it out. Not tied to a thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/message.h"
#include "stream/format.h"

namespace mq::stream {

// A message to print: the stored record, its body after inflating, and the broker it came from.
struct OutputMessage {
  const protocol::MessageView* record = nullptr;
  std::string_view body;
  std::string_view broker;
};

// What of a message's properties a reader asks for, looked up once.
struct MessageAttributes {
  std::string_view tag;
  std::string_view keys;  // joined by blanks, as stored
  std::string_view uniq_key;
};
MessageAttributes AttributesOf(std::string_view properties);

// Properties that clients and brokers add to every message and that a copy gets anew (UNIQ_KEY, CLUSTER, WAIT ...), or
// that have a field of their own (TAGS, KEYS): not listed among `properties`.
bool IsTransportProperty(std::string_view name);

// Times as RFC 3339 with milliseconds, fast for times close to each other.
class TimePrinter {
 public:
  void Append(std::string& out, std::int64_t ms);

 private:
  std::int64_t second_ = -1;
  std::string prefix_;
};

// A printf format of mq-consume: %b %B %x %k %T %t %q %o %i %s %r %l %n %0 %% %{name}, and the escapes of Unescape.
class PrintfFormat {
 public:
  static Result<PrintfFormat> Parse(std::string_view text);
  // What may stand in a format, one a line.
  static std::string_view Help();
  void Append(std::string& out, const OutputMessage& message, bool epoch_ms, bool for_terminal,
              TimePrinter& times) const;

 private:
  struct Piece {
    char kind;         // the letter; '"' a literal; '{' a property
    std::string text;  // of a literal or a property's name
  };
  std::vector<Piece> pieces_;
};

struct WriterOptions {
  Format format = Format::kLines;
  std::string delimiter = "\n";
  bool epoch_ms = false;
  bool for_terminal = false;  // escape what a terminal would obey
};

class Writer {
 public:
  explicit Writer(WriterOptions options) : options_(std::move(options)) {}

  void Append(std::string& out, const OutputMessage& message);

 private:
  void AppendJson(std::string& out, const OutputMessage& message);
  void AppendMsgpack(std::string& out, const OutputMessage& message);

  WriterOptions options_;
  TimePrinter times_;
  std::string scratch_;
};

}  // namespace mq::stream
