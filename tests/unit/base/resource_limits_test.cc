#include "base/resource_limits.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cerrno>
#include <string>

#include "base/file.h"

namespace mq {
namespace {

constexpr int64_t kMachine = int64_t{64} << 30;

class MemoryLimitTest : public ::testing::Test {
 protected:
  MemoryLimitTest() { EXPECT_NE(::mkdtemp(mounted_), nullptr); }
  ~MemoryLimitTest() override { RemoveTree(mounted_).Ignore("a test's left-over"); }
  void Write(const std::string& directory, const std::string& file, const std::string& text) {
    ASSERT_TRUE(MakeDirectories(mounted_ + directory));
    ASSERT_TRUE(WriteFileAtomically(mounted_ + directory + "/" + file, text));
  }
  MemoryLimit Of(std::string_view groups) { return FindMemoryLimit(groups, mounted_, kMachine); }

  char mounted_[32] = "/tmp/mq-cgroup-XXXXXX";
};

TEST_F(MemoryLimitTest, WithoutAGroupItIsTheMachines) {
  EXPECT_EQ(Of("").bytes, kMachine);
  EXPECT_FALSE(Of("0::/\n").cgroup);
  EXPECT_GT(FindMemoryLimit().bytes, 0);
}

TEST_F(MemoryLimitTest, Version2TakesTheTightestOfTheGroupAndThoseAroundIt) {
  Write("/a/b", "memory.max", "max\n");
  Write("/a", "memory.max", "134217728\n");
  EXPECT_EQ(Of("0::/a/b\n").bytes, 134217728);
  EXPECT_TRUE(Of("0::/a/b\n").cgroup);
  Write("/a/b", "memory.max", "1000000\n");
  EXPECT_EQ(Of("0::/a/b\n").bytes, 1000000);
}

TEST_F(MemoryLimitTest, Version1HasAHierarchyOfItsOwn) {
  Write("/memory/docker/x", "memory.limit_in_bytes", "268435456\n");
  Write("/memory", "memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(Of("3:cpu,cpuacct:/y\n2:memory:/docker/x\n0::/\n").bytes, 268435456);
  EXPECT_EQ(Of("2:memory:/not-mounted\n").bytes, kMachine);
}

TEST(NameLimitTest, FiguresStandBehindTheErrorThatMetThem) {
  const auto text = [](int error) {
    errno = error;
    return NameLimit(ErrnoError(ErrorCode::kIo, "map x")).what;
  };
  EXPECT_NE(text(ENOMEM).find(" mappings of vm.max_map_count="), std::string::npos) << text(ENOMEM);
  EXPECT_NE(text(EMFILE).find("as many files are open as allowed, "), std::string::npos) << text(EMFILE);
  EXPECT_EQ(text(EIO).find('('), std::string::npos) << text(EIO);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_NE(text(EFBIG).find("a file may have 4096 bytes"), std::string::npos) << text(EFBIG);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
}

}  // namespace
}  // namespace mq
