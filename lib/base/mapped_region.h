// A shared mapping of a file, unmapped when the owner goes. It owns no descriptor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace mq {

class MappedRegion {
 public:
  MappedRegion() = default;
  MappedRegion(MappedRegion&& other) noexcept;
  MappedRegion& operator=(MappedRegion&& other) noexcept;
  ~MappedRegion();

  // Maps [offset, offset + size) of the open file. offset is a multiple of the page size. `name` is for errors.
  static Result<MappedRegion> ReadOnly(int fd, size_t size, std::string_view name, off_t offset = 0);
  static Result<MappedRegion> ReadWrite(int fd, size_t size, std::string_view name, off_t offset = 0);

  char* data() const { return data_; }
  size_t size() const { return size_; }
  bool valid() const { return data_ != nullptr; }
  std::string_view view() const { return {data_, size_}; }

  // Writes the pages of [from, to) to disk; returns when they are durable (the file's size must already be).
  Status Sync(size_t from, size_t to) const;

 private:
  static Result<MappedRegion> Map(int fd, size_t size, int protection, std::string_view name, off_t offset);
  char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace mq
