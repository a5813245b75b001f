// SendProcessor: SEND_MESSAGE (10), SEND_MESSAGE_V2 (310) and SEND_BATCH_MESSAGE (320).
//
// Fed by remoting; leaves a record in the commit log (store/commit_log.h) and its entry in the queue's ring; answers at
// once, or through the AppendGate. The body goes from the receive buffer straight into the mapped log.
// Spec: mq-remoting(5), "Sending"; protocol 7.3.
#pragma once

#include <string>
#include <vector>

#include "broker/append_gate.h"
#include "broker/core.h"
#include "protocol/send_headers.h"

namespace mq::broker {

class SendProcessor {
 public:
  explicit SendProcessor(Core& core);

  void Process(remoting::Channel& channel, const protocol::CommandView& request);
  AppendGate& gate() { return gate_; }

  // A message of the broker's own (no client waits for it): stored in queue 0 of an existing topic, or dropped with a
  // line in the log when that is impossible.
  void PutOwn(std::string_view topic, std::string_view body, std::string_view properties);

 private:
  struct Send;
  void Append(Send& send, Topic& topic, Queue& queue);
  void Answer(Send& send, const Queue& queue, const store::AppendResult& result);
  void Refuse(remoting::Channel& channel, const protocol::CommandView& request, protocol::ResponseCode code,
              std::string_view remark);
  // The topic a send names, made when the rules allow it. Null: answered already, or held.
  Topic* TopicOf(Send& send);
  Queue* QueueOf(Send& send, Topic& topic);
  bool CheckProperties(Send& send);
  void HoldOrRefuse(remoting::Channel& channel, const protocol::CommandView& request, HeldFor reason);
  std::string_view StoredProperties(const Send& send);
  void Count(Topic& topic, Queue& queue, const store::AppendResult& result);

  Core& core_;
  AppendGate gate_;
  std::string properties_;                       // reused
  std::string cluster_property_;                 // CLUSTER \x01 <cluster>
  std::vector<store::AppendedRecord> appended_;  // reused
  std::string message_id_;                       // reused
  StatsItem* put_nums_ = nullptr;                // of the whole broker
  uint32_t random_ = 0;
};

}  // namespace mq::broker
