// Part of dump_verify: what a record says of itself that its lengths and checksum do not cover: times, hosts, and what
// makes RocketMQ take it for the end of the log. Also damage of the log in words.
#pragma once

#include <cstdint>

#include "store/dump_log.h"
#include "store/dump_verify.h"

namespace mq::store {

class RecordVerifier {
 public:
  RecordVerifier(const VerifyOptions& options, const DumpLog& log, const FaultSink& sink);

  void OnRecord(const LogItem& item);
  void OnDamage(const LogItem& item);
  // Says how many faults were counted only.
  void Finish();

  bool has_records() const { return has_records_; }
  int64_t newest_time() const { return newest_time_; }  // store time

 private:
  void CheckTimes(const LogItem& item);
  void CheckHosts(const LogItem& item);
  void CheckPoison(const LogItem& item);
  void Say(const LogItem& item, std::string_view rule, std::string text);

  const VerifyOptions& options_;
  const DumpLog& log_;
  const FaultSink& sink_;
  int64_t latest_ms_;  // a record cannot be of a later time
  bool has_records_ = false;
  int64_t newest_time_ = 0;
  uint64_t said_ = 0;
};

}  // namespace mq::store
