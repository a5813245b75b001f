#include "store/log_paths.h"

#include "store/dump_log.h"
#include "store/dump_verify.h"
#include "test_store.h"

namespace mq::store {
namespace {

using testing::TestStore;

class LogPathsTest : public ::testing::Test {
 protected:
  LogPathsTest() : root(store.options.root) {}
  void Use(const std::string& writable, const std::string& read_only = "") {
    auto paths = ParseLogPaths(root, writable, read_only, ",");
    ASSERT_TRUE(paths.has_value()) << paths.error().what;
    store.options.log_paths = *paths;
    ASSERT_TRUE(store.layout().MakeDirectories().has_value());
  }
  size_t Count(const std::string& directory) { return ListMappedFiles(directory)->size(); }
  void Fill(size_t files) {
    while (ListLogFiles(store.layout())->size() < files) store.Append("T", 0, std::string(10000, 'x'));
  }
  TestStore store;
  std::string root;
};

TEST_F(LogPathsTest, ParsesAsRocketmqDoes) {
  auto paths = ParseLogPaths("/s", "/b, /a,/c/", "/c", ",");
  ASSERT_TRUE(paths.has_value());
  EXPECT_EQ(paths->writable, (std::vector<std::string>{"/a", "/b"}));
  EXPECT_EQ(paths->read_only, (std::vector<std::string>{"/c"}));
  EXPECT_EQ(*ParseLogPaths("/s", "/s/commitlog/", "", ","), LogPaths());
  EXPECT_EQ(*ParseLogPaths("/s", "", "", ","), LogPaths());
  EXPECT_EQ(ParseLogPaths("/s", "/a;;/b", "", ";;")->writable, (std::vector<std::string>{"/a", "/b"}));
  EXPECT_FALSE(ParseLogPaths("/s", "/a", "/a", ",").has_value());
  // The usual place stays beside read-only ones.
  EXPECT_EQ(ParseLogPaths("/s", "", "/old", ",")->writable, (std::vector<std::string>{"/s/commitlog"}));
}

TEST_F(LogPathsTest, NewFilesGoByTurnsToThoseThatAreNotFull) {
  const StoreLayout layout("/s", {{"/a", "/b", "/c"}, {"/d"}});
  const auto none = [](const std::string&) { return false; };
  EXPECT_EQ(layout.DirForNewLogFile(0, none), "/a");
  EXPECT_EQ(layout.DirForNewLogFile(4, none), "/b");
  const auto b = [](const std::string& path) { return path == "/b"; };
  EXPECT_EQ(layout.DirForNewLogFile(1, b), "/c");
  const auto all = [](const std::string&) { return true; };
  EXPECT_EQ(layout.DirForNewLogFile(1, all), "/b");
}

TEST_F(LogPathsTest, EveryReaderFindsTheFilesOfAllPaths) {
  Use(root + "/a," + root + "/b");
  store.Boot();
  Fill(6);
  EXPECT_EQ(Count(root + "/a"), 3u);
  EXPECT_EQ(Count(root + "/b"), 3u);
  EXPECT_FALSE(PathExists(root + "/commitlog/00000000000000000000"));
  store.DispatchAll();
  const auto bodies = store.Bodies("T", 0);
  const auto queues = store.QueueBytes();
  // One of them takes no new files from here on; a crash; the queues are built anew.
  Use(root + "/a", root + "/b");
  ASSERT_TRUE(RemoveTree(root + "/consumequeue").has_value());
  ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
  store.Boot(false);
  EXPECT_EQ(store.recovered.records, static_cast<int64_t>(bodies.size()));
  store.DispatchAll();
  EXPECT_TRUE(store.Bodies("T", 0) == bodies);
  EXPECT_TRUE(store.QueueBytes() == queues);
  Fill(8);
  EXPECT_EQ(Count(root + "/a"), 5u);
  store.DispatchAll();
  ASSERT_TRUE(SaveLogPaths(root, store.options.log_paths).has_value());
  auto layout = LayoutOf(root);
  ASSERT_TRUE(layout.has_value());
  auto log = DumpLog::Open(*layout, protocol::BodyCheck::kCrc);
  ASSERT_TRUE(log.has_value());
  EXPECT_EQ(log->files().size(), 8u);
  VerifyOptions verify;
  verify.root = root;
  verify.log_paths = store.options.log_paths;
  store.Configure({"T"});
  auto report = VerifyStore(verify, [](const Fault& fault) {
    if (fault.severity == Severity::kError) ADD_FAILURE() << fault.file << ": " << fault.text;
  });
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->records, store.Bodies("T", 0).size());
}

TEST_F(LogPathsTest, TheSameFileInTwoPathsIsRefused) {
  Use(root + "/a," + root + "/b");
  store.Boot();
  Fill(2);
  ASSERT_TRUE(CreateMappedFile(root + "/b", 0, 65536, 0).has_value());
  auto recovered = RecoverCommitLog(store.options, true, nullptr);
  ASSERT_FALSE(recovered.has_value());
  EXPECT_NE(recovered.error().what.find("lies in both"), std::string::npos);
}

TEST_F(LogPathsTest, APathThatStillHoldsFilesMustStayNamed) {
  Use(root + "/a," + root + "/b");
  ASSERT_TRUE(SaveLogPaths(root, store.options.log_paths).has_value());
  EXPECT_EQ(*LoadLogPaths(root), store.options.log_paths);
  EXPECT_TRUE(RefuseForgottenPaths(root, LogPaths()).has_value());
  store.Boot();
  Fill(2);
  const Status refused = RefuseForgottenPaths(root, *ParseLogPaths(root, root + "/a", "", ","));
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().what.find(root + "/b holds 1 commit log files"), std::string::npos);
  EXPECT_TRUE(RefuseForgottenPaths(root, *ParseLogPaths(root, root + "/a", root + "/b", ",")).has_value());
  ASSERT_TRUE(SaveLogPaths(root, LogPaths()).has_value());
  EXPECT_EQ(*LoadLogPaths(root), LogPaths());
}

}  // namespace
}  // namespace mq::store
