// ReputWork: what mq-reputd does between attaching to a broker and losing it. See store/reput.h.
//
// Under load it is never rung: after it has caught up it looks again every millisecond for a while, and only
// then puts up its flag and sleeps. Consumers at the tail are served from the broker's own memory, so that
// millisecond is on nobody's path.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "ctl/helper.h"
#include "store/positions.h"
#include "store/reput.h"
#include "store/store_lock.h"

namespace mq::reputd {

class ReputWork : public ctl::HelperWork {
 public:
  explicit ReputWork(std::string root) : root_(std::move(root)) {}
  // Before Run.
  void SetHelper(ctl::Helper* helper) { helper_ = helper; }

  Status Attach(const ctl::Settings& settings, UniqueFd positions, UniqueFd lock) override;
  // Nothing that mq-reputd acts on may change while it runs.
  Status Reconfigure(const ctl::Settings& /*settings*/) override { return Ok(); }
  int64_t Turn() override;
  Status Drain() override;
  Status Detach() override;

 private:
  bool BrokerServes() const;
  Status OpenReput();
  int64_t Failed(const Error& error);
  void Ring(const store::ReputOutcome& outcome);
  int64_t Sleep(int64_t at_most_ms);
  Status FinishFor(int64_t at_most_ms);

  std::string root_;
  ctl::Helper* helper_ = nullptr;
  std::optional<store::StoreLock> lock_;
  std::optional<store::Positions> positions_;
  store::StoreOptions options_;
  std::unique_ptr<store::Reput> reput_;
  int idle_turns_ = 0;
  bool reported_ = false;
  log::RateLimit failure_log_{6};
};

}  // namespace mq::reputd
