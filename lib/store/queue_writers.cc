#include "store/queue_writers.h"

#include "base/file.h"
#include "base/log.h"

namespace mq::store {

QueueWriters::QueueWriters(const StoreOptions& options) : options_(options), layout_(options.root) {}

QueueWriter& QueueWriters::Add(QueueName name, std::optional<KeptQueue> start) {
  auto writer = std::make_unique<QueueWriter>(options_, std::move(name), start);
  QueueWriter& made = *writer;
  queues_.emplace(Key{made.name().topic, made.name().queue_id}, std::move(writer));
  return made;
}

void QueueWriters::Start(const std::map<QueueName, KeptQueue>& queues) {
  for (const auto& [name, kept] : queues) Add(name, kept);
}

QueueWriter& QueueWriters::GetOrCreate(std::string_view topic, int32_t queue_id) {
  if (last_ != nullptr && last_->name().queue_id == queue_id && last_->name().topic == topic) return *last_;
  auto it = queues_.find(Key{topic, queue_id});
  last_ = it != queues_.end() ? it->second.get() : &Add({std::string(topic), queue_id}, std::nullopt);
  return *last_;
}

Status QueueWriters::RemoveTopic(std::string_view topic) {
  last_ = nullptr;
  std::erase_if(queues_, [topic](const auto& entry) { return entry.second->name().topic == topic; });
  return RemoveTree(layout_.TopicQueuesDir(topic));
}

Status QueueWriters::Sync(int32_t least_pages) {
  std::vector<QueueWriter*> dirty;
  for (auto& [key, writer] : queues_) {
    const int64_t bytes = writer->dirty_bytes();
    if (bytes > 0 && bytes >= least_pages * kPageBytes) dirty.push_back(writer.get());
  }
  for (const QueueWriter* writer : dirty) writer->StartWriting();
  for (QueueWriter* writer : dirty) MQ_TRY(writer->Sync());
  return Ok();
}

void QueueWriters::BeginTrim() {
  to_trim_.clear();
  for (const auto& [key, writer] : queues_) to_trim_.push_back(writer->name());
}

bool QueueWriters::Trim(PhysicalOffset log_min, size_t max_queues) {
  for (size_t i = 0; i < max_queues && !to_trim_.empty(); ++i) {
    const QueueName name = std::move(to_trim_.back());
    to_trim_.pop_back();
    const auto it = queues_.find(Key{name.topic, name.queue_id});
    if (it == queues_.end()) continue;
    if (const auto trimmed = it->second->Trim(log_min); !trimmed) {
      log::Warn("store.reput", "expired queue files cannot be removed")
          .Field("topic", name.topic)
          .Field("queue", name.queue_id)
          .Field("error", trimmed.error());
    }
  }
  return !to_trim_.empty();
}

std::map<QueueName, MarkedQueue> QueueWriters::Marked() const {
  std::map<QueueName, MarkedQueue> marked;
  for (const auto& [key, writer] : queues_) {
    if (auto queue = writer->marked()) marked.emplace(writer->name(), *queue);
  }
  return marked;
}

}  // namespace mq::store
