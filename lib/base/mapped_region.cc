#include "base/mapped_region.h"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "base/resource_limits.h"

namespace mq {

MappedRegion::MappedRegion(MappedRegion&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedRegion& MappedRegion::operator=(MappedRegion&& other) noexcept {
  if (this != &other) {
    if (data_ != nullptr) ::munmap(data_, size_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

MappedRegion::~MappedRegion() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

Result<MappedRegion> MappedRegion::Map(int fd, size_t size, int protection, std::string_view name, off_t offset) {
  void* p = ::mmap(nullptr, size, protection, MAP_SHARED, fd, offset);
  if (p == MAP_FAILED) return NameLimit(ErrnoError(ErrorCode::kIo, "map " + std::string(name)));
  MappedRegion region;
  region.data_ = static_cast<char*>(p);
  region.size_ = size;
  return region;
}

Result<MappedRegion> MappedRegion::ReadOnly(int fd, size_t size, std::string_view name, off_t offset) {
  return Map(fd, size, PROT_READ, name, offset);
}
Result<MappedRegion> MappedRegion::ReadWrite(int fd, size_t size, std::string_view name, off_t offset) {
  return Map(fd, size, PROT_READ | PROT_WRITE, name, offset);
}

Status MappedRegion::Sync(size_t from, size_t to) const {
  static const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const size_t start = from / page * page;
  if (to > size_) to = size_;
  if (start >= to) return Ok();
  if (::msync(data_ + start, to - start, MS_SYNC) != 0) return ErrnoError(ErrorCode::kIo, "msync");
  return Ok();
}

}  // namespace mq
