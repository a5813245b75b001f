// FlushWork: what mq-flushd does between attaching to a broker and losing it. See store/flusher.h, store/log_cleaner.h.
//
// With SYNC_FLUSH it sleeps only after it has put up its flag and looked once more; with ASYNC_FLUSH it is
// rung when the log begins to grow, and then looks on its own timer until it has caught up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ctl/helper.h"
#include "store/flusher.h"
#include "store/log_cleaner.h"
#include "store/positions.h"
#include "store/store_lock.h"

namespace mq::flushd {

class FlushWork : public ctl::HelperWork {
 public:
  explicit FlushWork(std::string root) : root_(std::move(root)) {}
  // Before Run.
  void SetHelper(ctl::Helper* helper) { helper_ = helper; }

  Status Attach(const ctl::Settings& settings, UniqueFd positions, UniqueFd lock) override;
  Status Reconfigure(const ctl::Settings& settings) override;
  int64_t Turn() override;
  Status Drain() override;
  Status Detach() override;

 private:
  bool BrokerServes() const;
  Status OpenFlusher();
  void Ring(const store::FlushOutcome& outcome);
  int64_t Clean();

  std::string root_;
  ctl::Helper* helper_ = nullptr;
  std::optional<store::StoreLock> lock_;
  std::optional<store::Positions> positions_;
  store::StoreOptions options_;
  std::unique_ptr<store::Flusher> flusher_;
  std::unique_ptr<store::LogCleaner> cleaner_;
  bool reported_ = false;
};

}  // namespace mq::flushd
