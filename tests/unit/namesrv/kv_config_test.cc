// The KV configuration on disk: RocketMQ's file is read, every change survives, and a damaged file is never a silent
// loss. The settings over the wire: only what may change live, and only into the file chosen at start.
#include "namesrv/kv_config.h"

#include <gtest/gtest.h>

#include <optional>

#include <filesystem>

#include "base/file.h"
#include "base/log.h"
#include "conf/live_update.h"
#include "conf/programs.h"

namespace mq::namesrv {
namespace {

class KvConfigTest : public ::testing::Test {
 protected:
  void SetUp() override {
    log::SetLevel(log::Level::kOff);
    std::string name = (std::filesystem::temp_directory_path() / "mq-kv.XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    path_ = directory_ + "/sub/kvConfig.json";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string directory_;
  std::string path_;
};

TEST_F(KvConfigTest, ChangesAreThereAfterARestart) {
  std::optional<KvConfig> one(std::in_place, path_);
  ASSERT_TRUE(one->Load());
  EXPECT_FALSE(PathExists(path_));  // made by the first change
  ASSERT_TRUE(one->Put("../../etc", "passwd", "names are no paths"));
  ASSERT_TRUE(one->Put("n", "a", "1"));
  ASSERT_TRUE(one->Put("n", "a", "2"));
  one.emplace(path_);
  ASSERT_TRUE(one->Load());
  EXPECT_EQ(*one->Find("n", "a"), "2");
  EXPECT_EQ(*one->Find("../../etc", "passwd"), "names are no paths");
  ASSERT_TRUE(one->Delete("n", "a"));
  EXPECT_EQ(one->Find("n", "a"), nullptr);
  ASSERT_NE(one->FindSpace("n"), nullptr);
  EXPECT_TRUE(one->FindSpace("n")->empty());
}

TEST_F(KvConfigTest, RocketMqsFileIsReadAndADamagedOneIsNotForgotten) {
  ASSERT_TRUE(MakeDirectories(directory_ + "/sub"));
  ASSERT_TRUE(WriteFileAtomically(path_, R"({"configTable":{"ORDER_TOPIC_CONFIG":{"T":"broker-a:4"}}})"));
  std::optional<KvConfig> one(std::in_place, path_);
  ASSERT_TRUE(one->Load());
  EXPECT_EQ(*one->Find(kOrderTopicNamespace, "T"), "broker-a:4");
  ASSERT_TRUE(WriteFileAtomically(path_, "{\"configTable\":{\"ORDER"));
  one.reset();
  const Status damaged = KvConfig(path_).Load();
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().what.find(path_), std::string::npos);
  ASSERT_TRUE(WriteFileAtomically(path_ + ".bak", R"({"configTable":{"n":{"a":"1"}}})"));
  one.emplace(path_);
  ASSERT_TRUE(one->Load());
  EXPECT_EQ(*one->Find("n", "a"), "1");
  // The next change does not put the damaged file in the place of the good backup.
  ASSERT_TRUE(one->Put("n", "b", "2"));
  EXPECT_EQ(*ReadFile(path_ + ".damaged"), "{\"configTable\":{\"ORDER");
  one.emplace(path_);
  ASSERT_TRUE(one->Load());
  EXPECT_EQ(*one->Find("n", "a"), "1");
  EXPECT_EQ(*one->Find("n", "b"), "2");
}

// bugs: what cannot be kept as JSON would make the file unreadable at the next start.
TEST_F(KvConfigTest, TextThatIsNotUtf8IsRefused) {
  std::optional<KvConfig> one(std::in_place, path_);
  ASSERT_TRUE(one->Load());
  EXPECT_FALSE(one->Put("n", "k", "\xff\xfe"));
  EXPECT_FALSE(one->Put("n", "\xc3", "v"));
  EXPECT_FALSE(one->Put("\x80", "k", "v"));
  ASSERT_TRUE(one->Put("n", "k", "日本"));
  one.emplace(path_);
  ASSERT_TRUE(one->Load());
  EXPECT_EQ(*one->Find("n", "k"), "日本");
}

// bugs: two name servers of one home directory wrote over each other's file.
TEST_F(KvConfigTest, AFileInUseIsNotSharedButLeftAlone) {
  KvConfig first(path_);
  ASSERT_TRUE(first.Load());
  ASSERT_TRUE(first.Put("n", "a", "1"));
  EXPECT_EQ(KvConfig(path_).Load().error().code, ErrorCode::kHeldByOther);
  KvConfig second(path_, path_ + "-9877");
  ASSERT_TRUE(second.Load());
  EXPECT_EQ(second.path(), path_ + "-9877");
  ASSERT_TRUE(second.Put("n", "b", "2"));
  ASSERT_TRUE(first.Put("n", "c", "3"));
  EXPECT_EQ(first.Find("n", "b"), nullptr);
  EXPECT_EQ(ReadFile(path_)->find("\"b\""), std::string::npos);
  KvConfig nowhere(path_, std::string());
  ASSERT_TRUE(nowhere.Load());
  EXPECT_TRUE(nowhere.path().empty());
}

TEST_F(KvConfigTest, ItIsBounded) {
  KvConfig kv(path_);
  EXPECT_FALSE(kv.Put("n", "a", std::string(kMaxKvBytes + 1, 'x')));
  EXPECT_EQ(kv.Find("n", "a"), nullptr);
}

class LiveUpdateTest : public KvConfigTest {
 protected:
  conf::Settings settings_{conf::MqNamesrvProgram(), conf::MqNamesrvProgram().commands.front()};

