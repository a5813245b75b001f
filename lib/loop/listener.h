// A listening socket, TCP or Unix: hands every accepted connection to its owner. Loop thread only.
//
// When the process or the machine has no descriptors left it pauses, says so once, and goes on by itself: connections
// wait in the kernel's queue instead of being accepted and closed, so that nobody who would be served soon is turned
// away, and those that are open are not disturbed by one who keeps trying.
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "loop/address.h"
#include "loop/connection.h"
#include "loop/loop.h"

namespace mq::loop {

class Listener {
 public:
  using OnAccept = std::function<void(std::unique_ptr<Connection>)>;
  // Binds and listens. TCP port 0 takes any free one. A Unix path that a live process serves is kHeldByOther; a
  // left-over socket file is replaced. Any path length works.
  static Result<std::unique_ptr<Listener>> Open(Loop& loop, const Address& at, OnAccept on_accept);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  const Address& address() const;  // with the port that was bound

 private:
  struct Impl;
  explicit Listener(Impl* impl) : impl_(impl) {}
  Impl* impl_;
};

}  // namespace mq::loop
