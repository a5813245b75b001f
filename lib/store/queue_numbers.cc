#include "store/queue_numbers.h"

#include "store/consume_queue.h"

namespace mq::store {

Result<std::map<QueueName, QueueOffset>> NumbersOfEntries(const StoreOptions& options, PhysicalOffset log_end,
                                                          const Tombstones& tombstones) {
  std::map<QueueName, QueueOffset> numbers;
  if (log_end.value() == 0) return numbers;
  MQ_ASSIGN(auto queues, ListQueues(StoreLayout(options.root)));
  ConsumeQueueReader reader(options, nullptr, log_end);
  for (const QueueName& queue : queues) {
    MQ_ASSIGN(const QueueOffset end, reader.MaxOffset(queue.topic, queue.queue_id));
    MQ_ASSIGN(const QueueSpan last, reader.Read(queue.topic, queue.queue_id, end - 1, 1));
    // The present life counts from 0.
    if (last.count == 1 && last[0].physical_offset < tombstones.Of(queue.topic)) continue;
    numbers.emplace(queue, end);
  }
  return numbers;
}

}  // namespace mq::store
