#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "base/unique_fd.h"
#include "loop/address.h"
#include "loop/connection.h"
#include "loop/listener.h"
#include "loop/loop.h"
#include "loop/process.h"

namespace mq::loop {
namespace {

TEST(AddressTest, ReadsTheThreeForms) {
  EXPECT_EQ(Address::Parse("127.0.0.1:9876")->port, 9876);
  EXPECT_EQ(Address::Parse("[::1]:10911")->host, "::1");
  EXPECT_EQ(Address::Parse("unix:/run/x.sock")->path, "/run/x.sock");
  EXPECT_EQ(Address::Parse("localhost", 9876)->ToString(), "localhost:9876");
  for (const char* bad : {"", ":1", "a:70000", "a:x", "a", "::1:5", "[::1", "[x]:1", "unix:", "a b:1"}) {
    EXPECT_FALSE(Address::Parse(bad)) << bad;
  }
}

TEST(HostPortTest, MappedIpv4IsIpv4) {
  const auto mapped = HostPort::FromNumeric("::ffff:10.0.0.1", 5);
  EXPECT_EQ(mapped->length, 4);
  EXPECT_EQ(mapped->ToString(), "10.0.0.1:5");
  EXPECT_EQ(HostPort::FromNumeric("::1", 6)->ToString(), "[::1]:6");
}

TEST(TimerTest, RunsAndMayDestroyItself) {
  Loop loop;
  int runs = 0;
  std::unique_ptr<Timer> once;
  once = std::make_unique<Timer>(loop, [&] { once.reset(); });
  once->Start(1);
  Timer again(loop, [&] {
    if (++runs == 3) again.Stop();
  });
  again.Start(1, 1);
  loop.Run();
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(once, nullptr);
}

TEST(AgainTest, WorkThatGoesOnAndOnKeepsNobodyOut) {
  Loop loop;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  int turns = 0;
  bool heard = false;
  std::unique_ptr<Again> work;
  work = std::make_unique<Again>(loop, [&] {
    if (++turns == 10) {
      ASSERT_EQ(::write(ends[1], "x", 1), 1);
    }
    if (turns < 100000) work->Start();
  });
  Poller poller(loop, ends[0], [&](int, int) {
    heard = true;
    work.reset();  // also while it is to run
    loop.Stop();
  });
  poller.Start(Poller::kReadable);
  Timer timer(loop, [&] { loop.Stop(); });
  timer.Start(10000);
  work->Start();
  loop.Run();
  EXPECT_TRUE(heard);
  EXPECT_LT(turns, 1000);
  ::close(ends[0]);
  ::close(ends[1]);
}

// A server that echoes whole lines and a client that collects them.
struct Echo : ConnectionHandler {
  std::unique_ptr<Connection> connection;
  bool closed = false;
  size_t OnData(std::string_view bytes) override {
    const size_t end = bytes.rfind('\n');
    if (end == std::string_view::npos) return 0;
    connection->Write(bytes.substr(0, end + 1));
    return end + 1;
  }
  void OnClosed(const Error&) override { closed = true; }
};

struct Collector : ConnectionHandler {
  Loop* loop = nullptr;
  size_t wanted = 0;
  std::string got;
  Error why;
  size_t OnData(std::string_view bytes) override {
    got += bytes;
    if (got.size() >= wanted) loop->Stop();
    return bytes.size();
  }
  void OnClosed(const Error& error) override {
    why = error;
    loop->Stop();
  }
};

void EchoThrough(const Address& at) {
  Loop loop;
  Echo echo;
  auto listener = Listener::Open(loop, at, [&](std::unique_ptr<Connection> c) {
    echo.connection = std::move(c);
    echo.connection->Start(&echo);
  });
  ASSERT_TRUE(listener) << listener.error().what;
  Collector client;
  client.loop = &loop;
  auto connection = Connection::Connect(loop, (*listener)->address(), 3000, &client);
  // One short line, one far larger than any socket buffer, one cut in two writes.
  const std::string big(8 << 20, 'x');
  client.wanted = 6 + big.size() + 1 + 5;
  connection->Write("hello\n");
  connection->WritePinned(std::make_shared<std::string>(), big);
  connection->Write("\nta");
  connection->Output() += "il\n";
  loop.Run();
  EXPECT_EQ(client.got.size(), client.wanted);
  EXPECT_EQ(client.got, "hello\n" + big + "\ntail\n");
  connection->CloseAfterWrite();
  while (!echo.closed) loop.RunReady();
  echo.connection.reset();
  listener->reset();
  connection.reset();
}

TEST(ConnectionTest, EchoesOverTcp) { EchoThrough(*Address::Parse("127.0.0.1:0")); }

TEST(ConnectionTest, EchoesOverAUnixSocketWithALongPath) {
  char dir[] = "/tmp/mq-loop-XXXXXX";
  ASSERT_NE(::mkdtemp(dir), nullptr);
  const std::string deep = std::string(dir) + "/" + std::string(120, 'd') + "/" + std::string(120, 'e');
  ASSERT_TRUE(MakeDirectories(deep));
  EchoThrough(*Address::Parse("unix:" + deep + "/a.sock"));
  EXPECT_FALSE(PathExists(deep + "/a.sock")) << "a listener takes its name away";
  ASSERT_TRUE(RemoveTree(dir));
}

TEST(ConnectionTest, SaysWhyItCouldNotConnect) {
  Loop loop;
  Collector client;
  client.loop = &loop;
  Address nowhere = *Address::Parse("127.0.0.1:1");
  auto connection = Connection::Connect(loop, nowhere, 3000, &client);
  loop.Run();
  EXPECT_EQ(client.why.code, ErrorCode::kUnreachable);
  EXPECT_NE(client.why.what.find("127.0.0.1:1"), std::string::npos);
  auto missing = Connection::Connect(loop, *Address::Parse("unix:/nonexistent/x.sock"), 3000, &client);
  loop.Run();
  EXPECT_EQ(client.why.code, ErrorCode::kUnreachable);
}

TEST(ConnectionTest, MayBeDestroyedWhileConnecting) {
  Loop loop;
  Collector client;
  client.loop = &loop;
  Connection::Connect(loop, *Address::Parse("127.0.0.1:1"), 3000, &client).reset();
  Connection::Connect(loop, *Address::Parse("localhost:1"), 3000, &client).reset();
  loop.RunReady();
  EXPECT_TRUE(client.why.what.empty());
}

TEST(ListenerTest, RefusesAPortInUse) {
  Loop loop;
  auto first = Listener::Open(loop, *Address::Parse("127.0.0.1:0"), nullptr);
  ASSERT_TRUE(first);
  const auto second = Listener::Open(loop, (*first)->address(), nullptr);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kHeldByOther);
}

// Of this process; put back at the end.
class FewDescriptors {
 public:
  FewDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::dup(0);
    ::close(next);
    rlimit few = before_;
    few.rlim_cur = static_cast<rlim_t>(next);
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(ListenerTest, WithoutDescriptorsConnectionsWaitUntilThereAreSome) {
  log::SetLevel(log::Level::kOff);
  Loop loop;
  std::vector<std::unique_ptr<Connection>> accepted;
  auto listener = Listener::Open(loop, *Address::Parse("127.0.0.1:0"),
                                 [&](std::unique_ptr<Connection> c) { accepted.push_back(std::move(c)); });
  ASSERT_TRUE(listener);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>((*listener)->address().port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 3; ++i) clients.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // The loop makes its own descriptors with the first turn.
  loop.RunReady();
  {
    const FewDescriptors few;
    for (const UniqueFd& client : clients) {
      ASSERT_EQ(::connect(client.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    }
    int turns = 0;
    Timer wait(loop, [&] {
      if (++turns == 25) loop.Stop();
    });
    wait.Start(10, 10);
    loop.Run();
    EXPECT_TRUE(accepted.empty());
    for (const UniqueFd& client : clients) {
      char byte;
      EXPECT_EQ(::recv(client.get(), &byte, 1, MSG_DONTWAIT), -1);
      EXPECT_EQ(errno, EAGAIN) << "nobody was accepted and closed";
    }
  }
  Timer check(loop, [&] {
    if (accepted.size() == clients.size()) loop.Stop();
  });
  check.Start(1, 1);
  loop.Run();
  EXPECT_EQ(accepted.size(), clients.size());
}

TEST(ProcessTest, ReportsHowTheChildEnded) {
  Loop loop;
  int status = -1;
  auto process = Process::Start(loop, {"/bin/sh", {"-c", "exit 7"}, true}, [&](int s, int) {
    status = s;
    loop.Stop();
  });
  ASSERT_TRUE(process);
  loop.Run();
  EXPECT_EQ(status, 7);
  EXPECT_FALSE(Process::Start(loop, {"/nonexistent/tool", {}, false}, nullptr));
}

// The loop was stopped before its next turn: what was posted owns a handle and must not outlive the loop.
TEST(LoopTest, WhatWasPostedAndNeverRanIsDroppedWithItsHandles) {
  Loop loop;
  auto timer = std::make_shared<Timer>(loop, [] {});
  loop.Post([timer] { FAIL() << "nobody runs it"; });
  timer.reset();
}

TEST(LoopTest, FunctionsThatPostOneAnotherKeepNoSignalOut) {
  Loop loop;
  bool seen = false;
  const Signal signal(loop, SIGUSR1, [&] { seen = true; });
  int turns = 0;
  std::function<void()> again = [&] {
    if (++turns == 1) ::raise(SIGUSR1);
    if (!seen && turns < 100'000) loop.Post(again);
  };
  loop.Post(again);
  loop.Run();
  EXPECT_TRUE(seen);
}

TEST(LoopTest, WorkRunsElsewhereAndReports) {
  Loop loop;
  int value = 0;
  loop.Work([&] { value = 1; },
            [&] {
              value += 1;
              loop.Stop();
            });
  loop.Run();
  EXPECT_EQ(value, 2);
}

}  // namespace
}  // namespace mq::loop
