// AppendGate: what stands between a send and its answer besides the append itself.
//
//   held sends   the next log file is not there yet, no buffer of the transient pool is free, or the new topic's
//                configuration is not saved: the frame is kept, in order, and handled again later; refused after 5 s
//                as busy, with figures
//   flush waits  SYNC_FLUSH: the answer goes out when `flushed` has passed the message, or as FLUSH_DISK_TIMEOUT after
//                syncFlushTimeout (the message is stored all the same)
//
// Fed by the send processor; looked at when mq-flushd rings and on the broker's tick. Loop thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "broker/bounds.h"
#include "broker/core.h"
#include "protocol/command.h"
#include "remoting/channel.h"

namespace mq::broker {

// What a held send waits for.
enum class HeldFor { kFile, kBuffer, kTopic };

class AppendGate {
 public:
  // `again` handles a held request anew; `refuse` answers one that waited in vain.
  using Again = std::function<void(remoting::Channel&, const protocol::CommandView&)>;
  using Refuse = std::function<void(remoting::Channel&, const protocol::CommandView&, protocol::ResponseCode code,
                                    const std::string& why)>;
  AppendGate(Core& core, Again again, Refuse refuse);

  // Sends queue up behind those that are held already, so that order is kept.
  bool holding() const { return !held_.empty() && !releasing_; }
  // Keeps the request; false when too much is kept already (the caller refuses).
  bool Hold(remoting::Channel& channel, const protocol::CommandView& request, HeldFor reason);
  // "waited 5000 ms for the next commit log file; 12 sends (3400 bytes) are held; slowest step: ..."
  std::string Figures() const;
  size_t held() const { return held_.size(); }
  HeldFor reason() const { return held_.front().reason; }  // of the first one, which all others wait behind
  // The obstacle may be gone: handles held sends again, in order, until one is held anew.
  void Release();

  // Answers when the log is flushed up to `end`. `header` is the success reply's.
  void AnswerWhenFlushed(remoting::Channel& channel, const protocol::CommandView& request, store::PhysicalOffset end,
                         std::string message_id, int32_t queue_id, store::QueueOffset queue_offset);
  void OnFlushed(store::PhysicalOffset flushed);
  bool waits_for_flush() const { return !waiting_.empty(); }

  // Deadlines. Returns nothing; call it a few times a second.
  void Tick(int64_t now_ms);
  // The broker stops: everything held is refused.
  void RefuseAll();

 private:
  struct Held {
    // Strong: what was received before the peer closed is stored all the same (one-way senders do not wait).
    std::shared_ptr<remoting::Channel> channel;
    std::string frame;
    HeldFor reason;
    int64_t since_ms;
    int64_t deadline_ms() const { return since_ms + bounds::kHoldMs; }
  };
  struct Waiting {
    store::PhysicalOffset end;
    remoting::ChannelHandle channel;
    protocol::SerializeType type;
    int32_t opaque;
    std::string message_id;
    int32_t queue_id;
    store::QueueOffset queue_offset;
    int64_t deadline_ms;
  };
  void Answer(const Waiting& wait, protocol::ResponseCode code, std::string_view remark);
  void RefuseFront(protocol::ResponseCode code, const std::string& why);

  Core& core_;
  Again again_;
  Refuse refuse_;
  std::deque<Held> held_;
  size_t held_bytes_ = 0;
  bool releasing_ = false;
  bool held_again_ = false;
  std::deque<Waiting> waiting_;  // in log order, so `flushed` takes them from the front
};

}  // namespace mq::broker
