// mq/log-paths and mq/pool, the small texts that name places outside of the store: any text is refused or understood
// the same way after it was written anew.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "scratch.h"
#include "store/log_paths.h"
#include "store/pool_name.h"

namespace {

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

void ReadLogPaths(mq::fuzz::Scratch& scratch, std::string_view text) {
  scratch.Put(scratch.layout().MqDir() + "/log-paths", text);
  const auto paths = mq::store::LoadLogPaths(scratch.root());
  if (!paths) return;
  Require(mq::store::SaveLogPaths(scratch.root(), *paths).has_value());
  const auto again = mq::store::LoadLogPaths(scratch.root());
  Require(again && *again == *paths);
}

void ReadPool(mq::fuzz::Scratch& scratch, std::string_view text) {
  scratch.Put(scratch.layout().Pool(), text);
  const auto name = mq::store::ReadPoolName(scratch.layout());
  if (!name) return;
  Require(!name->path.empty() && name->path[0] == '/' && name->id.size() == 32 && !name->boot_id.empty());
  Require(mq::store::WritePoolName(scratch.layout(), *name).has_value());
  const auto again = mq::store::ReadPoolName(scratch.layout());
  Require(again && again->path == name->path && again->id == name->id && again->boot_id == name->boot_id);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static mq::fuzz::Scratch scratch;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) ReadLogPaths(scratch, text);
  if (data[0] % 2 != 0) ReadPool(scratch, text);
  return 0;
}
