// The worked examples of mq-store(5) are what this code reads and writes (store.md section 15).
#include <gtest/gtest.h>

#include <fstream>

#include "base/bytes.h"
#include "base/java_hash.h"
#include "protocol/message.h"
#include "protocol/properties.h"
#include "store/consume_queue.h"

namespace mq::store {
namespace {

// The bytes of the hexadecimal block after `.\" example NAME`.
std::string Example(const std::string& name) {
  std::ifstream in(std::string(MQ_SOURCE_DIR) + "/man/mq-store.5");
  bool found = false;
  std::string digits;
  for (std::string line; std::getline(in, line);) {
    if (line == ".\\\" example " + name) {
      found = true;
    } else if (found && line == ".Ed") {
      break;
    } else if (found && !line.starts_with(".Bd")) {
      for (const char c : line) {
        if (c != ' ') digits += c;
      }
    }
  }
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  EXPECT_FALSE(bytes.empty()) << name;
  return bytes;
}

TEST(StorePageTest, RecordAndItsQueueEntry) {
  const std::string bytes = Example("record");
  const auto message = protocol::DecodeMessage(bytes, protocol::BodyCheck::kCrc);
  ASSERT_TRUE(message) << message.error().what;
  EXPECT_EQ(message->size, 125);
  EXPECT_EQ(message->topic, "TopicTest");
  EXPECT_EQ(message->body, "hello");
  EXPECT_EQ(message->queue_id, 0);
  EXPECT_EQ(message->flag, 0x11223344);
  EXPECT_EQ(message->born_timestamp, 1600000000000);
  EXPECT_EQ(message->store_timestamp, 0x1a228a3a3f3);
  EXPECT_EQ(message->store_host.port, 10911);
  EXPECT_EQ(protocol::FindProperty(message->properties, "KEYS"), "k1 k2");
  std::string again(protocol::RecordBytes(*message), '\0');
  EXPECT_EQ(protocol::EncodeRecord(*message, again.data()), again.size());
  EXPECT_EQ(again, bytes);

  const std::string entry_bytes = Example("queue-entry");
  ASSERT_EQ(entry_bytes.size(), static_cast<size_t>(kQueueEntryBytes));
  const QueueEntry entry = LoadQueueEntry(entry_bytes.data());
  EXPECT_EQ(entry.physical_offset, message->physical_offset);
  EXPECT_EQ(entry.bytes, message->size);
  EXPECT_EQ(entry.tags_code, protocol::TagsCode(message->properties));
}

TEST(StorePageTest, BlankRecord) {
  const std::string bytes = Example("blank");
  ASSERT_EQ(bytes.size(), 8u);
  const auto word = [&](size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  EXPECT_EQ(word(0), 65536u - 65320u);
  EXPECT_EQ(word(4), protocol::kBlankMagic);
}

}  // namespace
}  // namespace mq::store
