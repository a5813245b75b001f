// A store that was written, dispatched and stopped, with what the tests of dump and verification do to it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "store/dump_verify.h"
#include "test_store.h"

namespace mq::store::testing {

class DumpTest : public ::testing::Test {
 protected:
  // Two topics, enough for three log files, everything dispatched, stopped cleanly.
  void Fill(int messages = 200) {
    store.Boot();
    for (int i = 0; i < messages; ++i) {
      store.Append(i % 3 == 0 ? "A" : "B", i % 2, std::string(900, 'x') + std::to_string(i), "TAGS\x01tag");
    }
    store.DispatchAll();
    store.Configure({"A", "B", "C"});
  }
  std::vector<Fault> Verify(bool for_rocketmq = false) {
    VerifyOptions options;
    options.root = store.options.root;
    options.for_rocketmq = for_rocketmq;
    std::vector<Fault> faults;
    auto report = VerifyStore(options, [&](const Fault& fault) { faults.push_back(fault); });
    EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().what);
    return faults;
  }
  bool Says(const std::vector<Fault>& faults, std::string_view rule, std::string_view text) {
    return std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) {
      return fault.rule == rule && fault.text.find(text) != std::string::npos;
    });
  }
  void Write(const std::string& path, int64_t at, std::string_view bytes) {
    auto fd = OpenFile(path, O_RDWR);
    ASSERT_TRUE(fd.has_value());
    ASSERT_TRUE(WriteAt(fd->get(), bytes, at, path).has_value());
  }
  std::string LogFile(int64_t start) { return store.layout().CommitLogFile(PhysicalOffset(start)); }
  std::string QueueFile(const std::string& topic, int queue, int64_t start) {
    return store.layout().QueueDir(topic, queue) + "/" + MappedFileName(start);
  }
  TestStore store;
};

}  // namespace mq::store::testing
