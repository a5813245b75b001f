#include "broker/config_file.h"

#include "base/file.h"
#include "base/json_file.h"
#include "base/log.h"

namespace mq::broker {

ConfigFile::ConfigFile(loop::Loop& loop, std::string path) : loop_(loop), path_(std::move(path)) {}

ConfigFile::~ConfigFile() { state_->owner_gone = true; }

Result<std::optional<json::Value>> ConfigFile::Load(const std::string& table) {
  return json::LoadFile(path_, json::HasObject(table));
}

Status ConfigFile::SaveNow(const std::string& text, bool keep_backup) {
  Status saved = WriteFileAtomically(path_, text, keep_backup);
  state_->problem = saved ? std::string() : saved.error().what;
  return saved;
}

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
              // Once for all tries that fail alike.
              std::string problem = job->result ? std::string() : job->result.error().what;
              if (!job->result && problem != state->problem) {
                log::Err("config.save", "not saved").Field("file", path).Field("error", job->result.error());
              }
              if (job->result && !state->problem.empty()) log::Info("config.save", "saved again").Field("file", path);
              state->problem = std::move(problem);
              if (!state->waiting.empty()) StartSave(loop, path, state);
              for (auto& done : job->waiting) {
                if (done && !state->owner_gone) done(job->result);
              }
            });
}

}  // namespace mq::broker
