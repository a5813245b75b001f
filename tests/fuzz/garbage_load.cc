// A load of garbage for a running server: connections of strangers and frames that are wrong in every way a frame can
// be, made from recorded frames and from nothing. The server must stay up, its memory flat, and its other clients must
// notice nothing; tests/e2e/1010-hostile-bytes.bats looks at that. Loopback addresses only.
//
//   garbage_load HOST:PORT [--connections N] [--frames N] [--seed N] [--corpus DIR]
//
// Prints one line: connections frames bytes closed_by_peer seconds. Exit status 0, 2 for wrong usage, 6 when the server
// no longer accepts connections.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/command.h"

namespace {

struct Options {
  std::string host;
  int port = 0;
  uint64_t connections = 1000;
  uint64_t frames = 10000;
  uint64_t seed = 1;
  std::string corpus = "tests/golden/wire";
};

struct Figures {
  uint64_t connections = 0;
  uint64_t frames = 0;
  uint64_t bytes = 0;
  uint64_t closed_by_peer = 0;
};

constexpr int kSendPatienceMs = 2000;

// Requests that would leave something behind at a server that understood them: topics, groups, settings. They are only
// ever sent broken, so that what is measured is garbage and not work.
bool LeavesTraces(int32_t code) {
  for (const int32_t one : {10,  15,  17,  25,  34,  36,  37,  50,  51,  53,  100, 102, 103,
                            200, 205, 207, 215, 216, 310, 314, 318, 320, 324, 325, 327}) {
    if (one == code) return true;
  }
  return false;
}

class Garbage {
 public:
  explicit Garbage(const Options& options) : random_(options.seed) {
    mq::protocol::CommandView view;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(options.corpus, error)) {
      if (entry.path().extension() != ".bin") continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
      if (!mq::protocol::DecodeCommand(bytes, view)) continue;
      recorded_.push_back({std::move(bytes), LeavesTraces(view.code)});
    }
  }

  size_t Below(size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random_); }
  bool has_corpus() const { return !recorded_.empty(); }

  // The next frame, or what stands in the place of one.
  std::string Next() {
    switch (Below(10)) {
      case 0:
        return Noise(1 + Below(300));
      case 1:
        return Stranger();
      case 2:
        return LyingLength();
      case 3:
        return JsonHeader(OddHeader());
      case 4:
        return BinaryNoise();
      default:
        return recorded_.empty() ? Noise(64) : Mutated();
    }
  }

 private:
  struct Recorded {
    std::string bytes;
    bool leaves_traces;
  };

  std::string Noise(size_t size) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random_());
    return bytes;
  }

  // Other protocols at the wrong door.
  std::string Stranger() {
    static const std::string kHellos[] = {"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                                          "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                                          std::string("\x16\x03\x01\x02\x00\x01\x00", 7),
                                          std::string("\x03\x00\x00\x2f", 4),
                                          "SSH-2.0-OpenSSH_9.2\r\n",
                                          "\xff\xff\xff\xff",
                                          "EHLO x\r\n",
                                          "*1\r\n$4\r\nPING\r\n"};
    return kHellos[Below(std::size(kHellos))];
  }

  static std::string Word(uint32_t value) {
    const char bytes[4] = {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
                           static_cast<char>(value >> 8), static_cast<char>(value)};
    return {bytes, 4};
  }

  std::string LyingLength() {
    static const uint32_t kLengths[] = {0, 1, 3, 4, 5, 0x00FFFFFC, 0x00FFFFFD, 0x01000000, 0x7FFFFFFF, 0x80000000};
    const uint32_t length = kLengths[Below(std::size(kLengths))];
    const uint32_t header = Below(2) == 0 ? static_cast<uint32_t>(random_()) : length;
    return Word(length) + Word(header) + Noise(Below(40));
  }

  static std::string JsonHeader(const std::string& header) {
    return Word(static_cast<uint32_t>(4 + header.size())) + Word(static_cast<uint32_t>(header.size())) + header;
  }

  std::string OddHeader() {
    switch (Below(6)) {
      case 0:
        return R"({"code":105,"extFields":{"topic":)" + std::string(5000, '[');
      case 1:
        return R"({"code":105,"code":105,"opaque":1})";
      case 2:
        return R"({"code":105,"language":"KLINGON","version":65535,"opaque":1,"extFields":{"topic":"../../etc/passwd"}})";
      case 3:
        return R"({"code":)" + std::to_string(static_cast<int32_t>(random_())) + R"(,"opaque":-1,"flag":2})";
      case 4:
        return R"({"code":11,"opaque":2,"extFields":{"queueId":"-2147483648","topic":"\u0000","queueOffset":"1e9"}})";
      default:
        return R"({"code":105,"remark":"cut)";
    }
  }

  std::string BinaryNoise() {
    const std::string header = Noise(21 + Below(60));
    return Word(static_cast<uint32_t>(4 + header.size())) + Word(0x01000000U | static_cast<uint32_t>(header.size())) +
           header;
  }

  std::string Mutated() {
    const Recorded& one = recorded_[Below(recorded_.size())];
    std::string bytes = one.bytes;
    if (one.leaves_traces) {
      // Broken where it cannot be understood: cut short inside its header, or of an unknown type.
      if (Below(2) == 0) return bytes.substr(0, 9 + Below(12));
      bytes[4] = static_cast<char>(2 + Below(200));
      return bytes;
    }
    for (size_t n = 1 + Below(4); n > 0; --n) {
      const size_t at = Below(bytes.size());
      switch (Below(3)) {
        case 0:
          bytes[at] = static_cast<char>(random_());
          break;
        case 1:
          bytes.insert(at, 1 + Below(8), static_cast<char>(random_()));
          break;
        default:
          bytes.erase(at, 1 + Below(8));
          if (bytes.empty()) bytes = "\0";
      }
    }
    return bytes;
  }

  std::mt19937_64 random_;
  std::vector<Recorded> recorded_;
};

