// mq-admin offset show|reset|skip
#include <unistd.h>

#include <algorithm>

#include "admin/group_config.h"
#include "admin/offset_apply.h"
#include "admin/offset_places.h"
#include "admin/offset_undo.h"
#include "base/clock.h"
#include "base/strings.h"
#include "base/time_text.h"
#include "protocol/names.h"

namespace mq::admin {
namespace {

Cell CellOf(const std::optional<int64_t>& offset) { return offset ? Cell(*offset) : Cell::Unknown(); }

Error Usage(std::string text, std::string hint = {}) {
  return MakeError(ErrorCode::kConfig, std::move(text)).WithHint(std::move(hint));
}

// Where --to says: one of the three.
struct Target {
  enum class Kind { kStart, kEnd, kTime, kOffset } kind = Kind::kEnd;
  int64_t value = 0;
};

Result<Target> ParseTarget(const std::string& text) {
  if (text == "start") return Target{Target::Kind::kStart, 0};
  if (text == "end" || text == "now") return Target{Target::Kind::kEnd, 0};
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
    MQ_ASSIGN(const int64_t offset, ParseInt64(text));
    return Target{Target::Kind::kOffset, offset};
  }
  const auto time = ParseTime(text, NowMs());
  if (!time) return Usage("--to: '" + text + "' is neither start, end, an offset nor a time");
  return Target{Target::Kind::kTime, *time};
}

PlaceFilter FilterOf(const Context& context, const std::string& topic) {
  PlaceFilter filter{.topic = topic};
  if (context.settings.Given("queue")) filter.queue = context.settings.Int("queue");
  filter.broker = context.settings.String("broker-name");
  return filter;
}

// A group exists when an offset of it is stored or a broker has its settings. Brokers that do not answer may know it.
Status CheckGroupKnown(Context& context, const std::string& group, const std::vector<Place>& places) {
  for (const Place& place : places) {
    if (place.offset) return Ok();
  }
  context.admin.Begin();
  const auto masters = AllMasters(context);
  if (!masters) return Ok();
  std::vector<std::string> names;
  for (const auto& groups : GroupsOn(context, *masters)) {
    if (!groups || groups->contains(group)) return Ok();
    for (const auto& [name, config] : *groups) names.push_back(name);
  }
  return NoSuchGroup(group, names);
}

Result<std::vector<Move>> MovesTo(const Target& target, const std::vector<Place>& places) {
  std::vector<Move> moves;
  for (const Place& place : places) {
    int64_t to = place.max;
    if (target.kind == Target::Kind::kStart) to = place.min;
    if (target.kind == Target::Kind::kTime) to = std::clamp(place.at.value_or(place.max), place.min, place.max);
    if (target.kind == Target::Kind::kOffset) to = target.value;
    if (to < place.min || to > place.max) {
      return Usage("offset " + std::to_string(to) + " is outside of queue " + std::to_string(place.queue.queue_id) +
                       " of " + place.queue.broker_name + ", which has " + std::to_string(place.min) + " to " +
                       std::to_string(place.max),
                   "choose queues with --queue and --broker-name");
    }
    moves.push_back({place, to});
  }
  return moves;
}

// Back to the offsets of a file: only queues that are in it move. One that is gone is an error: nothing is done then.
Result<std::vector<Move>> MovesBack(const std::vector<UndoEntry>& entries, const std::vector<Place>& places) {
  std::vector<Move> moves;
  for (const UndoEntry& entry : entries) {
    const auto place =
        std::find_if(places.begin(), places.end(), [&](const Place& one) { return one.queue == entry.queue; });
    if (place == places.end()) {
      return MakeError(ErrorCode::kNotFound, "queue " + std::to_string(entry.queue.queue_id) + " of broker " +
                                                 entry.queue.broker_name + " is not there to go back in");
    }
    moves.push_back({*place, entry.offset});
  }
  return moves;
}

Status SaveUndo(const Context& context, const std::string& group, const std::vector<Move>& moves) {
  const std::string& path = context.settings.String("save-undo");
  if (path.empty()) return Ok();
  std::vector<UndoEntry> entries;
  for (const Move& move : moves) entries.push_back({group, move.place.queue, move.place.offset, move.told});
  return WriteUndo(path, entries).WithContext("--save-undo");
}

// Drops the file of a run that was refused. After a time-out a broker may have moved the group all the same: then it
// stays.
void DropUndo(const Context& context, const Outcome& outcome) {
  const std::string& path = context.settings.String("save-undo");
  if (!path.empty() && outcome.refused()) ::unlink(path.c_str());
}

// Shows the moves, and makes them with --apply.
Result<int> ShowOrApply(Context& context, const MoveOrder& order, std::vector<Move> moves, Outcome& outcome) {
  if (moves.empty() && !outcome.failed()) {
    return MakeError(ErrorCode::kNotFound, "topic " + order.topic + " has no such queue");
  }
  const bool apply = context.settings.Bool("apply");
  Outcome moved(context, "broker");
  MQ_ASSIGN(Audience audience, FindAudience(context, order, moves, moved));
  const bool online = audience.online;
  const bool any = std::any_of(moves.begin(), moves.end(), [](const Move& move) { return move.changes(); });
  if (apply) {
    MQ_TRY(SaveUndo(context, order.group, moves));
    ApplyMoves(context, order, std::move(audience), moves, moved);
    // Where everything was refused nothing moved, and there is nothing to go back to.
    if (moves.empty()) DropUndo(context, moved);
  }
  if (online && !moves.empty()) {
    context.Notice("members of group " + order.group +
                   " are online: how far each had come since its last commit is not known here; the old offsets are "
                   "what was committed, and what was consumed beyond them may come again");
  }
  Table table = context.Changes();
  for (const Move& move : moves) {
    table.Add({order.group, move.place.queue.topic, move.place.queue.broker_name, move.place.queue.queue_id,
               CellOf(move.place.offset), CellOf(move.target), move.changes()});
  }
  MQ_ASSIGN(int status, moves.empty() ? outcome.ExitStatus() : outcome.Finish(table));
  if (moved.failed()) {
    if (!moves.empty()) moved.Done();
    MQ_ASSIGN(status, moved.ExitStatus());
  }
  if (!apply && any) context.Notice("nothing was changed; --apply does it");
  return status;
}

Status CheckOptions(const Context& context) {
  if (context.settings.Given("save-undo") && !context.settings.Bool("apply")) {
    return Usage("--save-undo goes with --apply");
  }
  return Ok();
}

Result<int> MoveTo(Context& context, const Target& target) {
  MQ_TRY(CheckOptions(context));
  const std::string& group = context.operand();
  const std::string& topic = context.settings.operands()[1];
  MQ_TRY(protocol::CheckGroupName(group));
  MQ_TRY(protocol::CheckTopicName(topic));
  PlaceFilter filter = FilterOf(context, topic);
  if (target.kind == Target::Kind::kTime) filter.time = target.value;
  Outcome outcome(context, "broker");
  MQ_ASSIGN(const std::vector<Place> places, FindPlaces(context, group, filter, outcome));
  MQ_TRY(CheckGroupKnown(context, group, places));
  MQ_ASSIGN(std::vector<Move> moves, MovesTo(target, places));
  MoveOrder order{group, topic, {}};
  const bool every = !filter.queue && filter.broker.empty();
  if (every && target.kind == Target::Kind::kStart) order.timestamp = 0;
  if (every && target.kind == Target::Kind::kEnd) order.timestamp = -1;
  if (every && target.kind == Target::Kind::kTime) order.timestamp = target.value;
  return ShowOrApply(context, order, std::move(moves), outcome);
}

Result<int> Undo(Context& context) {
  MQ_TRY(CheckOptions(context));
  if (context.settings.Given("queue") || context.settings.Given("broker-name")) {
    return Usage("--undo goes back in all queues of its file: no --queue, no --broker-name");
  }
  MQ_ASSIGN(const std::vector<UndoEntry> entries, ReadUndo(context.settings.String("undo")));
  const std::string& group = entries.front().group;
  const std::string& topic = entries.front().queue.topic;
  const std::vector<std::string>& operands = context.settings.operands();
  if ((!operands.empty() && operands[0] != group) || (operands.size() > 1 && operands[1] != topic)) {
    return Usage("--undo: the file is about group " + group + " and topic " + topic);
  }
  Outcome outcome(context, "broker");
  MQ_ASSIGN(const std::vector<Place> places, FindPlaces(context, group, {.topic = topic}, outcome));
  if (outcome.failed()) return outcome.ExitStatus();
  MQ_ASSIGN(std::vector<Move> moves, MovesBack(entries, places));
  return ShowOrApply(context, {group, topic, {}}, std::move(moves), outcome);
}

}  // namespace

