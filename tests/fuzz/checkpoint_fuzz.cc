// The checkpoint: a file of any bytes gives its three times or none, and what is written over it is read again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "scratch.h"
#include "store/checkpoint.h"

namespace {

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static mq::fuzz::Scratch scratch;
  const std::string path = scratch.layout().Checkpoint();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  scratch.Put(path, bytes);
  const auto read = mq::store::ReadCheckpoint(path);
  Require(read.has_value());
  if (*read) {
    Require(size >= 24 && (*read)->physic_timestamp == static_cast<int64_t>(mq::LoadBe64(bytes.data())));
    Require((*read)->index_timestamp == static_cast<int64_t>(mq::LoadBe64(bytes.data() + 16)));
  }
  auto file = mq::store::CheckpointFile::Open(path);
  Require(file.has_value());
  mq::store::Checkpoint next = *read ? **read : mq::store::Checkpoint();
  next.proved = true;
  next.logics_timestamp = static_cast<int64_t>(size) + 1;
  Require(file->Write(next).has_value());
  const auto again = mq::store::ReadCheckpoint(path);
  Require(again.has_value() && again->has_value() && **again == next);
  return 0;
}
