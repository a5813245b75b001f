// One record to a map of the msgpack format.
#ifndef MSGPACK_NO_BOOST
#define MSGPACK_NO_BOOST
#endif
#include <msgpack.hpp>

#include "base/strings.h"
#include "protocol/ids.h"
#include "protocol/properties.h"
#include "stream/writer.h"

namespace mq::stream {
namespace {

// What msgpack::packer writes to.
struct StringSink {
  std::string& out;
  void write(const char* data, std::size_t size) { out.append(data, size); }
};

class Packer {
 public:
  explicit Packer(std::string& out) : sink_{out}, packer_(sink_) {}

  void Text(std::string_view text) {
    packer_.pack_str(static_cast<std::uint32_t>(text.size()));
    packer_.pack_str_body(text.data(), static_cast<std::uint32_t>(text.size()));
  }
  void Bytes(std::string_view bytes) {
    packer_.pack_bin(static_cast<std::uint32_t>(bytes.size()));
    packer_.pack_bin_body(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  }
  void Int(std::int64_t number) { packer_.pack_int64(number); }
  void Map(std::size_t size) { packer_.pack_map(static_cast<std::uint32_t>(size)); }
  void Array(std::size_t size) { packer_.pack_array(static_cast<std::uint32_t>(size)); }

 private:
  StringSink sink_;
  msgpack::packer<StringSink> packer_;
};

}  // namespace

void Writer::AppendMsgpack(std::string& out, const OutputMessage& message) {
  const protocol::MessageView& record = *message.record;
  const MessageAttributes attributes = AttributesOf(record.properties);
  scratch_.clear();
  protocol::AppendOffsetMessageId(scratch_, record.store_host, record.physical_offset);
  Packer pack(out);
  const auto text = [&](std::string_view name, std::string_view value) {
    pack.Text(name);
    pack.Text(value);
  };
  const auto number = [&](std::string_view name, std::int64_t value) {
    pack.Text(name);
    pack.Int(value);
  };
  const auto time = [&](std::string_view name, std::int64_t ms) {
    if (options_.epoch_ms) {
      number(name, ms);
      return;
    }
    std::string printed;
    times_.Append(printed, ms);
    text(name, printed);
  };
  pack.Map(15);
  text("topic", record.topic);
  number("queue", record.queue_id);
  number("offset", record.queue_offset.value());
  text("id", attributes.uniq_key.empty() ? std::string_view(scratch_) : attributes.uniq_key);
  text("offset_id", scratch_);
  text("tag", attributes.tag);
  const std::vector<std::string_view> keys = SplitAny(attributes.keys, " ");
  pack.Text("keys");
  pack.Array(keys.size());
  for (const std::string_view key : keys) pack.Text(key);
  std::vector<std::pair<std::string, std::string>> properties = protocol::ParseProperties(record.properties);
  std::erase_if(properties, [](const auto& pair) { return IsTransportProperty(pair.first); });
  pack.Text("properties");
  pack.Map(properties.size());
  for (const auto& [name, value] : properties) text(name, value);
  number("flag", record.flag);
  time("born", record.born_timestamp);
  time("stored", record.store_timestamp);
  text("born_host", record.born_host.ToString());
  number("tries", record.reconsume_times);
  pack.Text("body");
  pack.Bytes(message.body);
  text("broker", message.broker);
}

}  // namespace mq::stream
