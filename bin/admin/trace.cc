#include "admin/trace.h"

#include <algorithm>

#include "conf/run.h"

namespace mq::admin {

Trace::Trace(const conf::Settings& settings, client::Admin& admin) : settings_(settings) {
  if (settings_.Count("verbose") == 0) return;
  admin.Observe([this](const client::Asked& question) { Tell(question); });
}

void Trace::Tell(const client::Asked& question) {
  Peer& peer = asked_[question.address];
  ++peer.requests;
  peer.unanswered += question.answered ? 0 : 1;
  peer.longest_ms = std::max(peer.longest_ms, question.took_ms);
  if (settings_.Count("verbose") < 2) return;
  conf::Notice(settings_, question.address + ": " + question.what + ": " + question.answer + " after " +
                              std::to_string(question.took_ms) + " ms");
}

void Trace::Sum() {
  for (const auto& [address, asked] : asked_) {
    std::string text = "asked " + address + ": " + std::to_string(asked.requests) +
                       (asked.requests == 1 ? " request" : " requests") + ", the longest took " +
                       std::to_string(asked.longest_ms) + " ms";
    if (asked.unanswered > 0) text += ", " + std::to_string(asked.unanswered) + " without an answer";
    conf::Notice(settings_, text);
  }
  asked_.clear();
}

}  // namespace mq::admin
