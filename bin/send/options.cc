#include "send/options.h"

#include <algorithm>

#include "base/strings.h"
#include "client/routes.h"
#include "protocol/compress.h"
#include "protocol/names.h"
#include "protocol/properties.h"

namespace mq::send {
namespace {

Error Usage(std::string text) { return MakeError(ErrorCode::kConfig, std::move(text)); }

// Errors of checks that name no option of ours get its name, and are usage errors whatever they were.
Error Named(std::string_view option, Error error) {
  error.what = std::string(option) + ": " + error.what;
  error.code = ErrorCode::kConfig;
  return error;
}

// Of options that exclude each other only one may be given.
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

Status ReadFraming(const conf::Settings& settings, Options& options) {
  MQ_TRY(AtMostOne(settings, {"format", "nul", "json", "msgpack"}));
  MQ_ASSIGN(options.reader.format, stream::ParseFormat(settings.String("format")));
  if (settings.Bool("nul")) options.reader.format = stream::Format::kNul;
  if (settings.Bool("json")) options.reader.format = stream::Format::kJson;
  if (settings.Bool("msgpack")) options.reader.format = stream::Format::kMsgpack;
  const bool lines = options.reader.format == stream::Format::kLines;
  const bool structured =
      options.reader.format == stream::Format::kJson || options.reader.format == stream::Format::kMsgpack;
  if (settings.Given("delimiter")) {
    if (!lines) return Usage("--delimiter goes with --format lines only");
    Result<std::string> delimiter = stream::Unescape(settings.String("delimiter"));
    if (!delimiter) return Named("--delimiter", delimiter.error());
    options.reader.delimiter = std::move(*delimiter);
  }
  options.reader.strip_cr = settings.Bool("crlf");
  if (options.reader.strip_cr && !lines) return Usage("--crlf goes with --format lines only");
  options.reader.skip_empty = settings.Bool("skip-empty");
  options.keep_topic = settings.Bool("keep-topic");
  options.keep_queue = settings.Bool("keep-queue");
  if (options.keep_topic && !structured) return Usage("--keep-topic needs --format json or msgpack");
  if (options.keep_queue && !structured) return Usage("--keep-queue needs --format json or msgpack");
  return Ok();
}

Status CheckText(std::string_view option, std::string_view text) {
  if (text.empty()) return Usage(std::string(option) + ": an empty text");
  if (text.find_first_of(std::string_view("\x01\x02", 2)) != std::string_view::npos) {
    return Usage(std::string(option) + ": '" + std::string(text) + "' contains a separator byte (1 or 2)");
  }
  return Ok();
}

Status ReadProperties(const conf::Settings& settings, Options& options) {
  for (const std::string& text : settings.Strings("property")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return Usage("--property: '" + text + "' is not NAME=VALUE");
    const std::string name = text.substr(0, equals);
    const std::string value = text.substr(equals + 1);
    if (const Status checked = protocol::CheckUserPropertyName(name); !checked) {
      return Named("--property", checked.error());
    }
    if (const Status checked = protocol::CheckPropertyValue(name, value); !checked) {
      return Named("--property", checked.error());
    }
    const auto same = [&](const auto& pair) { return pair.first == name; };
    if (std::any_of(options.properties.begin(), options.properties.end(), same)) {
      return Usage("--property: '" + name + "' is given twice");
    }
    options.properties.emplace_back(name, value);
  }
  return Ok();
}

Status ReadAttributes(const conf::Settings& settings, Options& options) {
  MQ_TRY(AtMostOne(settings, {"key-field", "key-json"}));
  for (const std::string& key : settings.Strings("key")) {
    MQ_TRY(CheckText("--key", key));
    if (key.find(' ') != std::string::npos)
      return Usage("--key: '" + key + "' contains a blank; keys are separated by them");
    options.keys.push_back(key);
  }
  options.tag = settings.String("tag");
  if (settings.Given("tag")) MQ_TRY(CheckText("--tag", options.tag));
  MQ_TRY(ReadProperties(settings, options));
  options.key_field = static_cast<std::size_t>(settings.Int("key-field"));
  Result<std::string> separator = stream::Unescape(settings.String("field-separator"));
  if (!separator) return Named("--field-separator", separator.error());
  if (separator->empty()) return Usage("--field-separator: an empty text");
  options.field_separator = std::move(*separator);
  if (settings.Given("key-json")) {
    Result<JsonPath> path = JsonPath::Parse(settings.String("key-json"));
    if (!path) return Named("--key-json", path.error());
    options.key_json = std::move(*path);
  }
  return Ok();
}

Status ReadPlacement(const conf::Settings& settings, Options& options) {
  MQ_TRY(AtMostOne(settings, {"queue", "shard", "shard-field", "shard-json", "keep-queue"}));
  if (settings.Given("queue")) options.queue = static_cast<std::int32_t>(settings.Int("queue"));
  if (settings.Given("shard")) options.shard = settings.String("shard");
  options.shard_field = static_cast<std::size_t>(settings.Int("shard-field"));
  if (settings.Given("shard-json")) {
    Result<JsonPath> path = JsonPath::Parse(settings.String("shard-json"));
    if (!path) return Named("--shard-json", path.error());
    options.shard_json = std::move(*path);
  }
  return Ok();
}

Status ReadMode(const conf::Settings& settings, Options& options) {
  client::ProducerOptions& producer = options.producer;
  MQ_ASSIGN(client::Endpoints endpoints, client::ParseEndpoints(settings.String("namesrv"), settings.String("broker")));
  producer.name_servers = std::move(endpoints.name_servers);
  producer.broker = std::move(endpoints.broker);
  const std::string& mode = settings.String("mode");
  options.oneway = mode == "oneway";
  producer.oneway = options.oneway;
  producer.window = static_cast<int>(settings.Int("window"));
  producer.batch_messages = static_cast<int>(settings.Int("batch"));
  producer.batch_bytes = static_cast<std::size_t>(settings.Bytes("batch-bytes"));
  if (mode == "sync") {
    for (const std::string_view other : {"window", "batch", "batch-bytes"}) {
      if (settings.Given(other)) return Usage("--mode sync and --" + std::string(other) + " exclude each other");
    }
    producer.window = 1;
    producer.batch_messages = 1;
  }
  producer.timeout_ms = settings.DurationMs("timeout");
  producer.fault_delay = settings.Bool("fault-delay");
  producer.retries = static_cast<int>(settings.Int("retries"));
  producer.max_message_bytes = static_cast<std::int32_t>(stream::kMaxBodyBytes);
  if (settings.Given("compress")) producer.compression = protocol::CompressionType::kZlib;
  if (settings.Given("compress-over") && !producer.compression) return Usage("--compress-over needs --compress");
  producer.compress_over = static_cast<std::size_t>(settings.Bytes("compress-over"));
  options.rate = settings.Int("rate");
  options.need_flushed = settings.String("ack") == "flushed";
  if (options.oneway && settings.Given("ack"))
    return Usage("--ack: nothing is known of messages sent with --mode oneway");
  return Ok();
}

Status ReadReport(const conf::Settings& settings, Options& options) {
  options.keep_going = settings.Bool("keep-going");
  options.dry_run = settings.Bool("dry-run");
  options.report = settings.String("report");
  options.resume = settings.String("resume");
  options.tee = settings.Bool("tee");
  if (options.oneway && !options.report.empty()) {
    return Usage("--report: nothing is known of messages sent with --mode oneway");
  }
  if (options.dry_run && options.tee) return Usage("--dry-run and --tee both print to standard output");
  if (options.dry_run && !options.report.empty())
    return Usage("--dry-run sends nothing, so there is nothing to --report");
  if (settings.Given("progress")) {
    options.progress = settings.String("progress") == "json" ? Progress::kJson : Progress::kText;
  }
  options.quiet = settings.Bool("quiet");
  options.verbose = settings.Count("verbose");
  return Ok();
}

}  // namespace

Result<Options> OptionsFrom(const conf::Settings& settings) {
  Options options;
  MQ_TRY(ReadFraming(settings, options));
  MQ_TRY(ReadAttributes(settings, options));
  MQ_TRY(ReadPlacement(settings, options));
  MQ_TRY(ReadMode(settings, options));
  MQ_TRY(ReadReport(settings, options));
  options.topic = settings.String("topic");
  if (options.topic.empty() && !options.keep_topic) return Usage("option --topic is needed");
  if (!options.topic.empty()) {
    if (const Status checked = protocol::CheckTopicName(options.topic); !checked)
      return Named("--topic", checked.error());
  }
  options.texts = settings.Strings("message");
  options.inputs = settings.operands();
  if (!options.texts.empty() && !options.inputs.empty()) return Usage("--message and FILE exclude each other");
  if (options.texts.empty() && options.inputs.empty()) options.inputs.emplace_back("-");
  return options;
}

}  // namespace mq::send
