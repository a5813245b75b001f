// The printf format of mq-consume.
#include "base/strings.h"
#include "protocol/ids.h"
#include "protocol/properties.h"
#include "stream/writer.h"

namespace mq::stream {
namespace {

constexpr std::string_view kLetters = "bBxkTtqoisrln0%";

std::string IdOf(const protocol::MessageView& record) {
  const MessageAttributes attributes = AttributesOf(record.properties);
  if (!attributes.uniq_key.empty()) return std::string(attributes.uniq_key);
  return protocol::MakeOffsetMessageId(record.store_host, record.physical_offset);
}

}  // namespace

std::string_view PrintfFormat::Help() {
  return "%b  body                      %t  topic\n"
         "%B  body in base64            %q  queue number\n"
         "%x  body in hexadecimal       %o  offset in the queue\n"
         "%k  keys, joined by blanks    %i  message id\n"
         "%T  tag                       %s  time stored\n"
         "%l  length of the body        %r  how often it was tried again\n"
         "%n  newline                   %{NAME}  the property NAME\n"
         "%0  NUL                       %%  a percent sign\n"
         "and the escapes \\n \\r \\t \\0 \\\\ \\xNN\n";
}

Result<PrintfFormat> PrintfFormat::Parse(std::string_view text) {
  MQ_ASSIGN(const std::string format, Unescape(text));
  PrintfFormat parsed;
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) parsed.pieces_.push_back({'"', std::move(literal)});
    literal.clear();
  };
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      literal += format[i];
      continue;
    }
    const char letter = i + 1 < format.size() ? format[++i] : ' ';
    if (letter == '{') {
      const std::size_t close = format.find('}', i);
      if (close == std::string::npos || close == i + 1) {
        return MakeError(ErrorCode::kConfig, "'" + std::string(text) + "': %{ needs a property's name and }");
      }
      flush();
      parsed.pieces_.push_back({'{', format.substr(i + 1, close - i - 1)});
      i = close;
    } else if (kLetters.find(letter) == std::string_view::npos) {
      return MakeError(ErrorCode::kConfig, "'" + std::string(text) + "': no such thing as %" + letter)
          .WithHint("-f help lists what a format may contain");
    } else if (letter == 'n' || letter == '0' || letter == '%') {
      literal += letter == 'n' ? '\n' : letter == '0' ? '\0' : '%';
    } else {
      flush();
      parsed.pieces_.push_back({letter, {}});
    }
  }
  flush();
  return parsed;
}

void PrintfFormat::Append(std::string& out, const OutputMessage& message, bool epoch_ms, bool for_terminal,
                          TimePrinter& times) const {
  const protocol::MessageView& record = *message.record;
  const auto text = [&](std::string_view bytes) {
    for_terminal ? AppendForTerminal(out, bytes) : (void)(out += bytes);
  };
  for (const Piece& piece : pieces_) {
    switch (piece.kind) {
      case '"':
        out += piece.text;
        break;
      case '{':
        text(protocol::FindProperty(record.properties, piece.text).value_or(""));
        break;
      case 'b':
        text(message.body);
        break;
      case 'B':
        out += Base64Encode(message.body);
        break;
      case 'x':
        out += HexUpper(message.body);
        break;
      case 'k':
        text(AttributesOf(record.properties).keys);
        break;
      case 'T':
        text(AttributesOf(record.properties).tag);
        break;
      case 't':
        text(record.topic);
        break;
      case 'q':
        out += std::to_string(record.queue_id);
        break;
      case 'o':
        out += std::to_string(record.queue_offset.value());
        break;
      case 'i':
        text(IdOf(record));
        break;
      case 's':
        epoch_ms ? (void)(out += std::to_string(record.store_timestamp)) : times.Append(out, record.store_timestamp);
        break;
      case 'r':
        out += std::to_string(record.reconsume_times);
        break;
      case 'l':
        out += std::to_string(message.body.size());
        break;
      default:
        break;
    }
  }
}

}  // namespace mq::stream
