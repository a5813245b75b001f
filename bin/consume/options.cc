#include "consume/options.h"

#include <algorithm>

#include "base/strings.h"
#include "client/routes.h"
#include "protocol/names.h"

namespace mq::consume {
namespace {

Error Usage(std::string text) { return MakeError(ErrorCode::kConfig, std::move(text)); }

Error Named(std::string_view option, Error error) {
  error.what = std::string(option) + ": " + error.what;
  error.code = ErrorCode::kConfig;
  return error;
}

Status AtMostOne(const conf::Settings& settings, const std::vector<std::string_view>& names) {
  std::string_view first;
  for (const std::string_view name : names) {
    const bool given = settings.Given(name) && settings.String(name) != "false";
    if (given && !first.empty()) {
      return Usage("--" + std::string(first) + " and --" + std::string(name) + " exclude each other");
    }
    if (given) first = name;
  }
  return Ok();
}

Status ReadWhere(const conf::Settings& settings, std::int64_t now_ms, Options& options) {
  MQ_TRY(AtMostOne(settings, {"last", "from"}));
  MQ_TRY(AtMostOne(settings, {"last", "to"}));
  MQ_TRY(AtMostOne(settings, {"follow", "exit-at-end"}));
  Result<Where> from = ParseWhere(settings.String("from"), now_ms);
  if (!from) return Named("--from", from.error());
  options.from = *from;
  if (settings.Given("to")) {
    const Result<Where> to = ParseWhere(settings.String("to"), now_ms);
    if (!to) return Named("--to", to.error());
    if (to->kind == Where::Kind::kStored) return Usage("--to: 'stored' is for --from with --group");
    if (to->kind == Where::Kind::kStart) return Usage("--to: 'start' leaves nothing to read");
    options.to = *to;
  }
  options.last = settings.Int("last");
  options.per_queue = settings.Bool("per-queue");
  options.follow = settings.Bool("follow");
  if (options.per_queue && options.last == 0) return Usage("--per-queue needs --last");
  if (options.follow && options.last == 0) return Usage("--follow needs --last");
  options.exit_at_end = settings.Bool("exit-at-end");
  options.count = settings.Int("count");
  options.wait_ms = settings.DurationMs("wait");
  options.deadline_ms = settings.DurationMs("deadline");
  return Ok();
}

Status ReadGroup(const conf::Settings& settings, Options& options) {
  options.group = settings.String("group");
  options.commit = settings.String("ack") != "none";
  if (!settings.Given("group")) {
    if (settings.Given("ack")) return Usage("--ack needs --group");
    if (options.from.kind == Where::Kind::kStored) return Usage("--from: 'stored' needs --group");
    return Ok();
  }
  if (const Status checked = protocol::CheckGroupName(options.group); !checked)
    return Named("--group", checked.error());
  // Members share the queues and go on where the group is: who reads what is not theirs to choose.
  for (const std::string_view other : {"to", "last", "queue"}) {
    if (settings.Given(other)) return Usage("--group and --" + std::string(other) + " exclude each other");
  }
  return Ok();
}

Status ReadOutput(const conf::Settings& settings, bool terminal, Options& options) {
  MQ_TRY(AtMostOne(settings, {"format", "nul", "json", "msgpack", "printf", "dump"}));
  MQ_ASSIGN(options.writer.format, stream::ParseFormat(settings.String("format")));
  if (settings.Bool("nul")) options.writer.format = stream::Format::kNul;
  if (settings.Bool("json")) options.writer.format = stream::Format::kJson;
  if (settings.Bool("msgpack")) options.writer.format = stream::Format::kMsgpack;
  options.dump = settings.String("dump");
  const bool lines = options.writer.format == stream::Format::kLines && options.dump.empty();
  if (settings.Given("delimiter")) {
    if (!lines || settings.Given("printf")) return Usage("--delimiter goes with --format lines only");
    Result<std::string> delimiter = stream::Unescape(settings.String("delimiter"));
    if (!delimiter) return Named("--delimiter", delimiter.error());
    options.writer.delimiter = std::move(*delimiter);
  }
  if (settings.Given("printf")) {
    Result<stream::PrintfFormat> format = stream::PrintfFormat::Parse(settings.String("printf"));
    if (!format) return Named("--printf", format.error());
    options.printf = std::move(*format);
  }
  options.writer.epoch_ms = settings.Bool("epoch-ms");
  options.writer.for_terminal = terminal && !settings.Bool("raw");
  if (options.writer.for_terminal && options.writer.format == stream::Format::kMsgpack) {
    return Usage("--msgpack is not for a terminal; --raw prints it all the same");
  }
  options.line_buffered = settings.Bool("line-buffered");
  return Ok();
}

}  // namespace

Result<Options> OptionsFrom(const conf::Settings& settings, std::int64_t now_ms, bool terminal) {
  Options options;
  options.topics = settings.Strings("topic");
  if (options.topics.empty()) return Usage("option --topic is needed");
  std::sort(options.topics.begin(), options.topics.end());
  options.topics.erase(std::unique(options.topics.begin(), options.topics.end()), options.topics.end());
  for (const std::string& topic : options.topics) {
    if (const Status checked = protocol::CheckTopicName(topic); !checked) return Named("--topic", checked.error());
  }
  for (const std::string& queue : settings.Strings("queue")) {
    MQ_ASSIGN(const std::int64_t number, ParseInt64(queue));
    options.queues.push_back(static_cast<std::int32_t>(number));
  }
  MQ_ASSIGN(client::Endpoints endpoints, client::ParseEndpoints(settings.String("namesrv"), settings.String("broker")));
  options.consumer.name_servers = std::move(endpoints.name_servers);
  options.consumer.broker = std::move(endpoints.broker);
  options.consumer.tags = settings.String("tags");
  if (Trim(options.consumer.tags).empty()) return Usage("--tags: an empty text");
  options.grep = settings.String("grep");
  options.wait_topic = settings.Bool("wait-topic");
  options.quiet = settings.Bool("quiet");
  options.verbose = settings.Count("verbose");
  MQ_TRY(ReadWhere(settings, now_ms, options));
  MQ_TRY(ReadGroup(settings, options));
  MQ_TRY(ReadOutput(settings, terminal, options));
  return options;
}

}  // namespace mq::consume
