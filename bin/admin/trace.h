// What -v and -vv tell on stderr: whom a command asked, how often and how long that took; with -vv every request and
// the code of its answer as well.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "client/admin.h"
#include "conf/settings.h"

namespace mq::admin {

class Trace {
 public:
  // Watches the requests of `admin`, which must not outlive this; nothing without -v.
  Trace(const conf::Settings& settings, client::Admin& admin);
  // Says whom was asked since the last time; at the end of a command.
  void Sum();

 private:
  struct Peer {
    int requests = 0;
    int unanswered = 0;
    int64_t longest_ms = 0;
  };
  void Tell(const client::Asked& question);

  const conf::Settings& settings_;
  std::map<std::string, Peer> asked_;  // by address
};

}  // namespace mq::admin
