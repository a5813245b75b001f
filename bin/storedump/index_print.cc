// The index part of mq-storedump: whole files, or what one key leads to.
#include "base/file.h"
#include "conf/run.h"
#include "store/dump_index.h"
#include "store/dump_log.h"
#include "store/index_file.h"
#include "storedump/parts.h"

namespace mq::storedump {
namespace {

using store::DumpIndex;
using store::DumpRow;
using store::IndexEntry;

Status PrintHeader(Context& context, const DumpIndex& index) {
  const store::IndexHeader& header = index.header();
  DumpRow row(context.output.buffer(), context.options.rows);
  row.Text("kind", "header")
      .Text("file", index.name())
      .Int("fileSize", index.bytes())
      .Int("hashSlotNum", index.slots())
      .Int("indexNum", index.entries())
      .Int("beginTimestamp", header.begin_timestamp)
      .Int("endTimestamp", header.end_timestamp)
      .Int("beginPhyOffset", header.begin.value())
      .Int("endPhyOffset", header.end.value())
      .Int("hashSlotCount", header.slots_used)
      .Int("indexCount", header.count);
  return Ok();
}

void AppendEntry(DumpRow& row, const DumpIndex& index, int64_t number, const IndexEntry& entry) {
  row.Text("kind", "entry")
      .Text("file", index.name())
      .Int("n", number)
      .Int("keyHash", entry.hash)
      .Int("slot", entry.hash < 0 ? -1 : index.SlotOf(entry.hash))
      .Int("phyOffset", entry.position.value())
      .Int("timeDiff", entry.seconds)
      .Int("prev", entry.previous);
}

Status PrintFile(Context& context, DumpIndex& index) {
  MQ_TRY(PrintHeader(context, index));
  for (int64_t slot = 0; slot < index.slots() && SignalThatCame() == 0; ++slot) {
    MQ_ASSIGN(const int32_t value, index.Slot(slot));
    if (value == 0) continue;
    DumpRow(context.output.buffer(), context.options.rows)
        .Text("kind", "slot")
        .Text("file", index.name())
        .Int("slot", slot)
        .Int("value", value);
    MQ_TRY(context.output.Added());
  }
  for (int64_t number = 1; number < index.end() && SignalThatCame() == 0; ++number) {
    MQ_ASSIGN(const IndexEntry entry, index.Entry(number));
    {
      DumpRow row(context.output.buffer(), context.options.rows);
      AppendEntry(row, index, number, entry);
    }
    MQ_TRY(context.output.Added());
  }
  return Ok();
}

// The topics a key may have been filed under, with the number it then has.
struct Wanted {
  std::string topic;
  int32_t hash;
};

Result<std::vector<Wanted>> WantedOf(const Options& options) {
  std::vector<std::string> topics = options.topics;
  if (topics.empty()) {
    MQ_ASSIGN(const std::vector<store::QueueName> queues, store::ListQueues(store::StoreLayout(options.root)));
    for (const store::QueueName& queue : queues) {
      if (topics.empty() || topics.back() != queue.topic) topics.push_back(queue.topic);
    }
  }
  std::vector<Wanted> wanted;
  for (const std::string& topic : topics) wanted.push_back({topic, store::IndexKeyHash(topic, *options.key)});
  return wanted;
}

// The record an entry leads to says whether it is of this key, or of another one with the same number.
Status AppendFound(DumpRow& row, Context& context, store::DumpLog& log, const Wanted& wanted, const IndexEntry& entry) {
  MQ_ASSIGN(const auto record, log.RecordAt(entry.position));
  if (!record) {
    row.Text("found", "no record");
    return Ok();
  }
  bool same = false;
  store::ForEachIndexKey(record->message.properties, [&](std::string_view key) {
    same = record->message.topic == wanted.topic && key == *context.options.key;
    return !same;
  });
  row.Text("found", same ? "record" : "record of another key")
      .Text("topic", record->message.topic)
      .Int("queueId", record->message.queue_id)
      .Int("queueOffset", record->message.queue_offset.value())
      .Time("storeTimestamp", record->message.store_timestamp);
  return Ok();
}

// Along the chain of the key's slot, newest first, as a broker looks it up.
Result<int64_t> PrintChain(Context& context, DumpIndex& index, store::DumpLog& log, const Wanted& wanted) {
  int64_t found = 0;
  MQ_ASSIGN(int32_t number, index.Slot(index.SlotOf(wanted.hash)));
  while (number > 0 && number < index.end()) {
    MQ_ASSIGN(const IndexEntry entry, index.Entry(number));
    if (entry.hash == wanted.hash) {
      DumpRow row(context.output.buffer(), context.options.rows);
      AppendEntry(row, index, number, entry);
      MQ_TRY(AppendFound(row, context, log, wanted, entry));
      ++found;
    }
    MQ_TRY(context.output.Added());
    if (entry.previous >= number) break;  // damage: a chain only leads back
    number = entry.previous;
  }
  return found;
}

// The numbers of slots and entries follow from the size, so one that is not its neighbours' is not believed.
Result<DumpIndex> OpenIndex(const Options& options, const std::string& path, const store::FoundFile& file,
                            int64_t usual_bytes) {
  if (!file.kind.empty()) return MakeError(ErrorCode::kCorruption, path + " is " + std::string(file.kind));
  if (file.bytes != usual_bytes) {
    return MakeError(ErrorCode::kCorruption, path + " has " + std::to_string(file.bytes) +
                                                 " bytes where its neighbours have " + std::to_string(usual_bytes));
  }
  return DumpIndex::Open(path, options.index_slots);
}

}  // namespace

Result<int> PrintIndex(Context& context) {
  const Options& options = context.options;
  const store::StoreLayout layout = options.layout();
  MQ_ASSIGN(std::vector<store::FoundFile> files, store::ListFound(layout.IndexDir()));
  std::erase_if(files, [](const store::FoundFile& file) { return !store::IsIndexFileName(file.name); });
  std::vector<int64_t> sizes;
  for (const store::FoundFile& file : files) sizes.push_back(file.kind.empty() ? file.bytes : 0);
  const int64_t usual_bytes = store::UsualSize(sizes);
  std::vector<Wanted> wanted;
  std::optional<store::DumpLog> log;
  if (options.key) {
    MQ_ASSIGN(wanted, WantedOf(options));
    MQ_ASSIGN(log, store::DumpLog::Open(layout, protocol::BodyCheck::kSkip));
  }
  int64_t found = 0;
  int status = 0;
  for (const store::FoundFile& file : files) {
    auto index = OpenIndex(options, layout.IndexFile(file.name), file, usual_bytes);
    if (!index && index.error().code == ErrorCode::kNotFound) continue;  // expired meanwhile
    if (!index) {
      conf::Notice(context.settings, index.error().what);
      if (!index.error().hint.empty()) conf::Notice(context.settings, index.error().hint);
      status = 3;
      continue;
    }
    if (!options.key) {
      MQ_TRY(PrintFile(context, *index));
      continue;
    }
    for (const Wanted& each : wanted) {
      MQ_ASSIGN(const int64_t here, PrintChain(context, *index, *log, each));
      found += here;
    }
  }
  if (options.key && found == 0 && status == 0) {
    return MakeError(ErrorCode::kNotFound,
                     "no entry of key '" + *options.key + "' in " + std::to_string(files.size()) + " index files");
  }
  return status;
}

}  // namespace mq::storedump
