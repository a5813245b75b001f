#include "damage_store.h"

#include <algorithm>
#include <filesystem>

#include "base/clock.h"
#include "base/file.h"
#include "client.h"
#include "process.h"
#include "store/checkpoint.h"
#include "store/dispatched_marker.h"
#include "store/dump_log.h"
#include "store/index_file.h"
#include "store/log_paths.h"
#include "store/queue_numbers.h"
#include "store/record.h"
#include "store/tombstones.h"

namespace mq::crash {

namespace {

constexpr int64_t kReadyMs = 20000;
constexpr int64_t kStopMs = 20000;
constexpr int kAnswerMs = 5000;
constexpr size_t kOwnSends = 700;
constexpr const char* kDeletedTopic = "Gone";

Status CopyTree(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::remove_all(to, error);
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, error);
  if (error) return MakeError(ErrorCode::kIo, "copy " + from + ": " + error.message());
  return Ok();
}

void SendOne(Random& random, Client& client) {
  std::vector<int32_t> sizes{static_cast<int32_t>(24 + Below(random, Percent(random, 90) ? 500 : 6000))};
  if (Percent(random, 15)) {
    for (uint64_t i = 1 + Below(random, 5); i > 0; --i) sizes.push_back(static_cast<int32_t>(24 + Below(random, 400)));
  }
  const uint64_t which = Below(random, 10);
  if (which < 3) return client.Send("Single", 0, sizes);
  if (which < 4) return client.Send(kDeletedTopic, 0, sizes);
  client.Send("Four", static_cast<int32_t>(Below(random, 4)), sizes);
}

Status AnswersOf(Client& client) {
  const int64_t deadline = MonotonicMs() + kAnswerMs;
  while (client.outstanding() > 0) {
    if (!client.Turn(5) || MonotonicMs() > deadline) return MakeError(ErrorCode::kTimeout, "sends are not answered");
  }
  return Ok();
}

// A topic is deleted among the sends, and made again by those that follow.
Status SendMany(Random& random, Client& client, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    SendOne(random, client);
    if (i % 24 == 23) MQ_TRY(AnswersOf(client));
    if (i != count / 3) continue;
    MQ_TRY(AnswersOf(client));
    client.DeleteTopic(kDeletedTopic);
    if (!client.WaitForTopic(kAnswerMs)) return MakeError(ErrorCode::kTimeout, "a topic is not deleted");
  }
  return AnswersOf(client);
}

}  // namespace

std::string_view Truth::BytesOf(const TrueRecord& record) const {
  for (const auto& [name, bytes] : log) {
    const int64_t at = record.position - starts.at(name);
    if (at < 0 || at >= static_cast<int64_t>(bytes.size())) continue;
    return std::string_view(bytes).substr(static_cast<size_t>(at), static_cast<size_t>(record.bytes));
  }
  return {};
}