int Connect(const Options& options) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(options.port));
  ::inet_pton(AF_INET, options.host.c_str(), &to.sin_addr);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
    ::close(fd);
    return -1;
  }
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

// Throws away what the server said. False once it has closed.
bool Drain(int fd) {
  static char buffer[65536];
  for (;;) {
    const ssize_t n = ::recv(fd, buffer, sizeof buffer, 0);
    if (n > 0) continue;
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  }
}

// False when the connection is of no more use.
bool SendAll(int fd, std::string_view bytes, Figures& figures) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n > 0) {
      figures.bytes += static_cast<uint64_t>(n);
      bytes.remove_prefix(static_cast<size_t>(n));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 || errno != EAGAIN) return false;
    if (!Drain(fd)) return false;
    pollfd ready{fd, POLLOUT | POLLIN, 0};
    if (::poll(&ready, 1, kSendPatienceMs) <= 0) return false;
  }
  return Drain(fd);
}

int Run(const Options& options) {
  Garbage garbage(options);
  if (!garbage.has_corpus()) std::fprintf(stderr, "garbage_load: no recorded frames in %s\n", options.corpus.c_str());
  Figures figures;
  const auto begin = std::chrono::steady_clock::now();
  while (figures.connections < options.connections || figures.frames < options.frames) {
    const int fd = Connect(options);
    if (fd < 0) {
      std::fprintf(stderr, "garbage_load: cannot connect after %llu connections: %s\n",
                   static_cast<unsigned long long>(figures.connections), std::strerror(errno));
      return 6;
    }
    ++figures.connections;
    const uint64_t left = options.connections > figures.connections ? options.connections - figures.connections + 1 : 1;
    const uint64_t share = figures.frames < options.frames ? (options.frames - figures.frames + left - 1) / left : 0;
    for (uint64_t i = 0; i < share; ++i) {
      ++figures.frames;
      if (SendAll(fd, garbage.Next(), figures)) continue;
      ++figures.closed_by_peer;
      break;
    }
    // Most leave without a word, so that no port waits for late segments; a few take a polite leave.
    if (garbage.Below(16) != 0) {
      const linger now{1, 0};
      ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    ::close(fd);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("connections %llu frames %llu bytes %llu closed_by_peer %llu seconds %.1f\n",
              static_cast<unsigned long long>(figures.connections), static_cast<unsigned long long>(figures.frames),
              static_cast<unsigned long long>(figures.bytes), static_cast<unsigned long long>(figures.closed_by_peer),
              took.count());
  return 0;
}

bool ParseOptions(int argc, char** argv, Options& options) {
  if (argc < 2) return false;
  const std::string address = argv[1];
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) return false;
  options.host = address.substr(0, colon);
  options.port = std::atoi(address.c_str() + colon + 1);
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--connections")
      options.connections = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--frames")
      options.frames = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--seed")
      options.seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--corpus")
      options.corpus = argv[i + 1];
    else
      return false;
  }
  return argc % 2 == 0 && options.port > 0 && options.host.starts_with("127.");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!ParseOptions(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: garbage_load 127.0.0.1:PORT [--connections N] [--frames N] [--seed N] [--corpus DIR]\n");
    return 2;
  }
  return Run(options);
}
