// The crash laboratory: crash_lab power|points|model|damage --seed N --rounds N [--base DIR] [--golden DIR]. Programs
// and layer lie beside it. One line of verdict on stdout; exit status 0, 1 when something was lost, 2 for wrong usage.
// tests/crash/run is what people call.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/file.h"
#include "base/strings.h"
#include "lab.h"

namespace {

int Usage() {
  std::fprintf(stderr, "usage: crash_lab power|points|model|damage --seed N --rounds N [--base DIR] [--golden DIR]\n");
  return 2;
}

std::string OwnDirectory() {
  char path[4096];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
  return mq::DirectoryOf(std::string_view(path, n > 0 ? static_cast<size_t>(n) : 0));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return Usage();
  const std::string kind = argv[1];
  mq::crash::LabOptions options;
  options.programs = OwnDirectory();
  options.layer = options.programs + "/libcrash_layer.so";
  // Memory, not a disk: what is durable is decided here, and inode numbers are not used twice there.
  options.base = "/dev/shm/mq-crash-" + std::to_string(::getpid());
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const auto number = mq::ParseInt64(argv[i + 1]);
    if (name == "--base") {
      options.base = argv[i + 1];
    } else if (name == "--golden") {
      options.golden = argv[i + 1];
    } else if (name == "--seed" && number && *number > 0) {
      options.seed = static_cast<uint64_t>(*number);
    } else if (name == "--rounds" && number && *number > 0) {
      options.rounds = static_cast<uint64_t>(*number);
    } else {
      return Usage();
    }
  }
  if (argc % 2 != 0 || options.rounds == 0) return Usage();
  bool good = false;
  if (kind == "power") {
    good = mq::crash::RunPower(options);
  } else if (kind == "model") {
    good = mq::crash::RunModel(options);
  } else if (kind == "points") {
    good = mq::crash::RunPoints(options);
  } else if (kind == "damage") {
    good = mq::crash::RunDamage(options);
  } else {
    return Usage();
  }
  // What went wrong is kept for a look.
  if (good) mq::RemoveTree(options.base).Ignore("a left-over working directory");
  return good ? 0 : 1;
}
