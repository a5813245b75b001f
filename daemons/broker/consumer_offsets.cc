#include "broker/consumer_offsets.h"

#include "base/clock.h"

namespace mq::broker {
namespace {

// "topic@group" in two; neither name can hold an '@'.
std::pair<std::string_view, std::string_view> SplitKey(std::string_view key) {
  const size_t at = key.find('@');
  if (at == std::string_view::npos) return {key, {}};
  return {key.substr(0, at), key.substr(at + 1)};
}

}  // namespace

ConsumerOffsets::ConsumerOffsets(loop::Loop& loop, std::string path, EndOf end_of)
    : file_(loop, std::move(path)), end_of_(std::move(end_of)), saved_ms_(MonotonicMs()) {}

Status ConsumerOffsets::Load() {
  MQ_ASSIGN(auto value, file_.Load("offsetTable"));
  if (!value) return Ok();
  auto stored = protocol::ConsumerOffsetsFromJson(*value);
  if (!stored) return MakeError(ErrorCode::kCorruption, file_.path() + ": " + stored.error().what);
  table_ = std::move(*stored);
  DropNonsense();
  return Ok();
}

void ConsumerOffsets::DropNonsense() {
  int64_t dropped = 0;
  std::string first;
  for (auto& [key, offsets] : table_) {
    std::erase_if(offsets, [&, name = std::string_view(key)](const auto& entry) {
      if (entry.second >= -1) return false;  // -1 is the wire's way to say that there is none
      if (dropped++ == 0) {
        first.append(name)
            .append(" ")
            .append(std::to_string(entry.first))
            .append(": ")
            .append(std::to_string(entry.second));
      }
      return true;
    });
  }
  if (dropped == 0) return;
  log::Warn("offsets.load", "negative offsets are dropped: their groups begin anew in these queues")
      .Field("file", file_.path())
      .Field("count", dropped)
      .Field("first", first);
  // In the file's place at once: the next change would make the file with the nonsense the backup.
  if (const Status saved = file_.SaveNow(FileText(), false); !saved) {
    log::Warn("offsets.load", "not saved yet").Field("error", saved.error());
    changed_ = true;
  }
}

std::string ConsumerOffsets::FileText() const {
  json::Writer writer(json::Writer::Style::kPretty);
  protocol::WriteConsumerOffsets(writer, table_);
  return writer.Take();
}

const std::string& ConsumerOffsets::KeyOf(std::string_view topic, std::string_view group) const {
  key_.assign(topic).append(1, '@').append(group);
  return key_;
}

void ConsumerOffsets::Limit(std::string_view key, Offsets& offsets) {
  const auto [topic, group] = SplitKey(key);
  for (auto& [queue_id, offset] : offsets) {
    const int64_t end = end_of_(topic, queue_id);
    if (offset <= end) continue;
    log::Warn("offset.correct", "beyond the end of the queue")
        .Field("group", group)
        .Field("topic", topic)
        .Field("queue", queue_id)
        .Field("old", offset)
        .Field("new", end);
    offset = end;
    changed_ = true;
  }
}

void ConsumerOffsets::LimitToQueues() {
  for (auto& [key, offsets] : table_) Limit(key, offsets);
}

void ConsumerOffsets::LimitTopic(std::string_view topic) {
  for (auto& [key, offsets] : table_) {
    if (SplitKey(key).first == topic) Limit(key, offsets);
  }
}

std::optional<int64_t> ConsumerOffsets::Find(std::string_view group, std::string_view topic, int32_t queue_id) const {
  const auto entry = table_.find(KeyOf(topic, group));
  if (entry == table_.end()) return std::nullopt;
  const auto it = entry->second.find(queue_id);
  if (it == entry->second.end() || it->second < 0) return std::nullopt;
  return it->second;
}

void ConsumerOffsets::Set(std::string_view group, std::string_view topic, int32_t queue_id, int64_t offset) {
  table_[KeyOf(topic, group)].insert_or_assign(queue_id, offset);
  changed_ = true;
}

bool ConsumerOffsets::Advance(std::string_view group, std::string_view topic, int32_t queue_id, int64_t offset) {
  const auto [it, fresh] = table_[KeyOf(topic, group)].try_emplace(queue_id, offset);
  int64_t& stored = it->second;
  if (!fresh && offset == stored) return true;
  if (!fresh && offset < stored && offset >= 0 && !MayGoBack(queue_id, topic, stored, offset)) {
    ++late_commits_;
    uint64_t more = 0;
    if (late_lines_.Allow(&more)) {
      log::Info("offset.late", "a late commit is ignored")
          .Field("group", group)
          .Field("topic", topic)
          .Field("queue", queue_id)
          .Field("stored", stored)
          .Field("offset", offset)
          .Field("suppressed", more);
    }
    return false;
  }
  stored = offset;
  changed_ = true;
  return true;
}

// The key is the one that Advance has just made.
bool ConsumerOffsets::MayGoBack(int32_t queue_id, std::string_view topic, int64_t stored, int64_t offset) {
  if (const auto reset = resets_.find({key_, queue_id}); reset != resets_.end()) {
    const bool allowed = offset >= reset->second.offset && MonotonicMs() < reset->second.until_ms;
    if (allowed && offset == reset->second.offset) resets_.erase(reset);
    if (allowed) return true;
  }
  const int64_t end = end_of_(topic, queue_id);
  return stored > end && offset <= end;
}

void ConsumerOffsets::BeginReset(std::string_view group, std::string_view topic, int32_t queue_id, int64_t offset,
                                 int64_t now_ms) {
  resets_.insert_or_assign({KeyOf(topic, group), queue_id}, Reset{offset, now_ms + kResetMs});
}

std::vector<std::string> ConsumerOffsets::TopicsOf(std::string_view group) const {
  std::vector<std::string> topics;
  for (const auto& [key, offsets] : table_) {
    if (const auto parts = SplitKey(key); parts.second == group) topics.emplace_back(parts.first);
  }
  return topics;
}

std::vector<std::string> ConsumerOffsets::GroupsOf(std::string_view topic) const {
  std::vector<std::string> groups;
  for (const auto& [key, offsets] : table_) {
    const auto parts = SplitKey(key);
    if (parts.first == topic && !parts.second.empty()) groups.emplace_back(parts.second);
  }
  return groups;
}

void ConsumerOffsets::Clone(std::string_view topic, std::string_view from, std::string_view to) {
  const auto source = table_.find(KeyOf(topic, from));
  if (source == table_.end()) return;
  Offsets copy = source->second;
  table_.insert_or_assign(KeyOf(topic, to), std::move(copy));
  changed_ = true;
}

void ConsumerOffsets::RemoveIf(const std::function<bool(std::string_view topic, std::string_view group)>& unwanted) {
  const auto is_unwanted = [&](std::string_view key) {
    const auto [topic, group] = SplitKey(key);
    return unwanted(topic, group);
  };
  if (std::erase_if(table_, [&](const auto& entry) { return is_unwanted(entry.first); }) > 0) changed_ = true;
  std::erase_if(resets_, [&](const auto& entry) { return is_unwanted(entry.first.first); });
}

void ConsumerOffsets::RemoveGroup(std::string_view group) {
  RemoveIf([&](std::string_view, std::string_view name) { return name == group; });
}

void ConsumerOffsets::RemoveTopic(std::string_view topic) {
  RemoveIf([&](std::string_view name, std::string_view) { return name == topic; });
}

void ConsumerOffsets::Save(ConfigFile::Done done) {
  changed_ = false;
  file_.Save(FileText(), [this, done = std::move(done)](const Status& saved) {
    if (!saved) changed_ = true;
    if (done) done(saved);
  });
}

void ConsumerOffsets::Tick(int64_t now_ms, int64_t interval_ms) {
  std::erase_if(resets_, [&](const auto& entry) { return entry.second.until_ms <= now_ms; });
  if (now_ms - saved_ms_ < interval_ms || file_.saving()) return;
  saved_ms_ = now_ms;
  if (changed_) Save({});
}

void ConsumerOffsets::SaveAll(ConfigFile::Done done) {
  // A save under way counts as well: the newest text is written after it.
  if (changed_ || file_.saving()) return Save(std::move(done));
  done(Ok());
}

}  // namespace mq::broker
