// RemotingCommand: the frame, and both header codecs (JSON and ROCKETMQ binary).
//
//   offset 0  i32  length of what follows (4 + header + body)
//          4  u8   serialize type (0 JSON, 1 ROCKETMQ), u24 header length
//          8       header, then body
//
// Used by remoting (both ends) on the loop thread, by tests and by the frame fuzzer. No I/O here.
// Decoding does not copy: a CommandView points into the frame and lives as long as it. See mq-remoting(5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "protocol/codes.h"
#include "protocol/limits.h"

namespace mq::protocol {

// Do not renumber: the byte at offset 4 of every frame.
enum class SerializeType : uint8_t { kJson = 0, kRocketMq = 1 };

inline constexpr int32_t kFlagResponse = 1;
inline constexpr int32_t kFlagOneway = 2;
inline constexpr size_t kFramePrefixBytes = 8;

struct ExtField {
  std::string_view key;
  std::string_view value;
};

// One decoded frame. Reuse one object for many frames: its vectors keep their capacity, so a decode
// allocates nothing once warm.
class CommandView {
 public:
  int32_t code = 0;
  int32_t version = 0;
  int32_t opaque = 0;
  int32_t flag = 0;
  // The language as it was sent: a code (binary header) or a name (JSON header), so that connection
  // listings can show it. -1 with an empty name when absent.
  int language_code = -1;
  std::string_view language_name;
  std::string_view remark;
  std::string_view body;
  SerializeType type = SerializeType::kJson;
  // In order of arrival; keys are unique.
  std::vector<ExtField> ext;

  bool is_response() const { return (flag & kFlagResponse) != 0; }
  bool is_oneway() const { return (flag & kFlagOneway) != 0; }
  std::string_view language() const;
  // Value of an ext field, or nothing. An empty value in a binary header counts as absent, as in Java.
  std::optional<std::string_view> Find(std::string_view key) const;
  // Position of the field in `ext`, `hint` is looked at first; ext.size() when it is not there.
  size_t IndexOf(std::string_view key, size_t hint = 0) const;

 private:
  friend class HeaderParser;
  friend Status DecodeCommand(std::string_view frame, CommandView& out);
  friend Status DecodeBinaryHeader(std::string_view header, CommandView& out);
  // False for a key that is there already.
  bool AddExt(const ExtField& field);

  // One bit per hash of a key in `ext`: most new keys are known to be new without looking at the others.
  uint64_t keys_seen_ = 0;
  static uint64_t KeyBit(std::string_view key);
  // Text of JSON strings that contained escapes; reserved up front so that views stay valid.
  std::string unescaped_;
};

// Looks at the start of a byte stream. Returns the whole frame's size (with the length word) once the
// first eight bytes are there, 0 when more bytes are needed, or an error that says what the bytes look
// like (HTTP, HTTP/2 preface, TLS hello, an impossible length...). May judge after four bytes.
Result<size_t> FrameSize(std::string_view bytes);

// Decodes one whole frame of FrameSize() bytes. On an error `out` may hold the opaque that was read.
Status DecodeCommand(std::string_view frame, CommandView& out);

// What a header needs besides its ext fields.
struct CommandHead {
  SerializeType type = SerializeType::kJson;
  int32_t code = 0;
  int32_t opaque = 0;
  int32_t flag = 0;
  int32_t version = kOurVersion;
  LanguageCode language = LanguageCode::kJava;
  std::string_view remark = {};
};

// Head of a reply: serialize type and opaque of the request, response flag.
CommandHead ReplyHead(const CommandView& request, int32_t code, std::string_view remark = {});
inline CommandHead ReplyHead(const CommandView& request, ResponseCode code, std::string_view remark = {}) {
  return ReplyHead(request, static_cast<int32_t>(code), remark);
}

// Writes one frame straight into an output buffer:
//   CommandWriter writer(out, head); writer.Ext("topic", t); writer.Finish(body.size()); out += body;
// Ext fields must come in alphabetical order, each key once; values are JSON strings always. A code
// outside 16 bits cannot be carried by the binary header and goes out as JSON. Between construction
// and Finish nobody else may touch the buffer; `head.remark` must live until Finish.
class CommandWriter {
 public:
  CommandWriter(std::string& out, const CommandHead& head);
  CommandWriter(const CommandWriter&) = delete;
  CommandWriter& operator=(const CommandWriter&) = delete;

  void Ext(std::string_view key, std::string_view value);
  void Ext(std::string_view key, const char* value) { Ext(key, std::string_view(value)); }
  void Ext(std::string_view key, const std::string& value) { Ext(key, std::string_view(value)); }
  void Ext(std::string_view key, int64_t value);
  void Ext(std::string_view key, int32_t value) { Ext(key, static_cast<int64_t>(value)); }
  void Ext(std::string_view key, bool value) { Ext(key, value ? "true" : "false"); }

  // Ends the header and patches the lengths for a body of that size, which the caller appends to the
  // buffer or writes to the socket after it (a pull reply's body stays in the mapped log).
  void Finish(size_t body_bytes);

 private:
  void AppendJsonString(std::string_view text);

  std::string& out_;
  CommandHead head_;
  size_t start_;
  size_t ext_length_at_ = 0;
  bool has_ext_ = false;
};

// An owning command for the paths that are not hot: admin calls, registration, tests.
struct Command {
  int32_t code = 0;
  int32_t version = kOurVersion;
  int32_t opaque = 0;
  int32_t flag = 0;
  LanguageCode language = LanguageCode::kJava;
  SerializeType type = SerializeType::kJson;
  std::string remark;
  std::vector<std::pair<std::string, std::string>> ext;
  std::string body;

  Command() = default;
  explicit Command(RequestCode request) : code(static_cast<int32_t>(request)) {}

  Command& Set(std::string key, std::string value);
  Command& Set(std::string key, int64_t value) { return Set(std::move(key), std::to_string(value)); }
  // Nothing when the field is absent.
  std::optional<std::string_view> Find(std::string_view key) const;
};

// Appends the frame (ext fields sorted by key) to `out`.
void EncodeCommand(const Command& command, std::string& out);
// A copy of everything a view shows.
Command CopyCommand(const CommandView& view);

}  // namespace mq::protocol
