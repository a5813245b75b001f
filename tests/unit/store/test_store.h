// A store of its own for each test: a temporary directory, small files, all positions in one process.
#pragma once

#include <gtest/gtest.h>

#include <fcntl.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/file.h"
#include "protocol/batch.h"
#include "protocol/properties.h"
#include "store/boot_minimums.h"
#include "store/checkpoint.h"
#include "store/commit_log.h"
#include "store/consume_queue.h"
#include "store/flusher.h"
#include "store/recovery.h"
#include "store/reput.h"
#include "store/store_lock.h"

namespace mq::store::testing {

class TestStore {
 public:
  TestStore() {
    char name[] = "/tmp/mq-store-XXXXXX";
    root_ = ::mkdtemp(name);
    options.root = root_;
    options.commit_log_file_bytes = 65536;
    options.consume_queue_file_bytes = 200;
    options.index_slots = 100;
    options.index_entries = 50;
    options.warm_window_bytes = 65536;
    options.self_allocate = true;
    options.queue_flush_interval_ms = 1;
    options.queue_flush_thorough_interval_ms = 1;
    EXPECT_TRUE(NormalizeOptions(options).has_value());
    EXPECT_TRUE(layout().MakeDirectories().has_value());
    ForgetFlushes();
  }
  ~TestStore() { RemoveTree(root_).Ignore("a left-over temporary directory"); }

  StoreLayout layout() const { return options.layout(); }

  // The checkpoint that mq-flushd makes of a new store: nothing is durable yet. Without one nothing is known of that.
  void ForgetFlushes() {
    auto checkpoint = CheckpointFile::Open(layout().Checkpoint());
    ASSERT_TRUE(checkpoint.has_value() && checkpoint->Write({}).has_value());
  }

  // What a broker does at boot: recover, publish, number, open the log. Leaves abort as it is.
  // `durable`: what a left pool has brought into the log.
  void Boot(bool clean = true, PhysicalOffset durable = PhysicalOffset(0)) {
    log.reset();
    table = QueueTable();
    auto made = Positions::CreateForOneProcess();
    ASSERT_TRUE(made.has_value());
    positions = std::make_unique<Positions>(std::move(*made));
    auto result = RecoverCommitLog(options, clean, nullptr, RecoverMode::kRepair, durable);
    ASSERT_TRUE(result.has_value()) << result.error().what;
    recovered = *result;
    auto tombstones = Tombstones::Recover(layout(), recovered.end);
    ASSERT_TRUE(tombstones.has_value());
    auto walked = BuildQueueTable(options, recovered, *tombstones, table, nullptr);
    ASSERT_TRUE(walked.has_value()) << walked.error().what;
    numbered_records = walked->records;
    boot_minimums = std::make_unique<BootMinimums>(options, recovered.min, walked->marker);
    BrokerPage& page = positions->own_broker();
    page.recovered_from.store(recovered.scanned_from.value());
    page.recovered_end.store(recovered.end.value());
    page.log_damaged.store(walked->log_damaged ? 1 : 0);
    page.boot_min.store(recovered.min.value());
    PublishWrote(page, recovered.end, recovered.last_store_timestamp);
    auto opened = CommitLog::Open(options, *positions, recovered.end);
    ASSERT_TRUE(opened.has_value()) << opened.error().what;
    log = std::move(*opened);
    page.state.store(static_cast<uint32_t>(BrokerState::kServing));
  }

  static protocol::MessageView Message(std::string_view topic, int32_t queue, std::string_view body,
                                       std::string_view properties = "") {
    protocol::MessageView message;
    message.topic = topic;
    message.queue_id = queue;
    message.body = body;
    message.properties = properties;
    message.born_timestamp = 1600000000000;
    message.born_host = *protocol::ParseHost("192.168.1.2:10001");
    message.store_host = *protocol::ParseHost("10.0.0.1:10911");
    return message;
  }

  AppendResult Append(std::string_view topic, int32_t queue, std::string_view body, std::string_view properties = "") {
    AppendResult result =
        log->Append(Message(topic, queue, body, properties), table.GetOrCreate(topic, queue), clock_ms++);
    EXPECT_EQ(result.status, AppendStatus::kOk) << result.reason;
    return result;
  }

