#include "store/log_tail.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/kill_point.h"

namespace mq::store {

namespace {

constexpr int64_t kReadBytes = 256 * 1024;

bool AllZero(const char* bytes, size_t count) {
  static const char kZeros[kPageBytes] = {};
  while (count > 0) {
    const size_t piece = std::min<size_t>(count, kPageBytes);
    if (std::memcmp(bytes, kZeros, piece) != 0) return false;
    bytes += piece;
    count -= piece;
  }
  return true;
}

struct Extent {
  int64_t from;
  int64_t to;
};

// The extents behind `from` that hold data. Listed before any is read: reading allocated, unwritten blocks
// puts zero pages into the page cache, ahead of the reader, and pages in the cache count as data: looking
// and reading by turns would drag us through the whole file.
Result<std::vector<Extent>> DataExtents(int fd, const std::string& path, int64_t from) {
  std::vector<Extent> extents;
  for (int64_t at = from;;) {
    const off_t data = ::lseek(fd, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) return extents;
    if (data < 0) return ErrnoError(ErrorCode::kIo, "look for data in " + path);
    const off_t hole = ::lseek(fd, data, SEEK_HOLE);
    if (hole < 0) return ErrnoError(ErrorCode::kIo, "look for data in " + path);
    extents.push_back({data, hole});
    at = hole;
  }
}

// Calls visit(bytes, position) for pieces of at most 4 KiB (aligned) behind `from` that are not all zero;
// visit returns false to stop.
template <class Visitor>
Status ForEachNonZero(int fd, const std::string& path, int64_t from, Visitor visit) {
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
  MQ_ASSIGN(const std::vector<Extent> extents, DataExtents(fd, path, from));
  std::vector<char> buffer(extents.empty() ? 0 : kReadBytes);
  for (const Extent& extent : extents) {
    for (int64_t at = extent.from; at < extent.to;) {
      const int64_t want = std::min(kReadBytes - at % kPageBytes, extent.to - at);
      const ssize_t n = ::pread(fd, buffer.data(), static_cast<size_t>(want), at);
      if (n < 0) return ErrnoError(ErrorCode::kIo, "read " + path);
      if (n == 0) return Ok();
      for (int64_t done = 0; done < n;) {
        const int64_t piece = std::min<int64_t>(n - done, kPageBytes - (at + done) % kPageBytes);
        const std::string_view bytes(buffer.data() + done, static_cast<size_t>(piece));
        if (!AllZero(bytes.data(), bytes.size()) && !visit(bytes, at + done)) return Ok();
        done += piece;
      }
      at += n;
    }
  }
  return Ok();
}

}  // namespace

Result<std::optional<int64_t>> FindNonZero(const std::string& path, int64_t from) {
  MQ_ASSIGN(UniqueFd fd, OpenFile(path, O_RDONLY | O_CLOEXEC));
  std::optional<int64_t> found;
  MQ_TRY(ForEachNonZero(fd.get(), path, from, [&found](std::string_view bytes, int64_t position) {
    found = position + static_cast<int64_t>(bytes.find_first_not_of('\0'));
    return false;
  }));
  return found;
}

namespace {

// The span of what is not zero behind `from`; gathered piece by piece.
struct NonZeroSpan {
  int64_t first = -1;
  int64_t end = 0;  // one behind the last byte that is not zero

  void Add(std::string_view bytes, int64_t position, int64_t from) {
    if (first < 0) first = from > 0 ? from : position + static_cast<int64_t>(bytes.find_first_not_of('\0'));
    end = position + static_cast<int64_t>(bytes.find_last_not_of('\0')) + 1;
  }
  int64_t bytes() const { return end > 0 ? end - first : 0; }
};

}  // namespace

Result<int64_t> TailBytes(const std::string& path, int64_t from) {
  MQ_ASSIGN(UniqueFd fd, OpenFile(path, O_RDONLY | O_CLOEXEC));
  NonZeroSpan span;
  MQ_TRY(ForEachNonZero(fd.get(), path, from, [&](std::string_view bytes, int64_t position) {
    span.Add(bytes, position, from);
    return true;
  }));
  return span.bytes();
}

Result<int64_t> ZeroTail(const std::string& path, int64_t from) {
  MQ_ASSIGN(UniqueFd fd, OpenFile(path, O_RDWR | O_CLOEXEC));
  static const std::string zeros(kPageBytes, '\0');
  NonZeroSpan span;
  Status written;
  MQ_TRY(ForEachNonZero(fd.get(), path, from, [&](std::string_view bytes, int64_t position) {
    written = WriteAt(fd.get(), std::string_view(zeros).substr(0, bytes.size()), position, path);
    span.Add(bytes, position, from);
    PassKillPoint(KillPoint::kTailPartlyZeroed);
    return written.has_value();
  }));
  MQ_TRY(std::move(written));
  if (span.bytes() > 0) PassKillPoint(KillPoint::kTailZeroed);
  // Durable before anything is appended: a later crash must not bring the old bytes back behind new ones.
  if (span.bytes() > 0 && ::fsync(fd.get()) != 0) return ErrnoError(ErrorCode::kIo, "sync " + path);
  return span.bytes();
}

}  // namespace mq::store
