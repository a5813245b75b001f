// OffsetProcessor: questions about one queue: maximum (30) and minimum (31) offset, the offset of a time (29), and the
// store time of the earliest message (32). Reads queues and log; changes nothing. Spec: protocol 7.4, store 11.6.
#pragma once

#include "broker/core.h"
#include "protocol/command.h"
#include "remoting/channel.h"

namespace mq::broker {

class OffsetProcessor {
 public:
  explicit OffsetProcessor(Core& core) : core_(core) {}

  void ProcessMax(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessMin(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessSearch(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessEarliest(remoting::Channel& channel, const protocol::CommandView& request);

  // The first message that was stored at that time or later; the end of the queue when there is none. kBusy while that
  // is not known: mq-reputd has not come to it after a start.
  Result<store::QueueOffset> OffsetAt(Queue& queue, int64_t timestamp) {
    return Search(queue, timestamp, store::TimeBoundary::kLower);
  }

  // What a search that failed is answered with.
  static protocol::ResponseCode CodeOf(const Error& error) {
    return error.code == ErrorCode::kBusy ? protocol::ResponseCode::kSystemBusy : protocol::ResponseCode::kSystemError;
  }

 private:
  Result<store::QueueOffset> Search(Queue& queue, int64_t timestamp, store::TimeBoundary boundary);
  Result<store::QueueOffset> SearchRing(const Queue& queue, store::QueueOffset begin, int64_t timestamp,
                                        store::TimeBoundary boundary) const;
  bool OlderAreInFiles(const Queue& queue) const;
  store::QueueOffset FirstKeptInRing(const Queue& queue) const;
  Result<std::optional<int64_t>> TimeInRing(const Queue& queue, store::QueueOffset at, store::QueueOffset end) const;

  Core& core_;
};

}  // namespace mq::broker
