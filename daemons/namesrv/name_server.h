// The name server's request processors: between remoting and the route table. Answers brokers (103, 104, 322), clients
// (105) and tools (106, 205, 206, 216, 224, 304, 311-313, 327); the KV configuration and the settings are answered by
// config_processor.h. As RocketMQ's, it answers unknown request codes with nothing. Loop thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "loop/address.h"
#include "loop/loop.h"
#include "namesrv/kv_config.h"
#include "namesrv/route_table.h"
#include "remoting/server.h"

namespace mq::namesrv {

struct NameServerOptions {
  int64_t scan_period_ms = kScanPeriodMs;
  int64_t broker_expiry_ms = kBrokerExpiryMs;
  std::string kv_path;                          // empty: the KV configuration is not kept
  std::optional<std::string> kv_fallback_path;  // when another name server has that file; nothing: Listen fails then
  bool order_message = false;
};

class NameServer {
 public:
  explicit NameServer(loop::Loop& loop, NameServerOptions options = {});
  NameServer(const NameServer&) = delete;
  NameServer& operator=(const NameServer&) = delete;

  // Binds and serves; returns the address really bound.
  Result<loop::Address> Listen(const loop::Address& address);
  void Close();

  RouteTable& routes() { return routes_; }
  KvConfig& kv() { return kv_; }
  // Whether routes carry the queues of ordered topics.
  // The file that is really used; after Listen.
  const std::string& kv_path() const { return kv_.path(); }
  void set_order_message(bool enable) { options_.order_message = enable; }
  // To add processors of others to; taken by Listen.
  remoting::ProcessorTable& processors() { return *table_; }

 private:
  using View = protocol::CommandView;
  void AddBrokerProcessors();
  void AddClientProcessors();
  void AddKvProcessors();
  using Method = void (NameServer::*)(remoting::Channel&, const View&);
  void Add(protocol::RequestCode code, Method method);
  void RegisterBroker(remoting::Channel& channel, const View& request);
  void UnregisterBroker(remoting::Channel& channel, const View& request);
  void QueryDataVersion(remoting::Channel& channel, const View& request);
  void RouteByTopic(remoting::Channel& channel, const View& request);
  void DeleteTopic(remoting::Channel& channel, const View& request);
  void WipeWritePerm(remoting::Channel& channel, const View& request);
  void AddWritePerm(remoting::Channel& channel, const View& request);
  void TopicsOfCluster(remoting::Channel& channel, const View& request);
  void SystemTopics(remoting::Channel& channel, const View& request);
  void PutKv(remoting::Channel& channel, const View& request);
  void GetKv(remoting::Channel& channel, const View& request);
  void DeleteKv(remoting::Channel& channel, const View& request);
  void ListKv(remoting::Channel& channel, const View& request);
  void OnClosed(remoting::Channel& channel);
  void Scan();

  NameServerOptions options_;
  RouteTable routes_;
  KvConfig kv_;
  std::shared_ptr<remoting::ProcessorTable> table_;
  remoting::Server server_;
  loop::Timer scan_;
};

}  // namespace mq::namesrv
