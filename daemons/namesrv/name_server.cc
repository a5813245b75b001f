#include "namesrv/name_server.h"

#include <utility>

#include "base/clock.h"
#include "base/crc32.h"
#include "base/log.h"
#include "protocol/kv_headers.h"
#include "protocol/lists.h"

namespace mq::namesrv {
namespace {

using protocol::CommandView;
using protocol::RequestCode;
using protocol::ResponseCode;
using remoting::Channel;

// Bits of a topic's system flags. Do not renumber.
constexpr int32_t kFlagUnit = 1;
constexpr int32_t kFlagUnitSub = 2;

std::string EncodeSpace(const KvConfig::Table& table) {
  return protocol::EncodeKvTable(protocol::KvTable(table.begin(), table.end()));
}

// A header that could not be read: the remark says which field.
void Refuse(Channel& channel, const CommandView& request, const Error& error) {
  channel.Reply(request, ResponseCode::kSystemError, error.what);
}

}  // namespace

NameServer::NameServer(loop::Loop& loop, NameServerOptions options)
    : options_(std::move(options)),
      kv_(options_.kv_path, options_.kv_fallback_path),
      table_(std::make_shared<remoting::ProcessorTable>()),
      server_(loop),
      scan_(loop, [this] { Scan(); }) {
  AddBrokerProcessors();
  AddClientProcessors();
  AddKvProcessors();
  server_.SetOnClosed([this](Channel& channel) { OnClosed(channel); });
  scan_.Start(options_.scan_period_ms / 2, options_.scan_period_ms);
}

Result<loop::Address> NameServer::Listen(const loop::Address& address) {
  MQ_TRY(kv_.Load());
  return server_.Listen(address, table_);
}

void NameServer::Close() {
  scan_.Stop();
  server_.SetOnClosed({});
  server_.Close();
}

void NameServer::Add(RequestCode code, Method method) {
  table_->Register(code, [this, method](Channel& channel, const View& request) { (this->*method)(channel, request); });
}

void NameServer::AddBrokerProcessors() {
  Add(RequestCode::kRegisterBroker, &NameServer::RegisterBroker);
  Add(RequestCode::kUnregisterBroker, &NameServer::UnregisterBroker);
  Add(RequestCode::kQueryDataVersion, &NameServer::QueryDataVersion);
}

void NameServer::AddClientProcessors() {
  Add(RequestCode::kGetRouteinfoByTopic, &NameServer::RouteByTopic);
  Add(RequestCode::kDeleteTopicInNamesrv, &NameServer::DeleteTopic);
  Add(RequestCode::kWipeWritePermOfBroker, &NameServer::WipeWritePerm);
  Add(RequestCode::kAddWritePermOfBroker, &NameServer::AddWritePerm);
  Add(RequestCode::kGetTopicsByCluster, &NameServer::TopicsOfCluster);
  Add(RequestCode::kGetSystemTopicListFromNs, &NameServer::SystemTopics);
  table_->Register(RequestCode::kGetBrokerClusterInfo, [this](Channel& channel, const View& request) {
    channel.ReplyBody(request, protocol::EncodeClusterInfo(routes_.Cluster()));
  });
  table_->Register(RequestCode::kGetAllTopicListFromNameserver, [this](Channel& channel, const View& request) {
    channel.ReplyBody(request, protocol::EncodeTopicList({routes_.Topics(), {}}));
  });
  const auto by_flag = [this](RequestCode code, int32_t set, int32_t clear) {
    table_->Register(code, [this, set, clear](Channel& channel, const View& request) {
      channel.ReplyBody(request, protocol::EncodeTopicList({routes_.TopicsByFlag(set, clear), {}}));
    });
  };
  by_flag(RequestCode::kGetUnitTopicList, kFlagUnit, 0);
  by_flag(RequestCode::kGetHasUnitSubTopicList, kFlagUnitSub, 0);
  by_flag(RequestCode::kGetHasUnitSubUnunitTopicList, kFlagUnitSub, kFlagUnit);
}

void NameServer::AddKvProcessors() {
  Add(RequestCode::kPutKvConfig, &NameServer::PutKv);
  Add(RequestCode::kGetKvConfig, &NameServer::GetKv);
  Add(RequestCode::kDeleteKvConfig, &NameServer::DeleteKv);
  Add(RequestCode::kGetKvlistByNamespace, &NameServer::ListKv);
}

void NameServer::RegisterBroker(Channel& channel, const View& request) {
  const auto header = protocol::RegisterBrokerRequestHeader::Decode(request);
  if (!header) return Refuse(channel, request, header.error());
  if (header->body_crc32 != 0 && MessageCrc(request.body) != static_cast<uint32_t>(header->body_crc32)) {
    log::Warn("namesrv.register", "the body's checksum does not match")
        .Field("broker", header->broker_name)
        .Field("address", header->broker_addr);
    return channel.Reply(request, ResponseCode::kSystemError, "crc32 not match");
  }
  auto body = protocol::DecodeRegisterBrokerBody(request.body, header->compressed, request.version);
  if (!body) return Refuse(channel, request, body.error());

  Registration registration;
  registration.broker_name = header->broker_name;
  registration.address = header->broker_addr;
  registration.cluster = header->cluster_name;
  registration.ha_address = header->ha_server_addr;
  registration.broker_id = header->broker_id;
  registration.version = request.version;
  registration.connection = channel.id();
  registration.body = std::move(*body);
  const RegistrationAnswer answer = routes_.Register(std::move(registration), MonotonicMs());
  if (answer.first) {
    log::Info("namesrv.register", "a broker is here")
        .Field("broker", header->broker_name)
        .Field("id", header->broker_id)
        .Field("address", header->broker_addr)
        .Field("cluster", header->cluster_name);
  }
  if (!answer.displaced.empty()) {
    static log::RateLimit limit(6);
    uint64_t suppressed = 0;
    if (limit.Allow(&suppressed)) {
      log::Warn("namesrv.register", "two brokers have one name and id: each needs a brokerName of its own")
          .Field("broker", header->broker_name)
          .Field("id", header->broker_id)
          .Field("address", header->broker_addr)
          .Field("displaced", answer.displaced)
          .Field("suppressed", suppressed);
    }
  }
  protocol::RegisterBrokerResponseHeader reply;
  reply.ha_server_addr = answer.ha_address;
  reply.master_addr = answer.master_address;
  // Brokers mark their topics after this table; without the namespace they leave them alone.
  const KvConfig::Table* ordered = kv_.FindSpace(kOrderTopicNamespace);
  channel.Reply(request, ResponseCode::kSuccess, reply, ordered == nullptr ? std::string() : EncodeSpace(*ordered));
}

void NameServer::UnregisterBroker(Channel& channel, const View& request) {
  const auto header = protocol::BrokerIdentityHeader::Decode(request);
  if (!header) return Refuse(channel, request, header.error());
  const bool removed = routes_.Unregister(header->broker_name, header->broker_addr, header->broker_id);
  log::Info("namesrv.unregister", removed ? "a broker took its leave" : "a leave that changes nothing")
      .Field("broker", header->broker_name)
      .Field("id", header->broker_id)
      .Field("address", header->broker_addr);
  channel.Reply(request, ResponseCode::kSuccess);
}

void NameServer::QueryDataVersion(Channel& channel, const View& request) {
  const auto header = protocol::BrokerIdentityHeader::Decode(request);
  if (!header) return Refuse(channel, request, header.error());
  const auto version = protocol::DecodeDataVersion(request.body);
  if (!version) return Refuse(channel, request, version.error());
  const auto held = routes_.QueryDataVersion(header->broker_name, header->broker_addr, *version, MonotonicMs());
  protocol::QueryDataVersionResponseHeader reply;
  reply.changed = !held || !(*held == *version);
  channel.Reply(request, ResponseCode::kSuccess, reply, held ? protocol::EncodeDataVersion(*held) : std::string());
}

void NameServer::RouteByTopic(Channel& channel, const View& request) {
  const auto header = protocol::TopicRequestHeader::Decode(request);
  if (!header) return Refuse(channel, request, header.error());
  auto route = routes_.Route(header->topic);
  if (!route) {
    return channel.Reply(request, ResponseCode::kTopicNotExist,
                         "No topic route info in name server for the topic: " + std::string(header->topic) +
                             "\nSee http://rocketmq.apache.org/docs/faq/ for further details.");
  }
  if (options_.order_message) {
    if (const std::string* queues = kv_.Find(kOrderTopicNamespace, header->topic)) route->order_topic_conf = *queues;
  }
  const bool standard = header->accept_standard_json_only || request.version >= protocol::kVersionStandardJson;
  channel.ReplyBody(request, protocol::EncodeTopicRoute(
                                 *route, standard ? protocol::RouteJson::kStandard : protocol::RouteJson::kFastjson));
}

void NameServer::DeleteTopic(Channel& channel, const View& request) {
  const auto header = protocol::TopicRequestHeader::Decode(request);
  if (!header) return Refuse(channel, request, header.error());
  routes_.DeleteTopic(header->topic, header->cluster);
  channel.Reply(request, ResponseCode::kSuccess);
}

void NameServer::WipeWritePerm(Channel& channel, const View& request) {
  const auto header = protocol::BrokerNameRequestHeader::Decode(request);
  if (!header) return Refuse(channel, request, header.error());
  protocol::WipeWritePermResponseHeader reply;
  reply.topics = routes_.Drain(header->broker_name, true);
  log::Info("namesrv.drain", "clients no longer write to a broker")
      .Field("broker", header->broker_name)
      .Field("topics", reply.topics)
      .Field("client", channel.peer());
  channel.Reply(request, ResponseCode::kSuccess, reply, {});
}

void NameServer::AddWritePerm(Channel& channel, const View& request) {
  const auto header = protocol::BrokerNameRequestHeader::Decode(request);
  if (!header) return Refuse(channel, request, header.error());
  protocol::AddWritePermResponseHeader reply;
  reply.topics = routes_.Drain(header->broker_name, false);
  log::Info("namesrv.undrain", "clients write to a broker again")
      .Field("broker", header->broker_name)
      .Field("topics", reply.topics)
      .Field("client", channel.peer());
  channel.Reply(request, ResponseCode::kSuccess, reply, {});
}

void NameServer::TopicsOfCluster(Channel& channel, const View& request) {
  const auto header = protocol::ClusterRequestHeader::Decode(request);
  if (!header) return Refuse(channel, request, header.error());
  channel.ReplyBody(request, protocol::EncodeTopicList({routes_.TopicsOfCluster(header->cluster), {}}));
}

void NameServer::SystemTopics(Channel& channel, const View& request) {
  channel.ReplyBody(request, protocol::EncodeTopicList({routes_.SystemTopics(), routes_.AnyBrokerAddress()}));
}

void NameServer::PutKv(Channel& channel, const View& request) {
  const auto header = protocol::PutKvConfigRequestHeader::Decode(request);
  if (!header) return Refuse(channel, request, header.error());
  if (const Status put = kv_.Put(header->space, header->key, header->value); !put) {
    log::Err("namesrv.kv", "not changed").Field("error", put.error());
    return Refuse(channel, request, put.error());
  }
  log::Info("namesrv.kv", "set")
      .Field("namespace", header->space)
      .Field("key", header->key)
      .Field("value", header->value)
      .Field("client", channel.peer());
  channel.Reply(request, ResponseCode::kSuccess);
}

void NameServer::GetKv(Channel& channel, const View& request) {
  const auto header = protocol::KvKeyRequestHeader::Decode(request);
  if (!header) return Refuse(channel, request, header.error());
  const std::string* value = kv_.Find(header->space, header->key);
  if (value == nullptr) {
    return channel.Reply(
        request, ResponseCode::kQueryNotFound,
        "No config item, Namespace: " + std::string(header->space) + " Key: " + std::string(header->key));
  }
  protocol::GetKvConfigResponseHeader reply;
  reply.value = *value;
  channel.Reply(request, ResponseCode::kSuccess, reply, {});
}

void NameServer::DeleteKv(Channel& channel, const View& request) {
  const auto header = protocol::KvKeyRequestHeader::Decode(request);
  if (!header) return Refuse(channel, request, header.error());
  if (const Status deleted = kv_.Delete(header->space, header->key); !deleted) {
    log::Err("namesrv.kv", "not changed").Field("error", deleted.error());
    return Refuse(channel, request, deleted.error());
  }
  log::Info("namesrv.kv", "deleted")
      .Field("namespace", header->space)
      .Field("key", header->key)
      .Field("client", channel.peer());
  channel.Reply(request, ResponseCode::kSuccess);
}

void NameServer::ListKv(Channel& channel, const View& request) {
  const auto header = protocol::KvNamespaceRequestHeader::Decode(request);
  if (!header) return Refuse(channel, request, header.error());
  const KvConfig::Table* table = kv_.FindSpace(header->space);
  if (table == nullptr) {
    return channel.Reply(request, ResponseCode::kQueryNotFound,
                         "No config item, Namespace: " + std::string(header->space));
  }
  channel.ReplyBody(request, EncodeSpace(*table));
}

void NameServer::OnClosed(Channel& channel) {
  for (const std::string& address : routes_.ConnectionClosed(channel.id())) {
    log::Info("namesrv.gone", "the connection of a broker closed").Field("address", address);
  }
}

void NameServer::Scan() {
  for (const RouteTable::Expired& expired : routes_.Expire(MonotonicMs(), options_.broker_expiry_ms)) {
    log::Warn("namesrv.expired", "nothing heard of a broker for too long").Field("address", expired.address);
    server_.ForEachChannel([&](Channel& channel) {
      if (channel.id() == expired.connection) channel.Abort("its broker expired");
    });
  }
}

}  // namespace mq::namesrv
