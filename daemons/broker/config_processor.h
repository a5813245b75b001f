// The broker's settings over the network: 26 tells them all, 25 changes those that may change while it runs
// (Apply::kLive in the settings table). A change is kept in the file of --config when there is one; the answer says so
// when there is none. No request can choose a file. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "broker/core.h"
#include "conf/settings.h"
#include "remoting/channel.h"

namespace mq::broker {

class ConfigProcessor {
 public:
  // `settings` is what SIGHUP changes too; `changed` takes a change over.
  ConfigProcessor(Core& core, conf::Settings& settings, std::function<Status()> changed);

  void ProcessGet(remoting::Channel& channel, const protocol::CommandView& request) const;
  void ProcessUpdate(remoting::Channel& channel, const protocol::CommandView& request);
  // Counts as a change for those who compare versions.
  void NoteChange();
  // What was found at start and has no default: shown by 26.
  void SetWorkedOut(std::map<std::string, std::string> values) { worked_out_ = std::move(values); }

 private:
  conf::Settings& settings_;
  std::function<Status()> changed_;
  std::map<std::string, std::string> worked_out_;
  protocol::DataVersion version_;
};

}  // namespace mq::broker
