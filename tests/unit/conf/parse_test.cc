#include "conf/parse.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>

#include "base/file.h"
#include "conf/emit.h"
#include "conf/programs.h"

namespace mq::conf {
namespace {

class ParseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/mq-conf-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern), nullptr);
    directory_ = pattern;
    variables_["HOME"] = directory_;
  }
  void TearDown() override { RemoveTree(directory_).Ignore("a leftover in /tmp"); }

  Result<Parsed> Try(const Program& program, std::vector<std::string> arguments) {
    return Parse(program, arguments, {.variable = [this](std::string_view name) -> std::optional<std::string> {
                   const auto it = variables_.find(std::string(name));
                   if (it == variables_.end()) return std::nullopt;
                   return it->second;
                 }});
  }
  Settings Must(const Program& program, std::vector<std::string> arguments) {
    auto parsed = Try(program, std::move(arguments));
    EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().what);
    if (!parsed) return Settings(program, program.commands.front());
    remarks_ = parsed->remarks;
    return parsed->settings;
  }
  std::string ErrorOf(const Program& program, std::vector<std::string> arguments) {
    const auto parsed = Try(program, std::move(arguments));
    if (parsed) return "no error";
    EXPECT_EQ(ExitStatusOf(parsed.error()), 2);
    return parsed.error().what + (parsed.error().hint.empty() ? "" : " | " + parsed.error().hint);
  }
  std::string File(const std::string& name, std::string_view text) {
    const std::string path = JoinPath(directory_, name);
    EXPECT_TRUE(MakeDirectories(DirectoryOf(path)).has_value());
    EXPECT_TRUE(WriteFileAtomically(path, text).has_value());
    return path;
  }

  std::string directory_;
  std::map<std::string, std::string> variables_;
  std::vector<Remark> remarks_;
};

