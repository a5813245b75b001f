// Headers of plain access control (50, 51, 52, 53). Lists are separated by commas.
#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/typed_header.h"

namespace mq::protocol {

// 50.
struct UpdateAclConfigRequestHeader : TypedHeader<UpdateAclConfigRequestHeader> {
  std::string_view access_key;
  bool admin = false;
  std::string_view default_group_perm;
  std::string_view default_topic_perm;
  std::string_view group_perms;
  std::string_view secret_key;
  std::string_view topic_perms;
  std::string_view white_remote_address;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("accessKey", self.access_key);
    fields.Optional("admin", self.admin, false);
    fields.Optional("defaultGroupPerm", self.default_group_perm);
    fields.Optional("defaultTopicPerm", self.default_topic_perm);
    fields.Optional("groupPerms", self.group_perms);
    fields.Optional("secretKey", self.secret_key);
    fields.Optional("topicPerms", self.topic_perms);
    fields.Optional("whiteRemoteAddress", self.white_remote_address);
  }
};

// 51.
struct DeleteAclConfigRequestHeader : TypedHeader<DeleteAclConfigRequestHeader> {
  std::string_view access_key;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("accessKey", self.access_key);
  }
};

// Reply of 52.
struct AclInfoResponseHeader : TypedHeader<AclInfoResponseHeader> {
  std::string_view all_versions;
  std::string_view broker_addr;
  std::string_view broker_name;
  std::string_view cluster_name;
  std::string_view version;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Optional("allAclFileVersion", self.all_versions);
    fields.Required("brokerAddr", self.broker_addr);
    fields.Required("brokerName", self.broker_name);
    fields.Required("clusterName", self.cluster_name);
    fields.Required("version", self.version);
  }
};

// 53.
struct GlobalWhiteAddrsRequestHeader : TypedHeader<GlobalWhiteAddrsRequestHeader> {
  std::string_view file;
  std::string_view addresses;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Optional("aclFileFullPath", self.file);
    fields.Required("globalWhiteAddrs", self.addresses);
  }
};

}  // namespace mq::protocol
