#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "ctl/client.h"
#include "ctl/helper.h"
#include "ctl/message.h"
#include "ctl/seqpacket.h"
#include "ctl/server.h"
#include "loop/loop.h"

namespace mq::ctl {
namespace {

struct Broker : ServerHandler {
  void OnHelper(Role role, bool attached, int64_t) override {
    events.push_back(std::string(RoleName(role)) + (attached ? " attached" : " detached"));
    if (on_event) on_event();
  }
  void OnWake(Role from) override {
    events.push_back("wake from " + std::string(RoleName(from)));
    if (on_event) on_event();
  }
  void OnDrained(Role from, const std::string& problem) override {
    events.push_back(std::string(RoleName(from)) + " drained " + problem);
    if (on_event) on_event();
  }
  void OnStatus(Role, const std::string& text) override { events.push_back(text); }
  std::vector<std::string> events;
  std::function<void()> on_event;
};

struct Helper : ClientHandler {
  void OnAttached(const Settings& s, UniqueFd positions, UniqueFd lock) override {
    settings = s;
    descriptors_valid = positions.valid() && lock.valid();
    events.push_back("attached");
    if (on_attached) on_attached();
  }
  void OnWake() override {
    events.push_back("wake");
    if (on_wake) on_wake();
  }
  void OnSettings(const Settings& s) override {
    settings = s;
    events.push_back("settings");
    if (on_wake) on_wake();
  }
  void OnDrain() override {
    events.push_back("drain");
    if (on_drain) on_drain();
  }
  void OnLost() override {
    events.push_back("lost");
    if (on_lost) on_lost();
  }
  void OnRefused(const Error& error) override {
    events.push_back("refused: " + error.what);
    if (on_lost) on_lost();
  }
  Settings settings;
  bool descriptors_valid = false;
  std::vector<std::string> events;
  std::function<void()> on_attached, on_wake, on_drain, on_lost;
};

class CtlTest : public ::testing::Test {
 protected:
  CtlTest() {
    char name[] = "/tmp/mq-ctl-XXXXXX";
    root_ = ::mkdtemp(name);
    // Longer than a sockaddr_un holds.
    directory_ = root_ + "/" + std::string(150, 'd') + "/mq";
    EXPECT_TRUE(MakeDirectories(directory_).has_value());
    memory_ = UniqueFd(::memfd_create("test", 0));
  }
  ~CtlTest() override { RemoveTree(root_).Ignore("temporary"); }

  std::unique_ptr<Server> Serve(loop::Loop& loop, Broker& broker) {
    Server::Options options;
    options.directory = directory_;
    options.positions_fd = memory_.get();
    options.lock_fd = memory_.get();
    options.page_version = 1;
    options.build = "b1";
    options.settings = {{"a", "1"}, {"b", std::string(3000, 'x')}};
    auto server = Server::Open(loop, std::move(options), broker);
    EXPECT_TRUE(server.has_value()) << server.error().what;
    return std::move(*server);
  }

