// Server, client and channel over loopback: calls, timeouts, slow readers, garbage, idle connections.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

#include "base/log.h"
#include "loop/loop.h"
#include "remoting/client.h"
#include "remoting/server.h"

namespace mq::remoting {
namespace {

using protocol::Command;
using protocol::CommandView;
using protocol::RequestCode;
using protocol::ResponseCode;

class RemotingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    log::SetLevel(log::Level::kOff);
    table_ = std::make_shared<ProcessorTable>();
    table_->Register(RequestCode::kGetMaxOffset,
                     [](Channel& channel, const CommandView& request) { channel.ReplyBody(request, request.body); });
    table_->Register(RequestCode::kPullMessage, [this](Channel& channel, const CommandView& request) {
      held_ = channel.weak_from_this();
      held_head_ = protocol::ReplyHead(request, ResponseCode::kPullNotFound);
    });
    table_->SetDefault(AnswerNotSupported);
  }

  std::string Start(ServerOptions options = {}) {
    server_ = std::make_unique<Server>(loop_, options);
    const auto bound = server_->Listen(*loop::Address::Parse("127.0.0.1:0"), table_);
    EXPECT_TRUE(bound);
    port_ = bound->port;
    return bound->ToString();
  }

  // A plain blocking socket, for bytes a client of ours would never send.
  int RawConnect() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port_));
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    return fd;
  }

  // Runs the loop until the condition holds; the deadline only bounds a failing test.
  template <class Condition>
  void RunUntil(Condition condition) {
    bool late = false;
    loop::Timer deadline(loop_, [&] { late = true; });
    deadline.Start(10000);
    loop::Timer tick(loop_, [] {});
    tick.Start(1, 1);
    loop::Timer check(loop_, [&] {
      if (late || condition()) loop_.Stop();
    });
    check.Start(0, 1);
    loop_.Run();
    EXPECT_FALSE(late);
  }

  loop::Loop loop_;
  std::shared_ptr<ProcessorTable> table_;
  std::unique_ptr<Server> server_;
  ChannelHandle held_;
  protocol::CommandHead held_head_;
  int port_ = 0;
};

Command Request(RequestCode code, std::string body = {}) {
  Command command(code);
  command.body = std::move(body);
  return command;
}

TEST_F(RemotingTest, CallsAreAnsweredInBothCodecs) {
  const std::string address = Start();
  Client client(loop_);
  int answers = 0;
  bool binary = false;
  std::function<void()> next = [&] {
    client.Call(address, Request(RequestCode::kGetMaxOffset, "payload"), 3000, [&](const CallResult& result) {
      ASSERT_TRUE(result.ok()) << result.error;
      EXPECT_EQ(result.reply->body, "payload");
      EXPECT_EQ(result.reply->version, protocol::kOurVersion);
      binary = result.reply->type == protocol::SerializeType::kRocketMq;
      if (++answers < 3) return next();
      loop_.Stop();
    });
  };
  next();
  loop_.Run();
  EXPECT_EQ(answers, 3);
  EXPECT_TRUE(binary);  // the first answer showed that the peer understands it
}

TEST_F(RemotingTest, ABusyPeerIsWaitedForAndASilentOneIsNot) {
  // Answers one request every 20 ms, so that the last of ten is late by its own measure; then nothing more.
  std::vector<int32_t> asked;
  std::shared_ptr<Channel> busy;
  table_->Register(RequestCode::kGetMinOffset, [&](Channel& channel, const CommandView& request) {
    busy = channel.shared_from_this();
    asked.push_back(request.opaque);
  });
  loop::Timer answer(loop_, [&] {
    if (asked.empty()) return;
    protocol::CommandHead head;
    head.opaque = asked.front();
    head.flag = protocol::kFlagResponse;
    asked.erase(asked.begin());
    protocol::CommandWriter(busy->output(), head).Finish(0);
    busy->OutputAdded();
  });
  answer.Start(20, 20);
  Client client(loop_);
  const std::string address = Start();
  std::shared_ptr<Channel> channel;
  client.Connect(address, [&](std::shared_ptr<Channel> ready, std::string_view) { channel = std::move(ready); });
  RunUntil([&] { return channel != nullptr; });
  const auto ask = [&](int64_t timeout_ms, CallCallback callback) {
    const auto opaque = channel->BeginCall(timeout_ms, std::move(callback), 100);
    ASSERT_TRUE(opaque);
    Command command = Request(RequestCode::kGetMinOffset);
    command.opaque = *opaque;
    protocol::EncodeCommand(command, channel->output());
    channel->OutputAdded();
  };
  int answered = 0;
  for (int i = 0; i < 10; ++i) ask(5000, [&](const CallResult& result) { answered += result.ok() ? 1 : 0; });
  RunUntil([&] { return answered == 10; });
  answer.Stop();
  CallOutcome outcome = CallOutcome::kReply;
  ask(5000, [&](const CallResult& result) { outcome = result.outcome; });
  RunUntil([&] { return outcome != CallOutcome::kReply; });
  EXPECT_EQ(outcome, CallOutcome::kTimeout) << "silence ends the call long before its timeout";
  busy.reset();
  channel.reset();
}

