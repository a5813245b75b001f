// mq-admin msg get, msg find: single messages, in a pipe format or as text for people.
#include <algorithm>

#include "admin/context.h"
#include "base/clock.h"
#include "base/strings.h"
#include "base/time_text.h"
#include "client/message_query.h"
#include "protocol/compress.h"
#include "protocol/names.h"
#include "protocol/properties.h"
#include "stream/writer.h"

namespace mq::admin {
namespace {

using client::FoundMessage;

Error Usage(std::string text) { return MakeError(ErrorCode::kConfig, std::move(text)); }

void AppendFact(std::string& out, std::string_view name, std::string_view value, bool terminal) {
  if (value.empty()) return;
  out.append(name).append(name.size() < 12 ? 12 - name.size() : 1, ' ');
  terminal ? stream::AppendForTerminal(out, value) : void(out.append(value));
  out += '\n';
}

// Facts, an empty line, the body.
void AppendText(std::string& out, const stream::OutputMessage& message, bool terminal) {
  const protocol::MessageView& record = *message.record;
  const stream::MessageAttributes attributes = stream::AttributesOf(record.properties);
  const auto fact = [&](std::string_view name, std::string_view value) { AppendFact(out, name, value, terminal); };
  fact("topic", record.topic);
  fact("broker", message.broker);
  fact("queue", std::to_string(record.queue_id));
  fact("offset", std::to_string(record.queue_offset.value()));
  fact("id", attributes.uniq_key);
  fact("offset_id", protocol::MakeOffsetMessageId(record.store_host, record.physical_offset));
  fact("tag", attributes.tag);
  fact("keys", attributes.keys);
  fact("born", FormatTime(record.born_timestamp) + " at " + record.born_host.ToString());
  fact("stored", FormatTime(record.store_timestamp) + " at " + record.store_host.ToString());
  fact("tries", std::to_string(record.reconsume_times));
  fact("bytes", std::to_string(message.body.size()));
  for (const auto& [name, value] : protocol::ParseProperties(record.properties)) {
    if (!stream::IsTransportProperty(name)) fact("property", name + "=" + value);
  }
  out += '\n';
  terminal ? stream::AppendForTerminal(out, message.body) : void(out.append(message.body));
  if (!message.body.ends_with('\n')) out += '\n';
}

Result<int> PrintMessages(Context& context, const std::vector<FoundMessage>& messages) {
  std::string format = context.settings.String("format");
  if (context.style.json) {
    if (context.settings.Given("format") && format != "json") return Usage("--json and --format exclude each other");
    format = "json";
  }
  stream::WriterOptions options;
  options.for_terminal = context.style.terminal;
  options.epoch_ms = context.settings.Bool("epoch-ms");
  const bool text = format == "text";
  if (!text) MQ_TRY(stream::ParseFormat(format));
  if (!text) options.format = *stream::ParseFormat(format);
  if (options.for_terminal && options.format == stream::Format::kMsgpack) {
    return Usage("--format msgpack is not for a terminal");
  }
  stream::Writer writer(options);
  std::string out, storage;
  for (const FoundMessage& found : messages) {
    const protocol::MessageView record = found.view();
    MQ_ASSIGN(const std::string_view body, protocol::MessageBody(record, storage));
    const stream::OutputMessage message{&record, body, found.broker};
    if (!text) {
      writer.Append(out, message);
      continue;
    }
    if (!out.empty()) out += '\n';
    AppendText(out, message, options.for_terminal);
  }
  MQ_TRY(PrintOut(out));
  return kDone;
}

Result<std::string> Topic(Context& context) {
  std::string topic = context.settings.String("topic");
  if (!topic.empty()) MQ_TRY(protocol::CheckTopicName(topic).WithContext("--topic"));
  return topic;
}

// Messages of brokers that answered, with a notice for each that did not.
Result<int> PrintAnswer(Context& context, client::KeyAnswer& answer, const std::string& what, size_t max) {
  for (const auto& [broker, error] : answer.failures) {
    context.Notice("broker " + broker + " does not answer: " + error.what);
  }
  if (answer.messages.empty()) {
    if (!answer.failures.empty()) return answer.failures.front().second;
    context.Notice("not found: " + what);
    return kNo;
  }
  if (answer.messages.size() > max) {
    answer.messages.erase(answer.messages.begin(), answer.messages.end() - static_cast<std::ptrdiff_t>(max));
  }
  MQ_TRY(PrintMessages(context, answer.messages));
  return answer.failures.empty() ? kDone : kPartly;
}

Result<int> GetByClientId(Context& context, const std::string& topic, std::string id) {
  std::transform(id.begin(), id.end(), id.begin(), [](char c) { return c >= 'a' && c <= 'f' ? c - 'a' + 'A' : c; });
  client::KeyQuery query;
  query.topic = topic;
  query.key = id;
  query.by_id = true;
  MQ_ASSIGN(client::KeyAnswer answer, client::FindByKey(context.admin, query));
  return PrintAnswer(context, answer, "no message of topic " + topic + " has the id " + id,
                     static_cast<size_t>(query.max_messages));
}

// The message at the id's position, if the topic is right; nothing when there is none, with a notice why.
Result<int> GetByOffsetId(Context& context, const client::BrokerAddress& broker, const protocol::OffsetMessageId& id,
                          const std::string& topic, std::string* why) {
  auto found = client::ViewByOffsetId(context.admin, broker, id);
  if (!found) {
    if (found.error().code != ErrorCode::kNotFound) return std::move(found).error();
    *why = found.error().what;
    return kNo;
  }
  if (!topic.empty() && found->view().topic != topic) {
    *why = "the message there is of topic " + std::string(found->view().topic);
    return kNo;
  }
  return PrintMessages(context, {std::move(*found)});
}

Result<int64_t> TimeOption(Context& context, const char* name, int64_t otherwise) {
  if (!context.settings.Given(name)) return otherwise;
  const auto time = ParseTime(context.settings.String(name), NowMs());
  if (!time) return Usage("--" + std::string(name) + ": " + time.error().what);
  return *time;
}

}  // namespace

Result<int> MsgGet(Context& context) {
  const std::string& text = context.operand();
  const auto id = protocol::ParseOffsetMessageId(text);
  if (!id) return Usage("'" + text + "' is no message id: " + id.error().what);
  MQ_ASSIGN(const std::string topic, Topic(context));
  MQ_ASSIGN(auto broker, client::BrokerOfId(context.admin, *id));
  const bool possible = id->host.port > 0 && id->host.port <= 65535 && id->offset.value() >= 0;
  if (!broker && context.settings.Bool("any-address") && possible) {
    const std::string address = id->host.ToString();
    broker = client::BrokerAddress{{}, address, 0, address};
  }
  if (!broker && topic.empty()) {
    return Usage("the id names " + id->host.ToString() + ", which is no broker of this cluster")
        .WithHint("an id that a producer made needs --topic; --any-address asks that address all the same");
  }
  std::string why;
  if (broker && possible) {
    MQ_ASSIGN(const int status, GetByOffsetId(context, *broker, *id, topic, &why));
    if (status == kDone) return kDone;
  }
  if (!topic.empty()) return GetByClientId(context, topic, text);
  context.Notice("not found: " + why);
  return kNo;
}

Result<int> MsgFind(Context& context) {
  client::KeyQuery query;
  MQ_ASSIGN(query.topic, Topic(context));
  query.key = context.settings.String("key");
  if (query.key.empty()) return Usage("--key: an empty text");
  if (query.key.find(' ') != std::string::npos) return Usage("--key: a key has no blanks; each word is a key");
  query.max_messages = static_cast<int32_t>(context.settings.Int("max"));
  MQ_ASSIGN(query.begin_timestamp, TimeOption(context, "begin", 0));
  MQ_ASSIGN(query.end_timestamp, TimeOption(context, "end", INT64_MAX));
  if (query.begin_timestamp > query.end_timestamp) return Usage("--begin is after --end");
  std::string what = "no message of topic " + query.topic + " has the key " + query.key;
  if (context.settings.Given("begin") || context.settings.Given("end")) {
    const std::string end = context.settings.Given("end") ? FormatTime(query.end_timestamp) : "now";
    const std::string window = "stored from " + FormatTime(query.begin_timestamp) + " to " + end;
    context.Notice("looking at messages " + window);
    what += ", " + window;
  }
  MQ_ASSIGN(client::KeyAnswer answer, client::FindByKey(context.admin, query));
  return PrintAnswer(context, answer, what, static_cast<size_t>(query.max_messages));
}

}  // namespace mq::admin
