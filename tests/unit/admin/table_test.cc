// What mq-admin prints: columns, tabs, JSON; and the load generator's histogram and frames.
#include "admin/table.h"

#include <gtest/gtest.h>

#include "admin/bench_peer.h"
#include "admin/histogram.h"

namespace mq::admin {
namespace {

constexpr conf::Column kColumns[] = {
    {.name = "name", .doc = "a name"},
    {.name = "queues", .type = conf::Column::Type::kNumber, .doc = "a number"},
    {.name = "changed", .type = conf::Column::Type::kBool, .doc = "yes or no"},
};

Table Sample() {
  Table table(kColumns);
  table.Add({"Orders", 8, true});
  table.Add({"a\tb\nc", int64_t{16}, false});
  return table;
}

std::string Format(const Table& table, const TableStyle& style) {
  const auto text = table.Format(style);
  return text ? *text : text.error().what;
}

TEST(TableTest, TabsInAPipeWithAHeaderOnDemand) {
  EXPECT_EQ(Format(Sample(), {}), "Orders\t8\ttrue\na b c\t16\tfalse\n");
  EXPECT_EQ(Format(Sample(), {.header = true}).substr(0, 19), "name\tqueues\tchanged");
}

TEST(TableTest, ColumnsOnATerminal) {
  EXPECT_EQ(Format(Sample(), {.terminal = true}),
            "name    queues  changed\n"
            "Orders  8       true\n"
            "a b c   16      false\n");
}

TEST(TableTest, OneObjectALine) {
  EXPECT_EQ(Format(Sample(), {.terminal = true, .header = true, .json = true}),
            "{\"name\":\"Orders\",\"queues\":8,\"changed\":true}\n"
            "{\"name\":\"a\\tb\\nc\",\"queues\":16,\"changed\":false}\n");
}

TEST(TableTest, ChosenColumnsInTheirOrder) {
  EXPECT_EQ(Format(Sample(), {.columns = {"queues", "name"}}), "8\tOrders\n16\ta b c\n");
  EXPECT_EQ(Format(Sample(), {.json = true, .columns = {"queues"}}), "{\"queues\":8}\n{\"queues\":16}\n");
}

TEST(TableTest, UnknownColumnsAreRefusedWithTheNamesThereAre) {
  const auto text = Sample().Format({.columns = {"quues"}});
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().code, ErrorCode::kConfig);
  EXPECT_EQ(text.error().what, "no column is named 'quues'; there are name, queues, changed");
  EXPECT_EQ(text.error().hint, "did you mean queues?");
  EXPECT_FALSE(Sample().Format({.sort = "-nothing"}).has_value());
}

TEST(TableTest, NumbersAreSortedAsNumbersAndUnknownOnesComeLast) {
  Table table(kColumns);
  table.Add({"b", 10, true});
  table.Add({"c", Cell::Unknown(), true});
  table.Add({"a", 9, true});
  table.Add({"d", 9, true});
  EXPECT_EQ(Format(table, {.columns = {"name"}, .sort = "queues"}), "a\nd\nb\nc\n");
  EXPECT_EQ(Format(table, {.columns = {"name"}, .sort = "-queues"}), "b\na\nd\nc\n");
  EXPECT_EQ(Format(table, {.columns = {"name"}, .sort = "-name"}), "d\nc\nb\na\n");
}

TEST(TableTest, WhatIsNotKnownIsADashAndNull) {
  Table table(kColumns);
  table.Add({"T", Cell::Unknown(), false});
  EXPECT_EQ(Format(table, {}), "T\t-\tfalse\n");
  EXPECT_EQ(Format(table, {.json = true}), "{\"name\":\"T\",\"queues\":null,\"changed\":false}\n");
  EXPECT_EQ(Cell::Time(0).kind, Cell::Kind::kUnknown);
  EXPECT_EQ(Cell::Time(1000).text, "1970-01-01T00:00:01.000Z");
}

// Names that differ in their last letter only stay different, however long they are.
TEST(TableTest, LongNamesAreNeverCut) {
  Table table(kColumns);
  const std::string long_name(120, 'x');
  table.Add({long_name + "1", 1, true});
  table.Add({long_name + "2", 2, true});
  for (const TableStyle& style : {TableStyle{}, TableStyle{.terminal = true}, TableStyle{.json = true}}) {
    const std::string text = Format(table, style);
    EXPECT_NE(text.find(long_name + "1"), std::string::npos);
    EXPECT_NE(text.find(long_name + "2"), std::string::npos);
  }
}

TEST(HistogramTest, PercentilesWithinTwoPerCent) {
  Histogram histogram;
  EXPECT_EQ(histogram.PercentileUs(0.5), 0);
  for (int64_t us = 1; us <= 100000; ++us) histogram.Add(us * 1000);
  EXPECT_NEAR(histogram.PercentileUs(0.5), 50000, 1000);
  EXPECT_NEAR(histogram.PercentileUs(0.99), 99000, 2000);
  EXPECT_EQ(histogram.max_us(), 100000);
  EXPECT_LE(histogram.PercentileUs(1.0), 100000);
  histogram.Add(-5);
  histogram.Add(INT64_MAX);
  EXPECT_EQ(histogram.count(), 100002u);
}

TEST(FrameTemplateTest, OverwritesOpaqueAndBody) {
  protocol::CommandHead head;
  head.type = protocol::SerializeType::kRocketMq;
  head.code = 310;
  std::string frame;
  protocol::CommandWriter writer(frame, head);
  writer.Ext("g", int64_t{1700000000000});
  writer.Finish(4);
  frame += "body";
  FrameTemplate made(frame);
  made.SetOpaque(77);
  made.Overwrite(made.Find("1700000000000"), "1800000000001");
  made.Overwrite(made.body_at(), "BODY");
  protocol::CommandView view;
  ASSERT_TRUE(protocol::DecodeCommand(made.bytes(), view));
  EXPECT_EQ(view.opaque, 77);
  EXPECT_EQ(view.Find("g"), "1800000000001");
  EXPECT_EQ(view.body, "BODY");
}

}  // namespace
}  // namespace mq::admin
