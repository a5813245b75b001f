// Tombstones: deleted topics with the log position of their deletion (mq/tombstones).
//
// Written by the broker when a topic is deleted, before the deletion is answered; read by the broker at
// boot and by mq-reputd whenever BrokerPage::tombstones has grown. A record of that topic below the
// position belongs to the topic's former life: it is not dispatched and does not count for numbering, so
// a topic that is made again starts at 0 whatever a crash takes away.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/layout.h"
#include "store/types.h"

namespace mq::store {

class Tombstones {
 public:
  // A missing file is empty; a damaged one is kCorruption: a wrong position would take messages of a topic that lives.
  static Result<Tombstones> Load(const StoreLayout& layout);
  static Result<Tombstones> Decode(std::string_view text);
  std::string Encode() const;
  // Atomic and durable.
  Status Save(const StoreLayout& layout) const;

  // At boot, before anything is appended: what Load gives, limited to the end of the log that recovery found. A topic
  // may have been deleted behind records that a crash took away; records that are written in their place belong to its
  // next life. Saved when that changed anything.
  static Result<Tombstones> Recover(const StoreLayout& layout, PhysicalOffset log_end);

  void Add(std::string_view topic, PhysicalOffset position);
  // Forgets those no record can be below any more. Only when reputd's marker has passed them too: until then the queues
  // of the former life may still have to go. True when something was forgotten; the caller saves.
  bool DropBelow(PhysicalOffset log_min, PhysicalOffset marked);
  // Records of `topic` below this are dead; 0 when it was never deleted.
  PhysicalOffset Of(std::string_view topic) const;
  bool empty() const { return positions_.empty(); }
  const std::map<std::string, PhysicalOffset, std::less<>>& positions() const { return positions_; }

 private:
  std::map<std::string, PhysicalOffset, std::less<>> positions_;
};

}  // namespace mq::store
