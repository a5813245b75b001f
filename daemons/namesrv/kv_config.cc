#include "namesrv/kv_config.h"

#include <utility>

#include "base/file.h"
#include "base/json_file.h"
#include "base/log.h"
#include "base/strings.h"

namespace mq::namesrv {
namespace {

Status HasTable(const json::Value& value) {
  const json::Value* table = value.Find("configTable");
  if (table == nullptr || !table->is_object()) return MakeError(ErrorCode::kCorruption, "no configTable");
  return Ok();
}

size_t BytesOf(const std::map<std::string, KvConfig::Table, std::less<>>& spaces) {
  size_t bytes = 0;
  for (const auto& [space, table] : spaces) {
    bytes += space.size();
    for (const auto& [key, value] : table) bytes += key.size() + value.size();
  }
  return bytes;
}

}  // namespace

Status KvConfig::Lock() {
  if (const std::string directory = DirectoryOf(path_); !directory.empty()) MQ_TRY(MakeDirectories(directory));
  MQ_ASSIGN(lock_, OpenLocked(path_ + ".lock"));
  return Ok();
}

Status KvConfig::Load() {
  if (path_.empty()) return Ok();
  if (Status locked = Lock(); !locked) {
    if (locked.error().code == ErrorCode::kHeldByOther) {
      if (!fallback_) return MakeError(ErrorCode::kHeldByOther, path_ + " belongs to another name server");
      log::Warn("namesrv.kv", "the file belongs to another name server on this machine: this one keeps one of its own")
          .Field("file", path_)
          .Field("own", fallback_->empty() ? "none: in memory only" : *fallback_);
      path_ = *std::exchange(fallback_, std::nullopt);
      return Load();
    }
    // A home that cannot be written: there is nothing to keep, and a change will say why it cannot be kept.
    log::Info("namesrv.kv", "cannot be locked").Field("error", locked.error());
  }
  MQ_ASSIGN(const std::optional<json::Value> value, json::LoadFile(path_, HasTable));
  if (!value) return Ok();
  for (const auto& [space, members] : value->Find("configTable")->members()) {
    Table& entry = spaces_[space];
    for (const auto& [key, item] : members.members()) entry.insert_or_assign(key, item.AsString());
  }
  return Ok();
}

Status KvConfig::Save(const Spaces& spaces) const {
  if (BytesOf(spaces) > kMaxKvBytes) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "the KV configuration would grow beyond " + std::to_string(kMaxKvBytes) + " bytes");
  }
  if (path_.empty()) return Ok();
  json::Writer writer(json::Writer::Style::kPretty);
  writer.BeginObject().Key("configTable").BeginObject();
  for (const auto& [space, table] : spaces) {
    writer.Key(space).BeginObject();
    for (const auto& [key, value] : table) writer.Key(key).String(value);
    writer.EndObject();
  }
  writer.EndObject().EndObject();
  if (const std::string directory = DirectoryOf(path_); !directory.empty()) MQ_TRY(MakeDirectories(directory));
  return WriteFileAtomically(path_, writer.text(), true);
}

Status KvConfig::Put(std::string_view space, std::string_view key, std::string_view value) {
  for (const auto& [what, text] : {std::pair("namespace", space), {"key", key}, {"value", value}}) {
    // It is kept as JSON, which has no other text.
    if (!IsValidUtf8(text)) return MakeError(ErrorCode::kInvalidArgument, std::string("the ") + what + " is not UTF-8");
  }
  Spaces changed = spaces_;
  changed[std::string(space)].insert_or_assign(std::string(key), std::string(value));
  MQ_TRY(Save(changed));
  spaces_ = std::move(changed);
  return Ok();
}

Status KvConfig::Delete(std::string_view space, std::string_view key) {
  if (Find(space, key) == nullptr) return Ok();
  Spaces changed = spaces_;
  Table& table = changed.find(space)->second;
  table.erase(table.find(key));
  MQ_TRY(Save(changed));
  spaces_ = std::move(changed);
  return Ok();
}

const KvConfig::Table* KvConfig::FindSpace(std::string_view space) const {
  const auto found = spaces_.find(space);
  return found == spaces_.end() ? nullptr : &found->second;
}

const std::string* KvConfig::Find(std::string_view space, std::string_view key) const {
  const Table* table = FindSpace(space);
  if (table == nullptr) return nullptr;
  const auto found = table->find(key);
  return found == table->end() ? nullptr : &found->second;
}

}  // namespace mq::namesrv
