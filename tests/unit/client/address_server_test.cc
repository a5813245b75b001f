// Name servers' addresses by HTTP: what counts as an answer, and how the client lives with servers that come and go.
#include "client/address_server.h"

#include "base/strings.h"
#include "client/routes.h"
#include "fake_cluster.h"
#include "loop/connection.h"
#include "loop/listener.h"

namespace mq::client {
namespace {

std::string Read(std::string_view answer) {
  const auto addresses = internal::ReadAddressAnswer(answer);
  return addresses ? JoinStrings(*addresses, " ") : "error: " + addresses.error().what;
}

TEST(AddressAnswerTest, NS_49_TheFirstLineNamesTheServers) {
  EXPECT_EQ(Read("HTTP/1.0 200 OK\r\nServer: x\r\n\r\n10.0.0.1:9876;b:9877\n"), "10.0.0.1:9876 b:9877");
  EXPECT_EQ(Read("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na:1\nb:2\n"), "error: the answer is cut off");
  EXPECT_EQ(Read("HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\na:1\nb:2\n"), "a:1");
  EXPECT_EQ(Read("HTTP/1.1 200\n\na:1"), "a:1");
}

TEST(AddressAnswerTest, EverythingElseIsAnErrorThatSaysWhy) {
  EXPECT_EQ(Read("HTTP/1.0 404 Not Found\r\n\r\nno such page"), "error: HTTP status 404 Not Found");
  EXPECT_EQ(Read("SSH-2.0-x\r\n"), "error: what answers there is no HTTP server");
  EXPECT_EQ(Read("HTTP/1.0 200 OK\r\nServer"), "error: the answer is cut off");
  EXPECT_EQ(Read("HTTP/1.0 200 OK\r\n\r\n\n"), "error: it names no name server");
  EXPECT_NE(Read("HTTP/1.0 200 OK\r\n\r\n<html>").find("does not answer with addresses"), std::string::npos);
  EXPECT_NE(Read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na:1\r\n0\r\n\r\n").find("chunks"),
            std::string::npos);
  EXPECT_NE(Read("HTTP/1.0 200 OK\r\n\r\nhttp://other/").find("another address server"), std::string::npos);
}

TEST(HttpUrlTest, PartsAndFaults) {
  const auto url = HttpUrl::Parse("http://[::1]:8080/rocketmq/nsaddr?x=1");
  ASSERT_TRUE(url) << url.error().what;
  EXPECT_EQ(url->address.port, 8080);
  EXPECT_EQ(url->path, "/rocketmq/nsaddr?x=1");
  EXPECT_EQ(HttpUrl::Parse("HTTP://host")->address.port, 80);
  EXPECT_EQ(HttpUrl::Parse("http://host")->path, "/");
  EXPECT_EQ(HttpUrl::Parse("http://host?x")->path, "/?x");
  EXPECT_FALSE(HttpUrl::Parse("https://host/"));
  EXPECT_FALSE(HttpUrl::Parse("http:///path"));
  EXPECT_FALSE(HttpUrl::Parse("http://host:99999/"));
  EXPECT_FALSE(HttpUrl::Parse("http://host/a b"));
  EXPECT_EQ(ParseEndpoints("http://host:99999/", "").error().code, ErrorCode::kConfig);
  EXPECT_EQ(ParseEndpoints(":99999", "").error().code, ErrorCode::kConfig);
  EXPECT_EQ(ParseEndpoints("a:1", ":99999").error().code, ErrorCode::kConfig);
  EXPECT_EQ(ParseEndpoints(" a:1 ; b:2,", "")->name_servers, (std::vector<std::string>{"a:1", "b:2"}));
}

// Answers every connection with the same bytes and closes.
class FakeHttpServer {
 public:
  explicit FakeHttpServer(loop::Loop& loop) {
    auto listener = loop::Listener::Open(loop, *loop::Address::Parse("127.0.0.1:0"), [this](auto connection) {
      peers_.push_back(std::make_unique<Peer>(*this, std::move(connection)));
    });
    listener_ = std::move(*listener);
    url = "http://" + listener_->address().ToString() + "/nsaddr";
  }
  std::string url;
  std::string answer;
  std::string asked;

 private:
  struct Peer : loop::ConnectionHandler {
    Peer(FakeHttpServer& s, std::unique_ptr<loop::Connection> c) : server(s), connection(std::move(c)) {
      connection->Start(this);
    }
    size_t OnData(std::string_view bytes) override {
      server.asked = bytes;
      connection->Write(server.answer);
      connection->CloseAfterWrite();
      return bytes.size();
    }
    void OnClosed(const Error& /*why*/) override {}
    FakeHttpServer& server;
    std::unique_ptr<loop::Connection> connection;
  };
  std::vector<std::unique_ptr<Peer>> peers_;
  std::unique_ptr<loop::Listener> listener_;
};

class AddressServerTest : public ClientTest {
 protected:
  std::string Find(Routes& routes) {
    std::string outcome;
    routes.Find("T", 3000, [&](Result<TopicRoute> route) { outcome = route ? "found" : route.error().what; });
    RunUntil([&] { return !outcome.empty(); });
    return outcome;
  }
};

TEST_F(AddressServerTest, NS_49_RoutesAreAskedOfTheServersItNames) {
  names_.Add("T", broker_a_, 1);
  FakeHttpServer http(loop_);
  http.answer = "HTTP/1.0 200 OK\r\n\r\n127.0.0.1:1;" + names_.address + "\n";  // the first one is not there
  remoting::Client client(loop_);
  Routes routes(loop_, client, {{http.url}, ""});
  EXPECT_EQ(Find(routes), "found");
  EXPECT_EQ(Find(routes), "found");
  EXPECT_TRUE(http.asked.starts_with("GET /nsaddr HTTP/1.0\r\nHost: 127.0.0.1:"));
}

TEST_F(AddressServerTest, AFailureNamesTheServerAndIsNotFinal) {
  names_.Add("T", broker_a_, 1);
  FakeHttpServer http(loop_);
  http.answer = "HTTP/1.0 503 Busy\r\n\r\n";
  remoting::Client client(loop_);
  Routes routes(loop_, client, {{http.url}, ""});
  EXPECT_EQ(Find(routes), "address server " + http.url + ": HTTP status 503 Busy");
  http.answer = "HTTP/1.0 200 OK\r\n\r\n" + names_.address;
  EXPECT_EQ(Find(routes), "found");
}

TEST_F(AddressServerTest, NobodyThereIsSaidAtOnce) {
  remoting::Client client(loop_);
  Routes routes(loop_, client, {{"http://127.0.0.1:1/"}, ""});
  EXPECT_TRUE(Find(routes).starts_with("address server http://127.0.0.1:1/: "));
}

}  // namespace
}  // namespace mq::client
