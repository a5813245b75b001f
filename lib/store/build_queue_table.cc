#include <algorithm>

#include "base/log.h"
#include "store/dispatched_marker.h"
#include "store/log_walk.h"
#include "store/queue_numbers.h"
#include "store/recovery.h"

namespace mq::store {

Result<NumberedQueues> BuildQueueTable(const StoreOptions& options, const RecoverResult& recovered,
                                       const Tombstones& tombstones, QueueTable& table,
                                       const RecoverProgress& progress) {
  NumberedQueues numbered;
  PhysicalOffset from = recovered.min;
  numbered.marker = recovered.marker;
  if (numbered.marker) {
    from = numbered.marker->offset;
    // A queue marked before its topic was deleted belongs to the former life.
    std::erase_if(numbered.marker->queues, [&](const auto& queue) {
      const PhysicalOffset dead = tombstones.Of(queue.first.topic);
      return dead.value() > 0 && from <= dead;
    });
    for (const auto& [name, queue] : numbered.marker->queues) {
      table.Raise(name.topic, name.queue_id, queue.end);
      if (queue.pending) table.GetOrCreate(name.topic, name.queue_id).pending = queue.pending->offset;
    }
  } else {
    if (recovered.end > recovered.min) {
      log::Info("store.recover", "no usable dispatched marker: numbering is derived from the whole log")
          .Field("reason", recovered.marker_doubt);
    }
    // Only what the log no longer holds: the rest is walked.
    MQ_ASSIGN(const auto expired, NumbersOfEntries(options, recovered.min, tombstones, std::nullopt));
    for (const auto& [name, number] : expired) table.Raise(name.topic, name.queue_id, number.end);
  }
  LogReader log(options, nullptr, recovered.end);
  LogWalk walk(log, from);
  numbered.log_damaged = !recovered.kept_damage.empty();
  walk.SetOnSkipped([&numbered](const SkippedStretch&) { numbered.log_damaged = true; });
  for (;;) {
    MQ_ASSIGN(const protocol::MessageView* message, walk.Next(recovered.end));
    if (message == nullptr) break;
    if (++numbered.records % (1 << 18) == 0 && progress) {
      progress("numbering the queues", static_cast<int>((walk.position() - from) * 100 / (recovered.end - from)));
    }
    if (!EntersQueue(message->sys_flag) || message->queue_id < 0) continue;
    if (walk.record_position() < tombstones.Of(message->topic)) continue;
    if (message->queue_offset.value() < 0) continue;
    table.Note(message->topic, message->queue_id, message->queue_offset, walk.record_position());
  }
  // Records that are damaged had numbers too. Last: to the walk a queue that begins at 0 would be a new life of its
  // topic.
  MQ_ASSIGN(KnownNumbers numbers, LoadNumbers(options.layout(), tombstones));
  if (numbered.log_damaged) {
    MQ_ASSIGN(const auto given, NumbersOfEntries(options, recovered.end, tombstones, numbered.marker));
    for (const auto& [name, number] : given) AddNumber(numbers, name, number);
  }
  for (const auto& [name, number] : numbers) {
    if (table.GetOrCreate(name.topic, name.queue_id).began_again >= number.known_at) continue;
    table.Raise(name.topic, name.queue_id, number.end);
  }
  return numbered;
}

}  // namespace mq::store
