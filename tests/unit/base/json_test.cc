#include "base/json.h"

#include <gtest/gtest.h>

namespace mq::json {
namespace {

TEST(JsonTest, ReadsStandardJson) {
  const auto v = Parse(R"({"a":1,"b":[true,null,2.5,"x\u00e9\n"],"c":{"d":"7"}} )");
  ASSERT_TRUE(v);
  EXPECT_EQ(v->Int("a"), 1);
  EXPECT_EQ(v->Find("b")->items()[3].text(), "x\xC3\xA9\n");
  EXPECT_EQ(v->Find("c")->Int("d"), 7) << "quoted numbers count";
}

TEST(JsonTest, ReadsIntegerKeysWithoutQuotes) {
  const auto v = Parse(R"({"brokerAddrs":{0:"a:1", 1 :"b:2",-3:"c"}})");
  ASSERT_TRUE(v);
  EXPECT_EQ(v->Find("brokerAddrs")->Text("1"), "b:2");
  EXPECT_EQ(v->Find("brokerAddrs")->Text("-3"), "c");
}

TEST(JsonTest, ReadsObjectsAsKeys) {
  const auto v = Parse("{\"offsetTable\":{{\n\t\"queueId\":1,\"topic\":\"T{\" }:6,{\"queueId\":0}:5}}");
  ASSERT_TRUE(v);
  const auto& members = v->Find("offsetTable")->members();
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[0].first, R"({"queueId":1,"topic":"T{"})");
  EXPECT_EQ(members[0].second.AsInt(), 6);
}

TEST(JsonTest, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "{\"a\":}", "[1,]", "{a:1}", "{\"a\":1}x", "\"\xff\"", "{1}", "{{}", "{0:"}) {
    EXPECT_FALSE(Parse(text)) << text;
  }
}

TEST(JsonTest, ReadsNumbersOfEverySize) {
  EXPECT_EQ(Parse("9223372036854775807")->AsInt(), INT64_MAX);
  EXPECT_EQ(Parse("-9223372036854775808")->AsInt(), INT64_MIN);
  EXPECT_EQ(Parse("9223372036854775808")->AsDouble(), 9223372036854775808.0);
  EXPECT_EQ(Parse("0.1")->AsDouble(), 0.1);
  EXPECT_EQ(Parse("0e90")->AsDouble(1), 0);
  EXPECT_EQ(Parse("1e-400")->AsDouble(1), 0);
  EXPECT_EQ(Parse("[1.5e3]")->items()[0].AsDouble(), 1500);
  const auto large = Parse("{\"a\": 9e308}");
  ASSERT_FALSE(large.has_value());
  EXPECT_NE(large.error().what.find("too large: 9e308"), std::string::npos) << large.error().what;
  EXPECT_FALSE(Parse("1e400").has_value());
  for (const char* text : {"01", "1.", ".5", "+1", "1e", "0x10", "-", "NaN"})
    EXPECT_FALSE(Parse(text).has_value()) << text;
}

TEST(JsonTest, BoundsDepthAndDuplicates) {
  EXPECT_FALSE(Parse(std::string(10000, '[')));
  EXPECT_FALSE(Parse(std::string(100000, '{')));
  ParseOptions strict;
  strict.reject_duplicate_keys = true;
  EXPECT_TRUE(Parse(R"({"a":1,"a":2})"));
  const auto v = Parse(R"({"a":1,"a":2})", strict);
  ASSERT_FALSE(v);
  EXPECT_NE(v.error().what.find("\"a\" stands twice"), std::string::npos);
}

TEST(JsonTest, WritesFastjsonCompact) {
  Writer w;
  w.BeginObject().Key("offsetTable").BeginObject().Key("T1@G1").BeginIntKeyObject().IntKey(0).Int(5).IntKey(1).Int(6);
  w.EndObject().EndObject().Key("r").Double(1).Key("s").String("\x01/\x7F\xE2\x80\xA8").EndObject();
  EXPECT_EQ(w.text(), "{\"offsetTable\":{\"T1@G1\":{0:5,1:6}},\"r\":1.0,\"s\":\"\\u0001/\\u007F\\u2028\"}");
}

TEST(JsonTest, WhatIsWrittenIsAlwaysJson) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  all += "\xE2\x80 \xF0\x9F\x98\x80 \xED\xA0\x80";
  std::string text;
  AppendQuoted(text, all);
  const auto read = Parse("{\"x\":" + text + "}");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->Text("x").substr(0, 128), all.substr(0, 128));
  EXPECT_NE(text.find("\\b\\t\\n\\u000b\\f\\r\\u000e"), std::string::npos);
  std::string bad;
  AppendQuoted(bad, "a\xffz\xE6\x97");
  EXPECT_EQ(bad, "\"a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(JsonTest, WritesFastjsonPretty) {
  Writer w(Writer::Style::kPretty);
  w.BeginObject().Key("offsetTable").BeginObject().Key("T1@G1").BeginIntKeyObject().IntKey(0).Int(5).IntKey(1).Int(6);
  w.EndObject().EndObject().EndObject();
  EXPECT_EQ(w.text(), "{\n\t\"offsetTable\":{\n\t\t\"T1@G1\":{0:5,1:6\n\t\t}\n\t}\n}");
  Writer empty(Writer::Style::kPretty);
  empty.BeginObject().Key("list").BeginArray().Int(1).Int(2).EndArray().Key("none").BeginObject().EndObject();
  empty.EndObject();
  EXPECT_EQ(empty.text(), "{\n\t\"list\":[1,2],\n\t\"none\":{}\n}");
}

}  // namespace
}  // namespace mq::json
