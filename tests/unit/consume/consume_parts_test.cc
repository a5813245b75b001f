// The parts of mq-consume that need no broker: places, --last, patterns, options, output.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <thread>

#include "base/file.h"
#include "conf/parse.h"
#include "conf/programs.h"
#include "consume/last.h"
#include "consume/options.h"
#include "consume/output.h"
#include "consume/printer.h"
#include "consume/where.h"

namespace mq::consume {
namespace {

constexpr std::int64_t kNow = 1800000000000;

TEST(WhereTest, EveryForm) {
  EXPECT_EQ(*ParseWhere("start", kNow), (Where{Where::Kind::kStart, 0}));
  EXPECT_EQ(*ParseWhere("end", kNow), (Where{Where::Kind::kEnd, 0}));
  EXPECT_EQ(*ParseWhere("42", kNow), (Where{Where::Kind::kOffset, 42}));
  EXPECT_EQ(*ParseWhere("@1700000000", kNow), (Where{Where::Kind::kTime, 1700000000000}));
  EXPECT_EQ(*ParseWhere("@1700000000123", kNow), (Where{Where::Kind::kTime, 1700000000123}));
  EXPECT_EQ(*ParseWhere("-90m", kNow), (Where{Where::Kind::kTime, kNow - 90 * 60000}));
  EXPECT_EQ(*ParseWhere("2026-01-02T03:04:05Z", kNow), (Where{Where::Kind::kTime, 1767323045000}));
  EXPECT_EQ(*ParseWhere("stored", kNow), (Where{Where::Kind::kStored, 0}));
  for (const char* wrong : {"", "2026-01-02T03:04:05", "-5", "+3", "1.5", "99999999999999999999"}) {
    EXPECT_FALSE(ParseWhere(wrong, kNow)) << wrong;
  }
}

const client::MessageQueue kQueueA{.topic = "T", .broker_name = "a", .queue_id = 0};
const client::MessageQueue kQueueB{.topic = "T", .broker_name = "a", .queue_id = 1};

void Add(LastMessages& last, const client::MessageQueue& queue, std::int64_t offset, std::int64_t time) {
  const std::string body = std::to_string(time);
  client::PulledMessage message;
  message.record.topic = queue.topic;
  message.record.queue_id = queue.queue_id;
  message.record.queue_offset = protocol::QueueOffset(offset);
  message.record.store_timestamp = time;
  message.body = body;
  message.broker_name = queue.broker_name;
  last.Add(queue, message);
}

std::string Bodies(const std::vector<std::unique_ptr<KeptMessage>>& messages) {
  std::string all;
  for (const auto& message : messages) all += message->body + " ";
  return all;
}

TEST(LastTest, NewestOverAllQueuesOldestFirst) {
  LastMessages last(3, false);
  EXPECT_EQ(last.Begin(kQueueA, 0, 10)->begin, 7);
  EXPECT_EQ(last.Begin(kQueueB, 8, 10)->begin, 8);
  for (int i = 0; i < 3; ++i) Add(last, kQueueA, 7 + i, 100 + 10 * i);
  for (int i = 0; i < 2; ++i) Add(last, kQueueB, 8 + i, 115 + 10 * i);
  EXPECT_FALSE(last.Next(kQueueA));
  EXPECT_FALSE(last.Next(kQueueB));
  EXPECT_EQ(Bodies(last.Take()), "115 120 125 ");
}

TEST(LastTest, PerQueue) {
  LastMessages last(1, true);
  EXPECT_TRUE(last.Begin(kQueueA, 0, 5));
  EXPECT_TRUE(last.Begin(kQueueB, 0, 5));
  Add(last, kQueueA, 4, 200);
  Add(last, kQueueB, 4, 100);
  EXPECT_FALSE(last.Next(kQueueA));
  EXPECT_FALSE(last.Next(kQueueB));
  EXPECT_EQ(Bodies(last.Take()), "100 200 ");
}

TEST(LastTest, FiltersMakeItLookFurtherBack) {
  LastMessages last(2, false);
  EXPECT_EQ(last.Begin(kQueueA, 5, 5000)->begin, 4998);
  Add(last, kQueueA, 4999, 300);
  auto stretch = last.Next(kQueueA);
  ASSERT_TRUE(stretch.has_value());
  EXPECT_EQ(stretch->end, 4998);
  EXPECT_EQ(stretch->begin, 4998 - 1024);
  stretch = last.Next(kQueueA);
  EXPECT_EQ(stretch->end, 4998 - 1024);
  Add(last, kQueueA, 3000, 100);
  Add(last, kQueueA, 3001, 101);
  EXPECT_FALSE(last.Next(kQueueA));
  EXPECT_EQ(Bodies(last.Take()), "101 300 ");
}

TEST(LastTest, EndsAtTheBeginningOfTheQueue) {
  LastMessages last(2, false);
  EXPECT_FALSE(last.Begin(kQueueB, 7, 7));
  EXPECT_EQ(last.Begin(kQueueA, 5, 10)->begin, 8);
  EXPECT_EQ(last.Next(kQueueA)->begin, 5);
  EXPECT_FALSE(last.Next(kQueueA));
  EXPECT_TRUE(last.Take().empty());
}

TEST(PatternTest, MatchesLinesAndBytes) {
  const Result<stream::BodyPattern> pattern = stream::BodyPattern::Compile("^err(or)?[0-9]+$");
  ASSERT_TRUE(pattern.has_value());
  EXPECT_TRUE(pattern->Matches("x\nerror12\ny"));
  EXPECT_TRUE(pattern->Matches("err1"));
  EXPECT_FALSE(pattern->Matches("xerr1"));
  EXPECT_FALSE(pattern->Matches(""));
  const Result<stream::BodyPattern> behind_nul = stream::BodyPattern::Compile("needle");
  EXPECT_TRUE(behind_nul->Matches(std::string_view("a\0needle", 8)));
  EXPECT_FALSE(behind_nul->Matches(std::string_view("needle", 3)));
  EXPECT_FALSE(stream::BodyPattern::Compile("a["));
}

Result<Options> Read(std::vector<std::string> arguments, bool terminal = false) {
  const conf::Environment nothing{.variable = [](std::string_view) { return std::optional<std::string>(); }};
  Result<conf::Parsed> parsed = conf::Parse(conf::MqConsumeProgram(), arguments, nothing);
  if (!parsed) return parsed.error();
  return OptionsFrom(parsed->settings, kNow, terminal);
}

TEST(ConsumeOptionsTest, EverythingArrives) {
  const Result<Options> options =
      Read({"-t",      "B",  "-t",         "A",  "-t", "B",     "--from",          "-1s", "--to",   "7",
            "--queue", "3",  "--queue",    "4",  "-T", "a||b",  "--grep",          "x",   "-c",     "5",
            "--wait",  "2s", "--deadline", "9s", "-D", "<EOM>", "--line-buffered", "-n",  "a:1,b:2"});
  ASSERT_TRUE(options.has_value()) << options.error().what;
  EXPECT_EQ(options->topics, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(options->from.value, kNow - 1000);
  EXPECT_EQ(options->to->value, 7);
  EXPECT_EQ(options->queues, (std::vector<std::int32_t>{3, 4}));
  EXPECT_EQ(options->consumer.tags, "a||b");
  EXPECT_EQ(options->count, 5);
  EXPECT_EQ(options->wait_ms, 2000);
  EXPECT_EQ(options->deadline_ms, 9000);
  EXPECT_EQ(options->writer.delimiter, "<EOM>");
  EXPECT_TRUE(options->line_buffered);
  EXPECT_EQ(options->consumer.name_servers.size(), 2u);
  EXPECT_FALSE(options->writer.for_terminal);
  EXPECT_TRUE(Read({"-t", "T"}, true)->writer.for_terminal);
  EXPECT_FALSE(Read({"-t", "T", "--raw"}, true)->writer.for_terminal);
}

TEST(ConsumeOptionsTest, WhatDoesNotFitTogetherIsRefused) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"-t", "a/b"},
      {"-t", "T", "--last", "3", "--from", "start"},
      {"-t", "T", "--per-queue"},
      {"-t", "T", "--follow"},
      {"-t", "T", "--to", "start"},
      {"-t", "T", "--to", "stored"},
      {"-t", "T", "--from", "stored"},
      {"-t", "T", "--ack", "none"},
      {"-t", "T", "-g", ""},
      {"-t", "T", "-g", "a b"},
      {"-t", "T", "-g", "g", "--to", "end"},
      {"-t", "T", "-g", "g", "--last", "3"},
      {"-t", "T", "-g", "g", "--queue", "1"},
      {"-t", "T", "--broker", ":99999"},
      {"-t", "T", "-n", ":99999"},
      {"-t", "T", "-J", "-f", "%b"},
      {"-t", "T", "-J", "--dump", "d"},
      {"-t", "T", "-0", "-D", "x"},
      {"-t", "T", "-f", "%z"},
      {"-t", "T", "--queue", "x"},
      {"-t", "T", "--from", "yesterday"},
      {"-t", "T", "-c", "0"},
  };
  for (const auto& arguments : wrong) {
    const Result<Options> options = Read(arguments);
    EXPECT_FALSE(options) << ::testing::PrintToString(arguments);
    if (!options) {
      EXPECT_EQ(ExitStatusOf(options.error()), 2);
    }
  }
  EXPECT_TRUE(Read({"-t", "T", "-e", "--to", "5"}).has_value());
  EXPECT_TRUE(Read({"-t", "T", "-g", "g", "--from", "stored", "--ack", "none"}).has_value());
  EXPECT_FALSE(Read({"-t", "T", "-M"}, true));
  EXPECT_TRUE(Read({"-t", "T", "-M", "--raw"}, true).has_value());
}