TEST_F(RemotingTest, UnknownCodesAreRefusedInRocketMqsWords) {
  const std::string address = Start();
  Client client(loop_);
  Command command;
  command.code = 9999;
  client.Call(address, command, 3000, [&](const CallResult& result) {
    ASSERT_EQ(result.outcome, CallOutcome::kReply);
    EXPECT_EQ(result.reply->code, 3);
    EXPECT_EQ(result.reply->remark, " request type 9999 not supported");
    loop_.Stop();
  });
  loop_.Run();
}

TEST_F(RemotingTest, TimeoutRefusedAndUnreachableAreTold) {
  const std::string address = Start();
  Client client(loop_);
  int answers = 0;
  client.Call(address, Request(RequestCode::kPullMessage), 20, [&](const CallResult& result) {
    EXPECT_EQ(result.outcome, CallOutcome::kTimeout);
    ++answers;
  });
  client.Call("127.0.0.1:1", Request(RequestCode::kPullMessage), 3000, [&](const CallResult& result) {
    EXPECT_EQ(result.outcome, CallOutcome::kUnreachable);
    EXPECT_NE(result.error.find("127.0.0.1:1"), std::string_view::npos);
    ++answers;
  });
  client.Call("no port", Request(RequestCode::kPullMessage), 3000, [&](const CallResult& result) {
    EXPECT_EQ(result.outcome, CallOutcome::kUnreachable);
    ++answers;
  });
  EXPECT_EQ(answers, 0);  // never from inside Call
  RunUntil([&] { return answers == 3; });
  RunUntil([&] { return server_->connections() == 0; });  // a call that timed out closes its connection
}

TEST_F(RemotingTest, LaterRepliesSurviveOnlyWithTheConnection) {
  const std::string address = Start();
  auto client = std::make_unique<Client>(loop_);
  int code = -1;
  client->Call(address, Request(RequestCode::kPullMessage), 3000, [&](const CallResult& result) {
    ASSERT_EQ(result.outcome, CallOutcome::kReply);
    code = result.reply->code;
  });
  RunUntil([&] { return !held_.expired(); });
  held_.lock()->ReplyTo(held_head_);
  RunUntil([&] { return code >= 0; });
  EXPECT_EQ(code, 19);
  client.reset();
  RunUntil([&] { return held_.expired(); });
  EXPECT_EQ(server_->connections(), 0u);
}

TEST_F(RemotingTest, OnewayRequestsAreNeverAnswered) {
  Start();
  const int fd = RawConnect();
  Command oneway = Request(RequestCode::kGetMaxOffset, "x");
  oneway.flag = protocol::kFlagOneway;
  Command call = Request(RequestCode::kGetMaxOffset, "y");
  call.opaque = 77;
  std::string bytes;
  protocol::EncodeCommand(oneway, bytes);
  protocol::EncodeCommand(call, bytes);
  ASSERT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  RunUntil([&] { return server_->stats().requests == 2; });
  char reply[4096];
  const ssize_t n = ::read(fd, reply, sizeof reply);
  ASSERT_GT(n, 0);
  CommandView view;
  ASSERT_TRUE(protocol::DecodeCommand(std::string_view(reply, static_cast<size_t>(n)), view));
  EXPECT_EQ(view.opaque, 77);
  ::close(fd);
}

