// The parts of mq-send that need no broker: fields, reports, outcomes, options.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/file.h"
#include "conf/parse.h"
#include "conf/programs.h"
#include "send/field.h"
#include "send/options.h"
#include "send/outcome.h"
#include "send/report.h"

namespace mq::send {
namespace {

TEST(FieldTest, FieldsAreCountedFromOne) {
  EXPECT_EQ(*FieldOf("a\tb\tc", 1, "\t"), "a");
  EXPECT_EQ(*FieldOf("a\tb\tc", 3, "\t"), "c");
  EXPECT_EQ(*FieldOf("a::b:c", 2, "::"), "b:c");
  EXPECT_EQ(*FieldOf("", 1, ","), "");
  EXPECT_EQ(FieldOf("a,b", 3, ",").error().what, "it has no field 3");
}

TEST(JsonPathTest, FindsValues) {
  const std::string body = R"({"a":{"b":["x",{"c d":7}],"t":true},"n":null})";
  EXPECT_EQ(*JsonPath::Parse(".a.b[0]")->ValueIn(body), "x");
  EXPECT_EQ(*JsonPath::Parse(".a.b[1].c d")->ValueIn(body), "7");
  EXPECT_EQ(*JsonPath::Parse(".a.t")->ValueIn(body), "true");
  EXPECT_EQ(*JsonPath::Parse(".")->ValueIn("\"whole\""), "whole");
  EXPECT_EQ(*JsonPath::Parse("[1]")->ValueIn("[1,2]"), "2");
  for (const char* missing : {".n", ".a", ".x", ".a.b[2]", ".a.b.c", "[0]"}) {
    EXPECT_FALSE(JsonPath::Parse(missing)->ValueIn(body)) << missing;
  }
  EXPECT_FALSE(JsonPath::Parse(".a")->ValueIn("no json"));
  for (const char* wrong : {"", "a", "..a", ".a[", ".a[x]", ".a[-1]", ".a[0]b", ".a."}) {
    EXPECT_FALSE(JsonPath::Parse(wrong)) << wrong;
  }
}

class ReportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/mq-send-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern), nullptr);
    directory_ = pattern;
    path_ = JoinPath(directory_, "r.tsv");
  }
  void TearDown() override { RemoveTree(directory_).Ignore("a leftover in /tmp"); }
  std::string directory_;
  std::string path_;
};

TEST_F(ReportTest, WhatIsWrittenIsReadBack) {
  {
    Result<ReportFile> report = ReportFile::Open(path_, false);
    ASSERT_TRUE(report.has_value());
    report->Add(
        {.number = 2, .stored = true, .message_id = "ID", .broker = "b", .queue = 3, .offset = 9, .reason = {}});
    report->Add(
        {.number = 1, .stored = false, .message_id = {}, .broker = {}, .queue = -1, .offset = -1, .reason = "a\tb\nc"});
    ASSERT_TRUE(report->Flush().has_value());
  }
  EXPECT_EQ(*ReadFile(path_), "2\tstored\tID\tb\t3\t9\t\n1\tfailed\t\t\t\t\ta b c\n");
  const Result<StoredRecords> stored = StoredRecords::Read(path_);
  ASSERT_TRUE(stored.has_value());
  EXPECT_TRUE(stored->Contains(2));
  EXPECT_FALSE(stored->Contains(1));
  EXPECT_FALSE(stored->Contains(3));
  EXPECT_EQ(stored->count(), 1u);
}

TEST_F(ReportTest, ATornLastLineIsCutBeforeTheFileGrows) {
  ASSERT_TRUE(WriteFileAtomically(path_, "1\tstored\t\t\t\t\t\n2\tstor").has_value());
  EXPECT_EQ(StoredRecords::Read(path_)->count(), 1u);
  Result<ReportFile> report = ReportFile::Open(path_, true);
  ASSERT_TRUE(report.has_value());
  report->Add({.number = 3, .stored = true, .message_id = {}, .broker = {}, .queue = -1, .offset = -1, .reason = {}});
  ASSERT_TRUE(report->Flush().has_value());
  EXPECT_EQ(*ReadFile(path_), "1\tstored\t\t\t\t\t\n3\tstored\t\t\t\t\t\n");
}

TEST_F(ReportTest, OtherFilesAreRefusedByLine) {
  ASSERT_TRUE(WriteFileAtomically(path_, "1\tstored\t\t\t\t\t\nhello\n").has_value());
  EXPECT_EQ(StoredRecords::Read(path_).error().what, path_ + ":2: not a line of a report");
  EXPECT_FALSE(StoredRecords::Read(path_ + ".none"));
  ASSERT_TRUE(WriteFileAtomically(path_, "99999999999999\tstored\t\t\t\t\t\n").has_value());
  EXPECT_TRUE(StoredRecords::Read(path_)->Contains(99999999999999ULL));
}

client::SendReport Report(std::uint64_t number, client::SendStatus status, const Error* error = nullptr) {
  client::SendReport report;
  report.cookie = number;
  report.status = status;
  report.error = error;
  return report;
}