  std::unique_ptr<Reput> OpenReput(bool rebuild = false) {
    auto reput = Reput::Open(options, *positions, rebuild);
    EXPECT_TRUE(reput.has_value()) << (reput ? "" : reput.error().what);
    return std::move(*reput);
  }
  // Dispatches everything and makes it durable.
  void DispatchAll(bool rebuild = false) {
    FlushAll();
    auto reput = OpenReput(rebuild);
    Status done = reput->FinishAudit();
    ASSERT_TRUE(done.has_value()) << done.error().what;
    done = reput->Finish();
    ASSERT_TRUE(done.has_value()) << done.error().what;
  }
  void FlushAll() {
    auto flusher = Flusher::Open(options, *positions);
    ASSERT_TRUE(flusher.has_value());
    Status done = (*flusher)->FlushAll();
    ASSERT_TRUE(done.has_value()) << done.error().what;
  }

  // topics.json of a broker that knows these.
  void Configure(const std::vector<std::string>& topics) {
    std::string text;
    for (const std::string& topic : topics) text += (text.empty() ? "\"" : ",\"") + topic + "\":{}";
    ASSERT_TRUE(WriteFileAtomically(layout().ConfigDir() + "/topics.json", "{\"topicConfigTable\":{" + text + "}}")
                    .has_value());
  }

  // Bodies of a queue in order, read the way the broker reads.
  std::vector<std::string> Bodies(std::string_view topic, int32_t queue) {
    ConsumeQueueReader queues(options, positions.get());
    LogReader reader(options, positions.get());
    std::vector<std::string> bodies;
    auto min = queues.MinOffset(topic, queue);
    EXPECT_TRUE(min.has_value());
    for (QueueOffset offset = min ? min->value_or(QueueOffset(0)) : QueueOffset(0);;) {
      auto span = queues.Read(topic, queue, offset, 100);
      EXPECT_TRUE(span.has_value());
      if (!span || span->count == 0) return bodies;
      for (int64_t i = 0; i < span->count; ++i) {
        if ((*span)[i].IsPreBlank()) continue;
        Slice slice;
        auto message = reader.ReadRecord((*span)[i].physical_offset, &slice);
        EXPECT_TRUE(message.has_value()) << message.error().what;
        if (message) bodies.emplace_back(message->body);
      }
      offset += span->count;
    }
  }

  void Corrupt(const std::string& path, int64_t at, std::string_view bytes) {
    auto fd = OpenFile(path, O_RDWR);
    ASSERT_TRUE(fd.has_value());
    ASSERT_TRUE(WriteAt(fd->get(), bytes, at, path).has_value());
  }
  // Puts the head of a blank over what lies at that position of the log.
  void PutBlank(PhysicalOffset at, int64_t size) {
    std::string head(8, '\0');
    StoreBe32(head.data(), static_cast<uint32_t>(size));
    StoreBe32(head.data() + 4, protocol::kBlankMagic);
    const int64_t start = at.value() / options.commit_log_file_bytes * options.commit_log_file_bytes;
    Corrupt(layout().CommitLogFile(PhysicalOffset(start)), at.value() - start, head);
  }
  int64_t RestOfFile(PhysicalOffset at) const {
    return options.commit_log_file_bytes - at.value() % options.commit_log_file_bytes;
  }
  std::string Bytes(const std::string& path) {
    auto bytes = ReadFile(path);
    EXPECT_TRUE(bytes.has_value()) << path;
    return bytes ? *bytes : "";
  }
  // All files below consumequeue/, by relative path.
  std::map<std::string, std::string> QueueBytes() {
    std::map<std::string, std::string> all;
    auto queues = ListQueues(layout());
    EXPECT_TRUE(queues.has_value());
    for (const QueueName& name : *queues) {
      const std::string directory = layout().QueueDir(name.topic, name.queue_id);
      auto files = ListDirectory(directory);
      for (const std::string& file : *files) {
        all[name.topic + "/" + std::to_string(name.queue_id) + "/" + file] = Bytes(directory + "/" + file);
      }
    }
    return all;
  }

  // All index files in order of their names, which depend on the clock and are left out.
  std::vector<std::string> IndexBytes() {
    std::vector<std::string> all;
    auto files = ListIndexFiles(layout());
    EXPECT_TRUE(files.has_value());
    for (const IndexFileEntry& file : *files) all.push_back(Bytes(layout().IndexFile(file.name)));
    return all;
  }

  StoreOptions options;
  std::unique_ptr<Positions> positions;
  std::unique_ptr<CommitLog> log;
  QueueTable table;
  RecoverResult recovered;
  int64_t numbered_records = 0;
  std::unique_ptr<BootMinimums> boot_minimums;
  int64_t clock_ms = 1795978142707;

 private:
  std::string root_;
};

inline std::string HexOf(std::string_view bytes) {
  static const char* digits = "0123456789abcdef";
  std::string text;
  for (unsigned char c : bytes) {
    text += digits[c >> 4];
    text += digits[c & 15];
  }
  return text;
}

}  // namespace mq::store::testing