std::vector<std::string> FilesBelow(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error)) {
    if (it->is_regular_file(error)) files.push_back(it->path().string().substr(folder.size() + 1));
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<Truth> ReadTruth(const store::StoreOptions& options, const std::string& work) {
  Truth truth;
  const store::StoreLayout layout = options.layout();
  MQ_ASSIGN(const store::Tombstones tombstones, store::Tombstones::Load(layout));
  MQ_ASSIGN(store::DumpLog log, store::DumpLog::Open(layout, protocol::BodyCheck::kCrc));
  for (;;) {
    MQ_ASSIGN(const auto item, log.Next());
    if (!item) break;
    if (item->kind != store::LogItemKind::kRecord) continue;
    const protocol::MessageView& message = item->message;
    TrueRecord record;
    record.position = item->position.value();
    record.bytes = item->bytes;
    record.store_time = message.store_timestamp;
    record.queue = {std::string(message.topic), message.queue_id};
    if (store::EntersIndex(message.sys_flag)) {
      store::ForEachIndexKey(message.properties, [&record](std::string_view key) {
        record.keys.emplace_back(key);
        return true;
      });
    }
    if (store::EntersQueue(message.sys_flag) && item->position >= tombstones.Of(message.topic)) {
      record.queue_offset = message.queue_offset.value();
      ++truth.queues[record.queue];
    }
    truth.records.push_back(std::move(record));
  }
  truth.log_end = truth.records.empty() ? 0 : truth.records.back().end();
  for (const store::DumpLog::File& file : log.files()) {
    const std::string path = log.PathOf(store::PhysicalOffset(file.start));
    MQ_ASSIGN(std::string bytes, ReadFile(path));
    const std::string name = path.substr(work.size() + 1);
    truth.log.emplace(name, std::move(bytes));
    truth.starts.emplace(name, file.start);
  }
  if (const auto text = ReadFile(layout.Dispatched())) {
    MQ_ASSIGN(const auto marker, store::DispatchedMarker::Decode(*text));
    truth.marked = marker.offset.value();
  }
  MQ_ASSIGN(const auto entries_end, store::EndOfEntries(options, store::PhysicalOffset(truth.log_end)));
  truth.entries_end = entries_end.value();
  MQ_ASSIGN(const auto checkpoint, store::ReadCheckpoint(layout.Checkpoint()));
  if (checkpoint) truth.flushed = checkpoint->flushed.value();
  if (checkpoint) truth.checkpoint_time = checkpoint->physic_timestamp;
  if (checkpoint) truth.index_time = checkpoint->index_timestamp;
  MQ_ASSIGN(const auto index, store::ListIndexFiles(layout));
  truth.index_files = index.size();
  return truth;
}

Status DamageStores::Lay(const BaseStore& store) const {
  RemovePool();
  MQ_TRY(CopyTree(store.folder, work()));
  return store.pool.empty() ? Ok() : LayPool(store);
}

Status DamageStores::KeepCopy() const { return CopyTree(work(), base + "/copy"); }

std::string DamageStores::SetCopyAside(uint64_t round) const {
  std::string aside = base + "/failed-" + std::to_string(round);
  std::error_code error;
  std::filesystem::rename(base + "/copy", aside, error);
  return error ? base : aside;
}

// The store in work() becomes a base.
Status DamageStores::Keep(BaseStore& store) const {
  store.folder = base + "/bases/" + store.name;
  MQ_TRY(MakeDirectories(base + "/bases"));
  for (const char* socket : {"/mq/ctl.sock", "/mq/broker.sock"}) MQ_TRY(RemoveFile(root() + socket));
  MQ_ASSIGN(store.truth, ReadTruth(store.options, work()));
  if (store.truth.records.empty()) return MakeError(ErrorCode::kInternal, "the store " + store.name + " is empty");
  return CopyTree(work(), store.folder);
}

Result<BaseStore> DamageStores::Recorded(const std::string& name) const {
  BaseStore store;
  store.name = name;
  store.clean = name != "store-crashed";
  MQ_TRY(RemoveTree(work()));
  MQ_TRY(MakeDirectories(work()));
  MQ_ASSIGN(const ProcessResult untarred,
            RunProcess({"tar", "xzf", golden + "/" + name + ".tar.gz", "-C", work()}, kReadyMs));
  if (untarred.status != 0) return MakeError(ErrorCode::kIo, "unpack " + name + ": " + untarred.err);
  store.options.root = root();
  // As the recorded stores' broker.conf has it.
  store.options.commit_log_file_bytes = 1048576;
  store.options.consume_queue_file_bytes = 6000;
  store.options.index_slots = 500;
  store.options.index_entries = 2000;
  MQ_TRY(Keep(store));
  return store;
}

Result<BaseStore> DamageStores::OwnStore(Random& random, const std::string& name, OwnKind kind) const {
  BaseStore store;
  store.name = name;
  store.clean = kind == OwnKind::kClean || kind == OwnKind::kPaths;
  MQ_TRY(RemoveTree(work()));
  MQ_TRY(MakeDirectories(root()));
  store.options.root = root();
  store.options.commit_log_file_bytes = 65536;
  store.options.consume_queue_file_bytes = 2000;
  store.options.index_slots = 100;
  store.options.index_entries = 400;
  if (kind == OwnKind::kPaths) {
    const std::string paths = work() + "/log-a," + work() + "/log-b";
    store.arguments = {"--store-path-commit-log", paths};
    MQ_ASSIGN(store.options.log_paths, store::ParseLogPaths(root(), paths, "", ","));
  }
  if (kind == OwnKind::kPool) {
    store.arguments = {"--transient-store-pool-enable", "true", "--transient-store-pool-size", "4"};
  }
  store.arguments.insert(store.arguments.end(), {"--flush-interval-commit-log", "20"});
  MQ_ASSIGN(store, Fill(random, std::move(store), kind));
  if (kind == OwnKind::kPool) MQ_TRY(AddPoolTruth(store));
  return store;
}

Result<BaseStore> DamageStores::Fill(Random& random, BaseStore store, OwnKind kind) const {
  Daemons daemons({programs, "", root(), "", log()});
  MQ_TRY(daemons.StartNameServer());
  Journal journal;
  Client client(journal);
  // Two lives: after the first one everything is marked and durable, of the second a kill leaves much that is not.
  for (const bool last : {false, true}) {
    std::vector<std::string> arguments = DamageArguments(store);
    // Committed late, so that a kill leaves something there.
    if (kind == OwnKind::kPool) arguments.insert(arguments.end(), {"--commit-interval-commit-log", "1h"});
    MQ_TRY(daemons.Start(arguments));
    MQ_ASSIGN(const bool ready, daemons.WaitReady(kReadyMs));
    if (!ready) return MakeError(ErrorCode::kInternal, "the broker of " + store.name + " did not start");
    MQ_TRY(client.Connect(root() + "/mq/broker.sock"));
    MQ_TRY(SendMany(random, client, kOwnSends));
    client.Close();
    if (last && !store.clean) {
      daemons.Freeze();  // mq-flushd commits and flushes when it sees its broker go
      daemons.KillAll();
      continue;
    }
    MQ_ASSIGN(const int status, daemons.Stop(kStopMs));
    if (status != 0) return MakeError(ErrorCode::kInternal, "the broker of " + store.name + " did not stop cleanly");
  }
  if (kind == OwnKind::kPool) MQ_TRY(TakePool(store));
  MQ_TRY(Keep(store));
  return store;
}

Result<std::vector<BaseStore>> DamageStores::Make(Random& random) const {
  std::vector<BaseStore> stores;
  for (const char* name : {"store-clean", "store-crashed", "store-filter"}) {
    MQ_ASSIGN(BaseStore store, Recorded(name));
    stores.push_back(std::move(store));
  }
  const std::pair<const char*, OwnKind> own[] = {{"own-clean", OwnKind::kClean},
                                                 {"own-killed", OwnKind::kKilled},
                                                 {"own-paths", OwnKind::kPaths},
                                                 {"own-pool", OwnKind::kPool}};
  for (const auto& [name, kind] : own) {
    MQ_ASSIGN(BaseStore store, OwnStore(random, name, kind));
    stores.push_back(std::move(store));
  }
  return stores;
}

std::vector<std::string> DamageArguments(const BaseStore& store) {
  const store::StoreOptions& options = store.options;
  std::vector<std::string> all = {"--mapped-file-size-commit-log",
                                  std::to_string(options.commit_log_file_bytes),
                                  "--mapped-file-size-consume-queue",
                                  std::to_string(options.consume_queue_file_bytes),
                                  "--max-hash-slot-num",
                                  std::to_string(options.index_slots),
                                  "--max-index-num",
                                  std::to_string(options.index_entries),
                                  "--warm-window",
                                  std::to_string(options.commit_log_file_bytes)};
  all.insert(all.end(), store.arguments.begin(), store.arguments.end());
  return all;
}

}  // namespace mq::crash
