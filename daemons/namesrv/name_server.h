// The name server's request processors: between remoting and the route table. Answers 103, 104, 322 of brokers
// and 105, 106, 206, 216 of clients; as RocketMQ's, it answers unknown request codes with nothing.
// Loop thread only.
#pragma once

#include <memory>

#include "base/result.h"
#include "loop/address.h"
#include "loop/loop.h"
#include "namesrv/route_table.h"
#include "remoting/server.h"

namespace mq::namesrv {

struct NameServerOptions {
  int64_t scan_period_ms = kScanPeriodMs;
  int64_t broker_expiry_ms = kBrokerExpiryMs;
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

 private:
  using View = protocol::CommandView;
  std::shared_ptr<const remoting::ProcessorTable> MakeTable();
  void RegisterBroker(remoting::Channel& channel, const View& request);
  void UnregisterBroker(remoting::Channel& channel, const View& request);
  void QueryDataVersion(remoting::Channel& channel, const View& request);
  void RouteByTopic(remoting::Channel& channel, const View& request);
  void DeleteTopic(remoting::Channel& channel, const View& request);
  void OnClosed(remoting::Channel& channel);
  void Scan();

  NameServerOptions options_;
  RouteTable routes_;
  remoting::Server server_;
  loop::Timer scan_;
};

}  // namespace mq::namesrv
