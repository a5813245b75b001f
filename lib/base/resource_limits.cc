#include "base/resource_limits.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/file.h"
#include "base/strings.h"
#include "base/unique_fd.h"

namespace mq {

namespace {

// Where memory is short there may be none for what describes it: files of /proc are read without allocating.
UniqueFd OpenText(const char* path) { return UniqueFd(::open(path, O_RDONLY | O_CLOEXEC)); }

// The number that a file begins with.
std::optional<int64_t> NumberIn(const std::string& path) {
  const UniqueFd fd = OpenText(path.c_str());
  char text[32];
  const ssize_t n = ::read(fd.get(), text, sizeof text);
  if (n <= 0) return std::nullopt;
  const std::string_view read(text, static_cast<size_t>(n));
  const auto number = ParseInt64(read.substr(0, std::min(read.find_first_of(" \n"), read.size())));
  if (!number) return std::nullopt;
  return *number;
}

int64_t CountLines(const char* path) {
  const UniqueFd fd = OpenText(path);
  char text[16384];
  int64_t lines = 0;
  for (ssize_t n; (n = ::read(fd.get(), text, sizeof text)) > 0;) lines += std::count(text, text + n, '\n');
  return lines;
}

std::string LimitOf(int resource) {
  struct rlimit limit {};
  if (::getrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return "";
  return std::to_string(limit.rlim_cur);
}

std::string MappingsText() {
  std::string text;
  if (const auto allowed = NumberIn("/proc/sys/vm/max_map_count")) {
    text = std::to_string(CountLines("/proc/self/maps")) + " mappings of vm.max_map_count=" + std::to_string(*allowed);
  }
  const std::string space = LimitOf(RLIMIT_AS);
  if (space.empty()) return text;
  if (const auto pages = NumberIn("/proc/self/statm")) {
    if (!text.empty()) text += ", ";
    text += std::to_string(*pages * ::sysconf(_SC_PAGESIZE)) + " bytes of address space of " + space;
  }
  return text;
}

// Without opening anything: there may be no descriptor left.
std::string OpenFilesText() {
  const std::string allowed = LimitOf(RLIMIT_NOFILE);
  return allowed.empty() ? "" : "as many files are open as allowed, " + allowed;
}

std::string LimitText(int error) {
  if (error == ENOMEM) return MappingsText();
  if (error == EMFILE) return OpenFilesText();
  if (error == EFBIG) {
    const std::string allowed = LimitOf(RLIMIT_FSIZE);
    return allowed.empty() ? "" : "a file may have " + allowed + " bytes";
  }
  return "";
}

// The smallest limit of a group and those around it.
void Tighten(const std::string& mounted_at, std::string group, const char* file, MemoryLimit& limit) {
  for (;;) {
    const auto bytes = NumberIn(mounted_at + group + "/" + file);
    if (bytes && *bytes > 0 && *bytes < limit.bytes) limit = {*bytes, true};
    if (group.empty() || group == "/") return;
    group.resize(group.rfind('/'));
  }
}

}  // namespace

Error NameLimit(Error error) {
  const std::string limit = LimitText(error.sys_errno);
  if (!limit.empty()) error.what += " (" + limit + ")";
  return error;
}

MemoryLimit FindMemoryLimit(std::string_view own_groups, const std::string& mounted_at, int64_t physical_bytes) {
  MemoryLimit limit{physical_bytes, false};
  for (const std::string_view line : Split(own_groups, '\n')) {
    // "hierarchy:controllers:/group"; version 2 has no controllers. Inside a container the group's own path may not be
    // mounted: then its limit is at the top.
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string group(line.substr(second + 1));
    if (controllers.empty()) Tighten(mounted_at, group, "memory.max", limit);
    const std::string padded = "," + std::string(controllers) + ",";
    if (padded.find(",memory,") != std::string::npos) {
      Tighten(mounted_at + "/memory", group, "memory.limit_in_bytes", limit);
    }
  }
  return limit;
}

MemoryLimit FindMemoryLimit() {
  constexpr size_t kMaxGroupsText = 65536;
  const auto groups = ReadFileUpTo("/proc/self/cgroup", kMaxGroupsText);
  const int64_t physical = static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return FindMemoryLimit(groups ? *groups : "", "/sys/fs/cgroup", physical);
}

}  // namespace mq
