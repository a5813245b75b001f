// Standard output of mq-consume: gathers what messages print and writes it in large blocks, without ever letting a slow
// reader stop the loop.
//
// Bytes are gathered in buffer(); they are written at the end of the loop's turn (no further message is ready then) or
// when a block is full. A write that might block is made on a thread of the pool while the next block gathers. A reader
// that is gone ends the process as SIGPIPE would, also while nothing is being written. Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "loop/loop.h"

namespace mq::consume {

class Output : private loop::TurnEndHook {
 public:
  // `on_written`: a block is written, and written() has grown. `on_error`: stdout cannot be written.
  Output(loop::Loop& loop, int fd, std::function<void()> on_written, std::function<void(const Error&)> on_error);
  ~Output() override;

  std::string& buffer() { return gathering_; }
  // Something was appended to buffer(): it is written soon, or at once with `now`.
  void Added(bool now);
  // False when more is waiting for the reader than should be kept in memory.
  bool HasRoom() const;
  // Bytes appended so far, and those of them for which write(2) has returned.
  uint64_t accepted() const { return taken_ + gathering_.size(); }
  uint64_t written() const { return written_; }
  // Calls `done` once when everything is written.
  void Drain(std::function<void()> done);

 private:
  void OnTurnEnd() override;
  void Write();
  void OnWritten();
  bool MayBlock(std::size_t bytes) const;

  loop::Loop& loop_;
  int fd_;
  bool is_pipe_ = false;
  std::function<void()> on_written_;
  std::function<void(const Error&)> on_error_;
  std::function<void()> drained_;
  std::string gathering_;
  std::string writing_;
  uint64_t taken_ = 0;  // bytes that left gathering_
  uint64_t written_ = 0;
  std::optional<Error> failure_;  // set by the writing thread, read after it is done
  std::unique_ptr<loop::Poller> reader_gone_;
  bool busy_ = false;
  bool hooked_ = false;
  bool broken_ = false;
};

}  // namespace mq::consume
