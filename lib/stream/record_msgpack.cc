// One map of the msgpack format to a record. The body stays where it is, in the reader's buffer.
#ifndef MSGPACK_NO_BOOST
#define MSGPACK_NO_BOOST
#endif
#include <msgpack.hpp>

#include "stream/reader.h"

namespace mq::stream::internal {
namespace {

// Bounds of one record, so that a damaged length cannot ask for gigabytes.
constexpr std::size_t kMaxItems = 65536;
constexpr std::size_t kMaxDepth = 16;

Error Bad(std::string text) { return MakeError(ErrorCode::kInvalidArgument, std::move(text)); }

// str or bin.
bool TextOf(const msgpack::object& object, std::string_view& text) {
  if (object.type == msgpack::type::STR) {
    text = {object.via.str.ptr, object.via.str.size};
  } else if (object.type == msgpack::type::BIN) {
    text = {object.via.bin.ptr, object.via.bin.size};
  } else {
    return false;
  }
  return true;
}

bool IntOf(const msgpack::object& object, std::int64_t& number) {
  if (object.type == msgpack::type::POSITIVE_INTEGER) {
    number = static_cast<std::int64_t>(object.via.u64);
  } else if (object.type == msgpack::type::NEGATIVE_INTEGER) {
    number = object.via.i64;
  } else {
    return false;
  }
  return true;
}

Status TakeText(const msgpack::object& value, std::string_view name, std::string& out) {
  std::string_view text;
  if (value.type == msgpack::type::NIL) return Ok();
  if (!TextOf(value, text)) return Bad("\"" + std::string(name) + "\" is not a string");
  out = text;
  return Ok();
}

Status TakeKeys(const msgpack::object& value, InputRecord& record) {
  std::string_view text;
  if (value.type == msgpack::type::NIL) return Ok();
  if (value.type != msgpack::type::ARRAY) return Bad("\"keys\" is not a list of strings");
  for (std::uint32_t i = 0; i < value.via.array.size; ++i) {
    if (!TextOf(value.via.array.ptr[i], text)) return Bad("\"keys\" is not a list of strings");
    record.keys.emplace_back(text);
  }
  return Ok();
}

Status TakeProperties(const msgpack::object& value, InputRecord& record) {
  if (value.type == msgpack::type::NIL) return Ok();
  if (value.type != msgpack::type::MAP) return Bad("\"properties\" is not a map");
  for (std::uint32_t i = 0; i < value.via.map.size; ++i) {
    std::string_view name;
    std::string_view text;
    if (!TextOf(value.via.map.ptr[i].key, name)) return Bad("a property's name is not a string");
    if (!TextOf(value.via.map.ptr[i].val, text)) return Bad("property '" + std::string(name) + "' is not a string");
    record.properties.emplace_back(name, text);
  }
  return Ok();
}

Status TakeField(std::string_view name, const msgpack::object& value, InputRecord& record, bool& has_body) {
  if (name == "body") {
    if (!TextOf(value, record.body)) return Bad("\"body\" is neither bin nor str");
    has_body = true;
  } else if (name == "topic") {
    return TakeText(value, name, record.topic);
  } else if (name == "tag") {
    return TakeText(value, name, record.tag);
  } else if (name == "keys") {
    return TakeKeys(value, record);
  } else if (name == "properties") {
    return TakeProperties(value, record);
  } else if (name == "queue" || name == "flag") {
    std::int64_t number = 0;
    if (value.type == msgpack::type::NIL) return Ok();
    if (!IntOf(value, number)) return Bad("\"" + std::string(name) + "\" is not an integer");
    if (name == "queue") {
      record.queue = number;
    } else {
      record.flag = static_cast<std::int32_t>(number);
    }
  }
  return Ok();
}

Status FillRecord(const msgpack::object& map, InputRecord& record) {
  bool has_body = false;
  for (std::uint32_t i = 0; i < map.via.map.size; ++i) {
    std::string_view name;
    if (!TextOf(map.via.map.ptr[i].key, name)) continue;
    MQ_TRY(TakeField(name, map.via.map.ptr[i].val, record, has_body));
  }
  if (!has_body) return Bad("no \"body\"");
  if (record.body.size() > kMaxBodyBytes) {
    return Bad("its " + std::to_string(record.body.size()) + " bytes are more than the " +
               std::to_string(kMaxBodyBytes) + " a message can have");
  }
  return Ok();
}

bool ByReference(msgpack::type::object_type, std::size_t, void*) { return true; }

}  // namespace

Result<std::size_t> ReadMsgpackRecord(std::string_view bytes, InputRecord& record) {
  const auto lead = static_cast<unsigned char>(bytes.front());
  if ((lead & 0xF0) != 0x80 && lead != 0xDE && lead != 0xDF) return Bad("the input is not a msgpack map");
  const msgpack::unpack_limit limit(kMaxItems, kMaxItems, 8 * kMaxBodyBytes, 8 * kMaxBodyBytes, kMaxBodyBytes,
                                    kMaxDepth);
  try {
    std::size_t offset = 0;
    bool referenced = false;
    const msgpack::object_handle handle =
        msgpack::unpack(bytes.data(), bytes.size(), offset, referenced, ByReference, nullptr, limit);
    const Status filled = FillRecord(handle.get(), record);
    if (!filled) record.error = filled.error();
    return offset;
  } catch (const msgpack::insufficient_bytes&) {
    return std::size_t{0};
  } catch (const msgpack::unpack_error& error) {
    return Bad(std::string("damaged msgpack: ") + error.what());
  }
}

}  // namespace mq::stream::internal
