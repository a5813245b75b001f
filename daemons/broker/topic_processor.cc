#include "broker/topic_processor.h"

#include "base/kill_point.h"
#include "base/log.h"
#include "broker/late_reply.h"
#include "broker/pull_hold.h"
#include "protocol/admin_headers.h"
#include "protocol/lists.h"
#include "protocol/names.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;
using remoting::Channel;

TopicProcessor::TopicProcessor(Core& core, PullHold& hold, store::Tombstones tombstones)
    : core_(core), hold_(hold), layout_(core.options.store.root), tombstones_(std::move(tombstones)) {}

void TopicProcessor::ReplyWhenKnown(Channel& channel, const CommandView& request) {
  core_.topics->WhenReady([reply = LateReply(channel, request)](const Status& saved) { reply.SendSaved(saved); });
}

void TopicProcessor::ProcessCreate(Channel& channel, const CommandView& request) {
  const auto refuse = [&](std::string_view text) { channel.Reply(request, ResponseCode::kSystemError, text); };
  const auto header = protocol::CreateTopicRequestHeader::Decode(request);
  if (!header) return refuse(header.error().what);
  const std::string name(header->topic);
  if (core_.topics->IsSystem(name)) return refuse("The topic[" + name + "] is conflict with system topic.");
  if (auto ok = protocol::CheckTopicName(name); !ok) return refuse(ok.error().what);
  for (const auto& [what, count] :
       {std::pair{"readQueueNums", header->read_queues}, {"writeQueueNums", header->write_queues}}) {
    if (count < 0 || count > Topics::kMaxQueues) {
      return refuse(std::string(what) + "=" + std::to_string(count) + " is not from 0 to " +
                    std::to_string(Topics::kMaxQueues));
    }
  }
  if (header->read_queues == 0 && header->write_queues == 0) return refuse("a topic needs at least one queue");
  if (header->perm < 0 || header->perm > 7)
    return refuse("perm=" + std::to_string(header->perm) + " is not from 0 to 7");
  if (header->filter_type != "SINGLE_TAG" && header->filter_type != "MULTI_TAG") {
    return refuse("topicFilterType=" + std::string(header->filter_type) + " is neither SINGLE_TAG nor MULTI_TAG");
  }
  protocol::TopicConfig config;
  if (const Topic* old = core_.topics->Find(name)) config = old->config;
  config.name = name;
  config.read_queues = header->read_queues;
  config.write_queues = header->write_queues;
  config.perm = header->perm;
  config.filter_type = header->filter_type;
  config.sys_flag = header->sys_flag;
  log::Info("topic.update")
      .Field("topic", name)
      .Field("read", config.read_queues)
      .Field("write", config.write_queues)
      .Field("perm", config.perm)
      .Field("client", channel.peer());
  core_.topics->Put(std::move(config));
  ReplyWhenKnown(channel, request);
}

Status TopicProcessor::Bury(const std::vector<std::string>& names) {
  // Nothing is sent under these names from here on, so `wrote` is behind all their messages. The tombstones are written
  // on this thread: deletion is rare, and nothing may slip in between them and the answer.
  const store::PhysicalOffset marked(core_.positions->reputd().durable_dispatched.load(std::memory_order_acquire));
  tombstones_.DropBelow(core_.log_reader->min(), marked);
  for (const std::string& name : names) tombstones_.Add(name, core_.log->wrote());
  MQ_TRY(tombstones_.Save(layout_));
  PassKillPoint(KillPoint::kTombstoneSaved);
  auto& page = core_.positions->own_broker();
  const uint32_t number = page.tombstones.load(std::memory_order_relaxed) + 1;
  for (const std::string& name : names) {
    core_.topics->Remove(name);
    core_.unknown_topics.Forget(name);
    // A topic of that name starts at 0 again: a group that kept its place would miss the first messages.
    core_.offsets->RemoveTopic(name);
    core_.counters.RemoveTopic(name);
    core_.queues->ResetTopic(name, number);
    core_.queue_reader->ForgetTopic(name);
    core_.damage_met.ForgetTopic(name);
  }
  page.tombstones.store(number, std::memory_order_release);
  for (const std::string& name : names) {
    core_.queues->ForEach([&](Queue& queue) {
      if (queue.topic() == name) hold_.AnswerAllOf(queue);
    });
  }
  return Ok();
}

// Queues whose topic nobody knows, of a store whose topics.json was lost or that another broker left so. Queues that
// RocketMQ keeps its own state in stay whatever the table says.
void TopicProcessor::ProcessCleanUnused(Channel& channel, const CommandView& request) {
  const auto queues = store::ListQueues(layout_);
  if (!queues) return channel.Reply(request, ResponseCode::kSystemError, queues.error().what);
  std::vector<std::string> unused;
  for (const store::QueueName& queue : *queues) {
    const bool last = !unused.empty() && unused.back() == queue.topic;
    if (last || core_.topics->Find(queue.topic) != nullptr || core_.topics->IsSystem(queue.topic)) continue;
    // Buried just now: mq-reputd is on its way there.
    if (tombstones_.Of(queue.topic) == core_.log->wrote()) continue;
    unused.push_back(queue.topic);
  }
  if (!unused.empty()) {
    if (auto buried = Bury(unused); !buried) {
      return channel.Reply(request, ResponseCode::kSystemError, buried.error().what);
    }
  }
  for (const std::string& name : unused) log::Info("topic.clean", "its queues go").Field("topic", name);
  channel.Reply(request, ResponseCode::kSuccess);
}

void TopicProcessor::ProcessDelete(Channel& channel, const CommandView& request) {
  const auto header = protocol::TopicRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  const std::string name(header->topic);
  if (core_.topics->IsSystem(name)) {
    return channel.Reply(request, ResponseCode::kSystemError, "The topic[" + name + "] is a system topic and stays");
  }
  if (core_.topics->Find(name) == nullptr) return channel.Reply(request, ResponseCode::kSuccess);
  if (auto buried = Bury({name}); !buried) {
    log::Err("topic.delete", "the tombstone could not be written; the topic stays")
        .Field("topic", name)
        .Field("error", buried.error());
    return channel.Reply(request, ResponseCode::kSystemError, buried.error().what);
  }
  log::Info("topic.delete")
      .Field("topic", name)
      .Field("position", core_.log->wrote().value())
      .Field("client", channel.peer());
  ReplyWhenKnown(channel, request);
}

void TopicProcessor::ProcessAll(Channel& channel, const CommandView& request) {
  channel.ReplyBody(request, protocol::EncodeTopicConfigs(core_.topics->Snapshot()));
}

void TopicProcessor::ProcessSystem(Channel& channel, const CommandView& request) {
  protocol::TopicList list;
  for (const auto& [name, config] : core_.topics->Snapshot().topics) {
    if (core_.topics->IsSystem(name)) list.topics.push_back(name);
  }
  channel.ReplyBody(request, protocol::EncodeTopicList(list));
}

}  // namespace mq::broker
