// What mq-admin prints: columns, tabs, JSON; and the load generator's histogram and frames.
#include "admin/table.h"

#include <gtest/gtest.h>

#include "admin/bench_peer.h"
#include "admin/histogram.h"

namespace mq::admin {
namespace {

Table Sample() {
  Table table({"name", "queues", "changed"});
  table.Add({"Orders", 8, true});
  table.Add({"a\tb\nc", int64_t{16}, false});
  return table;
}

TEST(TableTest, TabsInAPipeWithAHeaderOnDemand) {
  EXPECT_EQ(Sample().Format({}), "Orders\t8\ttrue\na b c\t16\tfalse\n");
  EXPECT_EQ(Sample().Format({false, true, false}).substr(0, 19), "name\tqueues\tchanged");
}

TEST(TableTest, ColumnsOnATerminal) {
  EXPECT_EQ(Sample().Format({true, false, false}),
            "name    queues  changed\n"
            "Orders  8       true\n"
            "a b c   16      false\n");
}

TEST(TableTest, OneObjectALine) {
  EXPECT_EQ(Sample().Format({true, true, true}),
            "{\"name\":\"Orders\",\"queues\":8,\"changed\":true}\n"
            "{\"name\":\"a\\tb\\nc\",\"queues\":16,\"changed\":false}\n");
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
