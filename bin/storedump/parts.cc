#include "storedump/parts.h"

#include <algorithm>

#include "base/file.h"
#include "base/json.h"
#include "conf/run.h"
#include "store/checkpoint.h"
#include "store/dump_queue.h"
#include "store/dump_record.h"
#include "store/dump_summary.h"
#include "store/dump_verify.h"

namespace mq::storedump {
namespace {

Status PrintQueue(Context& context, const store::QueueName& name) {
  const Options& options = context.options;
  MQ_ASSIGN(store::DumpQueue queue, store::DumpQueue::Open(store::StoreLayout(options.root), name));
  MQ_ASSIGN(const int64_t end, queue.End());
  for (int64_t index = std::max(queue.first(), options.from); index < std::min(end, options.to); ++index) {
    if (SignalThatCame() != 0) break;
    MQ_ASSIGN(const std::optional<store::QueueEntry> entry, queue.Entry(index));
    if (!entry) continue;
    {
      store::DumpRow row(context.output.buffer(), options.rows);
      row.Text("topic", name.topic)
          .Int("queueId", name.queue_id)
          .Int("index", index)
          .Int("phyOffset", entry->physical_offset.value())
          .Int("size", entry->bytes)
          .Int("tagsCode", entry->tags_code);
    }
    MQ_TRY(context.output.Added());
  }
  return Ok();
}

bool InPart(const std::string& root, Part part, const std::string& file) {
  const auto below = [&](std::string_view name) { return file.starts_with(root + "/" + std::string(name)); };
  switch (part) {
    case Part::kCommitLog:
      return below("commitlog");
    case Part::kQueue:
      return below("consumequeue");
    case Part::kIndex:
      return below("index");
    case Part::kCheckpoint:
      return below("checkpoint");
    case Part::kConfig:
      return below("config");
    case Part::kPositions:
    case Part::kAll:
      return true;
  }
  return true;
}

}  // namespace

void AppendStrict(json::Writer& writer, const json::Value& value) {
  switch (value.kind()) {
    case json::Value::Kind::kNull:
      writer.Null();
      return;
    case json::Value::Kind::kBool:
      writer.Bool(value.AsBool());
      return;
    case json::Value::Kind::kInt:
      writer.Int(value.AsInt());
      return;
    case json::Value::Kind::kDouble:
      writer.Double(value.AsDouble());
      return;
    case json::Value::Kind::kString:
      writer.String(value.text());
      return;
    case json::Value::Kind::kArray:
      writer.BeginArray();
      for (const json::Value& item : value.items()) AppendStrict(writer, item);
      writer.EndArray();
      return;
    case json::Value::Kind::kObject:
      writer.BeginObject();
      for (const auto& [name, item] : value.members()) {
        writer.Key(name);
        AppendStrict(writer, item);
      }
      writer.EndObject();
      return;
  }
}

Result<int> PrintQueues(Context& context) {
  const Options& options = context.options;
  MQ_ASSIGN(const std::vector<store::QueueName> names, store::ListQueues(store::StoreLayout(options.root)));
  bool any = options.queue_topic.empty();
  for (const store::QueueName& name : names) {
    if (!options.queue_topic.empty() && name.topic != options.queue_topic) continue;
    if (options.queue_number && name.queue_id != *options.queue_number) continue;
    any = true;
    MQ_TRY(PrintQueue(context, name));
  }
  if (any) return 0;
  const std::string number = options.queue_number ? "/" + std::to_string(*options.queue_number) : "";
  return MakeError(ErrorCode::kNotFound, "there is no queue " + options.queue_topic + number);
}

Result<int> PrintCheckpoint(Context& context) {
  MQ_ASSIGN(const std::string text, ReadFile(context.options.layout().Checkpoint()));
  if (text.size() < store::kCheckpointTimesBytes) {
    return MakeError(ErrorCode::kCorruption, "checkpoint has " + std::to_string(text.size()) + " bytes");
  }
  const store::Checkpoint checkpoint = store::DecodeCheckpoint(text);
  store::DumpRow row(context.output.buffer(), context.options.rows);
  row.Int("physicMsgTimestamp", checkpoint.physic_timestamp)
      .Int("logicsMsgTimestamp", checkpoint.logics_timestamp)
      .Int("indexMsgTimestamp", checkpoint.index_timestamp);
  // RocketMQ's own has none.
  if (checkpoint.flushed.value() > 0) row.Int("flushed", checkpoint.flushed.value());
  return 0;
}

Result<int> PrintPositions(Context& context) {
  if (context.live.any() == nullptr) MQ_TRY(context.live.Ask().WithContext("positions"));
  const store::Positions& positions = *context.live.any();
  const store::BrokerPage& broker = positions.broker();
  const store::ReputdPage& reputd = positions.reputd();
  constexpr const char* kStates[] = {"recovering", "serving", "draining", "stopped"};
  const uint32_t state = std::min<uint32_t>(broker.state.load(std::memory_order_acquire), 3);
  // The smaller ones first, so that they are never seen ahead of what they follow.
  const int64_t indexed = reputd.indexed.load(std::memory_order_acquire);
  const int64_t dispatched = reputd.dispatched.load(std::memory_order_acquire);
  const int64_t flushed = LoadFlushed(positions).value();
  const int64_t readable = LoadReadable(positions).value();
  const store::WrittenPosition wrote = LoadWrote(broker);
  store::DumpRow row(context.output.buffer(), context.options.rows);
  row.Text("state", state == 0 ? "recovering: " + store::RecoverText(broker) : kStates[state])
      .Int("pid", broker.pid.load(std::memory_order_acquire))
      .Int("min", LoadLogMin(positions).value())
      .Int("removedTo", LoadLogRemoved(positions).value())
      .Int("wrote", wrote.wrote.value())
      .Time("storeTimestamp", wrote.store_timestamp)
      .Int("readable", readable)
      .Int("flushed", flushed)
      .Int("dispatched", dispatched)
      .Int("indexed", indexed)
      .Int("durableDispatched", reputd.durable_dispatched.load(std::memory_order_acquire))
      .Int("flushes", static_cast<int64_t>(positions.flushd().flushes.load(std::memory_order_relaxed)))
      .Int("allocatedTo", positions.flushd().allocated_to.load(std::memory_order_acquire));
  return 0;
}

Result<int> PrintConfig(Context& context) {
  const std::string directory = context.options.layout().ConfigDir();
  MQ_ASSIGN(const std::vector<std::string> names, ListDirectory(directory));
  int status = 0;
  for (const std::string& name : names) {
    if (!name.ends_with(".json")) continue;
    MQ_ASSIGN(const std::string text, ReadFile(JoinPath(directory, name)));
    const auto value = json::Parse(text);
    if (!value) {
      conf::Notice(context.settings, JoinPath(directory, name) + ": " + value.error().what);
      status = 3;
      continue;
    }
    const bool compact = context.options.rows == store::RowStyle::kJson;
    json::Writer writer(compact ? json::Writer::Style::kCompact : json::Writer::Style::kPretty);
    AppendStrict(writer, *value);
    if (compact) {
      store::DumpRow(context.output.buffer(), store::RowStyle::kJson).Text("file", name).Raw("value", writer.text());
    } else {
      context.output.buffer() += name + ":\n" + writer.text() + "\n";
    }
    MQ_TRY(context.output.Added());
  }
  return status;
}

Result<int> PrintUsage(Context& context) {
  MQ_ASSIGN(const std::vector<store::FolderUsage> folders, store::UsageOf(context.options.layout(), true));
  int64_t files = 0;
  int64_t bytes = 0;
  int64_t allocated = 0;
  auto print = [&](const store::FolderUsage& usage) {
    store::DumpRow(context.output.buffer(), context.options.rows)
        .Text("folder", usage.name)
        .Int("files", usage.files)
        .Int("bytes", usage.bytes)
        .Int("allocated", usage.allocated);
  };
  for (const store::FolderUsage& usage : folders) {
    print(usage);
    if (usage.name.find('/') != std::string::npos) continue;  // a topic, counted with its folder
    files += usage.files;
    bytes += usage.bytes;
    allocated += usage.allocated;
  }
  print({"all", files, bytes, allocated});
  return 0;
}

Result<int> PrintHex(Context& context) {
  MQ_ASSIGN(store::DumpLog log, store::DumpLog::Open(context.options.layout(), protocol::BodyCheck::kCrc));
  MQ_ASSIGN(const std::string text, store::HexOfRecord(log, store::PhysicalOffset(context.options.hex_at),
                                                       context.options.rows, context.options.redact));
  context.output.buffer() += text;
  return 0;
}

Result<int> Verify(Context& context) {
  const Options& options = context.options;
  store::VerifyOptions verify;
  verify.log_paths = context.options.log_paths;
  verify.root = options.root;
  verify.positions = context.live.positions();
  verify.for_rocketmq = options.for_rocketmq;
  verify.delay_levels_ms = options.delay_levels_ms;
  verify.index_slots = options.index_slots;
  uint64_t faults = 0;
  const bool json = options.rows == store::RowStyle::kJson;
  Status written;
  const auto sink = [&](const store::Fault& fault) {
    if (!InPart(options.root, options.part, fault.file)) return;
    ++faults;
    if (json) {
      store::DumpRow(context.output.buffer(), options.rows)
          .Text("file", fault.file)
          .Int("offset", fault.byte)
          .Text("severity", SeverityName(fault.severity))
          .Text("rule", fault.rule)
          .Text("text", fault.text);
    } else {
      context.output.buffer() += fault.file + ":" + std::to_string(fault.byte) + ": " +
                                 std::string(SeverityName(fault.severity)) + ": " + fault.text + " [" +
                                 std::string(fault.rule) + "]\n";
    }
    if (written) written = context.output.Added();
  };
  const auto report = store::VerifyStore(verify, sink);
  MQ_TRY(std::move(written));
  MQ_TRY(context.output.Flush());
  if (!report) return report.error();
  conf::Notice(context.settings, std::to_string(report->records) + " records up to position " +
                                     std::to_string(report->log_end) + ", " + std::to_string(faults) + " faults" +
                                     (verify.positions != nullptr ? " (live store: what is dispatched)" : ""));
  return faults > 0 ? 1 : 0;
}

}  // namespace mq::storedump
