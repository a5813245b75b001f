#include "broker/config_file.h"

#include "base/file.h"
#include "base/json_file.h"
#include "base/log.h"

namespace mq::broker {

ConfigFile::ConfigFile(loop::Loop& loop, std::string path) : loop_(loop), path_(std::move(path)) {}

ConfigFile::~ConfigFile() { state_->owner_gone = true; }

Result<std::optional<json::Value>> ConfigFile::Load() { return json::LoadFile(path_); }

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
