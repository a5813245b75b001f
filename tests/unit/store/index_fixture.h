// Records with keys in a TestStore, and what a query finds of them.
#pragma once

#include <string>
#include <vector>

#include "store/index_reader.h"
#include "test_store.h"

namespace mq::store::testing {

inline std::string Keyed(int i, const std::string& more = "") {
  return "UNIQ_KEY\x01ID" + std::to_string(i) + "\x02KEYS\x01key" + std::to_string(i) + " shared" + more;
}

inline void Fill(TestStore& store, int from, int count) {
  for (int i = from; i < from + count; ++i) store.Append(i % 2 == 0 ? "A" : "B", 0, "m" + std::to_string(i), Keyed(i));
}

inline std::vector<std::string> Find(TestStore& store, const std::string& topic, const std::string& key,
                                     int32_t max = 64, int64_t begin = 0, int64_t end = INT64_MAX) {
  IndexReader reader(store.options, store.positions.get());
  IndexQuery query;
  query.topic = topic;
  query.key = key;
  query.max_messages = max;
  query.begin_timestamp = begin;
  query.end_timestamp = end;
  auto answer = reader.Query(query);
  EXPECT_TRUE(answer.has_value());
  std::vector<std::string> bodies;
  for (const Slice& slice : answer->records) {
    bodies.emplace_back(protocol::DecodeMessage(slice.bytes)->body);
  }
  return bodies;
}

inline void EachIsFoundOnce(TestStore& store, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string topic = i % 2 == 0 ? "A" : "B";
    const std::vector<std::string> wanted{"m" + std::to_string(i)};
    EXPECT_EQ(Find(store, topic, "key" + std::to_string(i)), wanted) << i;
    EXPECT_EQ(Find(store, topic, "ID" + std::to_string(i)), wanted) << i;
  }
}

inline std::vector<std::string> IndexPaths(TestStore& store) {
  std::vector<std::string> paths;
  const auto files = ListIndexFiles(store.layout());
  for (const IndexFileEntry& file : *files) paths.push_back(store.layout().IndexFile(file.name));
  return paths;
}

}  // namespace mq::store::testing
