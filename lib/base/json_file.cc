#include "base/json_file.h"

#include <sys/stat.h>

#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "base/file_bounds.h"
#include "base/log.h"
#include "base/strings.h"

namespace mq::json {
namespace {

Result<std::optional<Value>> LoadOne(const std::string& path, const Check& check) {
  // A fifo would hold who reads it.
  if (std::error_code error; std::filesystem::is_other(path, error))
    return MakeError(ErrorCode::kCorruption, path + " is no file");
  auto text = ReadFileUpTo(path, kMaxTableFileBytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::optional<Value>();
  if (!text) return std::move(text).error();
  if (Trim(*text).empty()) return MakeError(ErrorCode::kCorruption, path + " is empty");
  auto value = Parse(*text);
  if (!value) return MakeError(ErrorCode::kCorruption, path + ": " + value.error().what);
  if (!value->is_object()) return MakeError(ErrorCode::kCorruption, path + ": not a JSON object");
  if (check) {
    if (const Status good = check(*value); !good) {
      return MakeError(ErrorCode::kCorruption, path + ": " + good.error().what);
    }
  }
  return std::optional<Value>(std::move(*value));
}

// A folder in the place of a backup would keep every later change from being saved.
Status SetFolderAside(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return Ok();
  log::Warn("config.load", "a folder lies in the place of a backup; it is set aside").Field("folder", path);
  if (std::rename(path.c_str(), (path + ".damaged").c_str()) == 0) return Ok();
  return ErrnoError(ErrorCode::kIo, "set " + path + " aside");
}

// So that there are two copies again. Without room for it the next change makes the file.
void RestoreFromBackup(const std::string& path) {
  const auto text = ReadFileUpTo(path + ".bak", kMaxTableFileBytes);
  Status restored = text ? WriteFileAtomically(path, *text) : text.error();
  if (!restored) log::Warn("config.load", "not restored from its backup yet").Field("error", restored.error());
}

}  // namespace

Check HasObject(std::string member) {
  return [member = std::move(member)](const Value& value) -> Status {
    const Value* table = value.Find(member);
    if (table == nullptr || table->is_object()) return Ok();
    return MakeError(ErrorCode::kCorruption, member + " is no JSON object");
  };
}

Result<FileState> LookAtFile(const std::string& path, const Check& check) {
  auto main = LoadOne(path, check);
  if (main && main->has_value()) return FileState{std::move(*main), {}};
  const std::string backup_path = path + ".bak";
  auto backup = LoadOne(backup_path, check);
  const bool backup_is_good = backup && backup->has_value();
  if (!main && !backup_is_good) {
    const std::string other = backup ? backup_path + " is missing" : backup.error().what;
    return MakeError(ErrorCode::kCorruption, main.error().what + ", and " + other)
        .WithHint("put a good copy there, or move both files away to start with built-in defaults");
  }
  if (!backup) return std::move(backup).error();
  if (!backup_is_good) return FileState{};
  return FileState{std::move(*backup), main ? "missing" : main.error().what};
}

Result<std::optional<Value>> LoadFile(const std::string& path, const Check& check) {
  MQ_TRY(SetFolderAside(path + ".bak"));
  MQ_ASSIGN(FileState state, LookAtFile(path, check));
  if (state.why_backup.empty()) return std::move(state.value);
  log::Warn("config.load", "missing, empty or damaged; the backup is used")
      .Field("file", path)
      .Field("why", state.why_backup);
  if (PathExists(path) && std::rename(path.c_str(), (path + ".damaged").c_str()) != 0) {
    return ErrnoError(ErrorCode::kIo, "set " + path + " aside");
  }
  RestoreFromBackup(path);
  return std::move(state.value);
}

}  // namespace mq::json
