#include "store/rebuild.h"

#include <fcntl.h>

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "store/dispatched_marker.h"
#include "store/positions.h"
#include "store/queue_numbers.h"
#include "store/reput.h"
#include "store/store_lock.h"
#include "store/tombstones.h"

namespace mq::store {

namespace {

// The store's log, and everything derived from it below another root.
StoreOptions OptionsFor(const StoreOptions& options, const RebuildParts& parts, const std::string& out) {
  StoreOptions derived = options;
  const StoreLayout layout = options.layout();
  derived.root = out;
  derived.log_paths = {layout.CommitLogDirs(), {}};
  derived.index_enable = parts.index;
  return derived;
}

Status RequireEmpty(const std::string& directory) {
  const auto names = ListDirectory(directory);
  if (!names && names.error().code != ErrorCode::kNotFound) return names.error();
  if (!names || names->empty()) return Ok();
  return MakeError(ErrorCode::kConfig, directory + " is not empty");
}

Status SyncFile(const std::string& path) {
  MQ_ASSIGN(const UniqueFd fd, OpenFile(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (::fsync(fd.get()) != 0) return ErrnoError(ErrorCode::kIo, "sync " + path);
  return Ok();
}

Status SyncTree(const std::string& directory) {
  std::error_code failed;
  for (auto it = std::filesystem::recursive_directory_iterator(directory, failed);
       !failed && it != std::filesystem::recursive_directory_iterator(); it.increment(failed)) {
    if (it->is_regular_file()) MQ_TRY(SyncFile(it->path().string()));
    if (it->is_directory()) MQ_TRY(FsyncDirectory(it->path().string()));
  }
  if (failed) return ErrnoError(ErrorCode::kIo, "look through " + directory, failed.value());
  return FsyncDirectory(directory);
}

// After a kill its last bytes may be in memory alone, and a marker must not name them.
Status SyncLog(const StoreLayout& layout) {
  MQ_ASSIGN(const auto files, ListLogFiles(layout));
  for (const FileEntry& file : files) MQ_TRY(SyncFile(layout.CommitLogFile(PhysicalOffset(file.start))));
  return Ok();
}

// Entries of records that are in no log any more carry the numbering of their queues. Durable when it returns.
Status CopyQueues(const std::string& from, const std::string& to) {
  if (!PathExists(from)) return Ok();
  std::error_code failed;
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, failed);
  if (!failed) return SyncTree(to);
  return ErrnoError(ErrorCode::kIo, "copy " + from + " to " + to, failed.value());
}

// What the queue files need not know: what is still to be kept, and what the marker says of their ends.
Result<KnownNumbers> NumbersBeside(const StoreLayout& layout, const std::optional<DispatchedMarker>& marker,
                                   const Tombstones& tombstones) {
  MQ_ASSIGN(KnownNumbers numbers, LoadNumbers(layout, tombstones));
  if (marker) AddMarked(numbers, *marker);
  DropDeleted(numbers, tombstones);
  return numbers;
}

// Everything that Reput needs, and the marker it leaves, below `out`.
Result<Derived> Build(const StoreOptions& options, const RebuildParts& parts, const std::string& out) {
  const StoreLayout layout = options.layout();
  MQ_ASSIGN(const RecoverResult found,
            RecoverCommitLog(options, !AbortExists(layout), nullptr, RecoverMode::kLookOnly));
  MQ_ASSIGN(const Tombstones tombstones, Tombstones::Load(layout));
  const StoreOptions target = OptionsFor(options, parts, out);
  const StoreLayout built = target.layout();
  for (const std::string& directory : {built.MqDir(), built.ConsumeQueueDir(), built.IndexDir()}) {
    MQ_TRY(MakeDirectories(directory));
  }
  if (!tombstones.empty()) MQ_TRY(tombstones.Save(built));
  const bool lacks_records = found.min.value() > 0 || !found.kept_damage.empty();
  if (lacks_records) {
    MQ_TRY(CopyQueues(layout.ConsumeQueueDir(), built.ConsumeQueueDir()));
    MQ_ASSIGN(const KnownNumbers numbers, NumbersBeside(layout, found.marker, tombstones));
    if (!numbers.empty()) MQ_TRY(SaveNumbers(built, numbers));
  }
  MQ_ASSIGN(Derived derived, DeriveAtRest(target, found, true));
  if (!parts.queues) MQ_TRY(RemoveTree(built.ConsumeQueueDir()));
  if (!parts.index) MQ_TRY(RemoveTree(built.IndexDir()));
  return derived;
}

Status Rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return ErrnoError(ErrorCode::kIo, "rename " + from + " to " + to);
  MQ_TRY(FsyncDirectory(DirectoryOf(from)));
  return FsyncDirectory(DirectoryOf(to));
}

// What was at `place` is where `built` was, or beside it.
Status Replace(const std::string& place, const std::string& built) {
  if (::renameat2(AT_FDCWD, built.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) {
    MQ_TRY(FsyncDirectory(DirectoryOf(built)));
    return FsyncDirectory(DirectoryOf(place));
  }
  // Not there, or a filesystem that cannot.
  if (PathExists(place)) MQ_TRY(Rename(place, built + ".replaced"));
  return Rename(built, place);
}

// What is true of the part that was not built stays; without it that part counts as unknown, and is checked.
std::optional<DispatchedMarker> JoinMarkers(const RebuildParts& parts, const std::optional<DispatchedMarker>& old,
                                            DispatchedMarker built) {
  if (parts.queues) {
    if (!parts.index) built.index = old ? old->index : std::nullopt;
    return built;
  }
  if (!old) return std::nullopt;
  DispatchedMarker joined = *old;
  joined.index = std::move(built.index);
  return joined;
}

}  // namespace

Result<Derived> DeriveAtRest(const StoreOptions& options, const RecoverResult& found, bool rebuild) {
  MQ_ASSIGN(auto positions, Positions::CreateForOneProcess());
  BrokerPage& page = positions.own_broker();
  page.boot_min.store(found.min.value());
  page.recovered_from.store(found.scanned_from.value());
  page.recovered_end.store(found.end.value());
  page.log_damaged.store(found.kept_damage.empty() ? 0 : 1);
  PublishWrote(page, found.end, found.last_store_timestamp);
  MQ_ASSIGN(auto reput, Reput::Open(options, positions, rebuild));
  MQ_TRY(reput->FinishAudit());
  MQ_TRY(reput->Finish());
  return Derived{reput->started_from(), reput->dispatched(), reput->records(), reput->anomalies().gaps};
}

Result<Derived> RebuildInto(const StoreOptions& options, const RebuildParts& parts, const std::string& out) {
  MQ_TRY(RequireEmpty(out));
  MQ_ASSIGN(const Derived derived, Build(options, parts, out));
  MQ_TRY(RemoveTree(StoreLayout(out).MqDir()));
  return derived;
}

Result<Derived> RebuildInPlace(const StoreOptions& options, const RebuildParts& parts) {
  const StoreLayout layout = options.layout();
  const std::string work = layout.MqDir() + "/rebuild";
  MQ_TRY(RemoveTree(work));
  MQ_TRY(SyncLog(layout));
  MQ_ASSIGN(const Derived derived, Build(options, parts, work));
  const StoreLayout built(work);
  std::optional<DispatchedMarker> marker;
  KnownNumbers numbers;
  if (PathExists(built.Dispatched())) {
    MQ_ASSIGN(const std::string text, ReadFile(built.Dispatched()));
    MQ_ASSIGN(DispatchedMarker fresh, DispatchedMarker::Decode(text));
    std::string why;
    const auto before = LoadBelievedMarker(options, fresh.log_min, derived.to, &why);
    MQ_ASSIGN(const Tombstones tombstones, Tombstones::Load(layout));
    if (parts.queues) {
      MQ_ASSIGN(numbers, NumbersBeside(layout, before, tombstones));
    }
    marker = JoinMarkers(parts, before, std::move(fresh));
  }
  // Without a marker nothing is believed: a start after a kill from here on derives everything from the log, but for
  // the numbers.
  if (!numbers.empty()) MQ_TRY(SaveNumbers(layout, numbers));
  MQ_TRY(RemoveFile(layout.Dispatched()));
  if (parts.queues) MQ_TRY(Replace(layout.ConsumeQueueDir(), built.ConsumeQueueDir()));
  if (parts.index) MQ_TRY(Replace(layout.IndexDir(), built.IndexDir()));
  if (marker) MQ_TRY(WriteDispatchedMarker(layout, *marker));
  if (marker && parts.queues) MQ_TRY(RemoveFile(layout.Numbers()));
  MQ_TRY(RemoveTree(work));
  return derived;
}

}  // namespace mq::store
