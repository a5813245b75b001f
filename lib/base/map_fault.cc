#include "base/map_fault.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace mq {
namespace {

constexpr uintptr_t kPage = 4096;
constexpr size_t kMaxPath = 1024;

std::atomic<uint64_t> faults{0};
MapFaults::Mode mode = MapFaults::Mode::kExit;

// The latest fault, written by the handler: odd while it writes.
std::atomic<uint32_t> latest_version{0};
char latest_path[kMaxPath];
uint64_t latest_offset = 0;

// Everything below runs in a signal handler: no allocation, no locks, plain system calls only.

struct Place {
  char path[kMaxPath];
  uint64_t offset = 0;
};

bool ParseHex(const char*& at, const char* end, uint64_t* value) {
  *value = 0;
  const char* const start = at;
  for (; at < end; ++at) {
    const char c = *at;
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) break;
    *value = *value << 4 | static_cast<uint64_t>(digit);
  }
  return at > start;
}

// A line of /proc/self/maps: "from-to perms offset dev inode   path".
bool LineHolds(const char* at, const char* end, uint64_t address, Place* place) {
  uint64_t from = 0;
  uint64_t to = 0;
  uint64_t offset = 0;
  if (!ParseHex(at, end, &from) || at >= end || *at++ != '-' || !ParseHex(at, end, &to)) return false;
  if (address < from || address >= to) return false;
  if (end - at < 6) return false;
  at += 6;  // " rw-s "
  if (!ParseHex(at, end, &offset)) return false;
  const char* path = static_cast<const char*>(std::memchr(at, '/', static_cast<size_t>(end - at)));
  const size_t length = path == nullptr ? 0 : static_cast<size_t>(end - path);
  if (length == 0 || length >= kMaxPath) return false;
  std::memcpy(place->path, path, length);
  place->path[length] = '\0';
  place->offset = offset + (address - from);
  return true;
}

bool FindPlace(uint64_t address, Place* place) {
  const int fd = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char buffer[4 * kMaxPath];
  size_t size = 0;
  bool found = false;
  for (;;) {
    const ssize_t n = ::read(fd, buffer + size, sizeof buffer - size);
    if (n <= 0) break;
    size += static_cast<size_t>(n);
    char* line = buffer;
    while (char* end = static_cast<char*>(std::memchr(line, '\n', size - static_cast<size_t>(line - buffer)))) {
      found = found || LineHolds(line, end, address, place);
      line = end + 1;
    }
    if (found) break;
    size -= static_cast<size_t>(line - buffer);
    std::memmove(buffer, line, size);
    if (size == sizeof buffer) size = 0;  // a line too long to be ours
  }
  ::close(fd);
  return found;
}

size_t AppendNumber(char* out, uint64_t number) {
  char digits[20];
  size_t n = 0;
  do {
    digits[n++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  for (size_t i = 0; i < n; ++i) out[i] = digits[n - 1 - i];
  return n;
}

[[noreturn]] void SayAndExit(const Place& place, bool known) {
  char line[kMaxPath + 128];
  size_t size = 0;
  const auto add = [&](const char* text) {
    const size_t length = std::strlen(text);
    std::memcpy(line + size, text, length);
    size += length;
  };
  add("mapped bytes are gone (the file was cut, or its device fails)");
  if (known) {
    add(": ");
    add(place.path);
    add(" at byte ");
    size += AppendNumber(line + size, place.offset);
  }
  add("\n");
  [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, line, size);
  ::_exit(8);
}

void OnFault(int signal, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  Place place;
  // Only what the kernel reports of a file; anything else is a fault of ours and ends as one.
  if (info->si_code != BUS_ADRERR) {
    ::signal(signal, SIG_DFL);
    return;
  }
  const int interrupted_errno = errno;  // of whatever was under way
  const bool known = FindPlace(address, &place);
  if (mode == MapFaults::Mode::kExit) SayAndExit(place, known);
  void* page = reinterpret_cast<void*>(address / kPage * kPage);
  if (::mmap(page, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
    SayAndExit(place, known);
  }
  if (known) {
    uint32_t version = latest_version.load();
    // Two threads at once: one of the two is told.
    if (version % 2 == 0 && latest_version.compare_exchange_strong(version, version + 1)) {
      std::memcpy(latest_path, place.path, sizeof latest_path);
      latest_offset = place.offset;
      latest_version.store(version + 2);
    }
  }
  faults.fetch_add(1);
  errno = interrupted_errno;
}

}  // namespace

Status MapFaults::Install(Mode wanted) {
  mode = wanted;
  struct sigaction action {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  if (::sigaction(SIGBUS, &action, nullptr) != 0) return ErrnoError(ErrorCode::kInternal, "handle SIGBUS");
  ::signal(SIGXFSZ, SIG_IGN);
  return Ok();
}

uint64_t MapFaults::count() { return faults.load(std::memory_order_relaxed); }

std::string MapFaults::Latest() {
  for (;;) {
    const uint32_t before = latest_version.load();
    if (before == 0) return "";
    if (before % 2 != 0) continue;
    const std::string text = std::string(latest_path) + " at byte " + std::to_string(latest_offset);
    if (latest_version.load() == before) return text;
  }
}

}  // namespace mq
