// The yardstick of all rates: an echo of 330-byte frames over loopback, with nothing but libuv on both sides.
//
//   bench_echo serve                              prints "port N" and echoes until it is ended
//   bench_echo drive PORT CONNECTIONS WINDOW MS   one line: rate=... p50_us=... p99_us=... frames=... cpu_s=...
//   bench_echo run CONNECTIONS WINDOW MS          both, the server in a child process
//
// Raw on purpose: what a connection costs before any protocol, so that other figures of the same run compare to it.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr size_t kFrameBytes = 330;
constexpr size_t kReadBytes = 256 * 1024;

void Check(int rc, const char* what) {
  if (rc >= 0) return;
  std::fprintf(stderr, "bench_echo: %s: %s\n", what, uv_strerror(rc));
  std::exit(1);
}

// Bytes gathered for one connection; what the socket does not take at once waits in a write request.
class Output {
 public:
  void Append(const char* bytes, size_t n) { pending_.append(bytes, n); }
  void Flush(uv_stream_t* stream) {
    if (pending_.empty()) return;
    uv_buf_t buf = uv_buf_init(pending_.data(), static_cast<unsigned>(pending_.size()));
    const int n = uv_try_write(stream, &buf, 1);
    if (n == static_cast<int>(pending_.size())) {
      pending_.clear();
      return;
    }
    struct Request {
      uv_write_t write;
      std::string bytes;
    };
    auto* request = new Request{{}, pending_.substr(n > 0 ? static_cast<size_t>(n) : 0)};
    pending_.clear();
    request->write.data = request;
    buf = uv_buf_init(request->bytes.data(), static_cast<unsigned>(request->bytes.size()));
    uv_write(&request->write, stream, &buf, 1, [](uv_write_t* w, int) { delete static_cast<Request*>(w->data); });
  }

 private:
  std::string pending_;
};

char g_read_buffer[kReadBytes];

void OnAlloc(uv_handle_t*, size_t, uv_buf_t* buf) { *buf = uv_buf_init(g_read_buffer, sizeof g_read_buffer); }

struct ServerPeer {
  uv_tcp_t tcp;
  Output output;
};

int Serve(int notice_fd) {
  uv_loop_t* loop = uv_default_loop();
  uv_tcp_t server;
  Check(uv_tcp_init(loop, &server), "init");
  sockaddr_in address{};
  uv_ip4_addr("127.0.0.1", 0, &address);
  Check(uv_tcp_bind(&server, reinterpret_cast<sockaddr*>(&address), 0), "bind");
  Check(uv_listen(reinterpret_cast<uv_stream_t*>(&server), 1024,
                  [](uv_stream_t* s, int status) {
                    if (status != 0) return;
                    auto* peer = new ServerPeer;
                    uv_tcp_init(s->loop, &peer->tcp);
                    peer->tcp.data = peer;
                    if (uv_accept(s, reinterpret_cast<uv_stream_t*>(&peer->tcp)) != 0) return;
                    uv_tcp_nodelay(&peer->tcp, 1);
                    uv_read_start(reinterpret_cast<uv_stream_t*>(&peer->tcp), OnAlloc,
                                  [](uv_stream_t* stream, ssize_t n, const uv_buf_t* buf) {
                                    auto* from = static_cast<ServerPeer*>(stream->data);
                                    if (n < 0) {
                                      uv_close(reinterpret_cast<uv_handle_t*>(stream),
                                               [](uv_handle_t* h) { delete static_cast<ServerPeer*>(h->data); });
                                      return;
                                    }
                                    from->output.Append(buf->base, static_cast<size_t>(n));
                                    from->output.Flush(stream);
                                  });
                  }),
        "listen");
  int length = sizeof address;
  uv_tcp_getsockname(&server, reinterpret_cast<sockaddr*>(&address), &length);
  const std::string line = "port " + std::to_string(ntohs(address.sin_port)) + "\n";
  if (::write(notice_fd, line.data(), line.size()) < 0) return 1;
  return uv_run(loop, UV_RUN_DEFAULT);
}

struct Driver {
  size_t window = 1;
  uint64_t frames = 0;
  uint64_t end_ns = 0;
  std::vector<uint32_t> latencies_ns;
};

struct ClientPeer {
  uv_tcp_t tcp;
  uv_connect_t connect;
  Driver* driver;
  Output output;
  size_t partial = 0;             // bytes of a frame that has only partly come back
  std::vector<uint64_t> sent_ns;  // ring of the window: answers come in order
  size_t head = 0;
};

