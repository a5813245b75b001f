// Lab: a store with its disk, daemons, client and journal, and the steps every kind of run is made of. A step that
// finds something wrong gives an error that says what; the caller reports it with the seed and keeps the directory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "client.h"
#include "daemons.h"
#include "disk.h"
#include "journal.h"
#include "store/store_options.h"

namespace mq::crash {

struct LabOptions {
  std::string programs;                       // where mq-broker and the others are
  std::string layer;                          // the preloaded library
  std::string base;                           // working directory, made anew
  std::string golden = "tests/golden/store";  // recorded stores
  uint64_t seed = 1;
  uint64_t rounds = 0;
};

// What a store is to have for sure; otherwise that is drawn.
enum class StoreKind { kAny, kPool, kExpiry };

enum class StartOutcome { kReady, kDiedAtPoint };

class Lab {
 public:
  static Result<std::unique_ptr<Lab>> Create(const LabOptions& options);

  ~Lab();

  // A fresh store with settings of its own.
  Status NewStore(StoreKind kind = StoreKind::kAny);
  bool sync_flush() const { return store_.flush_disk_type == store::FlushDiskType::kSync; }

  void Arm(int point, int countdown);
  void Disarm() { Arm(kNoPoint, 0); }
  // A process has died at an armed point; the point.
  bool Fired() { return disk_.control().fired.load() != 0; }

  // Starts the daemons and compares what they recovered with the journal.
  Result<StartOutcome> Start();
  // Sends (and makes and deletes a topic, and has expired files removed) for about that long, or until the broker or a
  // connection is gone.
  Status Work(int64_t milliseconds);
  // All die at once, with the power or without.
  Status Crash(bool power);
  // Clean stop and a look at what it left. False when one died at an armed point on the way; then crash.
  Result<bool> Stop();

  bool broker_alive() { return daemons_->alive(); }
  Random& random() { return random_; }
  Disk& disk() { return disk_; }
  Journal& journal() { return journal_; }
  // Settings of the store and how it was crashed last.
  std::string Describe() const { return settings_text_ + "; " + crash_text_; }
  const CutFigures& cut() const { return cut_; }
  std::string LogTail() const;

 private:
  Lab(const LabOptions& options, Disk disk);
  bool has_pool() const { return store_.pool_slots > 0; }
  void DrawFlushing();
  void DrawPool();
  void DrawExpiry();
  void Set(const char* option, const std::string& value) { arguments_.insert(arguments_.end(), {option, value}); }
  void SendSome();
  bool TakeAllAnswers();
  bool ChangeTopic();
  Status CheckMinOffset();
  Result<int64_t> CheckPositions();
  void RemovePool();
  Status LosePower();

  Random random_;
  Disk disk_;
  std::unique_ptr<Daemons> daemons_;
  Journal journal_;
  Client client_;
  store::StoreOptions store_;
  std::vector<std::string> arguments_;
  std::vector<std::string> pool_arguments_;  // not at every start
  bool expires_ = false;
  std::string settings_text_;
  std::string crash_text_;
  std::string log_;
  CutFigures cut_;
};

// One line a round or point goes to stdout; false when something was lost.
bool RunPower(const LabOptions& options);
bool RunPoints(const LabOptions& options);
bool RunModel(const LabOptions& options);
bool RunDamage(const LabOptions& options);

}  // namespace mq::crash
