#include "store/dump_verify_own.h"

#include <cerrno>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "store/dispatched_marker.h"
#include "store/dump_file.h"
#include "store/log_paths.h"
#include "store/plain_files.h"
#include "store/pool_judgement.h"
#include "store/queue_numbers.h"
#include "store/store_lock.h"

namespace mq::store {

Result<Tombstones> VerifyTombstones(const StoreLayout& layout, const FaultSink& sink) {
  auto tombstones = Tombstones::Load(layout);
  if (tombstones) return tombstones;
  const std::string path = layout.Tombstones();
  sink({path, 0, Severity::kError, "tombstones",
        WithoutPath(tombstones.error().what, path) + "; a broker refuses the store"});
  return Tombstones();
}

namespace {

// What is wrong with a file that may be missing; nothing when it can be believed.
template <class Decode>
std::optional<std::string> Problem(const std::string& path, Decode decode) {
  // A fifo would hold who reads it.
  if (std::error_code error; std::filesystem::is_other(path, error)) return std::nullopt;  // VerifyPlainFiles names it
  const auto text = ReadFile(path);
  if (!text && (text.error().code == ErrorCode::kNotFound || text.error().sys_errno == EISDIR)) return std::nullopt;
  if (!text) return WithoutPath(text.error().what, path);
  const auto decoded = decode(*text);
  if (!decoded) return decoded.error().what;
  return std::nullopt;
}

}  // namespace

void VerifyMarker(const StoreLayout& layout, const FaultSink& sink) {
  const std::string path = layout.Dispatched();
  if (const auto problem = Problem(path, DispatchedMarker::Decode))
    sink({path, 0, Severity::kWarning, "marker", *problem + "; the next start derives the queues from the whole log"});
}

void VerifyNumbers(const StoreLayout& layout, const FaultSink& sink) {
  const std::string path = layout.Numbers();
  if (const auto problem = Problem(path, DecodeNumbers))
    sink({path, 0, Severity::kWarning, "numbers", *problem + "; queue offsets of lost messages may be given again"});
}

void VerifyPool(const VerifyOptions& options, const FaultSink& sink) {
  StoreOptions store;
  store.root = options.root;
  store.log_paths = options.log_paths;
  const auto pool = JudgePool(store, !AbortExists(store.layout()));
  if (pool && pool->kind == PoolJudgement::Kind::kRefuse) sink({pool->missing, 0, Severity::kError, "I-1", pool->why});
}

void VerifyLogPaths(const StoreLayout& layout, const FaultSink& sink) {
  const auto paths = LoadLogPaths(layout.root());
  if (paths) return;
  const std::string path = layout.LogPathsFile();
  sink({path, 0, Severity::kError, "log-paths",
        WithoutPath(paths.error().what, path) + "; a broker refuses the store until the file is put back or removed"});
}

void VerifyPlainFiles(const StoreLayout& layout, const FaultSink& sink) {
  for (const Misplaced& misplaced : FindMisplaced(layout)) {
    sink({misplaced.path, 0, Severity::kError, "I-14", misplaced.problem + ": no broker would start"});
  }
}

}  // namespace mq::store
