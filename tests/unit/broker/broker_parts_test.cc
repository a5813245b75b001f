// The broker's parts alone: what may be seen when, who is woken, what survives a bad configuration file.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "broker/config_file.h"
#include "broker/consumer_offsets.h"
#include "broker/pull_hold.h"
#include "broker/queues.h"
#include "broker/stats.h"
#include "broker/topics.h"
#include "broker/unknown_topics.h"
#include "loop/loop.h"
#include "protocol/names.h"

namespace mq::broker {
namespace {

using store::PhysicalOffset;
using store::QueueOffset;

class TempDir {
 public:
  TempDir() { EXPECT_NE(::mkdtemp(path_), nullptr); }
  ~TempDir() { RemoveTree(path_).Ignore("a test's left-over"); }
  std::string operator/(const std::string& name) const { return std::string(path_) + "/" + name; }

 private:
  char path_[32] = "/tmp/mq-broker-XXXXXX";
};

TEST(QueuesTest, WithAsyncFlushAMessageIsVisibleAtOnce) {
  store::QueueTable table;
  Queues queues(table, false, [](Queue&) {});
  Queue& queue = queues.GetOrCreate("T", 0);
  queue.state->next = QueueOffset(1);
  queues.Appended(queue, PhysicalOffset(100));
  EXPECT_EQ(queue.visible_max, QueueOffset(1));
}

TEST(QueuesTest, WithSyncFlushOnlyWhatIsFlushedIsVisible) {
  store::QueueTable table;
  Queues queues(table, true, [](Queue&) {});
  Queue& queue = queues.GetOrCreate("T", 0);
  for (int i = 1; i <= 3; ++i) {
    queue.state->next = QueueOffset(i);
    queues.Appended(queue, PhysicalOffset(i * 100));
  }
  EXPECT_EQ(queue.visible_max, QueueOffset(0));
  queues.Reveal(PhysicalOffset(250));
  EXPECT_EQ(queue.visible_max, QueueOffset(2)) << "the third record is not whole on the disk";
  queues.Reveal(PhysicalOffset(300));
  EXPECT_EQ(queue.visible_max, QueueOffset(3));
}

TEST(QueuesTest, ADeletedTopicStartsAgainAndKeepsNothingOfItsPast) {
  store::QueueTable table;
  Queues queues(table, true, [](Queue&) {});
  Queue& queue = queues.GetOrCreate("T", 0);
  queue.state->next = QueueOffset(5);
  queues.PushRecent(queue, QueueOffset(4), {PhysicalOffset(400), 0, 100});
  queues.Appended(queue, PhysicalOffset(500));
  queues.ResetTopic("T", 1);
  queues.Reveal(PhysicalOffset(500));
  EXPECT_EQ(queue.visible_max, QueueOffset(0));
  EXPECT_EQ(queue.state->next, QueueOffset(0));
  EXPECT_FALSE(queue.ring.Covers(QueueOffset(4)));
  EXPECT_EQ(queue.needs_tombstones, 1u);
}

// A channel that never connects: only its life matters here.
std::shared_ptr<remoting::Channel> IdleChannel(loop::Loop& loop) {
  return std::make_shared<remoting::Channel>(loop, nullptr, remoting::ChannelOptions{});
}

TEST(PullHoldTest, AnArrivalWakesOncePerTurnAndTheDeadlineAnswers) {
  loop::Loop loop;
  store::QueueTable table;
  int tries = 0;
  bool last_seen = false;
  PullHold hold(loop, [&](HeldPull&, bool last) {
    ++tries;
    last_seen = last;
    return last;
  });
  Queues queues(table, false, [&](Queue& queue) { hold.OnAdvanced(queue); });
  Queue& queue = queues.GetOrCreate("T", 0);
  const auto channel = IdleChannel(loop);
  auto pull = std::make_unique<HeldPull>();
  pull->channel = channel;
  pull->queue = &queue;
  pull->deadline_ms = MonotonicMs() + 1000;
  ASSERT_TRUE(hold.Park(std::move(pull)));
  for (int i = 1; i <= 3; ++i) {
    queue.state->next = QueueOffset(i);
    queues.Appended(queue, PhysicalOffset(i * 100));
  }
  loop.RunReady();
  EXPECT_EQ(tries, 1) << "three arrivals of one turn are one look";
  EXPECT_EQ(hold.held(), 1u);
  hold.Tick(MonotonicMs());
  EXPECT_EQ(tries, 1);
  hold.Tick(MonotonicMs() + 2000);
  EXPECT_TRUE(last_seen);
  EXPECT_EQ(hold.held(), 0u);
}

TEST(PullHoldTest, AClosedConnectionIsForgotten) {
  loop::Loop loop;
  store::QueueTable table;
  PullHold hold(loop, [](HeldPull&, bool) { return false; });
  Queues queues(table, false, [&](Queue& queue) { hold.OnAdvanced(queue); });
  auto pull = std::make_unique<HeldPull>();
  pull->queue = &queues.GetOrCreate("T", 0);
  pull->channel = IdleChannel(loop);  // gone at the end of this line
  hold.Park(std::move(pull));
  hold.Tick(MonotonicMs());
  EXPECT_EQ(hold.held(), 0u);
}

TEST(ConfigFileTest, FallsBackToTheBackupAndKeepsTheBadFileAside) {
  TempDir dir;
  loop::Loop loop;
  ConfigFile file(loop, dir / "topics.json");
  EXPECT_FALSE(file.Load("table")->has_value());
  ASSERT_TRUE(file.SaveNow(R"({"a":1})"));
  ASSERT_TRUE(file.SaveNow(R"({"a":2})"));
  for (const char* damage : {"{\"a\":3", "\x01\x02noise", "[1]", "{\"a\":4}{\"b\":", "", "{\"a\":6,\"table\":[1]}"}) {
    ASSERT_TRUE(WriteFileAtomically(dir / "topics.json", damage));
    const auto loaded = file.Load("table");
    ASSERT_TRUE(loaded && loaded->has_value()) << damage;
    EXPECT_EQ((*loaded)->Int("a"), 1);
    EXPECT_EQ(*ReadFile(dir / "topics.json.damaged"), damage);
    EXPECT_EQ(*ReadFile(dir / "topics.json"), R"({"a":1})");
  }
  // The next save does not turn the bad file into the backup.
  ASSERT_TRUE(file.SaveNow(R"({"a":5})"));
  EXPECT_EQ(file.Load("table").value()->Int("a"), 5);
  EXPECT_EQ(*ReadFile(dir / "topics.json.bak"), R"({"a":1})");
  ASSERT_TRUE(WriteFileAtomically(dir / "topics.json", "x"));
  ASSERT_TRUE(WriteFileAtomically(dir / "topics.json.bak", "y"));
  const auto refused = file.Load("table");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("topics.json"), std::string::npos);
}

TEST(ConfigFileTest, TheLastTextOfManyWins) {
  TempDir dir;
  loop::Loop loop;
  ConfigFile file(loop, dir / "c.json");
  int done = 0;
  for (int i = 0; i < 50; ++i) {
    file.Save("{\"i\":" + std::to_string(i) + "}", [&](const Status& saved) {
      EXPECT_TRUE(saved);
      if (++done == 50) loop.Stop();
    });
  }
  loop.Run();
  EXPECT_EQ(file.Load("table").value()->Int("i"), 49);
}

TEST(ConfigFileTest, ASaveOutlivesItsOwnerButNobodyIsCalled) {
  TempDir dir;
  {
    loop::Loop loop;
    ConfigFile file(loop, dir / "c.json");
    for (int i = 0; i < 3; ++i) {
      file.Save("{\"i\":" + std::to_string(i) + "}", [](const Status&) { ADD_FAILURE() << "called"; });
    }
  }
  loop::Loop loop;
  EXPECT_EQ(ConfigFile(loop, dir / "c.json").Load("table").value()->Int("i"), 2);
}

struct TopicsFixture : testing::Test {
  TempDir dir;
  loop::Loop loop;
  store::QueueTable table;
  Queues queues{table, false, [](Queue&) {}};
  Topics Make(bool auto_create) {
    return Topics(loop, dir / "topics.json", {"DefaultCluster", "broker-a", auto_create, 8}, queues);
  }
};

TEST_F(TopicsFixture, ASendMakesATopicAfterItsTemplate) {
  Topics topics = Make(true);
  ASSERT_TRUE(topics.Load());
  Topic* topic = topics.AutoCreate("Fresh", "TBW102", 4);
  ASSERT_NE(topic, nullptr);
  EXPECT_EQ(topic->config.write_queues, 4);
  EXPECT_EQ(topic->config.perm, 6);
  EXPECT_FALSE(topics.IsReady(*topic)) << "sends wait until its configuration is durable";
  topics.WhenReady([&](const Status& saved) {
    EXPECT_TRUE(saved);
    loop.Stop();
  });
  loop.Run();
  EXPECT_TRUE(topics.IsReady(*topics.Find("Fresh")));
  EXPECT_EQ(topics.AutoCreate("Other", "NoSuchTemplate", 4), nullptr);
  EXPECT_EQ(topics.AutoCreate("%RETRY%g", "NoSuchTemplate", 4)->config.write_queues, 1);
  EXPECT_EQ(topics.QueueOf(*topics.Find("Fresh"), 4), nullptr);
  EXPECT_NE(topics.QueueOf(*topics.Find("Fresh"), 3), nullptr);
  topics.WhenReady([&](const Status& saved) {
    EXPECT_TRUE(saved);
    loop.Stop();
  });
  loop.Run();
}

TEST_F(TopicsFixture, WhoAskedIsToldThatAChangeIsNotSaved_ItIsSavedLater) {
  Topics topics = Make(true);
  ASSERT_TRUE(topics.Load());
  ASSERT_TRUE(MakeDirectories(dir / "topics.json.tmp"));
  ASSERT_NE(topics.AutoCreate("Fresh", "TBW102", 4), nullptr);
  std::string told;
  const auto wait = [&] {
    topics.WhenReady([&](const Status& saved) {
      told = saved ? "saved" : saved.error().what;
      loop.Stop();
    });
    loop.Run();
  };
  wait();
  EXPECT_NE(told.find("topics.json.tmp"), std::string::npos) << told;
  EXPECT_EQ(topics.save_problem(), told);
  ASSERT_TRUE(RemoveTree(dir / "topics.json.tmp"));
  topics.Tick();
  wait();
  EXPECT_EQ(told, "saved");
  EXPECT_TRUE(topics.IsReady(*topics.Find("Fresh")));
  EXPECT_EQ(topics.save_problem(), "");
}

// config/topics.json was lost: the topics of messages are named, and a send that makes one again hides none of them.
TEST_F(TopicsFixture, TopicsOfMessagesThatNoTableKnowsAreNamed) {
  Topics topics = Make(true);
  ASSERT_TRUE(topics.Load());
  table.Raise("Lost", 11, store::QueueOffset(5));
  table.Raise("Lost", 2, store::QueueOffset(5));
  table.Raise("SCHEDULE_TOPIC_XXXX", 1, store::QueueOffset(5));
  table.Raise("Emptied", 1, store::QueueOffset(0));
  UnknownTopics unknown;
  unknown.Look(table, topics);
  EXPECT_EQ(unknown.Text(topics), "Lost (12 queues)");
  EXPECT_EQ(topics.AutoCreate("Lost", "TBW102", 4)->config.read_queues, 12);
  EXPECT_EQ(topics.Find("Lost")->config.write_queues, 4);
  EXPECT_EQ(unknown.Text(topics), "");
  for (int i = 0; i < 9; ++i) table.Raise("L" + std::to_string(i), 0, store::QueueOffset(1));
  UnknownTopics many;
  many.Look(table, topics);
  many.Forget("L0");
  EXPECT_EQ(many.Text(topics), "L1 (1 queue), L2 (1 queue), L3 (1 queue), L4 (1 queue), L5 (1 queue) and 3 more");
}

TEST_F(TopicsFixture, OffsetsThatAreNoneAreDropped_TheBackupStaysGood) {
  const std::string path = dir / "consumerOffset.json";
  ASSERT_TRUE(WriteFileAtomically(path, R"({"offsetTable":{"T@G":{0:7,1:-5,2:-1}}})"));
  ASSERT_TRUE(WriteFileAtomically(path + ".bak", R"({"offsetTable":{"T@G":{0:6,1:6}}})"));
  const auto end_of = [](std::string_view, int32_t) { return int64_t{100}; };
  for (int life = 0; life < 2; ++life) {
    ConsumerOffsets offsets(loop, path, end_of);
    ASSERT_TRUE(offsets.Load());
    EXPECT_EQ(offsets.Find("G", "T", 0), 7);
    EXPECT_FALSE(offsets.Find("G", "T", 1).has_value());
    EXPECT_FALSE(offsets.table().at("T@G").contains(1));
  }
  EXPECT_EQ(ReadFile(path)->find("-5"), std::string::npos);
  EXPECT_NE(ReadFile(path + ".bak")->find("1:6"), std::string::npos);
}

TEST_F(TopicsFixture, WithoutAutoCreationNoTemplateHelps) {
  {
    Topics topics = Make(true);
    ASSERT_TRUE(topics.Load());
  }
  Topics topics = Make(false);
  ASSERT_TRUE(topics.Load());
  for (const char* like : {"TBW102", "DefaultCluster", "broker-a"})
    EXPECT_EQ(topics.AutoCreate("New", like, 4), nullptr);
  EXPECT_EQ(topics.Find(protocol::kAutoCreateTopic), nullptr) << "no client finds the template in a route";
}

TEST_F(TopicsFixture, SystemTopicsAreNobodysToChange) {
  Topics topics = Make(true);
  ASSERT_TRUE(topics.Load());
  for (const char* name :
       {"TBW102", "SCHEDULE_TOPIC_XXXX", "DefaultCluster", "broker-a", "DefaultCluster_REPLY_TOPIC"}) {
    EXPECT_TRUE(topics.IsSystem(name)) << name;
  }
  EXPECT_FALSE(topics.IsSystem("Orders"));
}

TEST(StatsTest, RatesAreOverTheirWindow) {
  Stats stats;
  for (int second = 0; second <= 120; ++second) {
    stats.Sample(1700000000000 + second * 1000);
    stats.total.put_messages += second < 110 ? 100 : 10;
  }
  EXPECT_EQ(stats.Rates(&Stats::Counters::put_messages), "10.000 85.000 92.500");
}

}  // namespace
}  // namespace mq::broker
