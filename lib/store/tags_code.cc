#include "store/tags_code.h"

#include <algorithm>

#include "base/strings.h"
#include "protocol/names.h"
#include "protocol/properties.h"

namespace mq::store {

int64_t QueueTagsCode(const protocol::MessageView& message, std::span<const int64_t> delay_levels_ms) {
  if (message.topic == protocol::kScheduleTopic) {
    if (auto text = protocol::FindProperty(message.properties, protocol::property::kDelay)) {
      // A level that is no number counts as none: one such record must not stop dispatch.
      const auto level = ParseInt64(*text);
      const auto levels = static_cast<int64_t>(delay_levels_ms.size());
      if (level && *level > 0 && levels > 0) {
        return message.store_timestamp + delay_levels_ms[static_cast<size_t>(std::min(*level, levels) - 1)];
      }
      if (level && *level > 0) return message.store_timestamp + 1000;
    }
  }
  return protocol::TagsCode(message.properties);
}

bool EntersManyQueues(const protocol::MessageView& message) {
  return protocol::FindProperty(message.properties, protocol::property::kMultiDispatch).has_value();
}

}  // namespace mq::store