TEST_F(ParseTest, LongShortAndJoinedForms) {
  const Settings s = Must(MqSendProgram(), {"-tT", "--window=7", "-k", "a", "-k", "b", "-qvv", "file", "--", "-x"});
  EXPECT_EQ(s.String("topic"), "T");
  EXPECT_EQ(s.Int("window"), 7);
  EXPECT_EQ(s.Strings("key"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(s.Bool("quiet"));
  EXPECT_EQ(s.Count("verbose"), 2);
  EXPECT_EQ(s.operands(), (std::vector<std::string>{"file", "-x"}));
  EXPECT_EQ(s.String("mode"), "async");
  EXPECT_FALSE(s.Given("mode"));
}

TEST_F(ParseTest, ValuesMayLookLikeOptionsOrBeEmpty) {
  EXPECT_EQ(Must(MqConsumeProgram(), {"-t", "T", "--from", "-90m"}).String("from"), "-90m");
  EXPECT_EQ(Must(MqSendProgram(), {"-t", "T", "-m", "--window"}).Strings("message").front(), "--window");
  EXPECT_EQ(Must(MqSendProgram(), {"-t", "T", "-m", "--"}).Strings("message").front(), "--");
  EXPECT_TRUE(Must(MqSendProgram(), {"-t", "T", "-D", ""}).Given("delimiter"));
  EXPECT_TRUE(Must(MqSendProgram(), {"-t", "T", "--delimiter="}).Given("delimiter"));
  EXPECT_EQ(Must(MqSendProgram(), {"-t", "T", "-m", "[a,b]", "-m", "{}"}).Strings("message"),
            (std::vector<std::string>{"[a,b]", "{}"}));
  EXPECT_EQ(Must(MqSendProgram(), {"-t", "T", "-p", "a=b=c"}).Strings("property").front(), "a=b=c");
}

TEST_F(ParseTest, TheLastOfSeveralCounts) {
  EXPECT_EQ(Must(MqSendProgram(), {"-t", "A", "-t", "B"}).String("topic"), "B");
}

TEST_F(ParseTest, OptionalValuesOnlyBehindTheEqualSign) {
  Settings s = Must(MqSendProgram(), {"-t", "T", "--compress", "--progress=json", "zlib"});
  EXPECT_EQ(s.String("compress"), "zlib");
  EXPECT_EQ(s.String("progress"), "json");
  EXPECT_EQ(s.operands().size(), 1u);
  EXPECT_EQ(ErrorOf(MqSendProgram(), {"-t", "T", "--compress=lz4"}), "--compress: 'lz4' is not one of zlib");
}

TEST_F(ParseTest, UnknownOptionNamesTheNearest) {
  EXPECT_EQ(ErrorOf(MqSendProgram(), {"--windw", "3"}), "unknown option --windw | did you mean --window?");
  EXPECT_EQ(ErrorOf(MqSendProgram(), {"-Z"}), "unknown option -Z | --help lists all options");
  EXPECT_EQ(ErrorOf(MqBrokerProgram(), {"--flush-disk-typ=SYNC_FLUSH"}),
            "unknown option --flush-disk-typ | did you mean --flush-disk-type?");
}

TEST_F(ParseTest, ValuesAreChecked) {
  EXPECT_EQ(ErrorOf(MqSendProgram(), {"--window", "0"}), "--window: '0' is not between 1 and 65536");
  EXPECT_EQ(ErrorOf(MqSendProgram(), {"--window", "x"}), "--window: 'x' is not a whole number");
  EXPECT_EQ(ErrorOf(MqSendProgram(), {"--timeout", "3"}), "--timeout: '3' is not a duration such as 250ms, 3s or 2h");
  EXPECT_EQ(ErrorOf(MqSendProgram(), {"--mode", "asinc"}),
            "--mode: 'asinc' is not one of sync, async, oneway | did you mean async?");
  EXPECT_EQ(ErrorOf(MqSendProgram(), {"--topic"}), "option --topic needs a value");
  EXPECT_EQ(ErrorOf(MqConsumeProgram(), {"-t", "T", "more"}), "unexpected argument 'more'");
  EXPECT_EQ(ErrorOf(MqSendProgram(), {"--quiet=3"}), "option --quiet takes no value");
  EXPECT_EQ(Must(MqSendProgram(), {"--rate", "500/s", "-t", "T"}).Int("rate"), 500);
}

TEST_F(ParseTest, OptionBeatsEnvironmentBeatsContext) {
  File(".config/mq/test.conf", "namesrv=c:1\nwindow=9\n");
  variables_["MQ_CONTEXT"] = "test";
  Settings s = Must(MqSendProgram(), {"-t", "T"});
  EXPECT_EQ(s.String("namesrv"), "c:1");
  EXPECT_EQ(s.SourceOf("namesrv"), Source::kContext);
  EXPECT_EQ(s.Int("window"), 9);
  variables_["NAMESRV_ADDR"] = "e:1";
  EXPECT_EQ(Must(MqSendProgram(), {"-t", "T"}).String("namesrv"), "e:1");
  variables_["MQ_NAMESRV"] = "f:1";
  EXPECT_EQ(Must(MqSendProgram(), {"-t", "T"}).String("namesrv"), "f:1");
  EXPECT_EQ(Must(MqSendProgram(), {"-t", "T", "-n", "o:1"}).String("namesrv"), "o:1");
  EXPECT_NE(ErrorOf(MqSendProgram(), {"-t", "T", "--context", "none"}).find("none.conf"), std::string::npos);
  EXPECT_NE(ErrorOf(MqSendProgram(), {"-t", "T", "--context", "../x"}).find("plain name"), std::string::npos);
}

TEST_F(ParseTest, ContextsServeAllTools) {
  File(".config/mq/test.conf", "exit-at-end=true\nwindow=9\n");
  Must(MqSendProgram(), {"-t", "T", "--context", "test"});
  EXPECT_TRUE(remarks_.empty());
  Must(MqAdminProgram(), {"topic", "list", "--context", "test"});
}

TEST_F(ParseTest, AMisspeltOptionInAContextIsAnErrorOfEveryTool) {
  const std::string path = File(".config/mq/test.conf", "exit-at-end=true\nwindwo=9\n");
  const std::string error = path + ":2: unknown option 'windwo' | did you mean window?";
  EXPECT_EQ(ErrorOf(MqSendProgram(), {"-t", "T", "--context", "test"}), error);
  EXPECT_EQ(ErrorOf(MqConsumeProgram(), {"-t", "T", "--context", "test"}), error);
  EXPECT_EQ(ErrorOf(MqAdminProgram(), {"topic", "list", "--context", "test"}), error);
}

TEST_F(ParseTest, BrokerFileIsReadAsRocketMqWritesIt) {
  const std::string path = File("broker.conf",
                                "brokerName = broker-a\nmaxMessageSize=65536 \nsendMessageThreadPoolNums=4\n"
                                "fileReservdTime=1\nmaxMessageSize=1K\nlistenPrt=1\n");
  Settings s = Must(MqBrokerProgram(), {"-c", path, "--broker-name", "b"});
  EXPECT_EQ(s.String("brokerName"), "b");
  EXPECT_EQ(s.Bytes("maxMessageSize"), 1024);
  ASSERT_EQ(remarks_.size(), 4u);
  EXPECT_EQ(remarks_[0].level, Remark::Level::kInfo);
  EXPECT_EQ(remarks_[0].text, path + ":3: key 'sendMessageThreadPoolNums' is about the JVM and is ignored");
  EXPECT_EQ(remarks_[1].text, path + ":4: unknown key 'fileReservdTime' has no effect; did you mean fileReservedTime?");
  EXPECT_EQ(remarks_[2].text, path + ":5: key 'maxMessageSize' was set before; the last value counts");
  EXPECT_EQ(remarks_[3].text, path + ":6: unknown key 'listenPrt' has no effect; did you mean listenPort?");
  EXPECT_NE(ErrorOf(MqBrokerProgram(), {"-c", path, "--strict"}).find(path + ":4"), std::string::npos);
}

TEST_F(ParseTest, AVeryLongFileIsReadInTimeAndRemarkedOnWithinBounds) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "key" + std::to_string(i) + "=1\nmaxMessageSize=65536\n";
  Must(MqBrokerProgram(), {"-c", File("broker.conf", text)});
  ASSERT_EQ(remarks_.size(), 101u);
  EXPECT_NE(remarks_[100].text.find("199899 more such lines"), std::string::npos) << remarks_[100].text;
}

TEST_F(ParseTest, EverySettingOfADaemonHasItsOwnVariable) {
  variables_["rocketmq.broker.diskSpaceCleanForciblyRatio"] = "0.7";
  EXPECT_EQ(Must(MqBrokerProgram(), {}).String("diskSpaceCleanForciblyRatio"), "0.7");
  variables_["MQ_DISK_SPACE_CLEAN_FORCIBLY_RATIO"] = "0.8";
  EXPECT_EQ(Must(MqBrokerProgram(), {}).String("diskSpaceCleanForciblyRatio"), "0.8");
  for (const Option* row : AllRowsOf(MqBrokerProgram())) {
    if (row->key.empty() || row->meta || row->kind != Kind::kString) continue;
    std::string name = "MQ_";
    for (const char c : LongName(*row)) name += c == '-' ? '_' : static_cast<char>(std::toupper(c));
    variables_ = {{"HOME", directory_}, {name, "x"}};
    EXPECT_EQ(Must(MqBrokerProgram(), {}).String(SettingName(*row)), "x") << name;
  }
}

TEST_F(ParseTest, RangeErrorsNameFileLineAndKey) {
  const std::string path = File("broker.conf", "# one\nlistenPort=70000\n");
  EXPECT_EQ(ErrorOf(MqBrokerProgram(), {"-c", path}), path + ":2: listenPort: '70000' is not between 0 and 65535");
  EXPECT_NE(ErrorOf(MqBrokerProgram(), {"-c", "/nonexistent"}).find("/nonexistent"), std::string::npos);
}

TEST_F(ParseTest, DaemonsTakeFlagsEnvironmentAndAliases) {
  variables_["MQ_BROKER_IP1"] = "10.0.0.1";
  Settings s = Must(MqBrokerProgram(), {"--store", "/s", "--namesrv-addr", "n:1", "--auto-create-topic-enable", "false",
                                        "--compressed-register", "--flush-interval-commit-log=250"});
  EXPECT_EQ(s.String("brokerIP1"), "10.0.0.1");
  EXPECT_EQ(s.String("storePathRootDir"), "/s");
  EXPECT_EQ(s.String("namesrvAddr"), "n:1");
  EXPECT_FALSE(s.Bool("autoCreateTopicEnable"));
  EXPECT_TRUE(s.Bool("compressedRegister"));
}

TEST_F(ParseTest, DurationsOfAFileMayBeBare) {
  EXPECT_EQ(Must(MqFlushdProgram(), {"--flush-interval-commit-log=250"}).DurationMs("flushIntervalCommitLog"), 250);
  EXPECT_EQ(Must(MqFlushdProgram(), {"--flush-interval-commit-log", "2s"}).DurationMs("flushIntervalCommitLog"), 2000);
}

TEST_F(ParseTest, SettingsTravelAsAMap) {
  const Settings broker = Must(MqBrokerProgram(), {"--store", "/s", "--flush-disk-type", "SYNC_FLUSH"});
  Settings flushd = Must(MqFlushdProgram(), {});
  ASSERT_TRUE(flushd.FromMap(broker.ToMap(), Source::kBroker).has_value());
  EXPECT_EQ(flushd.String("flushDiskType"), "SYNC_FLUSH");
  EXPECT_EQ(flushd.String("storePathRootDir"), "/s");
  EXPECT_FALSE(flushd.FromMap({{"flushDiskType", "NEVER"}}, Source::kBroker).has_value());
}

TEST_F(ParseTest, PrintConfigShowsTheSource) {
  variables_["MQ_NAMESRV"] = "f:1";
  const Settings s = Must(MqSendProgram(), {"--print-config", "--window", "3"});
  const std::string text = ConfigText(s, false);
  EXPECT_NE(text.find("window\t3\t64\toption (--window)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("namesrv\tf:1\t127.0.0.1:9876\tenvironment (environment variable MQ_NAMESRV)\n"),
            std::string::npos);
  EXPECT_NE(text.find("mode\tasync\tasync\tbuilt-in\n"), std::string::npos);
}

TEST_F(ParseTest, HelpIsAnsweredWhateverElseIsMissing) {
  EXPECT_EQ(Must(MqConsumeProgram(), {"-h"}).Origin("help"), "-h");
  EXPECT_EQ(Must(MqConsumeProgram(), {"--help"}).Origin("help"), "--help");
  EXPECT_TRUE(Must(MqBrokerProgram(), {"--version", "--json", "-c", "/nonexistent"}).Bool("json"));
}

// Sub-commands, with a table of its own so that the test does not move with mq-admin's.
const Program& NounProgram() {
  static const Option kVerbRows[] = {
      {.name = "queues", .kind = Kind::kInt, .metavar = "N", .default_value = "8", .group = "Topic", .doc = "queues"}};
  static const Program program{
      .name = "mq-test",
      .doc = "a program with sub-commands",
      .tables = {RouteOptions(), ToolOptions(), MetaOptions()},
      .commands = {{.noun = "topic", .verb = "list", .doc = "list topics"},
                   {.noun = "topic",
                    .verb = "create",
                    .doc = "create a topic",
                    .options = kVerbRows,
                    .operand = {.metavar = "TOPIC", .doc = "its name", .min = 1, .max = 1, .synopsis = "TOPIC"}},
                   {.noun = "health", .doc = "ask"}},
      .nouns = {{.noun = "topic", .doc = "topics"}, {.noun = "health", .doc = "ask"}}};
  return program;
}

TEST_F(ParseTest, NounsAndVerbsAmongOptions) {
  const Settings s = Must(NounProgram(), {"-n", "x:1", "topic", "-q", "create", "--queues", "3", "T"});
  EXPECT_EQ(s.CommandName(), "topic create");
  EXPECT_EQ(s.Int("queues"), 3);
  EXPECT_EQ(s.operands(), std::vector<std::string>{"T"});
  EXPECT_EQ(s.String("namesrv"), "x:1");
  EXPECT_EQ(Must(NounProgram(), {"health", "-q"}).CommandName(), "health");
}

TEST_F(ParseTest, WrongCommandsAreNamed) {
  EXPECT_EQ(ErrorOf(NounProgram(), {"topic", "lsit"}),
            "topic has no verb 'lsit'; it has list, create | did you mean 'topic list'?");
  EXPECT_EQ(ErrorOf(NounProgram(), {"topik", "list"}), "no such command: topik list | did you mean topic?");
  EXPECT_EQ(ErrorOf(NounProgram(), {}), "no command was given | mq-test --help lists them");
  EXPECT_EQ(ErrorOf(NounProgram(), {"topic", "create"}), "operand TOPIC is missing");
  EXPECT_EQ(ErrorOf(NounProgram(), {"topic", "list", "--queues", "3"}),
            "unknown option --queues | --help lists all options");
  const Parsed help = *Try(NounProgram(), {"topic", "create", "--help"});
  EXPECT_NE(HelpText(NounProgram(), &help.settings.command(), false).find("--queues N"), std::string::npos);
}

// A noun alone, --help behind it and help in front of it are one question.
TEST_F(ParseTest, ANounAsksForItsVerbs) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"topic"}, std::vector<std::string>{"topic", "--help"},
        std::vector<std::string>{"help", "topic"}}) {
    const Parsed parsed = *Try(NounProgram(), arguments);
    ASSERT_TRUE(parsed.settings.Given("help"));
    const std::string text = HelpText(NounProgram(), &parsed.settings.command(), false);
    EXPECT_NE(text.find("  topic list"), std::string::npos);
    EXPECT_NE(text.find("  topic create TOPIC"), std::string::npos);
    EXPECT_EQ(text.find("health"), std::string::npos);
  }
  EXPECT_EQ(Try(NounProgram(), {"help", "topic", "create"})->settings.CommandName(), "topic create");
  EXPECT_TRUE(Try(NounProgram(), {"help"})->settings.CommandName().empty());
}

}  // namespace
}  // namespace mq::conf
