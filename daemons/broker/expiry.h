// Expiry: what the removal of old files, and the space that is left, mean to the broker.
//
// mq-flushd measures the disk and removes log files, mq-reputd trims queues and index after it; both say in their pages
// how far they are. Here readers let go of what is on its way out, sends are refused while there is no space, groups
// that lose unread messages are named, and the requests DELETE_EXPIRED_COMMITLOG (329) and CLEAN_EXPIRED_CONSUMEQUEUE
// (306) are passed on. Loop thread only. Spec: store 10; store/log_cleaner.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "broker/core.h"
#include "protocol/command.h"
#include "protocol/lists.h"
#include "remoting/channel.h"

namespace mq::broker {

class Expiry {
 public:
  // `ring`: both helpers are to look at our page.
  Expiry(Core& core, std::function<void()> ring);

  // On every wake-up and tick. True when files are on their way out: whoever else maps some lets go of them.
  bool Look();
  // Why there is no space, or no file, for messages; empty while there is. `waits_for_file`: sends wait for the next
  // log file.
  std::string NoSpace(bool waits_for_file);

  void ProcessDeleteLog(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessCleanQueues(remoting::Channel& channel, const protocol::CommandView& request);
  // What `mq-admin broker status` shows of disk and cleaning.
  void AddTo(protocol::KvTable& info) const;

 private:
  void ReportUnread();

  Core& core_;
  std::function<void()> ring_;
  store::PhysicalOffset seen_min_;
  int64_t seen_trimmed_ = 0;
  std::string no_space_;
  // Since the start, over all groups and queues; the latest: whose and when.
  int64_t unread_removed_ = 0;
  std::string last_loss_;
  // "topic@group" and queue: messages before this were reported as lost.
  std::map<std::pair<std::string, int32_t>, int64_t> reported_;
};

}  // namespace mq::broker