  std::string root_;
  std::string directory_;
  UniqueFd memory_;
};

// A helper whose work is never done.
struct BusyWork : HelperWork {
  Status Attach(const Settings&, UniqueFd, UniqueFd) override {
    began_ms = MonotonicMs();
    return Ok();
  }
  Status Reconfigure(const Settings&) override { return Ok(); }
  int64_t Turn() override {
    ++turns;
    // So that a loop that hears nobody fails the test and does not hang it.
    return MonotonicMs() - began_ms < 10000 ? 0 : 1000;
  }
  Status Drain() override { return Ok(); }
  Status Detach() override {
    detached_ms = MonotonicMs();
    return Ok();
  }
  int64_t began_ms = 0;
  int64_t detached_ms = 0;
  int turns = 0;
};

TEST_F(CtlTest, AHelperThatIsBehindHearsOfItsBrokersEndAtOnce) {
  loop::Loop loop;
  Broker broker;
  auto server = Serve(loop, broker);
  BusyWork work;
  int64_t ended_ms = 0;
  loop::Timer end(loop, [&] {
    ended_ms = MonotonicMs();
    server.reset();
    loop.Stop();
  });
  broker.on_event = [&] { end.Start(50); };
  std::thread helper([&] {
    HelperOptions options;
    options.directory = directory_;
    options.role = Role::kReputd;
    options.page_version = 1;
    options.build = "b1";
    options.supervised = true;
    mq::ctl::Helper busy(std::move(options), work);
    auto left = busy.Run();
    EXPECT_TRUE(left.has_value());
  });
  loop.Run();
  helper.join();
  EXPECT_GT(work.turns, 10);
  EXPECT_LT(work.detached_ms - ended_ms, 1000);
}

TEST_F(CtlTest, AttachWakeDrainLose) {
  loop::Loop loop;
  Broker broker;
  Helper helper;
  Client client(loop, directory_, Role::kFlushd, 1, "b1", helper);
  client.Start();  // before the broker is there
  auto server = Serve(loop, broker);
  helper.on_attached = [&] { client.Ring(Role::kBroker); };
  broker.on_event = [&] {
    if (broker.events.back() == "wake from flushd") server->Ring(Role::kFlushd);
    if (broker.events.back() == "flushd drained ") server->Close();
  };
  helper.on_wake = [&] { EXPECT_TRUE(server->Drain(Role::kFlushd)); };
  helper.on_drain = [&] { client.Drained(""); };
  helper.on_lost = [&] { loop.Stop(); };
  loop.Run();
  EXPECT_TRUE(helper.descriptors_valid);
  EXPECT_EQ(helper.settings.at("a"), "1");
  EXPECT_EQ(helper.events, (std::vector<std::string>{"attached", "wake", "drain", "lost"}));
  EXPECT_EQ(broker.events, (std::vector<std::string>{"flushd attached", "wake from flushd", "flushd drained "}));
  EXPECT_FALSE(PathExists(directory_ + "/ctl.sock"));
}

TEST_F(CtlTest, ChangedSettingsReachWhoIsThereAndWhoComes) {
  loop::Loop loop;
  Broker broker;
  auto server = Serve(loop, broker);
  Helper flushd, reputd;
  Client one(loop, directory_, Role::kFlushd, 1, "b1", flushd);
  Client two(loop, directory_, Role::kReputd, 1, "b1", reputd);
  flushd.on_attached = [&] { server->ChangeSettings({{"a", "2"}}); };
  flushd.on_wake = [&] { two.Start(); };
  reputd.on_attached = [&] { loop.Stop(); };
  one.Start();
  loop.Run();
  EXPECT_EQ(flushd.events, (std::vector<std::string>{"attached", "settings"}));
  EXPECT_EQ(flushd.settings, (Settings{{"a", "2"}}));
  EXPECT_EQ(reputd.settings, (Settings{{"a", "2"}}));
}

TEST_F(CtlTest, SecondHelperAndOtherBuildAreRefused) {
  loop::Loop loop;
  Broker broker;
  auto server = Serve(loop, broker);
  Helper first, second, third;
  Client one(loop, directory_, Role::kReputd, 1, "b1", first);
  Client two(loop, directory_, Role::kReputd, 1, "b1", second);
  Client three(loop, directory_, Role::kFlushd, 1, "b2", third);
  first.on_attached = [&] { two.Start(); };
  second.on_lost = [&] { three.Start(); };
  third.on_lost = [&] { loop.Stop(); };
  one.Start();
  loop.Run();
  ASSERT_EQ(second.events.size(), 1u);
  EXPECT_NE(second.events[0].find("another mq-reputd (pid " + std::to_string(::getpid())), std::string::npos);
  ASSERT_EQ(third.events.size(), 1u);
  EXPECT_NE(third.events[0].find("another build"), std::string::npos);
  EXPECT_TRUE(server->attached(Role::kReputd));
  EXPECT_FALSE(server->attached(Role::kFlushd));
}

TEST_F(CtlTest, HelperReachesTheOtherHelperThroughTheBroker) {
  loop::Loop loop;
  Broker broker;
  auto server = Serve(loop, broker);
  Helper flushd, reputd;
  Client one(loop, directory_, Role::kFlushd, 1, "b1", flushd);
  Client two(loop, directory_, Role::kReputd, 1, "b1", reputd);
  flushd.on_attached = [&] { two.Start(); };
  reputd.on_attached = [&] { one.Ring(Role::kReputd); };
  reputd.on_wake = [&] { loop.Stop(); };
  one.Start();
  loop.Run();
  EXPECT_EQ(reputd.events, (std::vector<std::string>{"attached", "wake"}));
}

TEST_F(CtlTest, WhoHoldsTheStore) {
  EXPECT_EQ(AskHolder(directory_, 100), std::nullopt);
  loop::Loop loop;
  Broker broker;
  auto server = Serve(loop, broker);
  std::optional<int64_t> holder;
  std::thread asker([&] {
    holder = AskHolder(directory_, 5000);
    loop.Post([&] { loop.Stop(); });
  });
  loop.Run();
  asker.join();
  EXPECT_EQ(holder, ::getpid());
}

TEST_F(CtlTest, WhoLooksAtThePositionsCannotWriteThem) {
  EXPECT_EQ(AskPositions(directory_, 100).error().code, ErrorCode::kUnreachable);
  ASSERT_EQ(::ftruncate(memory_.get(), 4096), 0);
  loop::Loop loop;
  Broker broker;
  auto server = Serve(loop, broker);
  Result<UniqueFd> looked = MakeError(ErrorCode::kInternal, "not asked");
  std::thread asker([&] {
    looked = AskPositions(directory_, 5000);
    loop.Post([&] { loop.Stop(); });
  });
  loop.Run();
  asker.join();
  ASSERT_TRUE(looked.has_value()) << looked.error().what;
  void* readable = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, looked->get(), 0);
  EXPECT_NE(readable, MAP_FAILED);
  ::munmap(readable, 4096);
  EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, looked->get(), 0), MAP_FAILED);
  EXPECT_NE(::pwrite(looked->get(), "x", 1, 0), 1);
  EXPECT_TRUE(broker.events.empty());
}

TEST(CtlMessageTest, RoundTripAndDamage) {
  Message message;
  message.type = MessageType::kHello;
  message.role = Role::kReputd;
  message.pid = 4711;
  message.page_version = 3;
  message.build = "x";
  message.settings = {{"k", "v"}};
  const std::string bytes = Encode(message);
  auto back = Decode(bytes);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(Encode(*back), bytes);
  EXPECT_EQ(back->pid, 4711);
  EXPECT_EQ(back->settings.at("k"), "v");
  for (size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_FALSE(Decode(bytes.substr(0, i)).has_value()) << i;
    std::string bad = bytes;
    bad[i] = static_cast<char>(0xff);
    (void)Decode(bad);
  }
  EXPECT_FALSE(Decode(std::string(1000, '\x91')).has_value());
}

}  // namespace
}  // namespace mq::ctl