TEST_F(RemotingTest, GarbageIsClosedAtOnce) {
  Start();
  for (const std::string& bytes : {std::string("GET / HTTP/1.1\r\n\r\n"), std::string("\xff\xff\xff\xff"),
                                   std::string("\0\0\0\x06\0\0\0\x02{}", 10), std::string("\x16\x03\x01\x02\x00", 5)}) {
    const int fd = RawConnect();
    ASSERT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    const uint64_t before = server_->stats().garbage;
    RunUntil([&] { return server_->stats().garbage == before + 1; });
    char byte;
    EXPECT_LE(::read(fd, &byte, 1), 0);
    ::close(fd);
  }
  EXPECT_EQ(server_->connections(), 0u);
}

TEST_F(RemotingTest, FramesMayArriveByteByByte) {
  Start();
  const int fd = RawConnect();
  Command call = Request(RequestCode::kGetMaxOffset, std::string(300, 'z'));
  std::string bytes;
  protocol::EncodeCommand(call, bytes);
  for (const char c : bytes) {
    ASSERT_EQ(::write(fd, &c, 1), 1);
    loop_.RunReady();
  }
  RunUntil([&] { return server_->stats().requests == 1; });
  ::close(fd);
}

TEST_F(RemotingTest, ASlowReaderIsNotReadAnyFurther) {
  ServerOptions options;
  options.output_high_water = 64 * 1024;
  Start(options);
  const int fd = RawConnect();
  Command call = Request(RequestCode::kGetMaxOffset, std::string(100 * 1000, 'b'));
  std::string bytes;
  protocol::EncodeCommand(call, bytes);
  constexpr int kCalls = 300;
  // Writes while running the loop, never reading: the server must stop taking requests.
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  size_t written = 0;
  std::string all;
  for (int i = 0; i < kCalls; ++i) all += bytes;
  int idle = 0;
  while (written < all.size() && idle < 200) {
    const ssize_t n = ::write(fd, all.data() + written, all.size() - written);
    if (n > 0) {
      written += static_cast<size_t>(n);
      idle = 0;
    } else {
      ++idle;
    }
    loop_.RunReady();
  }
  EXPECT_LT(server_->stats().requests, static_cast<uint64_t>(kCalls));
  // Once it reads, everything is answered.
  size_t received = 0;
  std::string buffer(1 << 20, '\0');
  const auto step = [&] {
    if (written < all.size()) {
      const ssize_t n = ::write(fd, all.data() + written, all.size() - written);
      if (n > 0) written += static_cast<size_t>(n);
    }
    for (ssize_t n; (n = ::read(fd, buffer.data(), buffer.size())) > 0;) received += static_cast<size_t>(n);
    return received >= size_t{kCalls} * 100 * 1000 && server_->stats().requests == kCalls;
  };
  RunUntil(step);
  ::close(fd);
}

// Answers to requests that were taken before the reader fell behind come on top of the high water: up to a limit.
TEST_F(RemotingTest, AReaderThatTakesNothingIsClosedAtTheHardLimit) {
  ServerOptions options;
  options.output_high_water = 64 * 1024;
  options.output_hard_limit = 32 << 20;
  Start(options);
  bool closed = false;
  server_->SetOnClosed([&](Channel&) { closed = true; });
  const int fd = RawConnect();
  std::string bytes;
  protocol::EncodeCommand(Request(RequestCode::kPullMessage), bytes);
  ASSERT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  RunUntil([&] { return !held_.expired(); });
  const std::string body(1 << 20, 'b');
  int answers = 0;
  for (; !closed && answers < 200; ++answers) {
    const auto channel = held_.lock();
    if (!channel || channel->closed()) break;
    channel->ReplyTo(held_head_, body);
    EXPECT_LE(channel->queued_bytes(), options.output_hard_limit + body.size() + 1024);
    loop_.RunReady();
  }
  EXPECT_TRUE(closed);
  // The sockets take some megabytes of their own.
  EXPECT_GT(answers, 32);
  EXPECT_LT(answers, 100);
  EXPECT_EQ(server_->connections(), 0u);
  ::close(fd);
}

TEST_F(RemotingTest, IdleConnectionsAreClosed) {
  ServerOptions options;
  options.idle_close_ms = 30;
  Start(options);
  const int fd = RawConnect();
  RunUntil([&] { return server_->stats().accepted == 1; });
  RunUntil([&] { return server_->connections() == 0; });
  ::close(fd);
}

