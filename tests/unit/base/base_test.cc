#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/file.h"
#include "base/java_hash.h"
#include "base/result.h"
#include "base/strings.h"
#include "base/time_text.h"

namespace mq {
namespace {

TEST(ChecksumTest, GivesTheRecordedValues) {
  EXPECT_EQ(Crc32("hello"), 907060870u);
  EXPECT_EQ(Crc32(""), 0u);
  EXPECT_EQ(MessageCrc("123456789"), 1274296614u);
}

TEST(JavaHashTest, GivesTheRecordedValues) {
  EXPECT_EQ(JavaHash("TagA"), 2598919);
  EXPECT_EQ(JavaHash("TopicTest#k1"), 2746024);
  EXPECT_EQ(JavaHash("Aa"), JavaHash("BB"));
  EXPECT_EQ(JavaHash("f5a5a608"), 0);
  EXPECT_EQ(JavaHash("\xE6\xA0\x87\xE7\xAD\xBE"), 857175);
  EXPECT_EQ(JavaHash("\xE8\xAE\xA2\xE5\x8D\x95-\xF0\x9F\x98\x80"), -710209155);
}

TEST(ByteReaderTest, StopsAtTheEndAndStaysFailed) {
  ByteReader r(std::string_view("\x00\x00\x00\x05\x01", 5));
  EXPECT_EQ(r.I32(), 5);
  EXPECT_EQ(r.I16(), 0);
  EXPECT_TRUE(r.failed());
  EXPECT_EQ(r.U8(), 0) << "nothing is read after a failure";
}

TEST(ResultTest, CarriesContextAndStatus) {
  const auto f = []() -> Result<int> {
    MQ_TRY(Status(MakeError(ErrorCode::kRefused, "no such topic")).WithContext("send to T"));
    return 1;
  };
  const auto r = f();
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().what, "send to T: no such topic");
  EXPECT_EQ(ExitStatusOf(r.error()), 4);
}

TEST(StringsTest, ParsesSizesAndDurations) {
  EXPECT_EQ(*ParseSize("64K"), 65536);
  EXPECT_EQ(*ParseSize("1GiB"), 1 << 30);
  EXPECT_FALSE(ParseSize("64Q"));
  EXPECT_FALSE(ParseSize("9999999999G"));
  EXPECT_EQ(*ParseDurationMs("2h"), 7200000);
  EXPECT_FALSE(ParseDurationMs("5"));
  EXPECT_FALSE(ParseInt64("5 "));
  EXPECT_FALSE(ParseInt64(""));
}

TEST(StringsTest, FindsTheNearestName) {
  const std::vector<std::string> names = {"topic", "namesrv", "window"};
  EXPECT_EQ(NearestMatch("tpoic", names), "topic");
  EXPECT_EQ(NearestMatch("xyzzy", names), "");
  EXPECT_EQ(NearestMatch("T", names), "");
}

TEST(StringsTest, Base64BothWays) {
  for (const std::string text : {"", "a", "ab", "abc", "abcd"}) EXPECT_EQ(*Base64Decode(Base64Encode(text)), text);
  EXPECT_EQ(Base64Encode(std::string_view("\0\xff", 2)), "AP8=");
  EXPECT_FALSE(Base64Decode("A==="));
  EXPECT_FALSE(Base64Decode("AA=A"));
}

TEST(StringsTest, ChecksUtf8) {
  EXPECT_TRUE(IsValidUtf8("plain text and \xF0\x9F\x98\x80"));
  EXPECT_FALSE(IsValidUtf8("\xC0\x80"));
  EXPECT_FALSE(IsValidUtf8("12345678\xED\xA0\x80"));
}

TEST(TimeTextTest, ReadsEveryForm) {
  constexpr int64_t kNow = 1700000000000;
  EXPECT_EQ(*ParseTime("2026-01-02T03:04:05Z", kNow), 1767323045000);
  EXPECT_EQ(*ParseTime("2026-01-02T11:04:05.250+08:00", kNow), 1767323045250);
  EXPECT_EQ(*ParseTime("@1700000000", kNow), kNow);
  EXPECT_EQ(*ParseTime("@1700000000123", kNow), kNow + 123);
  EXPECT_EQ(*ParseTime("-90m", kNow), kNow - 5400000);
  for (const char* bad : {"2026-01-02T03:04:05", "2026-02-30T00:00:00Z", "1700000000", "@", "-90", "yesterday"}) {
    EXPECT_FALSE(ParseTime(bad, kNow)) << bad;
  }
  EXPECT_EQ(FormatTime(1767323045250), "2026-01-02T03:04:05.250Z");
}

TEST(FileTest, ReplacesAtomicallyAndKeepsTheOldOne) {
  char dir[] = "/tmp/mq-base-XXXXXX";
  ASSERT_NE(::mkdtemp(dir), nullptr);
  const std::string path = std::string(dir) + "/a/b.json";
  ASSERT_TRUE(MakeDirectories(DirectoryOf(path)));
  ASSERT_TRUE(WriteFileAtomically(path, "one", true));
  ASSERT_TRUE(WriteFileAtomically(path, "two", true));
  ASSERT_TRUE(WriteFileAtomically(path, "three", true));
  EXPECT_EQ(*ReadFile(path), "three");
  EXPECT_EQ(*ReadFile(path + ".bak"), "two");
  EXPECT_EQ(ListDirectory(DirectoryOf(path))->size(), 2u);
  EXPECT_EQ(ReadFile(path + ".none").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(RemoveTree(dir));
}

}  // namespace
}  // namespace mq
