// Settings of servers, shown and changed in one way: `get [KEY...]` and `set KEY=VALUE...`.
#pragma once

#include <string>
#include <vector>

#include "admin/context.h"
#include "protocol/codes.h"

namespace mq::admin {

struct ConfigPeer {
  std::string name;
  std::string address;
};

struct ConfigKind {
  const char* noun;  // in notices
  protocol::RequestCode get;
  protocol::RequestCode set;
};

// The first operand says what to do (get when there is none), the others with what. A change is shown as old and new;
// what is as wanted already is not sent. The server decides what may change and says why not.
Result<int> ConfigGetOrSet(Context& context, const std::vector<ConfigPeer>& peers, const ConfigKind& kind);

}  // namespace mq::admin
