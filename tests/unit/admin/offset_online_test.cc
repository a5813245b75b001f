// Moving a group whose members are connected, against a broker of the test's own: what it is asked, and what is
// refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

#include "admin/context.h"
#include "admin/offset_undo.h"
#include "conf/parse.h"
#include "conf/programs.h"
#include "protocol/connections.h"
#include "protocol/offset_bodies.h"
#include "protocol/topic_config.h"
#include "remoting/server.h"

namespace mq::admin {
namespace {

using protocol::CommandView;
using protocol::RequestCode;
using protocol::ResponseCode;

struct OffsetHeader {
  int64_t offset;
  void Encode(protocol::CommandWriter& writer) const { writer.Ext("offset", offset); }
};
struct NoHeader {
  void Encode(protocol::CommandWriter&) const {}
};

// One topic T with two queues that hold offsets 10 to 100; group G stands at 40 in both.
class OnlineTest : public testing::Test {
 protected:
  OnlineTest() : server_(loop_) {
    auto table = std::make_shared<remoting::ProcessorTable>();
    table->SetDefault([this](remoting::Channel& channel, const CommandView& request) { Answer(channel, request); });
    const auto bound = server_.Listen(*loop::Address::Parse("127.0.0.1:0"), table);
    EXPECT_TRUE(bound.has_value());
    address_ = bound->ToString();
  }

  void Answer(remoting::Channel& channel, const CommandView& request) {
    ++asked_[request.code];
    const auto offset = [&](int64_t value) { channel.Reply(request, ResponseCode::kSuccess, OffsetHeader{value}, {}); };
    switch (static_cast<RequestCode>(request.code)) {
      case RequestCode::kGetAllTopicConfig: {
        protocol::TopicConfigSerializeWrapper topics;
        topics.topics["T"].name = "T";
        topics.topics["T"].read_queues = topics.topics["T"].write_queues = 2;
        return channel.ReplyBody(request, protocol::EncodeTopicConfigs(topics));
      }
      case RequestCode::kGetBrokerConfig: {
        const std::string config = "brokerName=broker-a\nbrokerClusterName=C\n";
        return channel.ReplyBody(request, config);
      }
      case RequestCode::kGetMinOffset:
        return offset(10);
      case RequestCode::kGetMaxOffset:
        return offset(100);
      case RequestCode::kQueryConsumerOffset:
        return offset(40);
      case RequestCode::kSearchOffsetByTimestamp:
        return offset(70);
      case RequestCode::kGetConsumerConnectionList: {
        if (!online_) return channel.Reply(request, ResponseCode::kConsumerNotOnline, "nobody");
        protocol::ConsumerConnection group;
        group.connections.push_back({"1@2", "127.0.0.1:5", "JAVA", 409});
        return channel.ReplyBody(request, protocol::EncodeConsumerConnection(group));
      }
      case RequestCode::kInvokeBrokerToResetOffset: {
        timestamp_ = request.Find("timestamp").value_or("");
        if (refuses_) return channel.Reply(request, ResponseCode::kSystemError, "made up");
        if (gone_at_reset_) return channel.Reply(request, ResponseCode::kConsumerNotOnline, "gone");
        const protocol::ResetOffsetBody body = {{{"T", "broker-a", 0}, landing_}, {{"T", "broker-a", 1}, 72}};
        return channel.ReplyBody(request, protocol::EncodeResetOffset(body, protocol::ResetForm::kMap));
      }
      case RequestCode::kUpdateConsumerOffset:
        written_ += std::string(request.Find("commitOffset").value_or("")) + " ";
        return channel.Reply(request, ResponseCode::kSuccess, NoHeader{}, {});
      default:
        return remoting::AnswerNotSupported(channel, request);
    }
  }

  Result<int> Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"offset", "reset"});
    arguments.insert(arguments.end(), {"--broker", address_, "-q"});
    const auto parsed =
        conf::Parse(conf::MqAdminProgram(), arguments, {[](std::string_view) { return std::optional<std::string>(); }});
    EXPECT_TRUE(parsed.has_value()) << parsed.error().what;
    client::Endpoints endpoints;
    endpoints.broker = address_;
    client::Admin admin(loop_, endpoints, 3000);
    Context context{parsed->settings, loop_, admin, {.columns = {"queue", "old", "new", "changed"}}};
    testing::internal::CaptureStdout();
    auto status = OffsetReset(context);
    out_ = testing::internal::GetCapturedStdout();
    return status;
  }

  loop::Loop loop_;
  remoting::Server server_;
  std::string address_;
  bool online_ = true;
  int64_t landing_ = 71;  // where members say queue 0 goes on
  bool gone_at_reset_ = false;
  bool refuses_ = false;
  std::map<int32_t, int> asked_;
  std::string timestamp_;
  std::string written_;
  std::string out_;
};

