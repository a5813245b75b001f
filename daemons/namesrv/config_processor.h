// The name server's settings over the network: 319 tells them, 318 changes those that may change while it runs. A
// change is kept in the file configStorePath names. That file is chosen at start only: no request can say where to
// write (rows without Apply::kLive are refused). Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "conf/settings.h"
#include "remoting/channel.h"

namespace mq::namesrv {

class ConfigProcessor {
 public:
  // `settings` is what SIGHUP changes too; `changed` is called after a change was taken over.
  ConfigProcessor(conf::Settings& settings, std::function<void()> changed);

  void AddTo(remoting::ProcessorTable& table);
  // What has no default of its own: shown by 319.
  void SetWorkedOut(std::map<std::string, std::string> values) { worked_out_ = std::move(values); }

 private:
  void Get(remoting::Channel& channel, const protocol::CommandView& request) const;
  void Update(remoting::Channel& channel, const protocol::CommandView& request);

  conf::Settings& settings_;
  std::function<void()> changed_;
  std::map<std::string, std::string> worked_out_;
};

// Where the files are when nothing says so.
std::string KvConfigPath(const conf::Settings& settings);
// For a name server that finds the default in use by another one; empty (nothing is kept) when its port is any free
// one.
std::string KvFallbackPath(int port);
std::string ConfigStorePath(const conf::Settings& settings);

}  // namespace mq::namesrv