void OnEchoed(ClientPeer* peer, size_t bytes) {
  static const std::string kFrame(kFrameBytes, 'e');
  Driver& driver = *peer->driver;
  const uint64_t now = uv_hrtime();
  peer->partial += bytes;
  for (; peer->partial >= kFrameBytes; peer->partial -= kFrameBytes) {
    ++driver.frames;
    const uint64_t latency = now - peer->sent_ns[peer->head];
    if (driver.latencies_ns.size() < driver.latencies_ns.capacity()) {
      driver.latencies_ns.push_back(static_cast<uint32_t>(std::min<uint64_t>(latency, UINT32_MAX)));
    }
    peer->sent_ns[peer->head] = now;
    peer->head = (peer->head + 1) % driver.window;
    peer->output.Append(kFrame.data(), kFrame.size());
  }
  if (now >= driver.end_ns) {
    uv_stop(peer->tcp.loop);
    return;
  }
  peer->output.Flush(reinterpret_cast<uv_stream_t*>(&peer->tcp));
}

int Drive(int port, size_t connections, size_t window, uint64_t ms) {
  uv_loop_t* loop = uv_default_loop();
  Driver driver;
  driver.window = window;
  driver.latencies_ns.reserve(20'000'000);
  sockaddr_in address{};
  uv_ip4_addr("127.0.0.1", port, &address);
  std::vector<std::unique_ptr<ClientPeer>> peers;
  const uint64_t started = uv_hrtime();
  driver.end_ns = started + ms * 1'000'000;
  for (size_t i = 0; i < connections; ++i) {
    peers.push_back(std::make_unique<ClientPeer>());
    ClientPeer* peer = peers.back().get();
    peer->driver = &driver;
    peer->sent_ns.resize(window);
    uv_tcp_init(loop, &peer->tcp);
    peer->tcp.data = peer->connect.data = peer;
    Check(uv_tcp_connect(&peer->connect, &peer->tcp, reinterpret_cast<sockaddr*>(&address),
                         [](uv_connect_t* request, int status) {
                           Check(status, "connect");
                           auto* up = static_cast<ClientPeer*>(request->data);
                           uv_tcp_nodelay(&up->tcp, 1);
                           std::fill(up->sent_ns.begin(), up->sent_ns.end(), uv_hrtime());
                           const std::string all(kFrameBytes * up->driver->window, 'e');
                           up->output.Append(all.data(), all.size());
                           auto* stream = reinterpret_cast<uv_stream_t*>(&up->tcp);
                           uv_read_start(stream, OnAlloc, [](uv_stream_t* s, ssize_t n, const uv_buf_t*) {
                             Check(static_cast<int>(n), "read");
                             OnEchoed(static_cast<ClientPeer*>(s->data), static_cast<size_t>(n));
                           });
                           up->output.Flush(stream);
                         }),
          "connect");
  }
  uv_run(loop, UV_RUN_DEFAULT);
  const double seconds = static_cast<double>(uv_hrtime() - started) / 1e9;
  std::sort(driver.latencies_ns.begin(), driver.latencies_ns.end());
  const auto percentile = [&](double share) {
    if (driver.latencies_ns.empty()) return 0.0;
    return driver.latencies_ns[static_cast<size_t>(share * static_cast<double>(driver.latencies_ns.size() - 1))] / 1e3;
  };
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double cpu = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  std::printf("rate=%.1f p50_us=%.1f p99_us=%.1f frames=%llu cpu_s=%.3f\n",
              static_cast<double>(driver.frames) / seconds, percentile(0.5), percentile(0.99),
              static_cast<unsigned long long>(driver.frames), cpu);
  return 0;
}

int Run(size_t connections, size_t window, uint64_t ms) {
  int fds[2];
  if (::pipe(fds) != 0) return 1;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(fds[0]);
    std::exit(Serve(fds[1]));
  }
  ::close(fds[1]);
  char line[64] = "";
  const ssize_t n = ::read(fds[0], line, sizeof line - 1);
  const int port = n > 5 ? std::atoi(line + 5) : 0;
  const int rc = port > 0 ? Drive(port, connections, window, ms) : 1;
  ::kill(child, SIGTERM);
  ::waitpid(child, nullptr, 0);
  return rc;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const auto number = [&](int i) { return std::strtoull(argv[i], nullptr, 10); };
  if (what == "serve" && argc == 2) return Serve(STDOUT_FILENO);
  if (what == "drive" && argc == 6) return Drive(static_cast<int>(number(2)), number(3), number(4), number(5));
  if (what == "run" && argc == 5 && number(2) > 0 && number(3) > 0) return Run(number(2), number(3), number(4));
  std::fprintf(stderr, "usage: bench_echo serve | drive PORT CONNECTIONS WINDOW MS | run CONNECTIONS WINDOW MS\n");
  return 2;
}
