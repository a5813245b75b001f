// Runs a fuzz target over files and folders, without a fuzzer: the corpora as plain tests.
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    std::error_code ec;
    for (std::filesystem::recursive_directory_iterator it(argv[i], ec), end; it != end; it.increment(ec)) {
      if (!it->is_regular_file()) continue;
      const auto bytes = mq::ReadFile(it->path().string());
      if (!bytes) continue;
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size());
      ++files;
    }
  }
  std::printf("%d files\n", files);
  return files == 0 ? 1 : 0;
}
