#include "stream/reader.h"

#include <gtest/gtest.h>

#include "protocol/properties.h"
#include "stream/writer.h"

namespace mq::stream {
namespace {

// Reads everything, the bytes arriving `step` at a time; an error of a record stands as "!text".
std::vector<std::string> Bodies(ReaderOptions options, std::string_view bytes, std::size_t step) {
  Reader reader(std::move(options));
  std::vector<std::string> bodies;
  InputRecord record;
  const auto take = [&] {
    for (;;) {
      const Result<bool> more = reader.Next(record);
      if (!more) {
        bodies.push_back("final: " + more.error().what);
        return;
      }
      if (!*more) return;
      bodies.push_back(record.error ? "!" + record.error->what : std::string(record.body));
    }
  };
  for (std::size_t i = 0; i < bytes.size(); i += step) {
    reader.Feed(bytes.substr(i, step));
    take();
  }
  reader.EndInput();
  take();
  return bodies;
}

using Strings = std::vector<std::string>;

TEST(ReaderTest, LinesInPiecesOfAnySize) {
  for (const std::size_t step : {1, 2, 7, 1000}) {
    EXPECT_EQ(Bodies({}, "a\n\nbc\nlast", step), (Strings{"a", "", "bc", "last"}));
    EXPECT_EQ(Bodies({}, "a\n", step), Strings{"a"});
    EXPECT_EQ(Bodies({}, "", step), Strings{});
    EXPECT_EQ(Bodies({.strip_cr = true}, "a\r\nb\r\r\nc", step), (Strings{"a", "b\r", "c"}));
    // Without its newline the CR is not half of one.
    EXPECT_EQ(Bodies({.strip_cr = true}, "a\r\nb\r", step), (Strings{"a", "b\r"}));
    EXPECT_EQ(Bodies({.skip_empty = true}, "\n\na\n\n", step), Strings{"a"});
  }
}

TEST(ReaderTest, DelimitersOfSeveralBytes) {
  for (const std::size_t step : {1, 2, 3, 1000}) {
    EXPECT_EQ(Bodies({.delimiter = "<EOM>"}, "a<EOM>b<EO<EOM>c", step), (Strings{"a", "b<EO", "c"}));
    EXPECT_EQ(Bodies({.delimiter = "\xC2\xB1"}, "a\xC2\xB1\xC2z", step), (Strings{"a", "\xC2z"}));
    EXPECT_EQ(Bodies({.delimiter = ""}, "a\nb", step), Strings{"a\nb"});
    EXPECT_EQ(Bodies({.delimiter = ""}, "", step), Strings{});
    EXPECT_EQ(Bodies({.format = Format::kNul}, std::string_view("a\nb\0c\0", 6), step), (Strings{"a\nb", "c"}));
  }
}

TEST(ReaderTest, WholeInputsAndEmptyOnes) {
  EXPECT_EQ(Bodies({.format = Format::kWhole}, "a\nb\n", 1), Strings{"a\nb\n"});
  EXPECT_EQ(Bodies({.format = Format::kWhole}, "", 1), Strings{""});
  EXPECT_EQ(Bodies({.format = Format::kWhole, .skip_empty = true}, "", 1), Strings{});
}

TEST(ReaderTest, SeveralInputsGoOnCounting) {
  Reader reader({});
  InputRecord record;
  reader.Feed("a\nb");
  reader.EndInput();
  ASSERT_TRUE(*reader.Next(record));
  ASSERT_TRUE(*reader.Next(record));
  EXPECT_FALSE(*reader.Next(record));
  reader.Feed("c\n");
  ASSERT_TRUE(*reader.Next(record));
  EXPECT_EQ(record.body, "c");
  EXPECT_EQ(record.number, 3u);
}

TEST(ReaderTest, LongLinesAreEqualAndBeyondTheLimitReported) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{4097},
                                 std::size_t{65536}, std::size_t{1} << 20, kMaxBodyBytes}) {
    const std::string line(size, 'x');
    const Strings bodies = Bodies({}, line + "\nnext\n", 65521);
    ASSERT_EQ(bodies.size(), 2u) << size;
    EXPECT_TRUE(bodies[0] == line) << size;
  }
  for (const std::size_t extra : {1, 100000}) {
    const std::string line(kMaxBodyBytes + extra, 'x');
    const Strings bodies = Bodies({}, line + "\nnext\n", 65521);
    ASSERT_EQ(bodies.size(), 2u);
    EXPECT_EQ(bodies[0], "!it is longer than the " + std::to_string(kMaxBodyBytes) + " bytes a message can have");
    EXPECT_EQ(bodies[1], "next");
    EXPECT_EQ(Bodies({}, line, 65521).size(), 1u);
  }
}

