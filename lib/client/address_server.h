// The name servers' addresses from an HTTP server: a plain GET of http://host:port/path answers "A;B\n", as RocketMQ's
// address servers do. A small reader of HTTP/1.0 over our own connection: one question, one short answer, no redirects.
// Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "loop/connection.h"
#include "loop/loop.h"

namespace mq::client {

inline constexpr int64_t kAddressServerTimeoutMs = 3'000;
inline constexpr int64_t kAddressServerRefreshMs = 120'000;
// More than any list of name servers; whatever answers with more is something else.
inline constexpr size_t kMaxAddressAnswerBytes = 64 * 1024;

// The parts of "http://host:port/path"; port 80 and "/" by default. The error says what is wrong with the text.
struct HttpUrl {
  std::string host_port;  // as for the Host header
  loop::Address address;
  std::string path;
  static Result<HttpUrl> Parse(std::string_view text);
};
bool IsHttpUrl(std::string_view text);  // http:// or https://, in any case

// One GET. Destroying it ends it without a callback.
class AddressQuestion : private loop::ConnectionHandler {
 public:
  // An error names the URL. `done` comes once, never from inside the constructor; it may destroy the question.
  using Done = std::function<void(Result<std::vector<std::string>>)>;
  AddressQuestion(loop::Loop& loop, std::string url, int64_t timeout_ms, Done done);
  ~AddressQuestion() override;
  AddressQuestion(const AddressQuestion&) = delete;
  AddressQuestion& operator=(const AddressQuestion&) = delete;

 private:
  void OnConnected() override;
  size_t OnData(std::string_view bytes) override;
  void OnClosed(const Error& why) override;
  void Finish(Result<std::vector<std::string>> answer);

  std::string url_;
  HttpUrl parts_;
  Error late_;  // what it means when the timer ends the question
  std::string answer_;
  Done done_;
  loop::Timer timer_;
  std::unique_ptr<loop::Connection> connection_;
};

// For tools that ask one thing after the other: runs the loop until the answer is there.
Result<std::vector<std::string>> FetchNameServers(loop::Loop& loop, const std::string& url);

namespace internal {
// What a whole HTTP answer says: the addresses of its first line, or why not.
Result<std::vector<std::string>> ReadAddressAnswer(std::string_view answer);
// Whether the answer is complete by its Content-Length; otherwise the end of the connection ends it.
bool AnswerIsWhole(std::string_view answer);
}  // namespace internal

}  // namespace mq::client
