// Questions to the name servers of a list: to the one that answered last, and to the next ones when it is slow,
// dead, or knows nothing.
//
// A server that has not answered after a moment is not given up: the next one is asked as well, and the first
// good answer wins. "No such topic" is believed only when nobody else, within a moment, knows better. A list that is a
// URL is fetched before the first question, and again every two minutes; while that fails, what was known is kept. Loop
// thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/address_server.h"
#include "remoting/client.h"

namespace mq::client {

// "A;B", commas too; blanks around are dropped. Or the one URL of an address server (address_server.h). An empty list
// is an error.
Result<std::vector<std::string>> ParseNameServers(std::string_view text);

class NameServers {
 public:
  // The answer as an owned command: code 0, or code 17 when that is all anybody said.
  using Callback = std::function<void(Result<protocol::Command>)>;

  NameServers(loop::Loop& loop, remoting::Client& client, std::vector<std::string> addresses);

  void Ask(const protocol::Command& command, int64_t timeout_ms, Callback done);
  const std::vector<std::string>& addresses() const { return *addresses_; }

 private:
  struct Question;
  // A question from before the addresses are known.
  struct Early {
    protocol::Command command;
    int64_t timeout_ms = 0;
    Callback done;
  };
  void Fetch();
  void OnFetched(const Result<std::vector<std::string>>& addresses);
  static void AskNext(const std::shared_ptr<Question>& question);
  static void Answered(const std::shared_ptr<Question>& question, size_t server, const remoting::CallResult& result);
  static void Finish(const std::shared_ptr<Question>& question, Result<protocol::Command> answer);

  loop::Loop& loop_;
  remoting::Client& client_;
  std::shared_ptr<std::vector<std::string>> addresses_;
  std::shared_ptr<size_t> current_;  // index of the server that answered last; dies with this object
  std::string url_;                  // of the address server; empty: the addresses were given
  std::vector<Early> early_;
  std::unique_ptr<AddressQuestion> fetching_;
  std::unique_ptr<loop::Timer> refresh_;
};

}  // namespace mq::client
