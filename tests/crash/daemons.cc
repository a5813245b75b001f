#include "daemons.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/clock.h"
#include "base/file.h"
#include "base/strings.h"
#include "shadow.h"

namespace mq::crash {

namespace {

constexpr int kReadyFd = 9;
constexpr int kPollMs = 2;

void Pause(int ms) { ::poll(nullptr, 0, ms); }

std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::vector<pid_t> children;
  const auto tasks = ListDirectory("/proc/" + std::to_string(pid) + "/task");
  if (!tasks) return children;
  for (const std::string& task : *tasks) {
    const auto text = ReadFile("/proc/" + std::to_string(pid) + "/task/" + task + "/children");
    if (!text) continue;
    for (const std::string_view word : SplitAny(*text, " \n")) {
      if (const auto child = ParseInt64(word)) children.push_back(static_cast<pid_t>(*child));
    }
  }
  return children;
}

Result<store::Positions> PositionsOf(pid_t pid) {
  const std::string directory = "/proc/" + std::to_string(pid) + "/fd";
  MQ_ASSIGN(const auto names, ListDirectory(directory));
  for (const std::string& name : names) {
    char target[64];
    const std::string path = directory + "/" + name;
    const ssize_t n = ::readlink(path.c_str(), target, sizeof target);
    if (n <= 0 || !std::string_view(target, static_cast<size_t>(n)).starts_with("/memfd:mq-positions")) continue;
    MQ_ASSIGN(UniqueFd fd, OpenFile(path, O_RDONLY));
    return store::Positions::Attach(std::move(fd), store::PositionsRole::kReader);
  }
  return MakeError(ErrorCode::kNotFound, "the broker has no positions");
}

}  // namespace

Daemons::~Daemons() {
  KillAll();
  if (name_server_ > 0) ::kill(name_server_, SIGKILL);
  if (name_server_ > 0) ::waitpid(name_server_, nullptr, 0);
}

pid_t Daemons::Spawn(const std::string& program, const std::vector<std::string>& arguments, UniqueFd* ready,
                     bool layer) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  const std::string path = options_.programs + "/" + program;
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(ends[1], kReadyFd);
    const int log = ::open(options_.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, 0);
    ::dup2(log, 1);
    ::dup2(log, 2);
    if (layer) {
      ::setenv("LD_PRELOAD", options_.layer.c_str(), 1);
      // A sanitizer's runtime wants to come first; that the layer does changes nothing for it.
      ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 0);
      if (!options_.shadow.empty()) {
        ::setenv(kStoreVariable, options_.store.c_str(), 1);
        ::setenv(kShadowVariable, options_.shadow.c_str(), 1);
      }
      if (!slow_.empty()) ::setenv(kSlowVariable, slow_.c_str(), 1);
    }
    std::vector<char*> words{const_cast<char*>(path.c_str())};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    ::execv(path.c_str(), words.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  *ready = UniqueFd(ends[0]);
  return pid;
}

Status Daemons::StartNameServer() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  UniqueFd ready;
  name_server_ =
      Spawn("mq-namesrv", {"--listen", "127.0.0.1:0", "--ready-fd", std::to_string(kReadyFd)}, &ready, false);
  std::string text;
  char buffer[256];
  while (text.find('\n') == std::string::npos) {
    const ssize_t n = ::read(ready.get(), buffer, sizeof buffer);
    if (n <= 0) return MakeError(ErrorCode::kInternal, "mq-namesrv did not start, see " + options_.log);
    text.append(buffer, static_cast<size_t>(n));
  }
  name_server_address_ = std::string(Trim(text.substr(text.find(' ') + 1)));
  return Ok();
}

void Daemons::SetSlow(KillPoint point, int microseconds) {
  slow_ = microseconds == 0 ? "" : std::to_string(static_cast<int>(point)) + ":" + std::to_string(microseconds);
}

Status Daemons::Start(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {
      "--store",    options_.store,           "--listen", "127.0.0.1:0",       "--broker-name", "crash",
      "--ready-fd", std::to_string(kReadyFd), "-n",       name_server_address_};
  all.insert(all.end(), arguments.begin(), arguments.end());
  positions_.reset();
  ready_text_.clear();
  status_ = -1;
  broker_ = Spawn("mq-broker", all, &ready_, !options_.layer.empty());
  if (broker_ <= 0) return ErrnoError(ErrorCode::kInternal, "start mq-broker");
  return Ok();
}

