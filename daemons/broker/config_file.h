// ConfigFile: one of the broker's config/*.json files, loaded and saved so that no crash leaves it empty.
//
// Loading falls back to the `.bak` as base/json_file.h says. Saving replaces the file atomically and durably on a
// thread of the pool (the loop never waits for a disk). Loop thread only. Spec: mq-store(5), "config".
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "loop/loop.h"

namespace mq::broker {

class ConfigFile {
 public:
  ConfigFile(loop::Loop& loop, std::string path);
  // A save under way, and the text that waits behind it, are still written; nobody hears of it any more.
  ~ConfigFile();
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;

  // Nothing when neither file nor backup exists or holds anything. An error when a file is there and none can be read.
  // `table` names the member that is the table.
  Result<std::optional<json::Value>> Load(const std::string& table);

  // Saves the newest text given so far; `done` (may be empty) learns whether the text it came with, or a newer one, is
  // durable. Saves under way are not repeated for every change: the last text wins.
  using Done = std::function<void(const Status&)>;
  void Save(std::string text, Done done);
  // Saves at once, on the calling thread. For boot. Without `keep_backup` the backup stays what it was.
  Status SaveNow(const std::string& text, bool keep_backup = true);
  bool saving() const { return state_->saving; }
  // Why the last save failed; empty when it did not.
  const std::string& problem() const { return state_->problem; }
  const std::string& path() const { return path_; }

 private:
  struct State {  // outlives this object while a save is under way
    bool saving = false;
    bool owner_gone = false;
    std::string problem;
    std::string text;
    std::vector<Done> waiting;  // for `text`
  };
  static void StartSave(loop::Loop& loop, const std::string& path, const std::shared_ptr<State>& state);

  loop::Loop& loop_;
  std::string path_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace mq::broker
