// Tells brokers who we are (HEART_BEAT 34): every 30 s, at once when a broker joins the list, and again as soon as a
// broker that went away can be reached. Says good-bye with UNREGISTER_CLIENT (35).
//
// Used by the group consumer and the producer, over the connections they work with: a broker counts its members by
// connection and calls back on the one that a heartbeat came over. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "loop/loop.h"
#include "protocol/heartbeat.h"
#include "remoting/client.h"

namespace mq::client {

inline constexpr int64_t kHeartbeatMs = 30'000;
// A broker that did not answer is asked again after this.
inline constexpr int64_t kHeartbeatRetryMs = 500;
// Leaving waits no longer than this for a broker; its connection closes anyway.
inline constexpr int64_t kUnregisterMs = 1'000;

class Heartbeats {
 public:
  struct Handler {
    // A broker knows us again after it did not, for example because it was restarted.
    std::function<void(const std::string& address)> on_known_again;
    // A connection that had carried a heartbeat is gone. Optional.
    std::function<void(const std::string& address)> on_lost;
  };

  // Takes over the client's notice of closed connections. The client must outlive the object.
  Heartbeats(loop::Loop& loop, remoting::Client& client, protocol::HeartbeatData data, Handler handler,
             int64_t period_ms = kHeartbeatMs);

  // The brokers to tell; new ones are told at once, those no longer named are forgotten. `done` may be empty; it comes
  // when each of the new ones has answered or failed.
  void SetBrokers(const std::vector<std::string>& addresses, std::function<void()> done = {});
  // Tells one broker now, in any case; `done` may be empty.
  void Beat(const std::string& address, std::function<void(bool known)> done);
  void BeatAll();
  // Good-bye to every broker that knows us, in the name of that consumer or producer group (one of them empty).
  void Unregister(std::string_view consumer_group, std::string_view producer_group, std::function<void()> done);

  const std::string& client_id() const { return data_.client_id; }

 private:
  struct Broker {
    bool known = false;  // answered a heartbeat, and the connection still stands
    bool ever_known = false;
  };

  void OnAnswer(const std::string& address, const remoting::CallResult& result);
  void OnClosed(const std::string& address);
  void RetryUnknown();

  remoting::Client& client_;
  protocol::HeartbeatData data_;
  std::string body_;
  Handler handler_;
  std::map<std::string, Broker> brokers_;
  bool left_ = false;
  loop::Timer period_;
  loop::Timer retry_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // answers that come later look whether we are
};

}  // namespace mq::client
