#include "send/sender.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/file.h"

namespace mq::send {
namespace {

// Chunks of plain files handled in one turn of the loop before answers and signals get their turn.
constexpr int kChunksPerTurn = 8;
constexpr std::int64_t kTextProgressMs = 200;
constexpr std::int64_t kJsonProgressMs = 1000;
constexpr std::string_view kName = "mq-send: ";

void Say(std::string_view text) {
  const std::string line = std::string(kName) + std::string(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

// A record that cannot be read, or lacks what an option takes from it, is local trouble: no broker has refused
// anything.
Error BadInput(Error error) {
  error.code = ErrorCode::kCorruption;
  return error;
}

}  // namespace

Sender::Sender(loop::Loop& loop, const Options& options)
    : loop_(loop),
      options_(options),
      reader_(options.reader),
      outcome_(options.need_flushed),
      rate_timer_(loop, [this] { Pump(); }),
      progress_timer_(loop, [this] { ShowProgress(false); }) {}

Sender::~Sender() {
  if (hooked_) loop_.CancelTurnEnd(this);
}

Status Sender::Open() {
  if (!options_.resume.empty()) {
    MQ_ASSIGN(resume_, StoredRecords::Read(options_.resume));
  }
  if (!options_.report.empty()) {
    MQ_ASSIGN(report_, ReportFile::Open(options_.report, options_.report == options_.resume));
  }
  return Ok();
}

int Sender::Run() {
  started_ms_ = loop_.now_ms();
  for (const int signal : {SIGINT, SIGTERM}) {
    signals_.push_back(std::make_unique<loop::Signal>(loop_, signal, [this, signal] { OnSignal(signal); }));
  }
  if (!options_.dry_run) {
    client::ProducerHandler handler{
        .on_report = [this](const client::SendReport& report) { OnReport(report); },
        .on_ready = [this] { Pump(); },
        .on_warning =
            [this](std::string_view text) {
              if (!options_.quiet) Say(text);
            },
        .on_notice =
            [this](std::string_view text) {
              if (options_.verbose > 0 && !options_.quiet) Say(text);
            },
    };
    producer_ = std::make_unique<client::Producer>(loop_, options_.producer, std::move(handler));
  }
  if (!options_.inputs.empty()) {
    Input::Handler handler{.on_chunk = [this](Input::State state) { OnChunk(state); },
                           .on_error = [this](const Error& error) { OnInputError(error); },
                           .on_bytes = {}};
    if (options_.tee) handler.on_bytes = [this](std::string_view bytes) { WriteOut(bytes); };
    input_ = std::make_unique<Input>(loop_, options_.inputs, reader_, std::move(handler));
  }
  progress_on_terminal_ = options_.progress == Progress::kText && ::isatty(STDERR_FILENO) == 1;
  if (progress_on_terminal_) progress_timer_.Start(kTextProgressMs, kTextProgressMs);
  if (options_.progress == Progress::kJson) progress_timer_.Start(kJsonProgressMs, kJsonProgressMs);
  loop_.Post([this] { Pump(); });
  loop_.Run();
  if (producer_) producer_retried_ = producer_->stats().retried_messages;
  producer_.reset();
  input_.reset();
  signals_.clear();
  Explain();
  return signal_ != 0 ? 128 + signal_ : outcome_.ExitStatus();
}

// Everything below runs on the loop.

void Sender::Pump() {
  if (pumping_) {
    again_ = true;
    return;
  }
  pumping_ = true;
  int rounds = 0;
  do {
    again_ = false;
    if (!PumpOnce()) break;
    if (++rounds == kChunksPerTurn && again_) {
      again_ = false;
      loop_.Post([this] { Pump(); });
    }
  } while (again_);
  pumping_ = false;
}

// Handles what is there and asks for more. False when there is nothing to do until a callback.
bool Sender::PumpOnce() {
  if (finishing_) return false;
  if (!input_) {
    TakeTexts();
    return false;
  }
  TakeRecords();
  if (finishing_ || !wants_input_) return false;
  if (input_ended_) {
    EndOfInput();
    return false;
  }
  input_->Want();
  return true;
}

void Sender::OnChunk(Input::State state) {
  input_ended_ = state == Input::State::kEndOfAll;
  Pump();
}

void Sender::OnInputError(const Error& error) {
  outcome_.NoteTrouble(error);
  if (options_.keep_going) {
    if (!options_.quiet) Say("cannot " + error.what);
    input_error_said_ = !options_.quiet;
    Pump();
  } else {
    EndOfInput();
  }
}

// Whether another record may be handled now; otherwise a callback or a timer calls Pump.
bool Sender::HasRoom() {
  if (producer_ && !producer_->CanSend()) return false;
  if (options_.rate == 0) return true;
  const std::int64_t due_ms = static_cast<std::int64_t>(handled_ * 1000 / static_cast<std::uint64_t>(options_.rate));
  const std::int64_t elapsed = loop_.now_ms() - started_ms_;
  if (elapsed >= due_ms) return true;
  rate_timer_.Start(due_ms - elapsed);
  return false;
}

void Sender::TakeRecords() {
  wants_input_ = false;
  while (!finishing_ && HasRoom()) {
    Result<bool> more = reader_.Next(record_);
    if (!more) {
      // What is behind this place cannot be cut into records.
      Refuse(reader_.records() + 1, BadInput(more.error()));
      EndOfInput();
      return;
    }
    if (!*more) {
      wants_input_ = true;
      return;
    }
    Handle(record_);
  }
}

void Sender::TakeTexts() {
  while (!finishing_ && next_text_ < options_.texts.size()) {
    if (!HasRoom()) return;
    const std::string& text = options_.texts[next_text_++];
    record_.Clear();
    record_.number = next_text_;
    record_.body = text;
    if (text.empty() && options_.reader.skip_empty) continue;
    if (options_.tee) WriteOut(text + "\n");
    Handle(record_);
  }
  if (!finishing_) EndOfInput();
}

void Sender::Handle(const stream::InputRecord& record) {
  if (resume_ && resume_->Contains(record.number)) {
    outcome_.CountSkipped();
    return;
  }
  if (record.body.empty() && !record.error && options_.reader.format == stream::Format::kWhole && !options_.quiet &&
      input_) {
    Say(input_->name() + " is empty: an empty message is sent");
  }
  Status done = record.error ? Status(*record.error) : Prepare(record);
  if (!done) done = BadInput(done.error());
  if (done) done = options_.dry_run ? PrintDryRun(record) : SendRecord(record);
  if (!done) {
    Refuse(record.number, done.error());
    return;
  }
  ++handled_;
}

void Sender::Refuse(std::uint64_t number, const Error& error) {
  outcome_.CountRefused(number, error);
  if (report_) {
    report_->Add({.number = number,
                  .stored = false,
                  .message_id = {},
                  .broker = {},
                  .queue = -1,
                  .offset = -1,
                  .reason = error.what});
    OnTurnEnd();
  }
  if (options_.keep_going) {
    if (!options_.quiet) Say("record " + std::to_string(number) + ": " + error.what);
  } else {
    EndOfInput();
  }
}

void Sender::OnReport(const client::SendReport& report) {
  const bool stored = outcome_.Count(report);
  if (report_) {
    report_->Add({.number = report.cookie,
                  .stored = stored,
                  .message_id = report.msg_id,
                  .broker = report.broker_name,
                  .queue = report.queue_id,
                  .offset = stored ? report.queue_offset.value() : -1,
                  .reason = report.error != nullptr ? std::string_view(report.error->what) : std::string_view()});
    if (!hooked_) {
      hooked_ = true;
      loop_.AtTurnEnd(this);
    }
  }
  if (options_.verbose > 1 && !options_.quiet) {
    Say("record " + std::to_string(report.cookie) + (stored ? " stored" : " failed") + " at broker " +
        std::string(report.broker_name) + " queue " + std::to_string(report.queue_id) + " offset " +
        std::to_string(report.queue_offset.value()) + " tries " + std::to_string(report.attempts));
  }
  if (stored) return;
  if (options_.keep_going && !options_.quiet && report.error != nullptr) {
    Say("record " + std::to_string(report.cookie) + ": " + report.error->what);
  }
  if (!options_.keep_going) EndOfInput();
}

void Sender::OnTurnEnd() {
  hooked_ = false;
  if (!report_) return;
  const Status written = report_->Flush();
  if (written) return;
  // Without its report the run cannot be resumed: stop here, finish what is in flight.
  outcome_.NoteTrouble(written.error());
  report_.reset();
  EndOfInput();
}

void Sender::WriteOut(std::string_view bytes) {
  const Status written = WriteAll(STDOUT_FILENO, bytes, "standard output");
  if (written) return;
  if (written.error().sys_errno == EPIPE) loop::DieOfSigpipe();
  outcome_.NoteTrouble(written.error());
  EndOfInput();
}

void Sender::StopInput() {
  if (input_) input_->Stop();
  rate_timer_.Stop();
}

// No further record is taken; what is in flight gets its outcome first.
void Sender::EndOfInput() {
  if (finishing_) return;
  finishing_ = true;
  StopInput();
  if (producer_) {
    producer_->Drain([this] { Finish(); });
  } else {
    Finish();
  }
}

void Sender::Finish() {
  if (report_) OnTurnEnd();
  progress_timer_.Stop();
  ShowProgress(true);
  loop_.Stop();
}

void Sender::OnSignal(int signal) {
  if (signal_ != 0) ::_exit(128 + signal);
  signal_ = signal;
  EndOfInput();
}

}  // namespace mq::send