TEST(OutcomeTest, StatusSaysWhatWasDone) {
  const Error refused = MakeError(ErrorCode::kRefused, "no such topic");
  const Error away = MakeError(ErrorCode::kUnreachable, "nobody there");
  Outcome nothing(false);
  EXPECT_EQ(nothing.ExitStatus(), 0);
  Outcome all(false);
  EXPECT_TRUE(all.Count(Report(1, client::SendStatus::kStored)));
  EXPECT_TRUE(all.Count(Report(2, client::SendStatus::kStoredNotFlushed)));
  EXPECT_EQ(all.ExitStatus(), 0);
  Outcome none(false);
  EXPECT_FALSE(none.Count(Report(5, client::SendStatus::kFailed, &away)));
  EXPECT_FALSE(none.Count(Report(2, client::SendStatus::kFailed, &refused)));
  EXPECT_EQ(none.ExitStatus(), 4);
  EXPECT_EQ(none.FirstFailure(), "send record 2: no such topic");
  EXPECT_TRUE(none.Count(Report(1, client::SendStatus::kStored)));
  EXPECT_EQ(none.ExitStatus(), 3);
  Outcome flushed(true);
  EXPECT_TRUE(flushed.Count(Report(1, client::SendStatus::kStoredNotFlushed)));
  EXPECT_EQ(flushed.ExitStatus(), 3);
  Outcome illegal(false);
  illegal.CountRefused(1, MakeError(ErrorCode::kInvalidArgument, "too large"));
  EXPECT_EQ(illegal.ExitStatus(), 4);
  Outcome unreadable(false);
  unreadable.NoteTrouble(MakeError(ErrorCode::kIo, "read f: Input/output error"));
  EXPECT_EQ(unreadable.ExitStatus(), 8);
}

Result<Options> Read(std::vector<std::string> arguments) {
  const conf::Environment nothing{.variable = [](std::string_view) { return std::optional<std::string>(); }};
  Result<conf::Parsed> parsed = conf::Parse(conf::MqSendProgram(), arguments, nothing);
  if (!parsed) return parsed.error();
  return OptionsFrom(parsed->settings);
}

std::string ErrorOf(std::vector<std::string> arguments) {
  const Result<Options> options = Read(std::move(arguments));
  if (options) return "";
  EXPECT_EQ(ExitStatusOf(options.error()), 2);
  return options.error().what;
}

TEST(OptionsTest, EverythingArrives) {
  const Result<Options> options = Read({"-t",
                                        "T",
                                        "-D",
                                        "<EOM>",
                                        "-k",
                                        "k1",
                                        "-k",
                                        "k2",
                                        "-T",
                                        "tag",
                                        "-p",
                                        "where=Beijing,China=1",
                                        "--key-field",
                                        "2",
                                        "--field-separator",
                                        "\\x1f",
                                        "--shard-json",
                                        ".id",
                                        "--window",
                                        "3",
                                        "--batch",
                                        "5",
                                        "--compress",
                                        "--compress-over",
                                        "1K",
                                        "--timeout",
                                        "5s",
                                        "--retries",
                                        "7",
                                        "--rate",
                                        "10/s",
                                        "-n",
                                        "a:1;b:2",
                                        "f",
                                        "g"});
  ASSERT_TRUE(options.has_value()) << options.error().what;
  EXPECT_EQ(options->reader.delimiter, "<EOM>");
  EXPECT_EQ(options->keys.size(), 2u);
  EXPECT_EQ(options->properties.at(0).second, "Beijing,China=1");
  EXPECT_EQ(options->key_field, 2u);
  EXPECT_EQ(options->field_separator, "\x1f");
  EXPECT_TRUE(options->shard_json.has_value());
  EXPECT_EQ(options->producer.window, 3);
  EXPECT_EQ(options->producer.batch_messages, 5);
  EXPECT_EQ(options->producer.compress_over, 1024u);
  EXPECT_EQ(options->producer.timeout_ms, 5000);
  EXPECT_EQ(options->producer.retries, 7);
  EXPECT_EQ(options->producer.name_servers, (std::vector<std::string>{"a:1", "b:2"}));
  EXPECT_EQ(options->rate, 10);
  EXPECT_EQ(options->inputs, (std::vector<std::string>{"f", "g"}));
  EXPECT_EQ(Read({"-t", "T"})->inputs, std::vector<std::string>{"-"});
  EXPECT_EQ(Read({"-t", "T", "--mode", "sync"})->producer.window, 1);
}

TEST(OptionsTest, WhatCannotBeSentIsRefusedBeforehand) {
  EXPECT_EQ(ErrorOf({}), "option --topic is needed");
  EXPECT_NE(ErrorOf({"-t", "a/b"}).find("--topic: "), std::string::npos);
  EXPECT_EQ(ErrorOf({"-t", "T", "-p", "novalue"}), "--property: 'novalue' is not NAME=VALUE");
  EXPECT_NE(ErrorOf({"-t", "T", "-p",
                     "a=1\x02TAGS\x01"
                     "evil"})
                .find("a"),
            std::string::npos);
  EXPECT_EQ(ErrorOf({"-t", "T", "-p", "a=1", "-p", "a=2"}), "--property: 'a' is given twice");
  EXPECT_NE(ErrorOf({"-t", "T", "-p", "TAGS=x"}), "");
  EXPECT_NE(ErrorOf({"-t", "T", "-k", "two words"}), "");
  EXPECT_NE(ErrorOf({"-t", "T", "-T", "a\x01"}), "");
  EXPECT_NE(ErrorOf({"-t", "T", "-J", "-M"}), "");
  EXPECT_NE(ErrorOf({"-t", "T", "-0", "-D", "x"}), "");
  EXPECT_NE(ErrorOf({"-t", "T", "--keep-topic"}), "");
  EXPECT_NE(ErrorOf({"-t", "T", "--queue", "1", "--shard", "x"}), "");
  EXPECT_NE(ErrorOf({"-t", "T", "-m", "x", "file"}), "");
  EXPECT_NE(ErrorOf({"-t", "T", "--mode", "oneway", "--report", "r"}), "");
  EXPECT_NE(ErrorOf({"-t", "T", "--compress-over", "1"}), "");
  EXPECT_NE(ErrorOf({"-t", "T", "-D", "\\q"}), "");
}

}  // namespace
}  // namespace mq::send
