#include "consume/output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <utility>

#include "base/file.h"

namespace mq::consume {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;
// What may wait for a slow reader before the queues are paused.
constexpr std::size_t kMaxWaiting = 4 * 1024 * 1024;
constexpr int kPipeBytes = 1024 * 1024;

}  // namespace

Output::Output(loop::Loop& loop, int fd, std::function<void()> on_written, std::function<void(const Error&)> on_error)
    : loop_(loop), fd_(fd), on_written_(std::move(on_written)), on_error_(std::move(on_error)) {
  struct stat status {};
  if (::fstat(fd_, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  is_pipe_ = true;
  (void)::fcntl(fd_, F_SETPIPE_SZ, kPipeBytes);  // a smaller pipe works as well
  // The write end of a pipe never becomes readable; the poller calls only when the other end is gone.
  reader_gone_ = std::make_unique<loop::Poller>(loop_, fd_, [this](int /*events*/, int /*error*/) {
    struct pollfd entry {
      .fd = fd_, .events = 0, .revents = 0
    };
    if (::poll(&entry, 1, 0) == 1 && (entry.revents & POLLERR) != 0) loop::DieOfSigpipe();
  });
  reader_gone_->Start(loop::Poller::kReadable);
}

Output::~Output() {
  if (hooked_) loop_.CancelTurnEnd(this);
}

void Output::Added(bool now) {
  if (now || gathering_.size() >= kBlockBytes) {
    Write();
  } else if (!hooked_) {
    hooked_ = true;
    loop_.AtTurnEnd(this);
  }
}

bool Output::HasRoom() const { return gathering_.size() < kMaxWaiting; }

void Output::Drain(std::function<void()> done) {
  drained_ = std::move(done);
  Write();
  if (!busy_) OnWritten();
}

void Output::OnTurnEnd() {
  hooked_ = false;
  Write();
}

// A pipe that polls as writable takes PIPE_BUF bytes without blocking; a plain file or terminal is just written.
bool Output::MayBlock(std::size_t bytes) const {
  if (!is_pipe_) return bytes > kBlockBytes;
  struct pollfd entry {
    .fd = fd_, .events = POLLOUT, .revents = 0
  };
  return bytes > PIPE_BUF || ::poll(&entry, 1, 0) != 1 || (entry.revents & POLLOUT) == 0;
}

void Output::Write() {
  if (busy_ || broken_ || gathering_.empty()) return;
  std::swap(gathering_, writing_);
  gathering_.clear();
  taken_ += writing_.size();
  busy_ = true;
  const auto write = [this] {
    const Status written = WriteAll(fd_, writing_, "standard output");
    if (!written) failure_ = written.error();
  };
  if (!MayBlock(writing_.size())) {
    write();
    OnWritten();
  } else {
    loop_.Work(write, [this] { OnWritten(); });
  }
}

void Output::OnWritten() {
  busy_ = false;
  if (!failure_) written_ += writing_.size();
  writing_.clear();
  if (failure_) {
    if (failure_->sys_errno == EPIPE) loop::DieOfSigpipe();
    broken_ = true;
    gathering_.clear();
    const Error error = *std::exchange(failure_, std::nullopt);
    on_error_(error);
  }
  if (gathering_.size() >= kBlockBytes || (drained_ && !gathering_.empty())) Write();
  if (busy_) return;
  if (!gathering_.empty() && !hooked_) {
    hooked_ = true;
    loop_.AtTurnEnd(this);
  }
  on_written_();
  if (drained_ && gathering_.empty()) std::exchange(drained_, nullptr)();
}

}  // namespace mq::consume
