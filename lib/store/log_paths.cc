#include "store/log_paths.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/strings.h"

namespace mq::store {

// mq/log-paths: "write DIR" or "read DIR" a line, in the order of StoreLayout::CommitLogDirs.

namespace {

std::string Absolute(std::string_view path) {
  std::string text = std::filesystem::absolute(std::filesystem::path(path)).lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

// Splits at every place where `splitter` stands whole.
std::vector<std::string> SplitPaths(std::string_view text, std::string_view splitter) {
  std::vector<std::string> paths;
  while (!text.empty()) {
    const size_t end = splitter.empty() ? text.size() : std::min(text.find(splitter), text.size());
    const std::string_view piece = Trim(text.substr(0, end));
    if (!piece.empty()) paths.push_back(Absolute(piece));
    text.remove_prefix(std::min(text.size(), end + splitter.size()));
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

}  // namespace

Result<LogPaths> ParseLogPaths(const std::string& root, std::string_view writable, std::string_view read_only,
                               std::string_view splitter) {
  LogPaths paths;
  paths.read_only = SplitPaths(read_only, splitter);
  paths.writable = SplitPaths(writable, splitter);
  const std::string usual = Absolute(StoreLayout(root).CommitLogDir());
  if (paths.writable.empty() && !paths.read_only.empty()) paths.writable = {usual};
  std::erase_if(paths.writable, [&](const std::string& path) {
    return std::binary_search(paths.read_only.begin(), paths.read_only.end(), path);
  });
  if (paths.writable.empty() && !paths.read_only.empty()) {
    return MakeError(ErrorCode::kConfig, "storePathCommitLog names no directory that is not read-only");
  }
  if (paths.read_only.empty() && paths.writable == std::vector<std::string>{usual}) return LogPaths();
  return paths;
}

Result<LogPaths> LoadLogPaths(const std::string& root) {
  LogPaths paths;
  const std::string file = StoreLayout(root).LogPathsFile();
  // A fifo would hold who reads it.
  if (std::error_code error; std::filesystem::is_other(file, error))
    return MakeError(ErrorCode::kCorruption, file + " is no file");
  const auto text = ReadFile(file);
  if (!text) {
    if (text.error().code == ErrorCode::kNotFound || text.error().sys_errno == ENOTDIR) return paths;
    return text.error();
  }
  int line_number = 0;
  for (std::string_view line : Split(*text, '\n')) {
    ++line_number;
    if (line.empty()) continue;
    if (line.find('\0') != std::string_view::npos) line = {};
    if (line.starts_with("write /")) {
      paths.writable.emplace_back(line.substr(6));
    } else if (line.starts_with("read /")) {
      paths.read_only.emplace_back(line.substr(5));
    } else {
      return MakeError(ErrorCode::kCorruption, file + ": line " + std::to_string(line_number) + " names no directory");
    }
  }
  return paths;
}

Status SaveLogPaths(const std::string& root, const LogPaths& paths) {
  if (const auto there = LoadLogPaths(root); there && *there == paths) return Ok();
  if (paths == LogPaths()) return RemoveFile(StoreLayout(root).LogPathsFile());
  std::string text;
  for (const std::string& path : paths.writable) text += "write " + path + "\n";
  for (const std::string& path : paths.read_only) text += "read " + path + "\n";
  return WriteFileAtomically(StoreLayout(root).LogPathsFile(), text);
}

Status RefuseForgottenPaths(const std::string& root, const LogPaths& paths) {
  MQ_ASSIGN(const LogPaths known, LoadLogPaths(root));
  const StoreLayout before(root, known);
  const StoreLayout now(root, paths);
  const auto same = [](const std::string& a, const std::string& b) { return Absolute(a) == Absolute(b); };
  for (const std::string& directory : before.CommitLogDirs()) {
    const auto named = [&](const std::string& path) { return same(path, directory); };
    if (std::any_of(now.CommitLogDirs().begin(), now.CommitLogDirs().end(), named)) continue;
    MQ_ASSIGN(const auto files, ListMappedFiles(directory));
    if (files.empty()) continue;
    return MakeError(ErrorCode::kConfig, directory + " holds " + std::to_string(files.size()) +
                                             " commit log files of this store and is not named any more")
        .WithHint("name it in storePathCommitLog, or in readOnlyCommitLogStorePaths if no new files are to go there");
  }
  return Ok();
}

Result<StoreLayout> LayoutOf(const std::string& root) {
  MQ_ASSIGN(LogPaths paths, LoadLogPaths(root));
  return StoreLayout(root, std::move(paths));
}

}  // namespace mq::store