TEST_F(OnlineTest, NothingIsToldWithoutApply) {
  EXPECT_EQ(Run({"G", "T", "--to", "@1700000000123"}).value_or(-1), 0);
  EXPECT_EQ(out_, "0\t40\t70\ttrue\n1\t40\t70\ttrue\n");
  EXPECT_EQ(asked_[222] + asked_[15], 0);
}

TEST_F(OnlineTest, MembersAreToldATimeAndTheAnswerIsShown) {
  EXPECT_EQ(Run({"G", "T", "--to", "@1700000000123", "--apply"}).value_or(-1), 0);
  EXPECT_EQ(timestamp_, "1700000000123");
  EXPECT_EQ(asked_[15], 0);
  EXPECT_EQ(out_, "0\t40\t71\ttrue\n1\t40\t72\ttrue\n");
}

TEST_F(OnlineTest, StartAndEndAreTimesForMembers) {
  EXPECT_EQ(Run({"G", "T", "--to", "end", "--apply"}).value_or(-1), 0);
  EXPECT_EQ(timestamp_, "-1");
  EXPECT_EQ(Run({"G", "T", "--to", "start", "--apply"}).value_or(-1), 0);
  EXPECT_EQ(timestamp_, "0");
}

TEST_F(OnlineTest, AnOffsetOrOneQueueIsRefusedWhileMembersRun) {
  for (const std::vector<std::string>& to : {std::vector<std::string>{"G", "T", "--to", "50"},
                                             std::vector<std::string>{"G", "T", "--to", "end", "--queue", "1"}}) {
    std::vector<std::string> arguments = to;
    arguments.emplace_back("--apply");
    const auto status = Run(arguments);
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(ExitStatusOf(status.error()), 4);
    EXPECT_EQ(out_, "");
  }
  EXPECT_EQ(asked_[222] + asked_[15], 0);
}

TEST_F(OnlineTest, ThePreviewRefusesWhatApplyRefuses) {
  const auto status = Run({"G", "T", "--to", "50", "--queue", "1"});
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(ExitStatusOf(status.error()), 4);
  EXPECT_EQ(out_, "");
}

// Members may have come further than the group's committed offset: that they were told is a change.
TEST_F(OnlineTest, WhatMembersAreToldIsAChangeEvenWhereTheOffsetStays) {
  landing_ = 40;
  EXPECT_EQ(Run({"G", "T", "--to", "@1700000000123", "--apply"}).value_or(-1), 0);
  EXPECT_EQ(out_, "0\t40\t40\ttrue\n1\t40\t72\ttrue\n");
}

TEST_F(OnlineTest, TheUndoFileNamesTheBrokerAndIsNotLeftBehindByARefusal) {
  const std::string path = testing::TempDir() + "undo." + std::to_string(::getpid());
  ::unlink(path.c_str());
  refuses_ = true;
  EXPECT_FALSE(Run({"G", "T", "--to", "end", "--apply", "--save-undo", path}).has_value());
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
  EXPECT_FALSE(Run({"G", "T", "--to", "50", "--apply", "--save-undo", path}).has_value());
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
  refuses_ = false;
  EXPECT_EQ(Run({"G", "T", "--to", "end", "--apply", "--save-undo", path}).value_or(-1), 0);
  const auto entries = ReadUndo(path);
  ::unlink(path.c_str());
  ASSERT_TRUE(entries.has_value());
  EXPECT_EQ(entries->front(), (UndoEntry{"G", {"T", "broker-a", 0}, 40, true}));
}

TEST_F(OnlineTest, MembersThatLeaveInBetweenAreWrittenFor) {
  gone_at_reset_ = true;
  EXPECT_EQ(Run({"G", "T", "--to", "@1700000000123", "--apply"}).value_or(-1), 0);
  EXPECT_EQ(written_, "70 70 ");
  EXPECT_EQ(out_, "0\t40\t70\ttrue\n1\t40\t70\ttrue\n");
}

TEST_F(OnlineTest, AnOfflineGroupIsWrittenWhereItChanges) {
  online_ = false;
  EXPECT_EQ(Run({"G", "T", "--to", "50", "--queue", "1", "--apply"}).value_or(-1), 0);
  EXPECT_EQ(written_, "50 ");
  EXPECT_EQ(asked_[222], 0);
  written_.clear();
  EXPECT_EQ(Run({"G", "T", "--to", "40", "--apply"}).value_or(-1), 0);
  EXPECT_EQ(written_, "");
}

TEST_F(OnlineTest, AnOffsetThatIsNotThereIsRefusedBeforeAnythingIsDone) {
  const auto status = Run({"G", "T", "--to", "101", "--apply"});
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(ExitStatusOf(status.error()), 2);
  EXPECT_NE(status.error().what.find("10 to 100"), std::string::npos);
}

}  // namespace
}  // namespace mq::admin
