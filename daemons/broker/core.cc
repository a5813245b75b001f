#include "broker/core.h"

#include "base/log.h"

namespace mq::broker {

store::QueueOffset Core::MinOffset(const Queue& queue) const {
  if (!QueueFileIsBelieved(queue)) return store::QueueOffset(0);
  const auto min = queue_reader->MinOffset(queue.topic(), queue.id());
  if (!min) {
    log::Warn("queue.min", "cannot tell the smallest offset").Field("topic", queue.topic()).Field("error", min.error());
    return store::QueueOffset(0);
  }
  return std::min(*min, queue.visible_max);
}

}  // namespace mq::broker
