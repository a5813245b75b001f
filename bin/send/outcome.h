// Counts the fates of the messages of a run and turns them into its exit status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "client/message.h"

namespace mq::send {

class Outcome {
 public:
  explicit Outcome(bool need_flushed) : need_flushed_(need_flushed) {}

  void CountSent() { ++sent_; }
  void CountSkipped() { ++skipped_; }
  // A record that was refused before it was sent.
  void CountRefused(std::uint64_t number, const Error& error);
  // The producer's report of a record. True when it may be reported as stored.
  bool Count(const client::SendReport& report);
  // Trouble that belongs to no record: an unreadable input, a report that cannot be written.
  void NoteTrouble(const Error& error);

  std::uint64_t sent() const { return sent_; }
  std::uint64_t stored() const { return stored_; }
  std::uint64_t failed() const { return failed_; }
  std::uint64_t skipped() const { return skipped_; }
  std::uint64_t unconfirmed() const { return unconfirmed_; }
  bool any_failure() const { return failed_ > 0 || trouble_.has_value(); }

  // "send record 7: reason" or "open f: reason", the first failure; empty without one. The hint that goes with it.
  std::string FirstFailure() const;
  std::string Hint() const;
  // 0, 3 when part of the work was done, else the class of the first failure.
  int ExitStatus() const;

 private:
  void NoteFailure(std::uint64_t number, const Error& error);

  bool need_flushed_;
  std::uint64_t sent_ = 0;
  std::uint64_t stored_ = 0;
  std::uint64_t handed_over_ = 0;  // one-way: written to a connection
  std::uint64_t failed_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t unconfirmed_ = 0;  // stored, but not as safely as was asked for
  std::uint64_t first_number_ = 0;
  std::optional<Error> first_;
  std::optional<Error> trouble_;
};

// The exit status of a message that failed alone: an illegal message or a missing topic is refused for
// good (4), a record that could not be read is local trouble (8).
int StatusOfFailure(const Error& error);

}  // namespace mq::send
