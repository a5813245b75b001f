// PullHold: pulls that found nothing yet and wait for a message, for mq-reputd, or for their time to pass.
//
// A held pull lies with its queue. It is looked at when its queue advances (gathered once per loop turn), when
// mq-reputd has dispatched further and it waits in a gap, and on the broker's tick for its deadline. After parking it
// is checked against the queue once more, so that an arrival in between is not missed. Fed and read by the pull
// processor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/bounds.h"
#include "broker/message_reader.h"
#include "broker/queues.h"
#include "loop/loop.h"
#include "protocol/command.h"
#include "remoting/channel.h"

namespace mq::broker {

struct HeldPull {
  remoting::ChannelHandle channel;
  protocol::SerializeType type = protocol::SerializeType::kJson;
  int32_t opaque = 0;
  Queue* queue = nullptr;
  std::string group;
  store::QueueOffset offset;
  store::QueueOffset checked;  // no wanted message below this
  int32_t max_messages = 0;
  TagFilter filter;
  int64_t deadline_ms = 0;  // monotonic
  bool in_gap = false;

  // Memory it takes, for the bound.
  size_t bytes() const { return sizeof(HeldPull) + group.size() + filter.codes.size() * sizeof(filter.codes[0]); }
};

class PullHold : public loop::TurnEndHook {
 public:
  // `try_again` answers the pull if it can; false keeps it. `last` says that it must be answered now.
  using TryAgain = std::function<bool(HeldPull&, bool last)>;
  PullHold(loop::Loop& loop, TryAgain try_again);
  ~PullHold() override;

  // False: as many as may be held are held already (bounds.h), and it must be refused.
  bool Park(std::unique_ptr<HeldPull> pull);
  void OnAdvanced(Queue& queue);  // Queues calls this
  void OnDispatched();            // reputd came further, or a search of EntryFinder is over: look at the pulls in gaps
  bool any_in_gap() const { return in_gap_ > 0; }
  size_t held() const { return held_; }
  size_t held_bytes() const { return held_bytes_; }
  // Deadlines and connections that are gone.
  void Tick(int64_t now_ms);
  // A topic was deleted, or the broker stops: everything is answered now.
  void AnswerAll();
  void AnswerAllOf(Queue& queue);

  void OnTurnEnd() override;

 private:
  template <class Decide>
  void Visit(Queue& queue, Decide decide);
  void Count(const HeldPull& pull, int delta);

  loop::Loop& loop_;
  TryAgain try_again_;
  std::vector<Queue*> advanced_;
  std::vector<Queue*> queues_;  // those that hold, or held, something
  size_t held_ = 0;
  size_t held_bytes_ = 0;
  size_t in_gap_ = 0;
  bool turn_end_asked_ = false;
};

}  // namespace mq::broker
