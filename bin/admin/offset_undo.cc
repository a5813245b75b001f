#include "admin/offset_undo.h"

#include <fcntl.h>

#include "base/file.h"
#include "base/json.h"
#include "base/strings.h"

namespace mq::admin {

Status WriteUndo(const std::string& path, const std::vector<UndoEntry>& entries) {
  std::string text;
  for (const UndoEntry& entry : entries) {
    json::Writer writer;
    writer.BeginObject().Key("group").String(entry.group).Key("topic").String(entry.queue.topic);
    writer.Key("broker").String(entry.queue.broker_name).Key("queue").Int(entry.queue.queue_id).Key("offset");
    if (entry.offset) {
      writer.Int(*entry.offset);
    } else {
      writer.Null();
    }
    if (entry.online) writer.Key("online").Bool(true);
    text += writer.EndObject().Take() + "\n";
  }
  MQ_ASSIGN(const UniqueFd fd, OpenFile(path, O_WRONLY | O_CREAT | O_EXCL));
  MQ_TRY(WriteAll(fd.get(), text, path));
  MQ_TRY(FileOps::Real().Sync(fd.get(), path));
  return FsyncDirectory(DirectoryOf(path));
}

Result<std::vector<UndoEntry>> ReadUndo(const std::string& path) {
  auto read = ReadFile(path);
  // Here a missing file is trouble of this machine and no answer about a group.
  if (!read) return MakeError(ErrorCode::kIo, "--undo: " + read.error().what);
  const std::string text = std::move(*read);
  std::vector<UndoEntry> entries;
  int line = 0;
  for (const std::string_view row : Split(text, '\n')) {
    ++line;
    if (Trim(row).empty()) continue;
    const std::string where = path + ":" + std::to_string(line) + ": ";
    const auto value = json::Parse(row);
    if (!value) return MakeError(ErrorCode::kConfig, where + value.error().what);
    const json::Value* offset = value->Find("offset");
    UndoEntry entry{value->Text("group"),
                    {value->Text("topic"), value->Text("broker"), static_cast<int32_t>(value->Int("queue", -1))},
                    {}};
    const bool whole = offset != nullptr && (offset->is_null() || offset->AsInt(-1) >= 0);
    if (!whole || entry.group.empty() || entry.queue.topic.empty() || entry.queue.broker_name.empty() ||
        entry.queue.queue_id < 0) {
      return MakeError(ErrorCode::kConfig, where + "this is no line of an undo file");
    }
    if (!offset->is_null()) entry.offset = offset->AsInt();
    const json::Value* online = value->Find("online");
    entry.online = online != nullptr && online->AsBool();
    if (!entries.empty() &&
        (entries.front().group != entry.group || entries.front().queue.topic != entry.queue.topic)) {
      return MakeError(ErrorCode::kConfig, where + "another group or topic than above");
    }
    entries.push_back(std::move(entry));
  }
  if (entries.empty()) return MakeError(ErrorCode::kConfig, path + ": an undo file without a line");
  return entries;
}

}  // namespace mq::admin
