#include "loop/process.h"

#include <signal.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>
#include <uv.h>

#include "base/file.h"
#include "base/log.h"

namespace mq::loop {

struct Process::Impl {
  uv_process_t handle;
  OnExit callback;
};

Result<std::unique_ptr<Process>> Process::Start(Loop& loop, const ProcessOptions& options, OnExit on_exit) {
  auto* impl = new Impl{{}, std::move(on_exit)};
  impl->handle.data = impl;
  std::vector<char*> args{const_cast<char*>(options.file.c_str())};
  for (const auto& arg : options.args) args.push_back(const_cast<char*>(arg.c_str()));
  args.push_back(nullptr);
  uv_stdio_container_t stdio[3]{};
  stdio[0].flags = UV_IGNORE;
  stdio[1].flags = UV_IGNORE;
  stdio[2].flags = UV_INHERIT_FD;
  stdio[2].data.fd = 2;
  uv_process_options_t spawn{};
  spawn.file = options.file.c_str();
  spawn.args = args.data();
  spawn.stdio = stdio;
  spawn.stdio_count = 3;
  spawn.flags = options.own_session ? UV_PROCESS_DETACHED : 0;
  spawn.exit_cb = [](uv_process_t* handle, int64_t status, int signal) noexcept {
    const auto call = static_cast<Impl*>(handle->data)->callback;
    if (call) call(static_cast<int>(status), signal);
  };
  const int rc = uv_spawn(loop.raw(), &impl->handle, &spawn);
  std::unique_ptr<Process> process(new Process(impl));
  if (rc != 0) return MakeError(ErrorCode::kIo, "start " + options.file + ": " + uv_strerror(rc));
  return process;
}

Process::~Process() {
  impl_->callback = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&impl_->handle),
           [](uv_handle_t* handle) noexcept { delete static_cast<Impl*>(handle->data); });
}
int Process::pid() const { return uv_process_get_pid(&impl_->handle); }
void Process::Kill(int signum) { uv_process_kill(&impl_->handle, signum); }

void NotifyReady(int ready_fd, const std::string& address) {
  log::Info("ready " + address);
  if (ready_fd >= 0) {
    WriteAll(ready_fd, "ready " + address + "\n", "the ready descriptor").Ignore("nobody may be reading any more");
    ::close(ready_fd);
  }
  sd_notify(0, ("READY=1\nSTATUS=serving on " + address).c_str());
}

void NotifyStopping() { sd_notify(0, "STOPPING=1"); }

std::unique_ptr<Timer> StartWatchdog(Loop& loop) {
  uint64_t micros = 0;
  if (sd_watchdog_enabled(0, &micros) <= 0) return nullptr;
  auto timer = std::make_unique<Timer>(loop, [] { sd_notify(0, "WATCHDOG=1"); });
  const auto period_ms = static_cast<int64_t>(micros / 2000);
  timer->Start(period_ms, period_ms);
  timer->Unref();
  return timer;
}

}  // namespace mq::loop
