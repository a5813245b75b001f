#include "conf/properties.h"

#include <gtest/gtest.h>

namespace mq::conf {
namespace {

std::vector<Property> Read(std::string_view text) {
  const auto properties = ParseProperties(text, "f");
  EXPECT_TRUE(properties.has_value()) << (properties ? "" : properties.error().what);
  return properties ? *properties : std::vector<Property>{};
}

TEST(PropertiesTest, TrimsTrailingBlanksAndReadsCrLf) {
  const auto p = Read("maxMessageSize=65536 \t\r\nbrokerName = a b \r\n");
  ASSERT_EQ(p.size(), 2u);
  EXPECT_EQ(p[0].value, "65536");
  EXPECT_EQ(p[1].key, "brokerName");
  EXPECT_EQ(p[1].value, "a b");
  EXPECT_EQ(p[1].line, 2);
}

TEST(PropertiesTest, CommentsSeparatorsAndEqualSignsInValues) {
  const auto p = Read("# c=1\n ! c\n\na=b=c\nd:e\nf g\nh\n");
  ASSERT_EQ(p.size(), 4u);
  EXPECT_EQ(p[0].value, "b=c");
  EXPECT_EQ(p[1].value, "e");
  EXPECT_EQ(p[2].value, "g");
  EXPECT_EQ(p[3].key, "h");
  EXPECT_EQ(p[3].value, "");
  EXPECT_EQ(p[3].line, 7);
}

TEST(PropertiesTest, EscapesAndContinuations) {
  const auto p = Read("a\\=b=x\\ty\\u00e9\\\n   z\nk=\\uD83D\\uDE00\nlast=tail\\ \n");
  ASSERT_EQ(p.size(), 3u);
  EXPECT_EQ(p[0].key, "a=b");
  EXPECT_EQ(p[0].value, "x\ty\xC3\xA9z");
  EXPECT_EQ(p[1].value, "\xF0\x9F\x98\x80");
  EXPECT_EQ(p[1].line, 3);
  EXPECT_EQ(p[2].value, "tail ");
}

TEST(PropertiesTest, KeepsDuplicatesInOrder) {
  const auto p = Read("a=1\na=2");
  ASSERT_EQ(p.size(), 2u);
  EXPECT_EQ(p[1].value, "2");
}

TEST(PropertiesTest, ErrorsNameTheLine) {
  const auto bad_escape = ParseProperties("a=1\nb=\\u12g4\n", "broker.conf");
  ASSERT_FALSE(bad_escape);
  EXPECT_EQ(bad_escape.error().what, "broker.conf:2: \\u needs four hexadecimal digits");
  const auto no_key = ParseProperties("=1\n", "broker.conf");
  ASSERT_FALSE(no_key);
  EXPECT_NE(no_key.error().what.find("broker.conf:1:"), std::string::npos);
  EXPECT_FALSE(ParseProperties("a=\xFF\n", "f"));
  EXPECT_FALSE(ReadProperties("/nonexistent/broker.conf"));
}

TEST(PropertiesTest, WhatIsWrittenIsReadTheSame) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"messageDelayLevel", "1s 5s 10s 1d "},  // bugs: everything after the first blank was lost
      {"a key:with=signs", " leading"},
      {"#no comment", "C:\\dir\\"},
      {"lines", "one\ntwo\r\n\tthree\fend"},
      {"empty", ""},
      {"utf8", "zażółć #=:!"}};
  const std::string text = FormatProperties(pairs);
  const auto read = ParseProperties(text, "here");
  ASSERT_TRUE(read.has_value()) << read.error().what;
  ASSERT_EQ(read->size(), pairs.size()) << text;
  for (size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ((*read)[i].key, pairs[i].first) << text;
    EXPECT_EQ((*read)[i].value, pairs[i].second) << text;
  }
}

}  // namespace
}  // namespace mq::conf
