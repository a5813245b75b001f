// Socket addresses: the small conversions that connection.cc needs. Not for use outside lib/loop and lib/ctl.
#pragma once

#include <sys/socket.h>

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "loop/address.h"

namespace mq::loop {

bool NumericSockaddr(const std::string& host, int port, sockaddr_storage* out);
bool ResolveSockaddr(const std::string& host, int port, sockaddr_storage* out);  // blocks on the resolver
HostPort HostPortOf(const sockaddr_storage& address);

// A Unix socket's name short enough for sockaddr_un, whatever the length of the path: the directory is opened and named
// by its descriptor (/proc/self/fd/N/name). Valid while the object lives.
class UnixName {
 public:
  static Result<UnixName> Make(const std::string& path);
  const std::string& path() const { return short_path_; }
  // Removes the socket's file, when this name was bound by us.
  void Unlink();
  void SetBound() { bound_ = true; }

 private:
  UniqueFd directory_;
  std::string name_;
  std::string short_path_;
  bool bound_ = false;
};

// Binds a stream socket there, replacing a file that nobody serves any more. `path` is for errors.
Result<UniqueFd> BindUnix(UnixName& name, const std::string& path, int type = SOCK_STREAM);

}  // namespace mq::loop
