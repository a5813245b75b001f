// The live broker of a store, if there is one: its positions, looked at without its noticing.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "store/positions.h"

namespace mq::storedump {

class LiveBroker {
 public:
  explicit LiveBroker(std::string root) : root_(std::move(root)) {}

  // Asks the broker (one short question). kUnreachable when none is there, kPermission when
  // this user may not ask.
  Status Ask();
  // Null without a broker, and while it recovers.
  const store::Positions* positions() const;
  // Whether the broker whose positions these are has stopped or was killed: ask again.
  bool Gone() const;
  const store::Positions* any() const { return positions_.get(); }

 private:
  std::string root_;
  std::unique_ptr<store::Positions> positions_;
};

}  // namespace mq::storedump
