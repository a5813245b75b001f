// The preloaded layer: works in unchanged daemons (LD_PRELOAD), records in the shadow directory what is durable, and
// ends the process with SIGKILL at the kill point that is armed. See shadow.h.
//
// It stands between the program and libc's open, mkdir, mmap and the syncs; every call still happens. A copy to the
// shadow is made page by page with pwrite, which a SIGKILL never tears inside of a page, and before the sync returns to
// the caller: what the caller was told is durable is in the shadow. No lock is held across processes. Built without
// libraries of ours.
#include "shadow.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

using mq::crash::ControlPage;

constexpr int64_t kPage = 4096;
constexpr int64_t kCopyBytes = 16 * kPage;
constexpr size_t kMaxMaps = 8192;
constexpr size_t kMaxPath = 2048;

// The calls themselves, past everything that stands in front of libc's.
int SysOpen(int at, const char* path, int flags, mode_t mode) {
  return static_cast<int>(::syscall(SYS_openat, at, path, flags, mode));
}
void* SysMap(void* at, size_t length, int protection, int flags, int fd, off_t offset) {
  return reinterpret_cast<void*>(::syscall(SYS_mmap, at, length, protection, flags, fd, offset));
}

struct Map {
  char* from = nullptr;
  size_t length = 0;
  ino_t inode = 0;
  off_t offset = 0;
};

struct InodeName {
  explicit InodeName(ino_t inode) { std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(inode)); }
  char text[24];
};

