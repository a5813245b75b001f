#include <algorithm>

#include "base/log.h"
#include "store/consume_queue.h"
#include "store/dispatched_marker.h"
#include "store/log_walk.h"
#include "store/recovery.h"

namespace mq::store {

namespace {

// From the queue files: how many entries they have of records that end at or below `log_end`.
Status RaiseFromEntries(const StoreOptions& options, PhysicalOffset log_end, const Tombstones& tombstones,
                        QueueTable& table) {
  if (log_end.value() == 0) return Ok();
  const StoreLayout layout(options.root);
  MQ_ASSIGN(auto queues, ListQueues(layout));
  ConsumeQueueReader reader(options, nullptr, log_end);
  for (const QueueName& queue : queues) {
    MQ_ASSIGN(const QueueOffset end, reader.MaxOffset(queue.topic, queue.queue_id));
    MQ_ASSIGN(const QueueSpan last, reader.Read(queue.topic, queue.queue_id, end - 1, 1));
    // Left by the topic's former life: this one counts from 0.
    if (last.count == 1 && last[0].physical_offset < tombstones.Of(queue.topic)) continue;
    table.Raise(queue.topic, queue.queue_id, end);
  }
  return Ok();
}

}  // namespace

Result<NumberedQueues> BuildQueueTable(const StoreOptions& options, const RecoverResult& recovered,
                                       const Tombstones& tombstones, QueueTable& table,
                                       const RecoverProgress& progress) {
  NumberedQueues numbered;
  std::string why;
  PhysicalOffset from = recovered.min;
  numbered.marker = LoadBelievedMarker(options, recovered.min, recovered.end, &why);
  if (numbered.marker) {
    from = numbered.marker->offset;
    // A queue marked before its topic was deleted belongs to the former life.
    std::erase_if(numbered.marker->queues, [&](const auto& queue) {
      const PhysicalOffset dead = tombstones.Of(queue.first.topic);
      return dead.value() > 0 && from <= dead;
    });
    for (const auto& [name, queue] : numbered.marker->queues) table.Raise(name.topic, name.queue_id, queue.end);
  } else {
    if (recovered.end > recovered.min) {
      log::Info("store.recover", "no usable dispatched marker: numbering is derived from the whole log")
          .Field("reason", why);
    }
    // Only what the log no longer holds: the rest is walked.
    MQ_TRY(RaiseFromEntries(options, recovered.min, tombstones, table));
  }
  LogReader log(options, nullptr, recovered.end);
  LogWalk walk(log, from);
  for (;;) {
    MQ_ASSIGN(const protocol::MessageView* message, walk.Next(recovered.end));
    if (message == nullptr) break;
    if (++numbered.records % (1 << 18) == 0 && progress) {
      progress("numbering the queues", static_cast<int>((walk.position() - from) * 100 / (recovered.end - from)));
    }
    if (!EntersQueue(message->sys_flag) || message->queue_id < 0) continue;
    if (walk.record_position() < tombstones.Of(message->topic)) continue;
    if (message->queue_offset.value() >= 0) table.Note(message->topic, message->queue_id, message->queue_offset);
  }
  return numbered;
}

}  // namespace mq::store
