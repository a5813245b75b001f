// The undo file: what is written is read again; what is no undo file is refused with file and line.
#include "admin/offset_undo.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"

namespace mq::admin {
namespace {

class OffsetUndoTest : public testing::Test {
 protected:
  void SetUp() override { path_ = testing::TempDir() + "undo." + std::to_string(::getpid()); }
  void TearDown() override { RemoveFile(path_).Ignore("a test's own file"); }
  std::string ErrorOf(const std::string& text) {
    EXPECT_TRUE(WriteFileAtomically(path_, text).has_value());
    const auto read = ReadUndo(path_);
    return read ? "" : read.error().what.substr(path_.size());
  }
  std::string path_;
};

TEST_F(OffsetUndoTest, ComesBackAsItWasAndIsNeverOverwritten) {
  const std::vector<UndoEntry> entries = {{"G", {"T", "broker-a", 0}, 5, false},
                                          {"G", {"T", "broker-a", 1}, std::nullopt, true}};
  ASSERT_TRUE(WriteUndo(path_, entries).has_value());
  const auto read = ReadUndo(path_);
  ASSERT_TRUE(read.has_value()) << read.error().what;
  EXPECT_EQ(*read, entries);
  EXPECT_FALSE(WriteUndo(path_, {}).has_value());
  EXPECT_EQ(ReadUndo(path_)->size(), 2u);
}

TEST_F(OffsetUndoTest, DamagedFilesAreNamedWithTheirLine) {
  const std::string good = R"({"group":"G","topic":"T","broker":"b","queue":0,"offset":5})";
  EXPECT_EQ(ErrorOf(""), ": an undo file without a line");
  EXPECT_EQ(ErrorOf(good + "\n{\"group\":\"G\"}\n"), ":2: this is no line of an undo file");
  EXPECT_EQ(ErrorOf(R"({"group":"G","topic":"T","broker":"b","queue":0,"offset":-5})"),
            ":1: this is no line of an undo file");
  EXPECT_EQ(ErrorOf(good + "\n" + R"({"group":"H","topic":"T","broker":"b","queue":0,"offset":5})"),
            ":2: another group or topic than above");
  EXPECT_EQ(ErrorOf("{").substr(0, 3), ":1:");
}

}  // namespace
}  // namespace mq::admin
