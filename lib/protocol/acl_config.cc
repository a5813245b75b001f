#include "protocol/acl_config.h"

#include "base/json.h"

namespace mq::protocol {
namespace {

void WriteTexts(json::Writer& writer, std::string_view key, const std::vector<std::string>& texts) {
  writer.Key(key).BeginArray();
  for (const std::string& text : texts) writer.String(text);
  writer.EndArray();
}

std::vector<std::string> ReadTexts(const json::Value& value, std::string_view key) {
  std::vector<std::string> texts;
  if (const json::Value* list = value.Find(key)) {
    for (const json::Value& item : list->items()) texts.push_back(item.AsString());
  }
  return texts;
}

void WriteAccount(json::Writer& writer, const PlainAccessConfig& account) {
  const auto text = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) writer.Key(key).String(value);
  };
  writer.BeginObject();
  text("accessKey", account.access_key);
  writer.Key("admin").Bool(account.admin);
  text("defaultGroupPerm", account.default_group_perm);
  text("defaultTopicPerm", account.default_topic_perm);
  WriteTexts(writer, "groupPerms", account.group_perms);
  text("secretKey", account.secret_key);
  WriteTexts(writer, "topicPerms", account.topic_perms);
  text("whiteRemoteAddress", account.white_remote_address);
  writer.EndObject();
}

}  // namespace

std::string EncodeAclConfig(const AclConfig& config) {
  json::Writer writer;
  writer.BeginObject();
  WriteTexts(writer, "globalWhiteAddrs", config.global_white_addresses);
  writer.Key("plainAccessConfigs").BeginArray();
  for (const PlainAccessConfig& account : config.accounts) WriteAccount(writer, account);
  writer.EndArray().EndObject();
  return writer.Take();
}

Result<AclConfig> DecodeAclConfig(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  AclConfig config;
  config.global_white_addresses = ReadTexts(value, "globalWhiteAddrs");
  const json::Value* accounts = value.Find("plainAccessConfigs");
  if (accounts == nullptr) return config;
  for (const json::Value& item : accounts->items()) {
    PlainAccessConfig& account = config.accounts.emplace_back();
    account.access_key = item.Text("accessKey");
    account.secret_key = item.Text("secretKey");
    account.white_remote_address = item.Text("whiteRemoteAddress");
    account.admin = item.BoolOf("admin");
    account.default_topic_perm = item.Text("defaultTopicPerm");
    account.default_group_perm = item.Text("defaultGroupPerm");
    account.topic_perms = ReadTexts(item, "topicPerms");
    account.group_perms = ReadTexts(item, "groupPerms");
  }
  return config;
}

}  // namespace mq::protocol
