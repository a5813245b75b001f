// One run of mq-send: records from the input to the producer, outcomes to the report, until everything has an outcome.
//
// Loop thread only. Flow: Input -> stream::Reader -> Prepare (attributes) -> client::Producer -> OnReport ->
// ReportFile. A full window stops the input; a record that cannot be sent stops the run unless --keep-going. Nothing is
// resent here: the producer retries.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "client/producer.h"
#include "loop/loop.h"
#include "send/input.h"
#include "send/options.h"
#include "send/outcome.h"
#include "send/report.h"
#include "stream/reader.h"

namespace mq::send {

class Sender : private loop::TurnEndHook {
 public:
  Sender(loop::Loop& loop, const Options& options);
  ~Sender() override;

  // Opens report and resume file; an error leaves everything as it was.
  Status Open();
  // Runs the loop until done; returns the exit status.
  int Run();

 private:
  // What a record gets on top of itself; views into it are handed to the producer.
  struct Prepared {
    std::string_view topic;
    std::string_view tag;
    std::vector<std::string> keys;
    std::vector<std::pair<std::string, std::string>> properties;
    std::optional<std::int32_t> queue;
    std::optional<std::string> shard;
  };

  void OnTurnEnd() override;
  void OnChunk(Input::State state);
  void OnInputError(const Error& error);
  void OnReport(const client::SendReport& report);
  void OnSignal(int signal);

  void Pump();
  bool PumpOnce();
  bool HasRoom();
  void TakeRecords();
  void TakeTexts();
  void Handle(const stream::InputRecord& record);
  Status Prepare(const stream::InputRecord& record);
  Status PrepareKeys(const stream::InputRecord& record);
  Status PreparePlacement(const stream::InputRecord& record);
  Status SendRecord(const stream::InputRecord& record);
  Status PrintDryRun(const stream::InputRecord& record);
  void Refuse(std::uint64_t number, const Error& error);
  void WriteOut(std::string_view bytes);

  void StopInput();
  void EndOfInput();
  void Finish();
  void ShowProgress(bool last);
  void Explain() const;

  loop::Loop& loop_;
  const Options& options_;
  stream::Reader reader_;
  stream::InputRecord record_;
  Prepared prepared_;
  std::unique_ptr<Input> input_;
  std::unique_ptr<client::Producer> producer_;  // none in a dry run
  std::optional<ReportFile> report_;
  std::optional<StoredRecords> resume_;
  Outcome outcome_;
  loop::Timer rate_timer_;
  loop::Timer progress_timer_;
  std::vector<std::unique_ptr<loop::Signal>> signals_;
  std::size_t next_text_ = 0;
  std::uint64_t handled_ = 0;  // by Send or in a dry run, for --rate
  std::int64_t started_ms_ = 0;
  bool progress_on_terminal_ = false;
  bool pumping_ = false;
  bool again_ = false;
  bool wants_input_ = true;
  bool input_ended_ = false;
  bool finishing_ = false;
  bool hooked_ = false;
  bool input_error_said_ = false;
  std::uint64_t producer_retried_ = 0;
  int signal_ = 0;
};

}  // namespace mq::send
