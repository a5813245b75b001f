#include "stream/writer.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "protocol/properties.h"

namespace mq::stream {
namespace {

struct Sample {
  Sample() {
    protocol::AppendProperty(properties, "KEYS", "k1 k2");
    protocol::AppendProperty(properties, "TAGS", "tag");
    protocol::AppendProperty(properties, "UNIQ_KEY", "ID1");
    protocol::AppendProperty(properties, "CLUSTER", "DefaultCluster");
    protocol::AppendProperty(properties, "prop", "v\"");
    record.topic = "T";
    record.properties = properties;
    record.queue_id = 3;
    record.queue_offset = protocol::QueueOffset(42);
    record.physical_offset = protocol::PhysicalOffset(0x1234);
    record.store_host = *protocol::ParseHost("127.0.0.1:10911");
    record.born_host = *protocol::ParseHost("127.0.0.1:5");
    record.store_timestamp = 1700000000123;
    record.born_timestamp = 1700000000000;
    record.reconsume_times = 2;
  }
  std::string properties;
  protocol::MessageView record;
};

std::string Print(WriterOptions options, std::string_view body) {
  const Sample sample;
  std::string out;
  Writer(std::move(options)).Append(out, {.record = &sample.record, .body = body, .broker = "b-a"});
  return out;
}

std::string Printf(std::string_view format, std::string_view body) {
  const Sample sample;
  const Result<PrintfFormat> parsed = PrintfFormat::Parse(format);
  if (!parsed) return "error: " + parsed.error().what;
  std::string out;
  TimePrinter times;
  parsed->Append(out, {.record = &sample.record, .body = body, .broker = "b-a"}, false, false, times);
  return out;
}

TEST(WriterTest, TextFormats) {
  EXPECT_EQ(Print({}, "a"), "a\n");
  EXPECT_EQ(Print({.delimiter = "<EOM>"}, "a"), "a<EOM>");
  EXPECT_EQ(Print({.format = Format::kNul}, "a"), std::string("a\0", 2));
  EXPECT_EQ(Print({.format = Format::kWhole}, "a"), "a");
}

TEST(WriterTest, JsonHasTheFieldsOfItsPage) {
  EXPECT_EQ(Print({.format = Format::kJson}, "x\n"),
            "{\"topic\":\"T\",\"queue\":3,\"offset\":42,\"id\":\"ID1\","
            "\"offset_id\":\"7F00000100002A9F0000000000001234\",\"tag\":\"tag\",\"keys\":[\"k1\",\"k2\"],"
            "\"properties\":{\"prop\":\"v\\\"\"},\"flag\":0,\"born\":\"2023-11-14T22:13:20.000Z\","
            "\"stored\":\"2023-11-14T22:13:20.123Z\",\"born_host\":\"127.0.0.1:5\",\"tries\":2,\"body\":\"x\\n\","
            "\"broker\":\"b-a\"}\n");
  const std::string binary = Print({.format = Format::kJson, .epoch_ms = true}, "\xFF");
  EXPECT_NE(binary.find("\"stored\":1700000000123,"), std::string::npos);
  EXPECT_NE(binary.find("\"body_base64\":\"/w==\""), std::string::npos);
  EXPECT_EQ(binary.find("\"body\""), std::string::npos);
  EXPECT_TRUE(json::Parse(binary).has_value());
}

TEST(WriterTest, TerminalsGetNothingToObey) {
  EXPECT_EQ(Print({.for_terminal = true}, "a\x1b[31m\r\tb\xC2\x9B\xFF\xE6\xA0\x87\n"),
            "a\\x1b[31m\\x0d\tb\\xc2\\x9b\\xff\xE6\xA0\x87\n\n");
}

TEST(PrintfTest, EveryLetter) {
  EXPECT_EQ(Printf("%b|%B|%x|%k|%T|%t|%q|%o|%i|%r|%l|%{prop}|%{none}|%%%n", "ab"),
            "ab|YWI=|6162|k1 k2|tag|T|3|42|ID1|2|2|v\"||%\n");
  EXPECT_EQ(Printf("%s", ""), "2023-11-14T22:13:20.123Z");
  EXPECT_EQ(Printf("%0\\t\\x41", ""), std::string("\0\tA", 3));
  EXPECT_EQ(Printf("no percent", "b"), "no percent");
}

TEST(PrintfTest, WrongFormats) {
  EXPECT_EQ(Printf("%z", ""), "error: '%z': no such thing as %z");
  EXPECT_NE(Printf("%", "").find("error"), std::string::npos);
  EXPECT_NE(Printf("%{x", "").find("error"), std::string::npos);
  EXPECT_NE(Printf("\\q", "").find("error"), std::string::npos);
}

TEST(UnescapeTest, EscapesOfDelimiters) {
  EXPECT_EQ(*Unescape("<EOM>"), "<EOM>");
  EXPECT_EQ(*Unescape("\\n\\r\\t\\0\\\\\\x1e"), std::string("\n\r\t\0\\\x1e", 6));
  EXPECT_FALSE(Unescape("\\"));
  EXPECT_FALSE(Unescape("\\x1"));
  EXPECT_FALSE(Unescape("\\xg0"));
}

}  // namespace
}  // namespace mq::stream
