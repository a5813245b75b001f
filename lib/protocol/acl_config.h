// AclConfig: the accounts of a broker's access control, as tools are shown them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace mq::protocol {

// Empty texts are absent.
struct PlainAccessConfig {
  std::string access_key;
  std::string secret_key;
  std::string white_remote_address;
  bool admin = false;
  std::string default_topic_perm;
  std::string default_group_perm;
  std::vector<std::string> topic_perms;  // "topic=PUB|SUB"
  std::vector<std::string> group_perms;
  bool operator==(const PlainAccessConfig&) const = default;
};

struct AclConfig {
  std::vector<std::string> global_white_addresses;
  std::vector<PlainAccessConfig> accounts;
  bool operator==(const AclConfig&) const = default;
};

std::string EncodeAclConfig(const AclConfig& config);
Result<AclConfig> DecodeAclConfig(std::string_view body);

}  // namespace mq::protocol
