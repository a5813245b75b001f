#include "broker/config_file.h"

#include <cstdio>

#include "base/file.h"
#include "base/log.h"
#include "base/strings.h"

namespace mq::broker {

ConfigFile::ConfigFile(loop::Loop& loop, std::string path) : loop_(loop), path_(std::move(path)) {}

ConfigFile::~ConfigFile() { state_->owner_gone = true; }

Result<std::optional<json::Value>> ConfigFile::LoadOne(const std::string& path) const {
  auto text = ReadFile(path);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::optional<json::Value>();
  if (!text) return std::move(text).error();
  if (Trim(*text).empty()) return std::optional<json::Value>();
  auto value = json::Parse(*text);
  if (!value) return MakeError(ErrorCode::kCorruption, path + ": " + value.error().what);
  if (!value->is_object()) return MakeError(ErrorCode::kCorruption, path + ": not a JSON object");
  return std::optional<json::Value>(std::move(*value));
}

Result<std::optional<json::Value>> ConfigFile::Load() {
  auto main = LoadOne(path_);
  if (main && main->has_value()) return main;
  const std::string backup_path = path_ + ".bak";
  auto backup = LoadOne(backup_path);
  if (!main) {
    log::Warn("config.load", "damaged; the backup is used").Field("error", main.error());
    if (!backup || !backup->has_value()) {
      return MakeError(ErrorCode::kCorruption, main.error().what + ", and " + backup_path + " is no help")
          .WithHint("put a good copy there, or move both files away to start with built-in defaults");
    }
    if (std::rename(path_.c_str(), (path_ + ".damaged").c_str()) != 0) {
      return ErrnoError(ErrorCode::kIo, "set " + path_ + " aside");
    }
    return backup;
  }
  // Missing or empty: as RocketMQ does, the backup, and without one the built-in defaults.
  if (backup && backup->has_value())
    log::Info("config.load", "missing or empty; the backup is used").Field("file", path_);
  return backup;
}

Status ConfigFile::SaveNow(const std::string& text) { return WriteFileAtomically(path_, text, true); }

void ConfigFile::Save(std::string text, Done done) {
  state_->text = std::move(text);
  state_->waiting.push_back(std::move(done));
  if (!state_->saving) StartSave(loop_, path_, state_);
}

void ConfigFile::StartSave(loop::Loop& loop, const std::string& path, const std::shared_ptr<State>& state) {
  state->saving = true;
  struct Job {
    std::string text;
    std::vector<Done> waiting;
    Status result;
  };
  auto job = std::make_shared<Job>();
  job->text = std::move(state->text);
  job->waiting.swap(state->waiting);
  loop.Work([job, path] { job->result = WriteFileAtomically(path, job->text, true); },
            [job, path, state, &loop] {
              state->saving = false;
              if (!job->result)
                log::Err("config.save", "not saved").Field("file", path).Field("error", job->result.error());
              if (!state->waiting.empty()) StartSave(loop, path, state);
              for (auto& done : job->waiting) {
                if (done && !state->owner_gone) done(job->result);
              }
            });
}

}  // namespace mq::broker
