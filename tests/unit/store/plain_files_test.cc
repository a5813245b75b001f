// What stops a start before the log is looked at, and that a plan and verification say the same.
#include "store/plain_files.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "store/dump_plan.h"
#include "store/dump_verify.h"
#include "test_store.h"

namespace mq::store::testing {
namespace {

class PlainFilesTest : public ::testing::Test {
 protected:
  void Fill() {
    store.emplace();
    store->Boot();
    for (int i = 0; i < 20; ++i) store->Append("T", 0, std::string(10000, 'x'));
    store->DispatchAll();
    store->FlushAll();
  }
  std::string Path(const std::string& name) const { return store->options.root + "/" + name; }
  void Replace(const std::string& name, bool folder) {
    std::filesystem::remove_all(Path(name));
    if (folder) {
      std::filesystem::create_directory(Path(name));
    } else {
      ASSERT_TRUE(WriteFileAtomically(Path(name), "x").has_value());
    }
  }
  // The broker's line, which those of a plan and of verification must hold.
  void ExpectRefused(const std::string& name, const std::string& problem) {
    const Status refused = RefuseUnusable(store->layout());
    ASSERT_FALSE(refused.has_value()) << name;
    EXPECT_EQ(refused.error().what, Path(name) + " " + problem);
    EXPECT_FALSE(refused.error().hint.empty());
    const auto plan = PlanRecovery(store->options);
    ASSERT_FALSE(plan.has_value());
    EXPECT_EQ(plan.error().what, refused.error().what);
    VerifyOptions verify;
    verify.root = store->options.root;
    bool named = false;
    const auto report = VerifyStore(
        verify, [&](const Fault& fault) { named |= fault.file == Path(name) && fault.text.starts_with(problem); });
    EXPECT_TRUE(!report || named) << "verification does not name it";
  }

  std::optional<TestStore> store;
};

// In a process of its own: the other tests stay who they are.
TEST_F(PlainFilesTest, AnOrdinaryUserIsRefusedWhatMqReputdCouldNotWrite) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs another user";
  for (const std::string name : {"consumequeue/T/0", "consumequeue/T/0/00000000000000000000"}) {
    Fill();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(store->options.root)) {
      ASSERT_EQ(::chown(entry.path().c_str(), 65534, 65534), 0);
    }
    ASSERT_EQ(::chown(store->options.root.c_str(), 65534, 65534), 0);
    for (const mode_t mode : {0500, 0000}) {
      ASSERT_EQ(::chmod(Path(name).c_str(), mode), 0);
      const pid_t child = ::fork();
      if (child == 0) {
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(2);
        const Status refused = RefuseUnusable(store->layout());
        ::_exit(!refused && refused.error().what.find(Path(name)) != std::string::npos ? 0 : 1);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      EXPECT_EQ(status, 0) << name << " " << mode;
    }
  }
}

TEST_F(PlainFilesTest, ALinkThatLeadsNowhereIsNeitherFileNorFolder) {
  for (const std::string name :
       {"consumequeue", "consumequeue/T", "consumequeue/T/0", "index", "config", "mq", "mq/pool", "mq/dispatched",
        "checkpoint", "config/topics.json", "config/topics.json.bak"}) {
    for (const std::string target : {"/nowhere/at/all", "round"}) {
      Fill();
      std::filesystem::remove_all(Path(name));
      const std::string to = target == "round" ? Path(name) : target;
      ASSERT_EQ(::symlink(to.c_str(), Path(name).c_str()), 0);
      ExpectRefused(name, "is a symbolic link that leads nowhere");
    }
  }
}

TEST_F(PlainFilesTest, AWholeStoreIsUsable) {
  Fill();
  EXPECT_TRUE(RefuseUnusable(store->layout()).has_value());
  // Files of other names are nobody's business.
  Replace("consumequeue/notes.txt", false);
  Replace("consumequeue/T/README", false);
  Replace("commitlog/old", true);
  EXPECT_TRUE(RefuseUnusable(store->layout()).has_value());
}

TEST_F(PlainFilesTest, AFileInThePlaceOfAFolder) {
  for (const char* name : {"consumequeue/T/0", "consumequeue/T", "consumequeue", "index", "config", "commitlog"}) {
    Fill();
    Replace(name, false);
    ExpectRefused(name, "is not a directory");
  }
}

TEST_F(PlainFilesTest, SomethingElseInThePlaceOfAFile) {
  Fill();
  const std::string log = "commitlog/" + MappedFileName(65536);
  for (const std::string& name :
       {std::string("checkpoint"), std::string("mq/tombstones"), std::string("config/topics.json.tmp"), log}) {
    Replace(name, true);
    ExpectRefused(name, "is no file");
    std::filesystem::remove_all(Path(name));
  }
  // A file that is never opened through a link.
  ASSERT_EQ(::symlink("/nowhere", Path(log).c_str()), 0);
  ExpectRefused(log, "is a symbolic link");
  ASSERT_EQ(::unlink(Path(log).c_str()), 0);
  ASSERT_EQ(::mkfifo(Path(log).c_str(), 0600), 0);
  ExpectRefused(log, "is no file");
}

TEST_F(PlainFilesTest, ALogFolderThatIsGone) {
  Fill();
  ASSERT_TRUE(WriteFileAtomically(Path("mq/log-paths"), "write " + Path("commitlog") + "\nread " + Path("b") + "\n")
                  .has_value());
  ExpectRefused("mq/log-paths", "names " + Path("b") + ", which is not there");
  Replace("b", false);
  ExpectRefused("mq/log-paths", "names " + Path("b") + ", which is not a directory");
  Replace("b", true);
  EXPECT_TRUE(RefuseUnusable(store->layout()).has_value());
}

TEST_F(PlainFilesTest, WhoHasTheLockOpenIsNamed) {
  store.emplace();
  auto lock = StoreLock::TryAcquire(store->layout());
  ASSERT_TRUE(lock.has_value());
  EXPECT_TRUE(FindLockHolders(store->layout()).empty());  // ourselves alone
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    // Holds what it was born with until the pipe closes.
    ::close(ready[1]);
    char byte;
    ::_exit(::read(ready[0], &byte, 1) == 0 ? 0 : 1);
  }
  const auto holders = FindLockHolders(store->layout());
  ::close(ready[1]);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ASSERT_EQ(holders.size(), 1u);
  EXPECT_EQ(holders[0].pid, child);
  EXPECT_FALSE(holders[0].is_helper());
}

}  // namespace
}  // namespace mq::store::testing