class Layer {
 public:
  Layer() {
    const char* const store = std::getenv(mq::crash::kStoreVariable);
    const char* const shadow = std::getenv(mq::crash::kShadowVariable);
    if (store == nullptr || shadow == nullptr || std::strlen(store) >= sizeof root_) return;
    live_ = OpenFolder(shadow, "live");
    durable_ = OpenFolder(shadow, "durable");
    names_ = OpenFolder(shadow, "names");
    char path[kMaxPath];
    std::snprintf(path, sizeof path, "%s/control", shadow);
    const int fd = SysOpen(AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (live_ < 0 || durable_ < 0 || names_ < 0 || fd < 0) Die("open the shadow directory");
    void* const page = SysMap(nullptr, sizeof(ControlPage), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) Die("map the control page");
    control_ = static_cast<ControlPage*>(page);
    ::close(fd);
    std::strcpy(root_, store);
    root_length_ = std::strlen(root_);
  }

  bool Below(const char* path) const {
    return root_length_ > 0 && std::strncmp(path, root_, root_length_) == 0 &&
           (path[root_length_] == '/' || path[root_length_] == '\0');
  }

  // A file that was perhaps made just now: nothing of it is durable.
  void OnOpened(int fd, const char* path) {
    struct stat st {};
    if (!Below(path) || ::fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) return;
    const InodeName name(st.st_ino);
    const int made = SysOpen(durable_, name.text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0 && errno == EEXIST) return;
    if (made < 0) Die("make a durable file");
    ::close(made);
    char self[40];
    std::snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (::linkat(AT_FDCWD, self, live_, name.text, AT_SYMLINK_FOLLOW) != 0) Die("keep a file");
  }

  void OnDirectoryMade(const char* path) {
    struct stat st {};
    if (Below(path) && ::stat(path, &st) == 0) WriteNames(st.st_ino, nullptr);
  }

  // What the descriptor stands for is durable now, file or directory.
  void OnSynced(int fd) {
    struct stat st {};
    if (root_length_ == 0 || ::fstat(fd, &st) != 0) return;
    if (S_ISREG(st.st_mode)) return CopyToDurable(st.st_ino, 0, INT64_MAX);
    if (!S_ISDIR(st.st_mode)) return;
    char self[40];
    char path[kMaxPath];
    std::snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    const ssize_t n = ::readlink(self, path, sizeof path - 1);
    if (n <= 0) return;
    path[n] = '\0';
    if (Below(path)) WriteNames(st.st_ino, path);
  }

  void OnMapped(void* at, size_t length, int fd, off_t offset) {
    struct stat st {};
    if (root_length_ == 0 || fd < 0 || ::fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) return;
    if (::faccessat(durable_, InodeName(st.st_ino).text, F_OK, 0) != 0) return;
    Lock lock(*this);
    if (map_count_ == kMaxMaps) Die("remember a mapping");
    maps_[map_count_++] = {static_cast<char*>(at), length, st.st_ino, offset};
  }
  void OnUnmapped(void* at) {
    if (root_length_ == 0) return;
    Lock lock(*this);
    for (size_t i = 0; i < map_count_; ++i) {
      if (maps_[i].from != at) continue;
      maps_[i] = maps_[--map_count_];
      return;
    }
  }
  void OnMapSynced(void* at, size_t length) {
    if (root_length_ == 0) return;
    Map found;
    {
      Lock lock(*this);
      for (size_t i = 0; i < map_count_; ++i) {
        const Map& map = maps_[i];
        if (at >= map.from && at < map.from + map.length) found = map;
      }
    }
    if (found.from == nullptr) return;
    const int64_t from = found.offset + (static_cast<char*>(at) - found.from);
    CopyToDurable(found.inode, from, from + static_cast<int64_t>(length));
  }

  void OnPoint(int point) {
    if (control_ == nullptr) return;
    control_->passed[point].fetch_add(1, std::memory_order_relaxed);
    const int armed = control_->armed.load(std::memory_order_relaxed);
    if (armed != point && armed != mq::crash::kAnyPoint) return;
    if (control_->countdown.fetch_sub(1) != 1) return;
    control_->fired.store(point + 1);
    ::kill(::getpid(), SIGKILL);
    for (;;) ::pause();
  }

 private:
  struct Lock {
    explicit Lock(Layer& l) : layer(l) {
      while (layer.maps_busy_.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~Lock() { layer.maps_busy_.clear(std::memory_order_release); }
    Layer& layer;
  };

  [[noreturn]] static void Die(const char* what) {
    std::fprintf(stderr, "crash layer: cannot %s: %s\n", what, std::strerror(errno));
    ::_exit(97);
  }
  static int OpenFolder(const char* shadow, const char* name) {
    char path[kMaxPath];
    std::snprintf(path, sizeof path, "%s/%s", shadow, name);
    return SysOpen(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  }

  // Pages of [from, to) and the file's size, from what a read finds now.
  void CopyToDurable(ino_t inode, int64_t from, int64_t to) {
    const InodeName name(inode);
    const int out = SysOpen(durable_, name.text, O_WRONLY | O_CLOEXEC, 0);
    if (out < 0) return;  // not a file of the store
    // Two syncs at once: the later copy must not be of the earlier bytes.
    ::flock(out, LOCK_EX);
    const int in = SysOpen(live_, name.text, O_RDONLY | O_CLOEXEC, 0);
    struct stat st {};
    if (in < 0 || ::fstat(in, &st) != 0 || ::ftruncate(out, st.st_size) != 0) Die("size a durable file");
    from = from / kPage * kPage;
    to = std::min<int64_t>((std::min(to, int64_t{st.st_size}) + kPage - 1) / kPage * kPage, st.st_size);
    alignas(kPage) char buffer[kCopyBytes];
    while (from < to) {
      const ssize_t n = ::pread(in, buffer, static_cast<size_t>(std::min(kCopyBytes, to - from)), from);
      if (n <= 0) break;
      if (::pwrite(out, buffer, static_cast<size_t>(n), from) != n) Die("write a durable file");
      from += n;
    }
    ::close(in);
    ::close(out);
  }

  // Replaced in one step. Without a path: an empty directory.
  void WriteNames(ino_t inode, const char* path) {
    const int lock = SysOpen(names_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    ::flock(lock, LOCK_EX);
    char temporary[48];
    std::snprintf(temporary, sizeof temporary, "new-%d", static_cast<int>(::syscall(SYS_gettid)));
    const int out = SysOpen(names_, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (out < 0) Die("list a directory");
    DIR* const directory = path == nullptr ? nullptr : ::opendir(path);
    while (directory != nullptr) {
      const dirent* const entry = ::readdir(directory);
      if (entry == nullptr) break;
      const bool folder = entry->d_type == DT_DIR;
      if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
      if (!folder && entry->d_type != DT_REG) continue;
      char line[400];
      const int size = std::snprintf(line, sizeof line, "%llu %c %s\n", static_cast<unsigned long long>(entry->d_ino),
                                     folder ? 'd' : 'f', entry->d_name);
      if (::write(out, line, static_cast<size_t>(size)) != size) Die("list a directory");
    }
    if (directory != nullptr) ::closedir(directory);
    ::close(out);
    if (::renameat(names_, temporary, names_, InodeName(inode).text) != 0) Die("list a directory");
    ::close(lock);
  }

  char root_[1024] = "";
  size_t root_length_ = 0;
  int live_ = -1;
  int durable_ = -1;
  int names_ = -1;
  ControlPage* control_ = nullptr;
  std::atomic_flag maps_busy_ = ATOMIC_FLAG_INIT;
  size_t map_count_ = 0;
  Map maps_[kMaxMaps];
};

// Never destroyed: destructors of others may still call us.
Layer& TheLayer() {
  alignas(Layer) static char bytes[sizeof(Layer)];
  static Layer* const layer = new (bytes) Layer();
  return *layer;
}

int OpenAndNote(int at, const char* path, int flags, mode_t mode) {
  const int fd = SysOpen(at, path, flags, mode);
  const int error = errno;
  const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  if (fd >= 0 && makes) TheLayer().OnOpened(fd, path);
  errno = error;
  return fd;
}

mode_t ModeOf(int flags, va_list arguments) {
  const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return makes ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

#define MQ_CRASH_OPEN(name, head, at)               \
  int name(head const char* path, int flags, ...) { \
    va_list arguments;                              \
    va_start(arguments, flags);                     \
    const mode_t mode = ModeOf(flags, arguments);   \
    va_end(arguments);                              \
    return OpenAndNote(at, path, flags, mode);      \
  }
#define MQ_CRASH_AT int at,

extern "C" {

MQ_CRASH_OPEN(open, , AT_FDCWD)
MQ_CRASH_OPEN(open64, , AT_FDCWD)
MQ_CRASH_OPEN(openat, MQ_CRASH_AT, at)
MQ_CRASH_OPEN(openat64, MQ_CRASH_AT, at)

int mkdir(const char* path, mode_t mode) {
  const int result = static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
  if (result == 0) TheLayer().OnDirectoryMade(path);
  return result;
}

int fsync(int fd) {
  const int result = static_cast<int>(::syscall(SYS_fsync, fd));
  if (result == 0) TheLayer().OnSynced(fd);
  return result;
}
int fdatasync(int fd) {
  const int result = static_cast<int>(::syscall(SYS_fdatasync, fd));
  if (result == 0) TheLayer().OnSynced(fd);
  return result;
}
int msync(void* at, size_t length, int flags) {
  const int result = static_cast<int>(::syscall(SYS_msync, at, length, flags));
  if (result == 0 && (flags & MS_SYNC) != 0) TheLayer().OnMapSynced(at, length);
  return result;
}

void* mmap(void* at, size_t length, int protection, int flags, int fd, off_t offset) {
  void* const result = SysMap(at, length, protection, flags, fd, offset);
  if (result != MAP_FAILED && (flags & MAP_SHARED) != 0) TheLayer().OnMapped(result, length, fd, offset);
  return result;
}
void* mmap64(void* at, size_t length, int protection, int flags, int fd, off_t offset) {
  return mmap(at, length, protection, flags, fd, offset);
}
int munmap(void* at, size_t length) {
  TheLayer().OnUnmapped(at);
  return static_cast<int>(::syscall(SYS_munmap, at, length));
}

void mq_kill_point(int point) { TheLayer().OnPoint(point); }
}
