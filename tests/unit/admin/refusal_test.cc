// A broker that refuses every question: its remark is the error, the status is 4, and nothing is printed. Neither
// "there is none" (1) nor success is an answer to a refusal.
#include <gtest/gtest.h>

#include "admin/context.h"
#include "conf/parse.h"
#include "conf/programs.h"
#include "remoting/server.h"

namespace mq::admin {
namespace {

struct Case {
  std::vector<std::string> arguments;
  Result<int> (*run)(Context&);
};

TEST(RefusalTest, IsStatusFourWithTheRemarkAndNothingOnStdout) {
  loop::Loop loop;
  remoting::Server server(loop);
  auto table = std::make_shared<remoting::ProcessorTable>();
  table->SetDefault([](remoting::Channel& channel, const protocol::CommandView& request) {
    channel.Reply(request, protocol::ResponseCode::kSystemError, "made up");
  });
  const auto bound = server.Listen(*loop::Address::Parse("127.0.0.1:0"), table);
  ASSERT_TRUE(bound.has_value());
  const std::vector<Case> cases = {
      {{"topic", "list"}, TopicList},
      {{"topic", "show", "T"}, TopicShow},
      {{"topic", "stats", "T"}, TopicStats},
      {{"topic", "create", "T"}, TopicCreate},
      {{"topic", "delete", "T", "--yes"}, TopicDelete},
      {{"group", "list"}, GroupList},
      {{"group", "show", "G"}, GroupShow},
      {{"group", "create", "G"}, GroupCreate},
      {{"group", "lag", "G"}, GroupLag},
      {{"group", "lag"}, GroupLag},
      {{"group", "members", "G"}, GroupMembers},
      {{"group", "members", "G", "--producers"}, GroupMembers},
      {{"offset", "show", "G", "T"}, OffsetShow},
      {{"offset", "show", "G"}, OffsetShow},
      {{"offset", "reset", "G", "T", "--to", "end"}, OffsetReset},
      {{"broker", "status"}, BrokerStatus},
      {{"broker", "config"}, BrokerConfig},
      {{"broker", "clean", "--unused-topics"}, BrokerClean},
      {{"msg", "find", "-t", "T", "--key", "k"}, MsgFind},
  };
  for (const Case& one : cases) {
    std::vector<std::string> arguments = one.arguments;
    const std::string name = arguments[0] + " " + arguments[1];
    arguments.insert(arguments.end(), {"--broker", bound->ToString(), "-q"});
    const auto parsed =
        conf::Parse(conf::MqAdminProgram(), arguments, {[](std::string_view) { return std::optional<std::string>(); }});
    ASSERT_TRUE(parsed.has_value()) << parsed.error().what;
    client::Endpoints endpoints;
    endpoints.broker = bound->ToString();
    client::Admin admin(loop, endpoints, 3000);
    Context context{parsed->settings, loop, admin, {}};
    testing::internal::CaptureStdout();
    const auto status = one.run(context);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << name;
    ASSERT_FALSE(status.has_value()) << name;
    EXPECT_EQ(ExitStatusOf(status.error()), 4) << name << ": " << status.error().what;
    EXPECT_NE(status.error().what.find("made up"), std::string::npos) << name << ": " << status.error().what;
  }
}

}  // namespace
}  // namespace mq::admin
