// The file of `offset reset --save-undo`: one JSON object a line, {"group","topic","broker","queue","offset"}, where
// the offset is null when nothing was stored, and "online":true when members were there, who may have come further than
// that. mq-admin(1) defines it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "protocol/message_queue.h"

namespace mq::admin {

struct UndoEntry {
  std::string group;
  protocol::MessageQueue queue;
  std::optional<int64_t> offset;
  bool online = false;  // members were online: what they had not committed is not in the offset
  bool operator==(const UndoEntry&) const = default;
};

// Durable when it returns; an existing file is never touched.
Status WriteUndo(const std::string& path, const std::vector<UndoEntry>& entries);

// All entries, which are of one group and one topic. Errors name file and line.
Result<std::vector<UndoEntry>> ReadUndo(const std::string& path);

}  // namespace mq::admin
