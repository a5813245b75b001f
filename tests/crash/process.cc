#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/unique_fd.h"

namespace mq::crash {

namespace {

pid_t Spawn(const std::vector<std::string>& words, int out, int err) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

// False at its end.
bool Take(UniqueFd& from, std::string& to) {
  char buffer[65536];
  const ssize_t n = ::read(from.get(), buffer, sizeof buffer);
  if (n > 0) to.append(buffer, static_cast<size_t>(n));
  if (n <= 0) from.Reset();
  return n > 0;
}

}  // namespace

Result<ProcessResult> RunProcess(const std::vector<std::string>& words, int64_t timeout_ms) {
  int out[2];
  int err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) return ErrnoError(ErrorCode::kInternal, "pipe");
  const pid_t pid = Spawn(words, out[1], err[1]);
  ::close(out[1]);
  ::close(err[1]);
  UniqueFd out_end(out[0]);
  UniqueFd err_end(err[0]);
  if (pid < 0) return ErrnoError(ErrorCode::kInternal, "fork");
  ProcessResult result;
  const int64_t deadline = MonotonicMs() + timeout_ms;
  while (out_end.valid() || err_end.valid()) {
    pollfd waits[2] = {{out_end.get(), POLLIN, 0}, {err_end.get(), POLLIN, 0}};
    if (::poll(waits, 2, 100) > 0) {
      if (waits[0].revents != 0) Take(out_end, result.out);
      if (waits[1].revents != 0) Take(err_end, result.err);
    }
    if (MonotonicMs() <= deadline) continue;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return MakeError(ErrorCode::kTimeout, words[0] + " did not end within " + std::to_string(timeout_ms) + " ms");
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace mq::crash
