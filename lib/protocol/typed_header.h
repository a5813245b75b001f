// Headers that are no more than a list of fields: each names its fields once, in alphabetical order of their keys, and
// is read and written from that list.
//
//   struct KvKeyHeader : TypedHeader<KvKeyHeader> {
//     std::string_view key, space;
//     template <class Fields, class Self>
//     static void Visit(Fields& fields, Self& self) {
//       fields.Required("key", self.key);
//       fields.Required("namespace", self.space);
//     }
//   };
//
// An absent required field is a fault that names it. An optional one has a value that stands for its absence (of texts
// the empty one), and is not written while it has that value. Text fields are views into the frame (decoding) or into
// what the caller keeps alive (encoding).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "protocol/command.h"
#include "protocol/field_reader.h"

namespace mq::protocol {

class FieldDecoder {
 public:
  explicit FieldDecoder(const CommandView& command) : reader_(command) {}

  void Required(std::string_view key, std::string_view& value) { value = reader_.Text(key); }
  void Required(std::string_view key, int32_t& value) { value = reader_.Int(key); }
  void Required(std::string_view key, int64_t& value) { value = reader_.Long(key); }
  void Required(std::string_view key, bool& value) { value = reader_.Bool(key); }
  void Optional(std::string_view key, std::string_view& value) { value = reader_.OptionalText(key); }
  void Optional(std::string_view key, int32_t& value, int32_t absent) { value = reader_.OptionalInt(key, absent); }
  void Optional(std::string_view key, int64_t& value, int64_t absent) { value = reader_.OptionalLong(key, absent); }
  void Optional(std::string_view key, bool& value, bool absent) { value = reader_.OptionalBool(key, absent); }
  Status status() const { return reader_.status(); }

 private:
  FieldReader reader_;
};

class FieldEncoder {
 public:
  explicit FieldEncoder(CommandWriter& writer) : writer_(writer) {}

  template <class T>
  void Required(std::string_view key, const T& value) {
    writer_.Ext(key, value);
  }
  void Optional(std::string_view key, std::string_view value) {
    if (!value.empty()) writer_.Ext(key, value);
  }
  template <class T>
  void Optional(std::string_view key, const T& value, T absent) {
    if (value != absent) writer_.Ext(key, value);
  }

 private:
  CommandWriter& writer_;
};

template <class Header>
struct TypedHeader {
  static Result<Header> Decode(const CommandView& command) {
    Header header;
    FieldDecoder fields(command);
    Header::Visit(fields, header);
    MQ_TRY(fields.status());
    return header;
  }
  void Encode(CommandWriter& writer) const {
    FieldEncoder fields(writer);
    Header::Visit(fields, static_cast<const Header&>(*this));
  }
};

}  // namespace mq::protocol