TEST(ReaderTest, Bug_122_ALineWithoutAnEndIsRefusedAtTheLimitAndOnce) {
  Reader reader({.format = Format::kLines, .delimiter = "ab"});
  InputRecord record;
  // A record of just the limit whose delimiter has half arrived is none too many.
  reader.Feed(std::string(kMaxBodyBytes, 'x') + "a");
  EXPECT_FALSE(*reader.Next(record));
  reader.Feed("b");
  ASSERT_TRUE(*reader.Next(record));
  EXPECT_EQ(record.body.size(), kMaxBodyBytes);
  reader.Feed(std::string(kMaxBodyBytes + 2, 'x'));
  ASSERT_TRUE(*reader.Next(record));
  EXPECT_TRUE(record.error);
  EXPECT_EQ(record.number, 2u);
  for (int i = 0; i < 3; ++i) {
    reader.Feed(std::string(100'000, 'x'));
    EXPECT_FALSE(*reader.Next(record));
  }
  reader.Feed("abnextab");
  ASSERT_TRUE(*reader.Next(record));
  EXPECT_EQ(record.body, "next");
  EXPECT_EQ(record.number, 3u);
}

TEST(ReaderTest, JsonRecords) {
  Reader reader({.format = Format::kJson});
  reader.Feed(
      "{\"body\":\"a\\nb\",\"tag\":\"t\",\"keys\":[\"k1\",\"k2\"],\"properties\":{\"p\":\"v\",\"n\":5},\"flag\":7,"
      "\"topic\":\"T\",\"queue\":3,\"unknown\":{}}\n\n  \n{\"body_base64\":\"AP8=\"}");
  reader.EndInput();
  InputRecord record;
  ASSERT_TRUE(*reader.Next(record));
  ASSERT_FALSE(record.error);
  EXPECT_EQ(record.body, "a\nb");
  EXPECT_EQ(record.tag, "t");
  EXPECT_EQ(record.keys, (Strings{"k1", "k2"}));
  EXPECT_EQ(record.properties.at(1), (std::pair<std::string, std::string>("n", "5")));
  EXPECT_EQ(record.flag, 7);
  EXPECT_EQ(record.topic, "T");
  EXPECT_EQ(record.queue, 3);
  ASSERT_TRUE(*reader.Next(record));
  EXPECT_EQ(record.body, std::string_view("\0\xFF", 2));
  EXPECT_FALSE(record.queue.has_value());
  EXPECT_EQ(record.number, 2u);
  EXPECT_FALSE(*reader.Next(record));
}

TEST(ReaderTest, BadJsonSpoilsOneRecordOnly) {
  const Strings bodies = Bodies({.format = Format::kJson},
                                "{\"body\":1}\n{}\nnonsense\n{\"body\":\"\",\"body_base64\":\"\"}\n[1]\n"
                                "{\"body_base64\":\"*\"}\n{\"body\":\"x\",\"keys\":[1]}\n{\"body\":\"good\"}\n",
                                3);
  ASSERT_EQ(bodies.size(), 8u);
  EXPECT_EQ(bodies[0], "!\"body\" is not a string");
  EXPECT_EQ(bodies[1], "!neither \"body\" nor \"body_base64\"");
  EXPECT_EQ(bodies[2].front(), '!');
  EXPECT_EQ(bodies[3], "!both \"body\" and \"body_base64\"");
  EXPECT_EQ(bodies[4], "!not a JSON object");
  EXPECT_EQ(bodies[5].front(), '!');
  EXPECT_EQ(bodies[6].front(), '!');
  EXPECT_EQ(bodies[7], "good");
}

TEST(ReaderTest, DamagedMsgpackIsFinal) {
  EXPECT_EQ(Bodies({.format = Format::kMsgpack}, "hello", 100).front(), "final: the input is not a msgpack map");
  // A map of one pair whose value is missing.
  EXPECT_EQ(Bodies({.format = Format::kMsgpack},
                   "\x81\xA4"
                   "body",
                   1)
                .back(),
            "final: it is cut off at the end of the input");
  // A length of four gigabytes asks for nothing.
  EXPECT_NE(Bodies({.format = Format::kMsgpack}, "\xDF\xFF\xFF\xFF\xFF\xA1x", 100).front().find("damaged msgpack"),
            std::string::npos);
  EXPECT_EQ(Bodies({.format = Format::kMsgpack}, "\x81\xA3tag\xA1x", 100).front(), "!no \"body\"");
}

// What a writer prints a reader takes back, whatever the bytes.
class RoundTripTest : public ::testing::TestWithParam<Format> {};

TEST_P(RoundTripTest, CopiesAreExact) {
  std::string every_byte;
  for (int i = 0; i < 256; ++i) every_byte += static_cast<char>(i);
  const std::vector<std::string> bodies = {"",
                                           "plain",
                                           "line\nbreak\r\n",
                                           std::string("nul\0nul", 7),
                                           every_byte,
                                           "\xE6\xA0\x87\xF0\x9F\x98\x80\xE2\x80\xA8 \"\\/",
                                           std::string(1 << 17, '\xFF')};
  std::string properties;
  protocol::AppendProperty(properties, "KEYS", "k1 \xE8\xAE\xA2\xE5\x8D\x95 k3");
  protocol::AppendProperty(properties, "TAGS", "\xE6\xA0\x87");
  protocol::AppendProperty(properties, "UNIQ_KEY", "7F000001");
  protocol::AppendProperty(properties, "where", "Beijing,China=1");
  std::string out;
  Writer writer({.format = GetParam()});
  for (const std::string& body : bodies) {
    protocol::MessageView record;
    record.topic = "T";
    record.properties = properties;
    record.flag = -5;
    record.queue_offset = protocol::QueueOffset(77);
    writer.Append(out, {.record = &record, .body = body, .broker = "b"});
  }
  for (const std::size_t step : {std::size_t{1}, std::size_t{65536}}) {
    Reader reader({.format = GetParam()});
    InputRecord record;
    std::size_t count = 0;
    for (std::size_t i = 0; i < out.size(); i += step) {
      reader.Feed(std::string_view(out).substr(i, step));
      for (Result<bool> more = reader.Next(record); *more; more = reader.Next(record)) {
        ASSERT_FALSE(record.error) << record.error->what;
        ASSERT_LT(count, bodies.size());
        EXPECT_TRUE(record.body == bodies[count]) << count;
        EXPECT_EQ(record.keys, (Strings{"k1", "\xE8\xAE\xA2\xE5\x8D\x95", "k3"}));
        EXPECT_EQ(record.tag, "\xE6\xA0\x87");
        EXPECT_EQ(record.flag, -5);
        ASSERT_EQ(record.properties.size(), 1u);
        EXPECT_EQ(record.properties[0].second, "Beijing,China=1");
        ++count;
      }
    }
    EXPECT_EQ(count, bodies.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, RoundTripTest, ::testing::Values(Format::kJson, Format::kMsgpack));

}  // namespace
}  // namespace mq::stream
