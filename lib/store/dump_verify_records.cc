#include "store/dump_verify_records.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/clock.h"
#include "base/strings.h"
#include "protocol/names.h"
#include "protocol/properties.h"

namespace mq::store {

namespace {

constexpr uint64_t kSaid = 50;  // more are counted
// Clocks differ and are set; what is beyond is no clock's doing.
constexpr int64_t kFutureMs = 24LL * 3600 * 1000;
constexpr int64_t kBackMs = 3600LL * 1000;
constexpr int32_t kMaxPort = 65535;

// When the log was written last, by the file system, or now. A store may come from a machine whose clock is ahead.
int64_t LatestTime(const DumpLog& log) {
  int64_t latest = NowMs();
  for (const DumpLog::File& file : log.files()) {
    struct stat status;
    if (::stat(log.PathOf(PhysicalOffset(file.start)).c_str(), &status) != 0) continue;
    latest = std::max(latest, static_cast<int64_t>(status.st_mtim.tv_sec) * 1000);
  }
  return latest + kFutureMs;
}

}  // namespace

RecordVerifier::RecordVerifier(const VerifyOptions& options, const DumpLog& log, const FaultSink& sink)
    : options_(options), log_(log), sink_(sink), latest_ms_(LatestTime(log)) {}

void RecordVerifier::OnRecord(const LogItem& item) {
  CheckTimes(item);
  CheckHosts(item);
  if (options_.for_rocketmq) CheckPoison(item);
  const int64_t time = item.message.store_timestamp;
  // One absurd time must not make all that follow look old.
  if (time <= latest_ms_) newest_time_ = std::max(newest_time_, time);
  has_records_ = true;
}

void RecordVerifier::Say(const LogItem& item, std::string_view rule, std::string text) {
  if (++said_ > kSaid) return;
  sink_({log_.PathOf(item.position), log_.ByteOf(item.position), Severity::kWarning, rule, std::move(text)});
}

void RecordVerifier::CheckTimes(const LogItem& item) {
  const int64_t stored = item.message.store_timestamp;
  if (stored <= 0) {
    Say(item, "times", "store time " + std::to_string(stored) + " is none");
  } else if (stored > latest_ms_) {
    Say(item, "times", "store time " + std::to_string(stored) + " lies in the future");
  } else if (stored < newest_time_ - kBackMs) {
    Say(item, "times",
        "store time " + std::to_string(stored) + " is more than an hour older than that of a record in front of it, " +
            std::to_string(newest_time_));
  }
  // Born times are those of clients' clocks.
  const int64_t born = item.message.born_timestamp;
  if (born < 0 || born > latest_ms_) {
    Say(item, "times", "born time " + std::to_string(born) + (born < 0 ? " is none" : " lies in the future"));
  }
}

void RecordVerifier::CheckHosts(const LogItem& item) {
  const auto check = [&](std::string_view name, const protocol::Host& host) {
    if (host.port >= 0 && host.port <= kMaxPort) return;
    Say(item, "hosts", std::string(name) + " has port " + std::to_string(host.port));
  };
  check("born host", item.message.born_host);
  check("store host", item.message.store_host);
}

// What RocketMQ takes for the end of the log though it is a sound record.
void RecordVerifier::CheckPoison(const LogItem& item) {
  if (item.message.topic != protocol::kScheduleTopic) return;
  const auto level = protocol::FindProperty(item.message.properties, protocol::property::kDelay);
  if (!level || ParseInt64(*level)) return;
  sink_({log_.PathOf(item.position), log_.ByteOf(item.position), Severity::kError, "rocketmq",
         "the record's DELAY is no number: RocketMQ takes it for the end of the log after a crash"});
}

void RecordVerifier::OnDamage(const LogItem& item) {
  const bool tail = item.kind == LogItemKind::kTornTail;
  std::string text = tail ? "torn tail: " : "";
  text += item.reason;
  if (tail) {
    text += "; no record follows (position " + std::to_string(item.position.value()) + ")";
  } else {
    text += "; the next record is at position " + std::to_string(item.position.value() + item.bytes);
  }
  sink_({log_.PathOf(item.position), log_.ByteOf(item.position), Severity::kError, tail ? "I-2" : "I-3",
         std::move(text)});
}

void RecordVerifier::Finish() {
  if (said_ <= kSaid || log_.files().empty()) return;
  sink_({log_.PathOf(log_.min()), 0, Severity::kWarning, "times",
         std::to_string(said_ - kSaid) + " more times and hosts are wrong"});
}

}  // namespace mq::store
