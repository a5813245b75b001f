#include "namesrv/name_server.h"

#include <utility>

#include "base/clock.h"
#include "base/crc32.h"
#include "base/log.h"
#include "protocol/lists.h"

namespace mq::namesrv {
namespace {

using protocol::CommandView;
using protocol::RequestCode;
using protocol::ResponseCode;
using remoting::Channel;

// A header that could not be read: the remark says which field.
void Refuse(Channel& channel, const CommandView& request, const Error& error) {
  channel.Reply(request, ResponseCode::kSystemError, error.what);
}

}  // namespace

NameServer::NameServer(loop::Loop& loop, NameServerOptions options)
    : options_(options), server_(loop), scan_(loop, [this] { Scan(); }) {
  server_.SetOnClosed([this](Channel& channel) { OnClosed(channel); });
  scan_.Start(options_.scan_period_ms / 2, options_.scan_period_ms);
}

Result<loop::Address> NameServer::Listen(const loop::Address& address) { return server_.Listen(address, MakeTable()); }

void NameServer::Close() {
  scan_.Stop();
  server_.SetOnClosed({});
  server_.Close();
}

std::shared_ptr<const remoting::ProcessorTable> NameServer::MakeTable() {
  auto table = std::make_shared<remoting::ProcessorTable>();
  const auto add = [&](RequestCode code, void (NameServer::*method)(Channel&, const View&)) {
    table->Register(code, [this, method](Channel& channel, const View& request) { (this->*method)(channel, request); });
  };
  add(RequestCode::kRegisterBroker, &NameServer::RegisterBroker);
  add(RequestCode::kUnregisterBroker, &NameServer::UnregisterBroker);
  add(RequestCode::kQueryDataVersion, &NameServer::QueryDataVersion);
  add(RequestCode::kGetRouteinfoByTopic, &NameServer::RouteByTopic);
  add(RequestCode::kDeleteTopicInNamesrv, &NameServer::DeleteTopic);
  table->Register(RequestCode::kGetBrokerClusterInfo, [this](Channel& channel, const View& request) {
    channel.ReplyBody(request, protocol::EncodeClusterInfo(routes_.Cluster()));
  });
  table->Register(RequestCode::kGetAllTopicListFromNameserver, [this](Channel& channel, const View& request) {
    channel.ReplyBody(request, protocol::EncodeTopicList({routes_.Topics(), {}}));
  });
  return table;
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
  protocol::RegisterBrokerResponseHeader reply;
  reply.ha_server_addr = answer.ha_address;
  reply.master_addr = answer.master_address;
  channel.Reply(request, ResponseCode::kSuccess, reply, {});
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
  const auto route = routes_.Route(header->topic);
  if (!route) {
    return channel.Reply(request, ResponseCode::kTopicNotExist,
                         "No topic route info in name server for the topic: " + std::string(header->topic) +
                             "\nSee http://rocketmq.apache.org/docs/faq/ for further details.");
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