Result<int> OffsetShow(Context& context) {
  const std::string& group = context.operand();
  MQ_TRY(protocol::CheckGroupName(group));
  PlaceFilter filter;
  if (context.settings.operands().size() > 1) {
    filter.topic = context.settings.operands()[1];
    MQ_TRY(protocol::CheckTopicName(filter.topic));
  }
  Outcome outcome(context, "broker");
  MQ_ASSIGN(const std::vector<Place> places, FindPlaces(context, group, filter, outcome));
  if (!outcome.failed()) MQ_TRY(CheckGroupKnown(context, group, places));
  if (places.empty() && !outcome.failed()) {
    return MakeError(ErrorCode::kNotFound, "group " + group + " has no offset anywhere");
  }
  Table table = context.Listing();
  for (const Place& place : places) {
    table.Add({group, place.queue.topic, place.queue.broker_name, place.queue.queue_id, place.min, CellOf(place.offset),
               place.max});
  }
  return outcome.Finish(table);
}

Result<int> OffsetReset(Context& context) {
  const bool undo = context.settings.Given("undo");
  if (undo && context.settings.Given("to")) return Usage("--to and --undo exclude each other");
  if (undo) return Undo(context);
  if (!context.settings.Given("to")) return Usage("option --to is needed", "or --undo FILE");
  if (context.settings.operands().size() < 2)
    return Usage(context.settings.operands().empty() ? "operands GROUP and TOPIC are missing"
                                                     : "operand TOPIC is missing");
  MQ_ASSIGN(const Target target, ParseTarget(context.settings.String("to")));
  return MoveTo(context, target);
}

Result<int> OffsetSkip(Context& context) { return MoveTo(context, {Target::Kind::kEnd, 0}); }

}  // namespace mq::admin
