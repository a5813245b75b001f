// Moving a group: by request 222, which its members obey, or by writing offsets (15) when nobody is there to disagree.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "admin/context.h"
#include "admin/offset_places.h"

namespace mq::admin {

// Where one queue's place is to go; nothing: as if the group had never been there.
struct Move {
  Place place;
  std::optional<int64_t> target;
  bool told = false;  // members are told to go there: what they did since their last commit comes again
  bool changes() const { return told || place.offset != target; }
};

struct MoveOrder {
  std::string group;
  std::string topic;
  // For members online: the time they are told, -1 for the end, 0 for the start. Nothing: the moves are not those of a
  // time in every queue, and members cannot be told.
  std::optional<int64_t> timestamp;
};

// Who is there to disagree: the brokers by name that know of no member of the group, where offsets are written.
struct Audience {
  bool online = false;
  std::set<std::string> offline;
};

// Looks for members; marks the moves they will be told. A broker that does not say is a failure of the outcome, and its
// moves are taken out. kRefused when members are online that cannot be told.
Result<Audience> FindAudience(Context& context, const MoveOrder& order, std::vector<Move>& moves, Outcome& outcome);

// Applies the moves; each broker's failure goes to the outcome, and its moves are taken out. Targets become what the
// brokers answered.
void ApplyMoves(Context& context, const MoveOrder& order, Audience audience, std::vector<Move>& moves,
                Outcome& outcome);

}  // namespace mq::admin
