// Reads the inputs of mq-send (files, pipes, terminals) on the loop without ever waiting in read(2) for somebody else.
//
// Pull-driven: Want() asks for one more chunk, which arrives through on_chunk, at once for plain files and when it is
// there for pipes and terminals. Nothing is read that was not asked for, so a slow broker slows the input down.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "loop/loop.h"
#include "stream/reader.h"

namespace mq::send {

class Input {
 public:
  enum class State {
    kData,      // bytes were added to the reader
    kEndOfOne,  // one input is complete (reader.EndInput was called); Want() goes on with the next
    kEndOfAll,  // there is no further input
  };
  struct Handler {
    std::function<void(State)> on_chunk;
    // This input cannot be opened or read; Want() goes on with the next one.
    std::function<void(const Error&)> on_error;
    // The bytes as they were read, before they are cut; may be empty.
    std::function<void(std::string_view)> on_bytes;
  };

  // `names` are files, "-" is standard input. The reader must outlive the object.
  Input(loop::Loop& loop, std::vector<std::string> names, stream::Reader& reader, Handler handler);

  void Want();
  // No further callbacks.
  void Stop();
  // The input being read, for messages.
  const std::string& name() const { return name_; }

 private:
  Status Open(const std::string& name);
  void ReadOnce();
  void Close();

  loop::Loop& loop_;
  std::vector<std::string> names_;
  std::size_t next_ = 0;
  stream::Reader& reader_;
  Handler handler_;
  UniqueFd owned_;
  int fd_ = -1;
  std::string name_;
  std::unique_ptr<loop::Poller> poller_;  // null for plain files and devices that are always ready
  bool wanted_ = false;
  bool stopped_ = false;
};

}  // namespace mq::send
