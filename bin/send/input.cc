#include "send/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/file.h"

namespace mq::send {
namespace {

constexpr std::size_t kChunkBytes = 256 * 1024;
// The largest pipe an unprivileged process may ask for by default: fewer wake-ups for a fast writer.
constexpr int kPipeBytes = 1024 * 1024;

// Whether readiness can be asked of a descriptor; plain files and devices such as /dev/null are always ready.
bool IsPollable(int fd, const struct stat& status) {
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || (S_ISCHR(status.st_mode) && ::isatty(fd) == 1);
}

}  // namespace

Input::Input(loop::Loop& loop, std::vector<std::string> names, stream::Reader& reader, Handler handler)
    : loop_(loop), names_(std::move(names)), reader_(reader), handler_(std::move(handler)) {}

Status Input::Open(const std::string& name) {
  name_ = name == "-" ? "standard input" : name;
  if (name == "-") {
    fd_ = STDIN_FILENO;
  } else {
    Result<UniqueFd> opened = OpenFile(name, O_RDONLY | O_CLOEXEC);
    if (!opened) {
      // A missing input is local trouble like any other unreadable one, not the answer to a question.
      Error error = std::move(opened).error();
      error.code = ErrorCode::kIo;
      return error;
    }
    owned_ = std::move(*opened);
    fd_ = owned_.get();
  }
  struct stat status {};
  if (::fstat(fd_, &status) != 0) return ErrnoError(ErrorCode::kIo, "read " + name_);
  if (S_ISDIR(status.st_mode)) return ErrnoError(ErrorCode::kIo, "read " + name_, EISDIR);
  if (!IsPollable(fd_, status)) return Ok();
  if (S_ISFIFO(status.st_mode)) (void)::fcntl(fd_, F_SETPIPE_SZ, kPipeBytes);  // a smaller pipe works as well
  poller_ = std::make_unique<loop::Poller>(loop_, fd_, [this](int /*events*/, int /*error*/) { ReadOnce(); });
  return Ok();
}

void Input::Want() {
  if (stopped_ || wanted_) return;
  if (fd_ < 0) {
    if (next_ == names_.size()) {
      handler_.on_chunk(State::kEndOfAll);
      return;
    }
    const Status opened = Open(names_[next_++]);
    if (!opened) {
      Close();
      handler_.on_error(opened.error());
      return;
    }
  }
  wanted_ = true;
  if (poller_) {
    poller_->Start(loop::Poller::kReadable);
  } else {
    ReadOnce();
  }
}

void Input::ReadOnce() {
  if (!wanted_ || stopped_) return;
  char* room = reader_.Reserve(kChunkBytes);
  const ssize_t got = ::read(fd_, room, kChunkBytes);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
    // Somebody else set the descriptor non-blocking, or a signal came: asked again when it is ready.
    if (!poller_) {
      wanted_ = false;
      loop_.Post([this] { Want(); });
    }
    return;
  }
  wanted_ = false;
  if (poller_) poller_->Stop();
  if (got < 0) {
    const Error error = ErrnoError(ErrorCode::kIo, "read " + name_);
    Close();
    handler_.on_error(error);
    return;
  }
  if (got == 0) {
    reader_.EndInput();
    Close();
    handler_.on_chunk(State::kEndOfOne);
    return;
  }
  const auto bytes = static_cast<std::size_t>(got);
  if (handler_.on_bytes) handler_.on_bytes({room, bytes});
  reader_.Commit(bytes);
  handler_.on_chunk(State::kData);
}

void Input::Close() {
  poller_.reset();
  owned_.Reset();
  fd_ = -1;
}

void Input::Stop() {
  stopped_ = true;
  Close();
}

}  // namespace mq::send
