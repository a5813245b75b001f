#include "protocol/register_broker.h"

#include "base/bytes.h"
#include "base/json.h"
#include "base/strings.h"
#include "protocol/codes.h"
#include "protocol/compress.h"

namespace mq::protocol {
namespace {

constexpr int kRegisterCompressLevel = 9;

void AppendSized(std::string& out, std::string_view text) {
  AppendBe32(out, static_cast<uint32_t>(text.size()));
  out.append(text);
}

std::string FilterServersJson(const std::vector<std::string>& servers) {
  json::Writer writer;
  writer.BeginArray();
  for (const std::string& server : servers) writer.String(server);
  writer.EndArray();
  return writer.Take();
}

void ReadFilterServers(const json::Value* list, std::vector<std::string>& servers) {
  if (list == nullptr) return;
  for (const json::Value& server : list->items()) servers.push_back(server.AsString());
}

Result<TopicConfig> ParseTopicLine(std::string_view line) {
  const std::vector<std::string_view> parts = Split(line, ' ');
  const auto fail = [line] {
    return MakeError(ErrorCode::kProtocol, "registration: bad topic line \"" + std::string(line.substr(0, 200)) + "\"");
  };
  if (parts.size() < 5) return fail();  // 5.x appends a sixth part, its attributes
  const Result<int64_t> read = ParseInt64(parts[1]);
  const Result<int64_t> write = ParseInt64(parts[2]);
  const Result<int64_t> perm = ParseInt64(parts[3]);
  if (!read || !write || !perm) return fail();
  TopicConfig config;
  config.name = parts[0];
  config.read_queues = static_cast<int32_t>(*read);
  config.write_queues = static_cast<int32_t>(*write);
  config.perm = static_cast<int32_t>(*perm);
  config.filter_type = parts[4];
  return config;
}

Result<RegisterBrokerBody> DecodeCompressed(std::string_view body) {
  Result<std::string> inflated = Decompress(CompressionType::kZlib, body);
  if (!inflated) return std::move(inflated).WithContext("registration").error();
  ByteReader reader(*inflated);
  const auto sized = [&reader]() { return reader.Bytes(static_cast<size_t>(reader.U32())); };
  const auto cut = [] { return MakeError(ErrorCode::kProtocol, "registration: cut off"); };
  RegisterBrokerBody out;
  const std::string_view version = sized();
  if (reader.failed()) return cut();
  MQ_ASSIGN(out.topics.data_version, DecodeDataVersion(version));
  const int32_t count = reader.I32();
  for (int32_t i = 0; i < count && !reader.failed(); ++i) {
    const std::string_view line = sized();
    if (reader.failed()) return cut();
    MQ_ASSIGN(TopicConfig config, ParseTopicLine(line));
    std::string name = config.name;
    out.topics.topics.insert_or_assign(std::move(name), std::move(config));
  }
  const std::string_view servers = sized();
  if (reader.failed() || count < 0) return cut();
  MQ_ASSIGN(const json::Value list, json::Parse(servers));
  ReadFilterServers(&list, out.filter_servers);
  return out;
}

}  // namespace

Result<std::string> EncodeRegisterBrokerBody(const RegisterBrokerBody& body, bool compressed) {
  if (!compressed) {
    json::Writer writer;
    writer.BeginObject().Key("filterServerList").Raw(FilterServersJson(body.filter_servers));
    writer.Key("topicConfigSerializeWrapper");
    WriteJson(writer, body.topics);
    writer.EndObject();
    return writer.Take();
  }
  std::string plain;
  AppendSized(plain, EncodeDataVersion(body.topics.data_version));
  AppendBe32(plain, static_cast<uint32_t>(body.topics.topics.size()));
  for (const auto& [name, config] : body.topics.topics) {
    AppendSized(plain, name + " " + std::to_string(config.read_queues) + " " + std::to_string(config.write_queues) +
                           " " + std::to_string(config.perm) + " " + config.filter_type);
  }
  AppendSized(plain, FilterServersJson(body.filter_servers));
  return Compress(CompressionType::kZlib, plain, kRegisterCompressLevel);
}

Result<RegisterBrokerBody> DecodeRegisterBrokerBody(std::string_view body, bool compressed, int32_t peer_version) {
  if (body.empty()) return RegisterBrokerBody{};
  if (compressed) return DecodeCompressed(body);
  Result<json::Value> value = json::Parse(body);
  if (!value) return std::move(value).WithContext("registration").error();
  RegisterBrokerBody out;
  if (peer_version < kVersionRegisterBody) {
    MQ_ASSIGN(out.topics, TopicConfigsFromJson(*value));
    return out;
  }
  if (const json::Value* wrapper = value->Find("topicConfigSerializeWrapper")) {
    MQ_ASSIGN(out.topics, TopicConfigsFromJson(*wrapper));
  }
  ReadFilterServers(value->Find("filterServerList"), out.filter_servers);
  return out;
}

}  // namespace mq::protocol