TEST_F(RemotingTest, ConnectionsWithoutAWholeFirstFrameAreClosed) {
  ServerOptions options;
  options.first_frame_ms = 50;
  Start(options);
  const int mute = RawConnect();
  const int half = RawConnect();
  const int speaking = RawConnect();
  std::string bytes;
  protocol::EncodeCommand(Request(RequestCode::kGetMaxOffset, "z"), bytes);
  ASSERT_EQ(::write(half, bytes.data(), 10), 10);
  ASSERT_EQ(::write(speaking, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  RunUntil([&] { return server_->stats().accepted == 3 && server_->stats().requests == 1; });
  RunUntil([&] { return server_->connections() == 1; });
  EXPECT_EQ(server_->stats().silent, 2u);
  for (const int fd : {mute, half, speaking}) ::close(fd);
}

TEST_F(RemotingTest, AFrameThatDripsIsNotWaitedForForEver) {
  ServerOptions options;
  options.whole_frame_ms = 50;
  Start(options);
  const int fd = RawConnect();
  std::string bytes;
  protocol::EncodeCommand(Request(RequestCode::kGetMaxOffset, "z"), bytes);
  // A whole frame and the beginning of a second one, of which a byte comes now and then.
  ASSERT_EQ(::write(fd, (bytes + bytes).data(), bytes.size() + 9), static_cast<ssize_t>(bytes.size() + 9));
  RunUntil([&] { return server_->stats().requests == 1; });
  size_t sent = 9;
  loop::Timer drip(loop_, [&] {
    if (sent + 1 < bytes.size() && ::send(fd, &bytes[sent], 1, MSG_NOSIGNAL) == 1) ++sent;
  });
  drip.Start(10, 10);
  RunUntil([&] { return server_->connections() == 0; });
  EXPECT_EQ(server_->stats().silent, 1u);
  ::close(fd);
}

TEST_F(RemotingTest, AnAnnouncedFrameReservesNoMoreThanItsBytesAreWorth) {
  Start();
  std::vector<int> all;
  for (int i = 0; i < 200; ++i) {
    all.push_back(RawConnect());
    // The largest frame there may be, of which only the first bytes ever come.
    ASSERT_EQ(::write(all.back(), "\x00\xff\xff\xfc\x00\x00\x10\x00{", 9), 9);
  }
  RunUntil([&] { return server_->stats().accepted == 200; });
  EXPECT_EQ(server_->connections(), 200u);
  for (const int fd : all) ::close(fd);
  RunUntil([&] { return server_->connections() == 0; });
}

TEST_F(RemotingTest, ConnectionsAreBounded) {
  ServerOptions options;
  options.max_connections = 1;
  Start(options);
  const int first = RawConnect();
  const int second = RawConnect();
  RunUntil([&] { return server_->stats().refused == 1; });
  EXPECT_EQ(server_->connections(), 1u);
  ::close(first);
  ::close(second);
}

TEST_F(RemotingTest, UnixSocketsWorkTheSame) {
  Start();
  const std::string path = std::filesystem::temp_directory_path() / ("mq-remoting-" + std::to_string(getpid()));
  const auto bound = server_->Listen(*loop::Address::Parse("unix:" + path), table_);
  ASSERT_TRUE(bound) << bound.error().what;
  Client client(loop_);
  bool done = false;
  client.Call("unix:" + path, Request(RequestCode::kGetMaxOffset, "u"), 3000, [&](const CallResult& result) {
    EXPECT_TRUE(result.ok()) << result.error;
    done = true;
  });
  RunUntil([&] { return done; });
  server_->Close();
  std::filesystem::remove(path);
}

TEST_F(RemotingTest, TheServerMayCallItsClient) {
  const std::string address = Start();
  auto processors = std::make_shared<ProcessorTable>();
  processors->Register(RequestCode::kNotifyConsumerIdsChanged,
                       [](Channel& channel, const CommandView& request) { channel.ReplyBody(request, "noted"); });
  ClientOptions options;
  options.processors = processors;
  Client client(loop_, options);
  client.Connect(address, {});
  RunUntil([&] { return server_->connections() == 1; });
  std::string answer;
  server_->ForEachChannel([&](Channel& channel) {
    Command command(RequestCode::kNotifyConsumerIdsChanged);
    channel.Call(command, 3000, [&](const CallResult& result) {
      ASSERT_TRUE(result.ok());
      answer = result.reply->body;
    });
  });
  RunUntil([&] { return !answer.empty(); });
  EXPECT_EQ(answer, "noted");
}

}  // namespace
}  // namespace mq::remoting