Result<bool> Daemons::WaitReady(int64_t timeout_ms) {
  const int64_t deadline = MonotonicMs() + timeout_ms;
  while (ready_text_.find('\n') == std::string::npos) {
    pollfd waits{ready_.get(), POLLIN, 0};
    if (::poll(&waits, 1, 20) > 0) {
      char buffer[256];
      const ssize_t n = ::read(ready_.get(), buffer, sizeof buffer);
      if (n > 0) {
        ready_text_.append(buffer, static_cast<size_t>(n));
        continue;
      }
    }
    if (!alive()) return false;
    if (MonotonicMs() > deadline) return MakeError(ErrorCode::kTimeout, "the broker does not become ready");
  }
  auto found = PositionsOf(broker_);
  if (!found) return false;  // killed meanwhile
  positions_.emplace(std::move(*found));
  return true;
}

void Daemons::Reap(bool block) {
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, block ? 0 : WNOHANG);
    if (pid <= 0) return;
    if (pid == broker_) {
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      broker_ = -1;
    }
    if (pid == name_server_) name_server_ = -1;
    if (block) return;
  }
}

bool Daemons::alive() {
  Reap(false);
  return broker_ > 0;
}

std::vector<pid_t> Daemons::Everybody() const {
  std::vector<pid_t> all;
  if (broker_ > 0) all.push_back(broker_);
  for (const pid_t child : ChildrenOf(::getpid())) {
    if (child != name_server_ && child != broker_) all.push_back(child);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    for (const pid_t child : ChildrenOf(all[i])) all.push_back(child);
  }
  return all;
}

std::string Daemons::Describe() const {
  std::string text;
  for (const pid_t pid : Everybody()) {
    const std::string directory = "/proc/" + std::to_string(pid);
    const auto name = ReadFile(directory + "/comm");
    const auto stat = ReadFile(directory + "/stat");
    const auto where = ReadFile(directory + "/wchan");
    text += (name ? std::string(Trim(*name)) : "?") + " " + std::to_string(pid);
    if (stat) text += " state " + stat->substr(std::min(stat->rfind(')') + 2, stat->size() - 1), 1);
    if (where) text += " in " + *where;
    text += "; ";
  }
  return text;
}

void Daemons::Freeze() {
  // Until nobody is found who was not stopped before: a broker may be starting a helper just now.
  std::vector<pid_t> stopped;
  for (bool fresh = true; fresh;) {
    fresh = false;
    for (const pid_t pid : Everybody()) {
      if (std::find(stopped.begin(), stopped.end(), pid) != stopped.end()) continue;
      ::kill(pid, SIGSTOP);
      stopped.push_back(pid);
      fresh = true;
    }
  }
  // A signal is acted upon when the process leaves the kernel: wait until all stand still.
  for (const pid_t pid : stopped) {
    for (;;) {
      const auto stat = ReadFile("/proc/" + std::to_string(pid) + "/stat");
      if (!stat) break;
      const size_t close = stat->rfind(')');
      const char state = close == std::string::npos || close + 2 >= stat->size() ? 'Z' : (*stat)[close + 2];
      if (state == 'T' || state == 'Z' || state == 'X') break;
      Pause(0);
    }
  }
}

void Daemons::KillAll() {
  for (;;) {
    const std::vector<pid_t> all = Everybody();
    if (all.empty()) break;
    for (const pid_t pid : all) ::kill(pid, SIGKILL);
    Reap(false);
    Pause(0);
  }
  ready_.Reset();
}

Result<int> Daemons::Stop(int64_t timeout_ms) {
  const int64_t deadline = MonotonicMs() + timeout_ms;
  if (broker_ > 0) ::kill(broker_, SIGTERM);
  while (!Everybody().empty()) {
    Reap(false);
    if (MonotonicMs() > deadline) return MakeError(ErrorCode::kTimeout, "still there after a stop: " + Describe());
    Pause(kPollMs);
  }
  return status_;
}

}  // namespace mq::crash
