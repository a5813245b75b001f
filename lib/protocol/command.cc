#include "protocol/command.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/bytes.h"
#include "base/strings.h"
#include "protocol/header_parser.h"

namespace mq::protocol {
namespace {

constexpr size_t kBinaryFixedBytes = 21;

Error ProtocolError(std::string what) { return MakeError(ErrorCode::kProtocol, std::move(what)); }

// What bytes that cannot be a frame look like; empty when nothing is recognised.
std::string_view GuessProtocol(std::string_view bytes) {
  struct Guess {
    std::string_view start;
    std::string_view name;
  };
  static constexpr Guess kGuesses[] = {
      {"PRI ", "an HTTP/2 preface (a gRPC client?)"},
      {"GET ", "an HTTP request"},
      {"POST", "an HTTP request"},
      {"PUT ", "an HTTP request"},
      {"HEAD", "an HTTP request"},
      {"DELE", "an HTTP request"},
      {"OPTI", "an HTTP request"},
      {"CONN", "an HTTP request"},
      {"HTTP", "an HTTP response"},
      {"SSH-", "an SSH client"},
      {{"\x16\x03", 2}, "a TLS hello"},
      {{"\x03\x00\x00", 3}, "a remote-desktop probe"},
  };
  for (const Guess& guess : kGuesses) {
    if (bytes.starts_with(guess.start)) return guess.name;
  }
  return {};
}

}  // namespace

Status DecodeBinaryHeader(std::string_view header, CommandView& out) {
  if (header.size() < kBinaryFixedBytes) {
    return ProtocolError("binary header of " + std::to_string(header.size()) + " bytes is too short");
  }
  const char* p = header.data();
  out.code = static_cast<int16_t>(LoadBe16(p));
  out.language_code = static_cast<uint8_t>(p[2]);
  out.language_name = LanguageName(out.language_code);
  out.version = LoadBe16(p + 3);
  out.opaque = static_cast<int32_t>(LoadBe32(p + 5));
  out.flag = static_cast<int32_t>(LoadBe32(p + 9));
  const uint32_t remark_bytes = LoadBe32(p + 13);
  size_t at = 17;
  if (remark_bytes > header.size() - kBinaryFixedBytes) return ProtocolError("binary header: remark is cut off");
  out.remark = header.substr(at, remark_bytes);
  at += remark_bytes;
  const uint32_t ext_bytes = LoadBe32(p + at);
  at += 4;
  if (ext_bytes > header.size() - at) return ProtocolError("binary header: ext fields are cut off");
  const size_t end = at + ext_bytes;
  while (at < end) {
    ExtField field;
    if (end - at < 2) return ProtocolError("binary header: an ext key is cut off");
    const size_t key_bytes = LoadBe16(p + at);
    at += 2;
    if (key_bytes > end - at || end - at - key_bytes < 4) {
      return ProtocolError("binary header: an ext key is cut off");
    }
    field.key = header.substr(at, key_bytes);
    at += key_bytes;
    const size_t value_bytes = LoadBe32(p + at);
    at += 4;
    if (value_bytes > end - at) {
      return ProtocolError("binary header: ext field " + std::string(field.key) + " is cut off");
    }
    field.value = header.substr(at, value_bytes);
    at += value_bytes;
    if (out.ext.size() >= kMaxExtFields) return ProtocolError("binary header: too many ext fields");
    // Java's client writes every field twice once the request is signed. As its own decoder, the last one counts.
    if (!out.AddExt(field)) {
      const auto same = [&](const ExtField& known) { return known.key == field.key; };
      std::find_if(out.ext.begin(), out.ext.end(), same)->value = field.value;
    }
  }
  return Ok();
}

namespace {

// Keys are short and mostly differ in length or first letter: memcmp is for the rest.
inline bool SameKey(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || a.empty()) return a.size() == b.size();
  return a.front() == b.front() && (a.size() == 1 || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace

uint64_t CommandView::KeyBit(std::string_view key) {
  size_t hash = key.size() << 4;
  if (!key.empty()) hash ^= static_cast<uint8_t>(key.front());
  if (key.size() > 1) hash += static_cast<size_t>(static_cast<uint8_t>(key.back())) * 5;
  return uint64_t{1} << (hash & 63);
}

size_t CommandView::IndexOf(std::string_view key, size_t hint) const {
  const size_t count = ext.size();
  if (hint < count && SameKey(ext[hint].key, key)) return hint;
  if ((keys_seen_ & KeyBit(key)) == 0) return count;
  for (size_t i = 0; i < count; ++i) {
    if (SameKey(ext[i].key, key)) return i;
  }
  return count;
}

bool CommandView::AddExt(const ExtField& field) {
  const uint64_t bit = KeyBit(field.key);
  if ((keys_seen_ & bit) != 0) {
    for (const ExtField& known : ext) {
      if (SameKey(known.key, field.key)) return false;
    }
  }
  keys_seen_ |= bit;
  ext.push_back(field);
  return true;
}

std::string_view CommandView::language() const {
  return language_name.empty() ? LanguageName(language_code) : language_name;
}

std::optional<std::string_view> CommandView::Find(std::string_view key) const {
  const size_t index = IndexOf(key);
  if (index == ext.size()) return std::nullopt;
  if (type == SerializeType::kRocketMq && ext[index].value.empty()) return std::nullopt;
  return ext[index].value;
}

Result<size_t> FrameSize(std::string_view bytes) {
  if (bytes.size() < 4) {
    // A frame's first byte is zero as long as frames are below 16 MiB.
    if (!bytes.empty() && static_cast<uint8_t>(bytes[0]) > 1) {
      const std::string_view guess = GuessProtocol(bytes);
      if (!guess.empty()) return ProtocolError("looks like " + std::string(guess) + ", not this protocol");
    }
    return size_t{0};
  }
  const uint32_t length = LoadBe32(bytes.data());
  if (length > kMaxFrameBytes - 4) {
    const std::string_view guess = GuessProtocol(bytes);
    if (!guess.empty()) return ProtocolError("looks like " + std::string(guess) + ", not this protocol");
    return ProtocolError("not this protocol: a frame length of " + std::to_string(length) + " bytes");
  }
  if (length < 4) return ProtocolError("a frame length of " + std::to_string(length) + " bytes is too short");
  if (bytes.size() < kFramePrefixBytes) return size_t{0};
  const auto type = static_cast<uint8_t>(bytes[4]);
  if (type > 1) return ProtocolError("unknown serialize type " + std::to_string(type));
  const uint32_t header = LoadBe32(bytes.data() + 4) & 0xFFFFFF;
  if (header > length - 4) {
    return ProtocolError("a header of " + std::to_string(header) + " bytes in a frame of " + std::to_string(length));
  }
  return size_t{length} + 4;
}

Status DecodeCommand(std::string_view frame, CommandView& out) {
  out.code = out.version = out.opaque = out.flag = 0;
  out.language_code = -1;
  out.language_name = out.remark = out.body = {};
  out.ext.clear();
  out.unescaped_.clear();
  out.keys_seen_ = 0;
  MQ_ASSIGN(const size_t size, FrameSize(frame));
  if (size == 0 || size != frame.size())
    return ProtocolError("a frame of " + std::to_string(frame.size()) + " bytes is cut off");
  out.type = static_cast<SerializeType>(frame[4]);
  const uint32_t header_bytes = LoadBe32(frame.data() + 4) & 0xFFFFFF;
  const std::string_view header = frame.substr(kFramePrefixBytes, header_bytes);
  out.body = frame.substr(kFramePrefixBytes + header_bytes);
  if (out.type == SerializeType::kRocketMq) return DecodeBinaryHeader(header, out);
  if (out.unescaped_.capacity() < header_bytes) out.unescaped_.reserve(header_bytes);
  return HeaderParser(header, out).Parse();
}

CommandHead ReplyHead(const CommandView& request, int32_t code, std::string_view remark) {
  CommandHead head;
  head.type = request.type;
  head.code = code;
  head.opaque = request.opaque;
  head.flag = kFlagResponse;
  head.remark = remark;
  return head;
}

CommandWriter::CommandWriter(std::string& out, const CommandHead& head) : out_(out), head_(head), start_(out.size()) {
  if (head_.code > std::numeric_limits<int16_t>::max() || head_.code < std::numeric_limits<int16_t>::min()) {
    head_.type = SerializeType::kJson;
  }
  if (head_.type == SerializeType::kRocketMq) {
    char fixed[kFramePrefixBytes + 17];
    StoreBe16(fixed + 8, static_cast<uint16_t>(head_.code));
    fixed[10] = static_cast<char>(head_.language);
    StoreBe16(fixed + 11, static_cast<uint16_t>(head_.version));
    StoreBe32(fixed + 13, static_cast<uint32_t>(head_.opaque));
    StoreBe32(fixed + 17, static_cast<uint32_t>(head_.flag));
    StoreBe32(fixed + 21, static_cast<uint32_t>(head_.remark.size()));
    out_.append(fixed, sizeof fixed);
    out_.append(head_.remark);
    ext_length_at_ = out_.size();
    out_.append(4, '\0');
    return;
  }
  char number[16];
  const auto end = std::to_chars(number, number + sizeof number, head_.code).ptr;
  out_.append(kFramePrefixBytes, '\0');
  out_.append("{\"code\":").append(number, static_cast<size_t>(end - number));
}

void CommandWriter::Ext(std::string_view key, std::string_view value) {
  if (head_.type == SerializeType::kRocketMq) {
    AppendBe16(out_, static_cast<uint16_t>(key.size()));
    out_.append(key);
    AppendBe32(out_, static_cast<uint32_t>(value.size()));
    out_.append(value);
    return;
  }
  out_.append(has_ext_ ? "," : ",\"extFields\":{");
  has_ext_ = true;
  AppendJsonString(key);
  out_ += ':';
  AppendJsonString(value);
}

void CommandWriter::Ext(std::string_view key, int64_t value) {
  char number[24];
  const auto end = std::to_chars(number, number + sizeof number, value).ptr;
  Ext(key, std::string_view(number, static_cast<size_t>(end - number)));
}

void CommandWriter::AppendJsonString(std::string_view text) {
  static constexpr std::array<bool, 256> kPlain = [] {
    std::array<bool, 256> plain{};
    for (size_t c = 0x20; c < 256; ++c) plain[c] = c != '"' && c != '\\' && c != 0x7F;
    return plain;
  }();
  out_ += '"';
  size_t plain = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (kPlain[c]) continue;
    out_.append(text, plain, i - plain);
    plain = i + 1;
    static constexpr char kHex[] = "0123456789ABCDEF";
    switch (c) {
      case '"':
        out_.append("\\\"");
        break;
      case '\\':
        out_.append("\\\\");
        break;
      case '\n':
        out_.append("\\n");
        break;
      case '\r':
        out_.append("\\r");
        break;
      case '\t':
        out_.append("\\t");
        break;
      default:
        out_.append("\\u00");
        out_ += kHex[c >> 4];
        out_ += kHex[c & 15];
    }
  }
  out_.append(text, plain);
  out_ += '"';
}

void CommandWriter::Finish(size_t body_bytes) {
  if (head_.type == SerializeType::kRocketMq) {
    StoreBe32(out_.data() + ext_length_at_, static_cast<uint32_t>(out_.size() - ext_length_at_ - 4));
  } else {
    if (has_ext_) out_ += '}';
    char text[160];
    char* p = text;
    const auto add = [&p](std::string_view s) {
      std::memcpy(p, s.data(), s.size());
      p += s.size();
    };
    add(",\"flag\":");
    p = std::to_chars(p, text + sizeof text, head_.flag).ptr;
    add(",\"language\":\"");
    add(LanguageName(static_cast<int>(head_.language)));
    add("\",\"opaque\":");
    p = std::to_chars(p, text + sizeof text, head_.opaque).ptr;
    out_.append(text, static_cast<size_t>(p - text));
    if (!head_.remark.empty()) {
      out_.append(",\"remark\":");
      AppendJsonString(head_.remark);
    }
    p = text;
    add(",\"serializeTypeCurrentRPC\":\"JSON\",\"version\":");
    p = std::to_chars(p, text + sizeof text, head_.version).ptr;
    add("}");
    out_.append(text, static_cast<size_t>(p - text));
  }
  const size_t header_bytes = out_.size() - start_ - kFramePrefixBytes;
  char* frame = out_.data() + start_;
  StoreBe32(frame, static_cast<uint32_t>(4 + header_bytes + body_bytes));
  StoreBe32(frame + 4, static_cast<uint32_t>(header_bytes) | (static_cast<uint32_t>(head_.type) << 24));
}

Command& Command::Set(std::string key, std::string value) {
  for (auto& field : ext) {
    if (field.first == key) {
      field.second = std::move(value);
      return *this;
    }
  }
  ext.emplace_back(std::move(key), std::move(value));
  return *this;
}

std::optional<std::string_view> Command::Find(std::string_view key) const {
  for (const auto& field : ext) {
    if (field.first == key) return std::string_view(field.second);
  }
  return std::nullopt;
}

void EncodeCommand(const Command& command, std::string& out) {
  CommandHead head;
  head.type = command.type;
  head.code = command.code;
  head.opaque = command.opaque;
  head.flag = command.flag;
  head.version = command.version;
  head.language = command.language;
  head.remark = command.remark;
  std::vector<const std::pair<std::string, std::string>*> fields;
  fields.reserve(command.ext.size());
  for (const auto& field : command.ext) fields.push_back(&field);
  std::sort(fields.begin(), fields.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  CommandWriter writer(out, head);
  for (const auto* field : fields) writer.Ext(field->first, field->second);
  writer.Finish(command.body.size());
  out.append(command.body);
}

Command CopyCommand(const CommandView& view) {
  Command command;
  command.code = view.code;
  command.version = view.version;
  command.opaque = view.opaque;
  command.flag = view.flag;
  command.language = view.language_code >= 0 ? static_cast<LanguageCode>(view.language_code) : LanguageCode::kOther;
  command.type = view.type;
  command.remark = view.remark;
  for (const ExtField& field : view.ext) command.ext.emplace_back(field.key, field.value);
  command.body = view.body;
  return command;
}

}  // namespace mq::protocol