  std::string RefusalOf(std::string_view text) {
    const auto changes = conf::PlanLiveUpdate(settings_, text);
    return changes ? "" : changes.error().what;
  }
};

// bugs: name server config path (CVE-2023-37582)
TEST_F(LiveUpdateTest, NoRequestChoosesAFile) {
  for (const char* text :
       {"configStorePath=/etc/cron.d/x", "kvConfigPath=/etc/cron.d/x", "rocketmqHome=/tmp", "configstorepath=/x",
        "CONFIGSTOREPATH=/x", "config\\u0053torePath=/x", "orderMessageEnable=true\nconfigStorePath=/x",
        "config\\\nStorePath=/x", "orderMessageEnable=true\\nconfigStorePath=/x"}) {
    EXPECT_NE(RefusalOf(text), "") << text;
  }
  EXPECT_NE(RefusalOf("").find("names no setting"), std::string::npos);
  EXPECT_NE(RefusalOf("orderMessageEnabled=true").find("did you mean orderMessageEnable?"), std::string::npos);
  EXPECT_NE(RefusalOf("listenPort=1").find("needs a restart"), std::string::npos);
  EXPECT_NE(RefusalOf("orderMessageEnable=perhaps").find("orderMessageEnable"), std::string::npos);
}

TEST_F(LiveUpdateTest, WhatStaysAsItIsNeedsNoPermission) {
  const auto changes = conf::PlanLiveUpdate(settings_, "listenPort=9876\norderMessageEnable=yes\n");
  ASSERT_TRUE(changes) << changes.error().what;
  ASSERT_EQ(changes->size(), 1u);
  EXPECT_EQ(changes->front().old_value, "false");
  EXPECT_EQ(changes->front().new_value, "true");
  ASSERT_TRUE(conf::ApplyLiveUpdate(settings_, *changes, "test"));
  EXPECT_TRUE(settings_.Bool("orderMessageEnable"));
}

TEST_F(LiveUpdateTest, TheFileKeepsItsOtherLines) {
  const std::string path = directory_ + "/namesrv.conf";
  const std::string before = "# mine\n\nlistenPort = 1234\norderMessageEnable = \\\n  false\n! end";
  ASSERT_TRUE(WriteFileAtomically(path, before));
  const auto changes = conf::PlanLiveUpdate(settings_, "orderMessageEnable=true");
  ASSERT_TRUE(changes);
  ASSERT_TRUE(conf::SaveLiveUpdate(path, *changes));
  EXPECT_EQ(*ReadFile(path), "# mine\n\nlistenPort = 1234\n! end\norderMessageEnable=true\n");
  EXPECT_EQ(*ReadFile(path + ".bak"), before);
  ASSERT_TRUE(conf::SaveLiveUpdate(directory_ + "/new/namesrv.properties", *changes));
  EXPECT_EQ(*ReadFile(directory_ + "/new/namesrv.properties"), "orderMessageEnable=true\n");
}

}  // namespace
}  // namespace mq::namesrv
