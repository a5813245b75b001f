#include "client/address_server.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "client/name_servers.h"

namespace mq::client {
namespace {

constexpr std::string_view kScheme = "http://";
constexpr std::string_view kSecureScheme = "https://";
constexpr int kDefaultPort = 80;

bool StartsWithIgnoringCase(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && EqualsIgnoreCase(text.substr(0, prefix.size()), prefix);
}

// The head of an answer without its empty line, and where the body begins; nothing while it is not whole.
std::optional<size_t> BodyBegin(std::string_view answer) {
  const size_t at = answer.find("\r\n\r\n");
  if (at != std::string_view::npos) return at + 4;
  const size_t bare = answer.find("\n\n");
  if (bare != std::string_view::npos) return bare + 2;
  return std::nullopt;
}

std::optional<std::string_view> HeaderOf(std::string_view head, std::string_view name) {
  for (const std::string_view line : Split(head, '\n')) {
    const size_t colon = line.find(':');
    if (colon != std::string_view::npos && EqualsIgnoreCase(Trim(line.substr(0, colon)), name)) {
      return Trim(line.substr(colon + 1));
    }
  }
  return std::nullopt;
}

}  // namespace

bool IsHttpUrl(std::string_view text) {
  return StartsWithIgnoringCase(text, kScheme) || StartsWithIgnoringCase(text, kSecureScheme);
}

Result<HttpUrl> HttpUrl::Parse(std::string_view text) {
  const auto bad = [&](const std::string& why) {
    return MakeError(ErrorCode::kConfig, "'" + std::string(text) + "': " + why);
  };
  if (StartsWithIgnoringCase(text, kSecureScheme)) return bad("an address server is asked by http:// only");
  if (!StartsWithIgnoringCase(text, kScheme)) return bad("not a URL of an address server (http://host:port/path)");
  const std::string_view rest = text.substr(kScheme.size());
  const size_t slash = std::min(rest.find_first_of("/?"), rest.size());
  HttpUrl url;
  url.host_port = rest.substr(0, slash);
  url.path = rest.substr(slash);
  if (!url.path.starts_with('/')) url.path.insert(0, "/");
  const auto unfit = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7F'; };
  if (std::any_of(url.path.begin(), url.path.end(), unfit)) return bad("a blank or control character in the path");
  Result<loop::Address> address = loop::Address::Parse(url.host_port, kDefaultPort);
  if (!address) return bad(address.error().what);
  if (address->kind != loop::Address::Kind::kTcp) return bad("an address server is asked over TCP");
  url.address = std::move(*address);
  return url;
}

Result<std::vector<std::string>> FetchNameServers(loop::Loop& loop, const std::string& url) {
  Result<std::vector<std::string>> answer = MakeError(ErrorCode::kClosed, "interrupted");
  const AddressQuestion question(loop, url, kAddressServerTimeoutMs, [&](Result<std::vector<std::string>> addresses) {
    answer = std::move(addresses);
    loop.Stop();
  });
  loop.Run();
  return answer;
}

namespace internal {

bool AnswerIsWhole(std::string_view answer) {
  const auto begin = BodyBegin(answer);
  if (!begin) return false;
  const auto length = HeaderOf(answer.substr(0, *begin), "content-length");
  const Result<int64_t> bytes = ParseInt64(length.value_or(std::string_view()));
  return bytes && *bytes >= 0 && answer.size() - *begin >= static_cast<size_t>(*bytes);
}

Result<std::vector<std::string>> ReadAddressAnswer(std::string_view answer) {
  const auto bad = [](std::string why) { return MakeError(ErrorCode::kUnreachable, std::move(why)); };
  if (!answer.starts_with("HTTP/")) return bad("what answers there is no HTTP server");
  const std::string_view status_line = Trim(answer.substr(0, answer.find('\n')));
  const std::string_view status = Trim(status_line.substr(std::min(status_line.find(' '), status_line.size())));
  if (!status.starts_with("200")) return bad("HTTP status " + std::string(status));
  const auto begin = BodyBegin(answer);
  if (!begin) return bad("the answer is cut off");
  const std::string_view head = answer.substr(0, *begin);
  if (HeaderOf(head, "transfer-encoding")) return bad("the answer comes in chunks, which HTTP/1.0 does not have");
  const std::string_view body = answer.substr(*begin);
  const Result<int64_t> bytes = ParseInt64(HeaderOf(head, "content-length").value_or("0"));
  if (bytes && *bytes > static_cast<int64_t>(body.size())) return bad("the answer is cut off");
  const std::string_view text = Trim(body);
  const std::string_view line = Trim(text.substr(0, text.find_first_of("\r\n")));
  if (line.empty()) return bad("it names no name server");
  if (IsHttpUrl(line)) return bad("it names another address server: '" + std::string(line) + "'");
  Result<std::vector<std::string>> addresses = ParseNameServers(line);
  if (!addresses) return bad("it does not answer with addresses: " + addresses.error().what);
  return addresses;
}

}  // namespace internal

AddressQuestion::AddressQuestion(loop::Loop& loop, std::string url, int64_t timeout_ms, Done done)
    : url_(std::move(url)),
      late_(MakeError(ErrorCode::kTimeout, "no answer before the deadline")),
      done_(std::move(done)),
      timer_(loop, [this] { Finish(late_); }) {
  Result<HttpUrl> parts = HttpUrl::Parse(url_);
  if (!parts) {
    late_ = parts.error();
    timer_.Start(0);
    return;
  }
  parts_ = std::move(*parts);
  timer_.Start(timeout_ms);
  connection_ = loop::Connection::Connect(loop, parts_.address, timeout_ms, this);
}

AddressQuestion::~AddressQuestion() = default;

void AddressQuestion::OnConnected() {
  connection_->Write("GET " + parts_.path + " HTTP/1.0\r\nHost: " + parts_.host_port +
                     "\r\nUser-Agent: mq\r\nAccept: */*\r\nConnection: close\r\n\r\n");
}

size_t AddressQuestion::OnData(std::string_view bytes) {
  answer_.append(bytes);
  if (answer_.size() > kMaxAddressAnswerBytes) {
    Finish(MakeError(ErrorCode::kUnreachable, "the answer is longer than any list of name servers"));
  } else if (internal::AnswerIsWhole(answer_)) {
    Finish(internal::ReadAddressAnswer(answer_));
  }
  return bytes.size();
}

void AddressQuestion::OnClosed(const Error& why) {
  if (answer_.empty()) return Finish(why);
  Finish(internal::ReadAddressAnswer(answer_));
}

void AddressQuestion::Finish(Result<std::vector<std::string>> answer) {
  const Done done = std::exchange(done_, nullptr);
  if (!done) return;
  timer_.Stop();
  if (connection_) connection_->Close();
  done(std::move(answer).WithContext("address server " + url_));
}

}  // namespace mq::client
