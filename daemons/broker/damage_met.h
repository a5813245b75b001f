// DamageMet: which damage the broker has come upon while it served, for `mq-admin health` by way of the runtime info.
//
// Noted by MessageReader, once for each message, however often it is pulled; a topic that is deleted is forgotten.
// Owned by Core, since the start of the broker and in memory only. Loop thread only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "store/types.h"

namespace mq::broker {

class DamageMet {
 public:
  enum class Kind {
    kEntry,   // a queue entry that is not that of its record; the record was found in the log and is served
    kRecord,  // a message the log holds no whole record of; it was passed over
  };
  void Note(Kind kind, const std::string& topic, int32_t queue_id, store::QueueOffset offset);
  void ForgetTopic(const std::string& topic);

  // How many, and where the first one that was met is; empty: none.
  std::string Text(Kind kind) const;

 private:
  using Place = std::tuple<std::string, int32_t, int64_t>;  // topic, queue id, queue offset
  struct Places {
    std::set<Place> all;
    std::optional<Place> first;
  };
  std::array<Places, 2> met_;
};

}  // namespace mq::broker
