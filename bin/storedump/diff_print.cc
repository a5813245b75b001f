// --diff: two stores beside each other, a line for each part of them.
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/file.h"
#include "store/dump_diff.h"
#include "store/log_paths.h"
#include "storedump/parts.h"

namespace mq::storedump {
namespace {

store::DiffSide SideOf(LiveBroker& live, store::StoreLayout layout, int64_t index_slots) {
  store::DiffSide side{std::move(layout), std::nullopt, index_slots};
  if (const store::Positions* positions = live.positions()) side.limit = LoadWrote(positions->broker()).wrote;
  return side;
}

class Diff {
 public:
  Diff(Context& context, store::DiffSide first, store::DiffSide second)
      : context_(context), first_(std::move(first)), second_(std::move(second)) {}

  Result<int> Run() {
    const Part part = context_.options.part;
    const auto wanted = [part](Part one) { return part == one || part == Part::kAll; };
    if (wanted(Part::kCommitLog)) MQ_TRY(Log());
    if (wanted(Part::kQueue)) MQ_TRY(Queues());
    if (wanted(Part::kIndex)) MQ_TRY(Index());
    if (wanted(Part::kConfig)) MQ_TRY(Config());
    return same_ ? 0 : 1;
  }

 private:
  static bool GoOn() { return SignalThatCame() == 0; }

  Status Print(const std::string& part, const store::DiffCounts& counts) {
    same_ = same_ && counts.same();
    {
      store::DumpRow row(context_.output.buffer(), context_.options.rows);
      row.Text("part", part)
          .Int("equal", counts.equal)
          .Int("differ", counts.differ)
          .Int("only1", counts.only_first)
          .Int("only2", counts.only_second);
      if (!counts.same()) row.Text("first", counts.first_difference);
    }
    return context_.output.Added();
  }

  Status Log() {
    MQ_ASSIGN(const store::DiffCounts counts, store::DiffLogs(first_, second_, GoOn));
    return Print("commitlog", counts);
  }

  // The queues that differ, and all of them together.
  Status Queues() {
    const auto each = [this](const store::QueueName& name, const store::DiffCounts& counts) {
      if (counts.same()) return Ok();
      return Print("queue " + name.topic + "/" + std::to_string(name.queue_id), counts);
    };
    const Options& options = context_.options;
    MQ_ASSIGN(const store::DiffCounts counts,
              store::DiffQueues(first_, second_, options.queue_topic, options.queue_number, GoOn, each));
    return Print("queue", counts);
  }

  Status Index() {
    MQ_ASSIGN(const store::DiffCounts counts, store::DiffIndexes(first_, second_, GoOn));
    return Print("index", counts);
  }

  // The text of a configuration file in one form for the same content; "" when it is not there.
  static Result<std::string> ConfigText(const store::StoreLayout& layout, const std::string& name) {
    const auto text = ReadFile(JoinPath(layout.ConfigDir(), name));
    if (!text && text.error().code == ErrorCode::kNotFound) return std::string();
    if (!text) return text.error();
    const auto value = json::Parse(*text);
    if (!value) return "?" + *text;  // no JSON: compared as it is
    json::Writer writer(json::Writer::Style::kCompact);
    AppendStrict(writer, *value);
    return std::string(writer.text());
  }

  Status AddConfigNames(const store::StoreLayout& layout, std::vector<std::string>& names) const {
    const auto found = ListDirectory(layout.ConfigDir());
    if (!found && found.error().code == ErrorCode::kNotFound) return Ok();
    if (!found) return found.error();
    std::copy_if(found->begin(), found->end(), std::back_inserter(names),
                 [](const std::string& name) { return name.ends_with(".json"); });
    return Ok();
  }

  Status Config() {
    std::vector<std::string> names;
    MQ_TRY(AddConfigNames(first_.layout, names));
    MQ_TRY(AddConfigNames(second_.layout, names));
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    store::DiffCounts counts;
    for (const std::string& name : names) {
      MQ_ASSIGN(const std::string a, ConfigText(first_.layout, name));
      MQ_ASSIGN(const std::string b, ConfigText(second_.layout, name));
      int64_t& count = a == b      ? counts.equal
                       : b.empty() ? counts.only_first
                       : a.empty() ? counts.only_second
                                   : counts.differ;
      ++count;
      if (a != b && counts.first_difference.empty()) counts.first_difference = name;
    }
    return Print("config", counts);
  }

  Context& context_;
  store::DiffSide first_;
  store::DiffSide second_;
  bool same_ = true;
};

}  // namespace

Result<int> PrintDiff(Context& context) {
  const Options& options = context.options;
  if (!PathExists(options.other_root)) {
    return MakeError(ErrorCode::kIo, options.other_root + ": there is no such folder");
  }
  MQ_ASSIGN(store::LogPaths other_paths, store::LoadLogPaths(options.other_root));
  LiveBroker other(options.other_root);
  other.Ask().Ignore("a store at rest is the usual case");
  return Diff(context, SideOf(context.live, options.layout(), options.index_slots),
              SideOf(other, store::StoreLayout(options.other_root, std::move(other_paths)), options.index_slots))
      .Run();
}

}  // namespace mq::storedump
