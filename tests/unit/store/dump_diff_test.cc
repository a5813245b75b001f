// Two stores are the same, or the counts say by how much not and the first difference says where.
#include "store/dump_diff.h"

#include <filesystem>

#include "dump_fixture.h"

namespace mq::store::testing {
namespace {

bool GoOn() { return true; }
Status Nothing(const QueueName&, const DiffCounts&) { return Ok(); }

class DiffTest : public DumpTest {
 protected:
  void SetUp() override {
    store.Boot();
    for (int i = 0; i < 200; ++i) {
      store.Append(i % 3 == 0 ? "A" : "B", i % 2, std::string(900, 'x') + std::to_string(i),
                   "UNIQ_KEY\x01ID" + std::to_string(i) + "\x02KEYS\x01k" + std::to_string(i));
    }
    store.DispatchAll();
    copy_ = store.options.root + "-copy";
    std::filesystem::copy(store.options.root, copy_, std::filesystem::copy_options::recursive);
  }
  void TearDown() override { RemoveTree(copy_).Ignore("a left-over temporary directory"); }

  DiffSide Original() { return {store.layout(), std::nullopt, store.options.index_slots}; }
  DiffSide Copy() { return {StoreLayout(copy_), std::nullopt, store.options.index_slots}; }
  template <class T>
  static T Value(Result<T> result) {
    EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().what);
    return result ? std::move(*result) : T();
  }
  std::string copy_;
};

TEST_F(DiffTest, ACopyIsTheSame) {
  EXPECT_TRUE(Value(DiffLogs(Original(), Copy(), GoOn)).same());
  EXPECT_EQ(Value(DiffLogs(Original(), Copy(), GoOn)).equal, 200);
  const DiffCounts queues = Value(DiffQueues(Original(), Copy(), "", std::nullopt, GoOn, Nothing));
  EXPECT_TRUE(queues.same());
  EXPECT_EQ(queues.equal, 200);
  const DiffCounts index = Value(DiffIndexes(Original(), Copy(), GoOn));
  EXPECT_TRUE(index.same());
  EXPECT_EQ(index.equal, 400);
}

TEST_F(DiffTest, AChangedBodyIsNamedWithItsPlace) {
  store.Corrupt(copy_ + "/commitlog/" + MappedFileName(0), 100, "Z");
  const DiffCounts log = Value(DiffLogs(Original(), Copy(), GoOn));
  EXPECT_EQ(log.differ, 1);
  EXPECT_EQ(log.equal, 199);
  EXPECT_NE(log.first_difference.find("record at position 0"), std::string::npos) << log.first_difference;
  EXPECT_NE(log.first_difference.find("body"), std::string::npos) << log.first_difference;
}

TEST_F(DiffTest, WhatOnlyOneHasIsCountedOnItsSide) {
  store.Append("A", 0, "more", "UNIQ_KEY\x01more");
  store.DispatchAll();
  EXPECT_EQ(Value(DiffLogs(Original(), Copy(), GoOn)).only_first, 1);
  EXPECT_EQ(Value(DiffLogs(Copy(), Original(), GoOn)).only_second, 1);
  EXPECT_EQ(Value(DiffIndexes(Original(), Copy(), GoOn)).only_first, 1);
  int named = 0;
  const auto each = [&](const QueueName& name, const DiffCounts& counts) {
    if (!counts.same()) ++named;
    EXPECT_TRUE(counts.same() || (name.topic == "A" && name.queue_id == 0));
    return Ok();
  };
  EXPECT_EQ(Value(DiffQueues(Original(), Copy(), "", std::nullopt, GoOn, each)).only_first, 1);
  EXPECT_EQ(named, 1);
  // A limit, as of a live broker, leaves it out.
  DiffSide limited = Original();
  limited.limit = PhysicalOffset(1);
  EXPECT_EQ(Value(DiffLogs(limited, Copy(), GoOn)).only_second, 200);
}

TEST_F(DiffTest, ARebuiltIndexIsTheSameUnderOtherNames) {
  ASSERT_TRUE(RemoveTree(copy_ + "/index").has_value());
  EXPECT_EQ(Value(DiffIndexes(Original(), Copy(), GoOn)).only_first, 400);
  const std::string index = store.layout().IndexDir();
  std::filesystem::copy(index, copy_ + "/index", std::filesystem::copy_options::recursive);
  std::string first;
  for (const auto& file : std::filesystem::directory_iterator(copy_ + "/index")) {
    if (first.empty() || file.path() < first) first = file.path();
  }
  std::filesystem::rename(first, copy_ + "/index/20000101000000000");
  EXPECT_TRUE(Value(DiffIndexes(Original(), Copy(), GoOn)).same());
}

TEST_F(DiffTest, AQueueThatNeitherHasIsNotFound) {
  const auto none = DiffQueues(Original(), Copy(), "NOPE", std::nullopt, GoOn, Nothing);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Value(DiffQueues(Original(), Copy(), "A", 0, GoOn, Nothing)).equal, 34);
}

}  // namespace
}  // namespace mq::store::testing
