// Moving a group: by request 222, which its members obey, or by writing offsets (15) when nobody is there to disagree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "admin/context.h"
#include "admin/offset_places.h"

namespace mq::admin {

// Where one queue's place is to go; nothing: as if the group had never been there.
struct Move {
  Place place;
  std::optional<int64_t> target;
  bool changes() const { return place.offset != target; }
};

struct MoveOrder {
  std::string group;
  std::string topic;
  // For members online: the time they are told, -1 for the end, 0 for the start. Nothing: the moves are not those of a
  // time in every queue, and members cannot be told.
  std::optional<int64_t> timestamp;
};

// Applies the moves; each broker's failure goes to the outcome, and its moves are taken out. Targets become what the
// brokers answered. kRefused, with nothing done, when members are online that cannot be told.
Status ApplyMoves(Context& context, const MoveOrder& order, std::vector<Move>& moves, Outcome& outcome);

}  // namespace mq::admin