TEST(OutputTest, ASlowReaderGetsEverythingAndStopsNobody) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::string received;
  std::thread reader([&] {
    char bytes[1000];
    for (ssize_t got = 1; got > 0;) {
      got = ::read(ends[0], bytes, sizeof bytes);
      if (got > 0) received.append(bytes, static_cast<std::size_t>(got));
    }
  });
  std::string expected;
  {
    loop::Loop loop;
    int room = 0;
    auto output = std::make_unique<Output>(
        loop, ends[1], [&] { ++room; }, [](const Error& error) { FAIL() << error.what; });
    loop.Post([&] {
      for (int i = 0; i < 300000; ++i) {
        const std::string line = "line " + std::to_string(i) + "\n";
        output->buffer() += line;
        output->Added(false);
        expected += line;
      }
      output->Drain([&] { loop.Stop(); });
    });
    loop.Run();
    EXPECT_GT(room, 0);
    output.reset();
    loop.RunReady();
  }
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  EXPECT_TRUE(received == expected);
}

TEST(OutputTest, AFullDiskIsAnError) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  loop::Loop loop;
  std::string text;
  Output output(
      loop, full, [] {},
      [&](const Error& error) {
        text = error.what;
        loop.Stop();
      });
  loop.Post([&] {
    output.buffer() += "x";
    output.Added(false);
  });
  loop.Run();
  EXPECT_NE(text.find("standard output"), std::string::npos);
  ::close(full);
}

}  // namespace
}  // namespace mq::consume
