// What a run of mq-send says: dry-run records, progress, and the last lines.
#include <cstdio>

#include "base/json.h"
#include "base/strings.h"
#include "protocol/properties.h"
#include "send/sender.h"

namespace mq::send {
namespace {

constexpr std::string_view kName = "mq-send: ";

std::string Counts(const Outcome& outcome) {
  return "sent " + std::to_string(outcome.sent()) + " stored " + std::to_string(outcome.stored()) + " failed " +
         std::to_string(outcome.failed());
}

}  // namespace

Status Sender::PrintDryRun(const stream::InputRecord& record) {
  json::Writer writer;
  writer.BeginObject();
  writer.Key("topic").String(prepared_.topic);
  if (prepared_.queue) writer.Key("queue").Int(*prepared_.queue);
  writer.Key("tag").String(prepared_.tag);
  writer.Key("keys").BeginArray();
  for (const std::string& key : prepared_.keys) writer.String(key);
  writer.EndArray();
  writer.Key("properties").BeginObject();
  for (const auto& [name, value] : prepared_.properties) {
    MQ_TRY(protocol::CheckPropertyValue(name, value));
    writer.Key(name).String(value);
  }
  writer.EndObject();
  writer.Key("flag").Int(record.flag);
  if (prepared_.shard) writer.Key("shard").String(*prepared_.shard);
  if (IsValidUtf8(record.body)) {
    writer.Key("body").String(record.body);
  } else {
    writer.Key("body_base64").String(Base64Encode(record.body));
  }
  writer.EndObject();
  WriteOut(writer.Take() + "\n");
  return Ok();
}

void Sender::ShowProgress(bool last) {
  const std::int64_t elapsed_ms = loop_.now_ms() - started_ms_;
  if (options_.progress == Progress::kJson) {
    json::Writer writer;
    writer.BeginObject();
    writer.Key("sent").Int(static_cast<std::int64_t>(outcome_.sent()));
    writer.Key("stored").Int(static_cast<std::int64_t>(outcome_.stored()));
    writer.Key("failed").Int(static_cast<std::int64_t>(outcome_.failed()));
    writer.Key("elapsed_ms").Int(elapsed_ms);
    writer.Key("done").Bool(last);
    writer.EndObject();
    std::fprintf(stderr, "%s\n", writer.Take().c_str());
  } else if (progress_on_terminal_) {
    const std::uint64_t rate = outcome_.stored() * 1000 / static_cast<std::uint64_t>(elapsed_ms > 0 ? elapsed_ms : 1);
    std::fprintf(stderr, "\r%s, %llu/s\x1b[K%s", Counts(outcome_).c_str(), static_cast<unsigned long long>(rate),
                 last ? "\r\x1b[K" : "");
  }
}

void Sender::Explain() const {
  std::string text;
  const std::string failure = outcome_.FirstFailure();
  if (!failure.empty()) {
    // With --keep-going each failure was said when it came.
    const bool said = options_.keep_going && !options_.quiet && (outcome_.failed() > 0 || input_error_said_);
    if (!said) text += std::string(kName) + "cannot " + failure + "\n";
    if (const std::string hint = outcome_.Hint(); !hint.empty()) text += std::string(kName) + hint + "\n";
  }
  if (outcome_.unconfirmed() > 0) {
    text += std::string(kName) + std::to_string(outcome_.unconfirmed()) +
            " messages are stored but not confirmed to be on disk\n";
  }
  if (!options_.quiet) {
    if (outcome_.skipped() > 0) {
      text += std::string(kName) + std::to_string(outcome_.skipped()) + " records were stored before and are skipped\n";
    }
    if (producer_retried_ > 0) {
      text += std::string(kName) + std::to_string(producer_retried_) + " tries beyond the first were made\n";
    }
    text += Counts(outcome_) + " in " + FormatDurationMs(loop_.now_ms() - started_ms_) + "\n";
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace mq::send
