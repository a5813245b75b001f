// RocketMQ's command names: all of them are known, and each comes to what it must.
#include <gtest/gtest.h>

#include <set>

#include "base/strings.h"
#include "conf/mq_admin_aliases.h"
#include "conf/parse.h"
#include "conf/programs.h"

namespace mq::conf {
namespace {

// The 56 that mqadmin of RocketMQ 4.9.8 lists.
constexpr std::string_view kNames =
    "updateTopic deleteTopic updateSubGroup deleteSubGroup updateBrokerConfig updateTopicPerm topicRoute topicStatus "
    "topicClusterList brokerStatus queryMsgById queryMsgByKey queryMsgByUniqueKey queryMsgByOffset queryMsgTraceById "
    "printMsg printMsgByQueue sendMsgStatus brokerConsumeStats producerConnection consumerConnection consumerProgress "
    "consumerStatus cloneGroupOffset producer clusterList topicList updateKvConfig deleteKvConfig wipeWritePerm "
    "addWritePerm resetOffsetByTime skipAccumulatedMessage updateOrderConf cleanExpiredCQ deleteExpiredCommitLog "
    "cleanUnusedTopic startMonitoring statsAll allocateMQ checkMsgSendRT clusterRT getNamesrvConfig "
    "updateNamesrvConfig getBrokerConfig getConsumerConfig queryCq sendMessage consumeMessage updateAclConfig "
    "deleteAclConfig clusterAclConfigVersion updateGlobalWhiteAddr exportMetadata exportConfigs exportMetrics";

std::string Translated(const std::vector<std::string>& arguments) {
  const auto result = TranslateAlias(MqAdminProgram(), arguments);
  if (!result) return "error: " + result.error().what;
  return std::string(result->program) + " " + JoinStrings(result->arguments, " ");
}

TEST(AliasesTest, AllOfRocketmqsNamesAreThereOnce) {
  std::set<std::string_view> known;
  for (const Alias& alias : Aliases()) EXPECT_TRUE(known.insert(alias.name).second) << alias.name;
  const auto names = SplitAny(kNames, " ");
  EXPECT_EQ(names.size(), 56u);
  EXPECT_EQ(known, std::set<std::string_view>(names.begin(), names.end()));
}

TEST(AliasesTest, EachComesToACommandThatExistsOrSaysWhatIsMissing) {
  for (const Alias& alias : Aliases()) {
    if (!alias.missing.empty()) {
      EXPECT_TRUE(alias.to.empty() && alias.options.empty()) << alias.name;
      EXPECT_EQ(Translated({std::string(alias.name)}),
                "error: " + std::string(alias.name) +
                    " is known and does not work yet; missing: " + std::string(alias.missing));
      continue;
    }
    std::set<char> letters = {'n', 'h'};
    for (const AliasOption& option : alias.options) {
      EXPECT_TRUE(letters.insert(option.letter).second) << alias.name << " -" << option.letter;
    }
    if (alias.program != "mq-admin") continue;
    const auto words = SplitAny(alias.to, " ");
    const Command* command = nullptr;
    for (const Command& one : MqAdminProgram().commands) {
      if (one.noun == words[0] && one.verb == words[1]) command = &one;
    }
    ASSERT_NE(command, nullptr) << alias.name;
    std::set<std::string> names;
    for (const Option* row : RowsOf(MqAdminProgram(), *command)) names.insert("--" + LongName(*row));
    for (const AliasOption& option : alias.options) {
      if (!option.to.starts_with("--")) continue;
      EXPECT_TRUE(names.contains(std::string(option.to))) << alias.name << option.to;
    }
    for (const std::string_view word : SplitAny(alias.always, " ")) {
      EXPECT_TRUE(names.contains(std::string(word.substr(0, word.find('='))))) << alias.name << word;
    }
  }
}

TEST(AliasesTest, OptionsAreTranslatedOneByOne) {
  EXPECT_EQ(Translated({"updateTopic", "-n", "a:1", "-t", "T", "-c", "C", "-r", "4", "-w", "2", "-p", "6"}),
            "mq-admin topic create T --namesrv=a:1 --cluster=C --read-queues=4 --write-queues=2 --perm=rw");
  EXPECT_EQ(Translated({"updateTopic", "--topic=T", "--brokerAddr", "b:2", "-ptwo"}),
            "error: updateTopic: option -p: 'two' is none of 2 (write), 4 (read) and 6 (both)");
  EXPECT_EQ(Translated({"deleteTopic", "-t", "T", "-c", "C"}), "mq-admin topic delete T --yes --cluster=C");
  EXPECT_EQ(Translated({"updateBrokerConfig", "-b", "b:2", "-k", "k", "-v", "v w"}),
            "mq-admin broker config set k=v w --broker=b:2");
  EXPECT_EQ(Translated({"deleteSubGroup", "-g", "G", "-r", "true"}),
            "mq-admin group delete G --topics --force --yes --offsets");
  EXPECT_EQ(Translated({"updateKvConfig", "-k", "k", "-v", "v", "-s", "ns"}), "mq-admin kv put ns k v");
  EXPECT_EQ(Translated({"resetOffsetByTime", "-g", "G", "-t", "T", "-s", "1700000000123"}),
            "mq-admin offset reset G T --apply --to=@1700000000123");
  EXPECT_EQ(Translated({"clusterList", "-i", "5"}), "mq-admin cluster list --watch=5s");
  EXPECT_EQ(Translated({"-q", "topicList", "--json"}), "mq-admin -q topic list --json");
  EXPECT_EQ(Translated({"printMsg", "-t", "T", "-s", "a || b"}), "mq-consume -e --topic=T --tags=a || b");
  EXPECT_EQ(Translated({"sendMessage", "-t", "T", "-p", "-x", "-m", "false"}), "mq-send --topic=T --message=-x");
}

TEST(AliasesTest, WhatCannotBeDoneIsAnErrorThatNamesIt) {
  EXPECT_EQ(Translated({"topicStatus", "-t"}), "error: topicStatus: option -t needs a value");
  EXPECT_EQ(Translated({"topicStatus", "T"}), "error: topicStatus: unexpected argument 'T'");
  EXPECT_EQ(Translated({"topicStatus", "-z", "T"}), "error: topicStatus: unknown option -z");
  EXPECT_EQ(Translated({"updateTopic", "-t", "T", "-u", "true"}),
            "error: updateTopic: option -u may only be false here");
  EXPECT_EQ(Translated({"queryMsgById", "-i", "X", "-g", "G"}),
            "error: queryMsgById: option -g asks for what does not exist here yet");
  EXPECT_EQ(Translated({"topicStatus", "-t", "--yes"}), "error: topicStatus: '--yes' is an option, not a name");
  EXPECT_EQ(Translated({"updateNamesrvConfig", "-k", "k"}), "error: updateNamesrvConfig: -k and -v go together");
}

TEST(AliasesTest, TimesOfRocketmqAreThoseOfThisHost) {
  EXPECT_EQ(TurnValue(Turn::kTime, "now").value_or(""), "now");
  EXPECT_EQ(TurnValue(Turn::kTime, "-1").value_or(""), "now");
  EXPECT_EQ(TurnValue(Turn::kTime, "0").value_or(""), "@0");
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  EXPECT_EQ(TurnValue(Turn::kTime, "2026-01-01#00:00:00:007").value_or(""), "@1767225600007");
  EXPECT_FALSE(TurnValue(Turn::kTime, "2026-01-01").has_value());
  EXPECT_FALSE(TurnValue(Turn::kTime, "2026-01-01#00:00:00:1000").has_value());
}

TEST(AliasesTest, NamesAreTakenInAnyCaseAndTheNearestIsNamed) {
  EXPECT_EQ(Translated({"UPDATETOPIC", "-t", "T"}), "mq-admin topic create T");
  const auto near = TranslateAlias(MqAdminProgram(), {"updateTopik", "-t", "T"});
  ASSERT_FALSE(near.has_value());
  EXPECT_EQ(near.error().hint, "did you mean updateTopic?");
  EXPECT_EQ(Translated({"topc", "list"}), "mq-admin topc list");
}

TEST(AliasesTest, OtherWordsAreLeftAlone) {
  EXPECT_EQ(Translated({"topic", "delete", "topicList"}), "mq-admin topic delete topicList");
  EXPECT_EQ(Translated({}), "mq-admin ");
  EXPECT_EQ(Translated({"help", "topicRoute"}), "mq-admin topic route --help");
}

}  // namespace
}  // namespace mq::conf
