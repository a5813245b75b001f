#include "store/residency.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mapped_region.h"

namespace mq::store {
namespace {

TEST(ResidencyTest, FetchedBytesAreResident) {
  char path[] = "/tmp/mq-resident-XXXXXX";
  const UniqueFd fd(::mkstemp(path));
  ASSERT_TRUE(fd.valid());
  ASSERT_TRUE(WriteAll(fd.get(), std::string(1 << 20, 'x'), path));
  ASSERT_EQ(::fsync(fd.get()), 0);
  ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
  const auto region = MappedRegion::ReadOnly(fd.get(), 1 << 20, path);
  ASSERT_TRUE(region);
  const auto middle = region->view().substr(5000, 500000);
  Fetch(middle);
  EXPECT_TRUE(IsResident(middle));
  EXPECT_TRUE(IsResident({}));
  ::unlink(path);
}

}  // namespace
}  // namespace mq::store
