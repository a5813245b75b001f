#include "storedump/options.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "base/time_text.h"
#include "conf/store_root.h"
#include "store/log_paths.h"
#include "store/store_options.h"

namespace mq::storedump {
namespace {

constexpr std::pair<std::string_view, Part> kParts[] = {
    {"commitlog", Part::kCommitLog},
    {"queue", Part::kQueue},
    {"index", Part::kIndex},
    {"checkpoint", Part::kCheckpoint},
    {"positions", Part::kPositions},
    {"config", Part::kConfig},
    {"all", Part::kAll},
};
constexpr std::pair<std::string_view, Task> kTasks[] = {
    {"verify", Task::kVerify},   {"plan", Task::kPlan},   {"rebuild", Task::kRebuild}, {"diff", Task::kDiff},
    {"summary", Task::kSummary}, {"usage", Task::kUsage}, {"hex", Task::kHex}};

// Where an option means something. Options not named here mean something everywhere.
struct Place {
  std::string_view option;
  std::vector<Task> tasks;
  std::vector<Part> parts;  // empty: any
};
const std::vector<Place>& Places() {
  static const std::vector<Place> places = {
      {"for", {Task::kVerify}, {}},
      {"message-delay-level", {Task::kVerify, Task::kRebuild}, {}},
      {"out", {Task::kRebuild}, {}},
      {"queue-bytes", {Task::kRebuild}, {}},
      {"index-entries", {Task::kRebuild}, {}},
      {"in-place", {Task::kRebuild}, {}},
      {"yes", {Task::kRebuild}, {}},
      {"follow", {Task::kPrint}, {Part::kCommitLog}},
      {"from", {Task::kPrint, Task::kSummary}, {Part::kCommitLog, Part::kQueue}},
      {"to", {Task::kPrint, Task::kSummary}, {Part::kCommitLog, Part::kQueue}},
      {"topic", {Task::kPrint, Task::kSummary}, {Part::kCommitLog, Part::kIndex}},
      {"time", {Task::kPrint, Task::kSummary}, {Part::kCommitLog}},
      {"grep", {Task::kPrint}, {Part::kCommitLog}},
      {"key", {Task::kPrint}, {Part::kIndex}},
      {"delimiter", {Task::kPrint}, {Part::kCommitLog}},
      {"nul", {Task::kPrint}, {Part::kCommitLog}},
      {"msgpack", {Task::kPrint}, {Part::kCommitLog}},
      {"redact", {Task::kPrint, Task::kHex}, {Part::kCommitLog, Part::kAll}},
      {"raw", {Task::kPrint}, {Part::kCommitLog}},
      {"epoch-ms", {Task::kPrint}, {Part::kCommitLog}},
      {"line-buffered", {Task::kPrint}, {Part::kCommitLog, Part::kAll}},
      {"index-slots",
       {Task::kPrint, Task::kVerify, Task::kPlan, Task::kRebuild, Task::kDiff},
       {Part::kIndex, Part::kAll}},
  };
  return places;
}

Error Usage(std::string text) { return MakeError(ErrorCode::kConfig, std::move(text)); }

std::string WithoutEndSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Status ReadOperands(const std::vector<std::string>& operands, bool has_task, Options& options) {
  auto part_of = [](const std::string& name) {
    return std::find_if(std::begin(kParts), std::end(kParts), [&](const auto& each) { return each.first == name; });
  };
  size_t next = 0;
  if (next < operands.size() && part_of(operands[next]) == std::end(kParts)) options.root = operands[next++];
  if (next == operands.size()) {
    if (has_task) return Ok();  // of the whole store
    return Usage("say what to print: commitlog, queue, index, checkpoint, positions, config or all");
  }
  const auto* part = part_of(operands[next]);
  if (part == std::end(kParts)) return Usage("there is no part '" + operands[next] + "' of a store");
  options.part = part->second;
  ++next;
  if (options.part == Part::kQueue && next < operands.size()) options.queue_topic = operands[next++];
  if (options.part == Part::kQueue && next < operands.size()) {
    MQ_ASSIGN(const int64_t number, ParseInt64(operands[next]).WithContext("queue"));
    if (number < 0 || number > std::numeric_limits<int32_t>::max()) return Usage("queue " + operands[next]);
    options.queue_number = static_cast<int32_t>(number);
    ++next;
  }
  if (next < operands.size()) return Usage("nothing may follow here: '" + operands[next] + "'");
  return Ok();
}

Status ReadTask(const conf::Settings& settings, Options& options) {
  int tasks = 0;
  for (const auto& [name, task] : kTasks) {
    const bool has_value = task == Task::kHex || task == Task::kDiff || task == Task::kRebuild;
    if (!settings.Given(name) || (!has_value && !settings.Bool(name))) continue;
    options.task = task;
    if (++tasks > 1)
      return Usage("only one of --verify, --plan, --rebuild, --diff, --summary, --usage and --hex at a time");
  }
  return Ok();
}

// "goes with --rebuild", "is for printing commitlog, or goes with --summary".
std::string WhereItMeans(const Place& place) {
  const auto join = [](const auto& table, const auto& wanted, std::string_view before) {
    std::vector<std::string> names;
    for (const auto& [name, value] : table) {
      if (std::find(wanted.begin(), wanted.end(), value) != wanted.end())
        names.push_back(std::string(before).append(name));
    }
    return JoinStrings(names, " or ");
  };
  const std::string tasks = join(kTasks, place.tasks, "--");
  if (std::find(place.tasks.begin(), place.tasks.end(), Task::kPrint) == place.tasks.end()) return "goes with " + tasks;
  return "is for printing " + join(kParts, place.parts, "") + (tasks.empty() ? "" : ", or goes with " + tasks);
}

// Before the operands are looked at: a forgotten --rebuild is told, not a part that should be named.
Status CheckTasks(const conf::Settings& settings, Task task) {
  for (const Place& place : Places()) {
    const bool fits = std::find(place.tasks.begin(), place.tasks.end(), task) != place.tasks.end();
    if (settings.Given(place.option) && !fits)
      return Usage("--" + std::string(place.option) + " " + WhereItMeans(place));
  }
  return Ok();
}

Status CheckPlaces(const conf::Settings& settings, const Options& options) {
  for (const Place& place : Places()) {
    if (!settings.Given(place.option)) continue;
    // A task without a part looks at the commit log among others.
    const Part part = options.task != Task::kPrint && options.part == Part::kAll && !place.parts.empty()
                          ? place.parts.front()
                          : options.part;
    const bool fits =
        place.parts.empty() || std::find(place.parts.begin(), place.parts.end(), part) != place.parts.end();
    if (!fits) return Usage("--" + std::string(place.option) + " " + WhereItMeans(place));
  }
  const bool of_log = options.part == Part::kCommitLog || options.part == Part::kAll;
  if ((options.task == Task::kHex || options.task == Task::kSummary) && !of_log) {
    return Usage("--hex and --summary are about the commit log");
  }
  const bool of_part = options.task == Task::kPrint || options.task == Task::kHex || options.task == Task::kSummary ||
                       options.task == Task::kDiff;
  if (!of_part && options.part != Part::kAll) {
    return Usage("--verify, --plan, --rebuild and --usage are about the whole store");
  }
  if (options.task == Task::kDiff && (options.part == Part::kCheckpoint || options.part == Part::kPositions)) {
    return Usage("--diff compares commitlog, queue, index or config; without any of these, all four");
  }
  return Ok();
}

Status ReadFormat(const conf::Settings& settings, bool terminal, Options& options) {
  std::string format = settings.String("format");
  for (const std::string_view name : {"nul", "json", "msgpack"}) {
    if (!settings.Bool(name)) continue;
    if (!format.empty() && format != name) return Usage("--" + std::string(name) + " contradicts --format " + format);
    format = name;
  }
  const bool messages = options.part == Part::kCommitLog && options.task == Task::kPrint;
  if (format.empty()) format = messages ? "lines" : "text";
  options.rows = format == "json" || format == "record" ? store::RowStyle::kJson : store::RowStyle::kText;
  options.pipe_format = messages && format != "text" && format != "record";
  if (!messages && options.rows == store::RowStyle::kText && format != "text") {
    return Usage("--format " + format + " is for commitlog; everything else is text or json");
  }
  if (options.pipe_format) {
    MQ_ASSIGN(options.writer.format, stream::ParseFormat(format));
  }
  if (settings.Given("delimiter")) {
    if (format != "lines") return Usage("--delimiter is for --format lines");
    MQ_ASSIGN(options.writer.delimiter, stream::Unescape(settings.String("delimiter")));
  }
  if (!options.pipe_format && (settings.Bool("epoch-ms") || settings.Bool("raw"))) {
    return Usage("--epoch-ms and --raw are for the pipe formats");
  }
  options.writer.epoch_ms = settings.Bool("epoch-ms");
  options.writer.for_terminal = terminal && !settings.Bool("raw");
  return Ok();
}

Status ReadRebuild(const conf::Settings& settings, Options& options) {
  for (const std::string_view part : SplitAny(settings.String("rebuild"), ",")) {
    if (part == "queue") {
      options.rebuild.queues = true;
    } else if (part == "index") {
      options.rebuild.index = true;
    } else {
      return Usage("--rebuild: '" + std::string(part) + "' is neither queue nor index");
    }
  }
  if (!options.rebuild.queues && !options.rebuild.index) return Usage("--rebuild: say queue, index or queue,index");
  const bool in_place = settings.Bool("in-place");
  if (settings.Given("out") == in_place) return Usage("--rebuild needs either --out DIR or --in-place");
  if (in_place && !settings.Bool("yes")) {
    return Usage("--in-place takes the place of folders of the store; say --yes to do it");
  }
  if (!in_place) options.rebuild_out = WithoutEndSlashes(settings.String("out"));
  return Ok();
}

Status ReadTime(const std::string& text, int64_t now_ms, Options& options) {
  const size_t dots = text.find("..");
  if (dots == std::string::npos) return Usage("--time: '" + text + "' is no A..B");
  const std::string from = text.substr(0, dots);
  const std::string before = text.substr(dots + 2);
  if (!from.empty()) {
    MQ_ASSIGN(options.stored_from, ParseTime(from, now_ms).WithContext("--time"));
  }
  if (!before.empty()) {
    MQ_ASSIGN(options.stored_before, ParseTime(before, now_ms).WithContext("--time"));
  }
  if (options.stored_from && options.stored_before && *options.stored_from > *options.stored_before)
    return Usage("--time: " + text + " ends before it begins");
  return Ok();
}

}  // namespace

Result<Options> OptionsFrom(const conf::Settings& settings, int64_t now_ms, bool terminal) {
  Options options;
  MQ_TRY(ReadTask(settings, options));
  MQ_TRY(CheckTasks(settings, options.task));
  MQ_TRY(ReadOperands(settings.operands(), options.task != Task::kPrint, options));
  if (options.root.empty()) {
    MQ_ASSIGN(options.root, conf::DefaultStoreRoot());
  }
  options.root = WithoutEndSlashes(std::move(options.root));
  if (settings.Given("commit-log")) {
    MQ_ASSIGN(options.log_paths, store::ParseLogPaths(options.root, settings.String("commit-log"), "", ","));
  } else {
    auto paths = store::LoadLogPaths(options.root);
    // To verification it is a fault like any other, to a plan what a broker says of it.
    if (!paths && options.task != Task::kVerify && options.task != Task::kPlan) return std::move(paths).error();
    if (paths) options.log_paths = std::move(*paths);
  }
  MQ_TRY(CheckPlaces(settings, options));
  MQ_TRY(ReadFormat(settings, terminal, options));
  options.for_rocketmq = settings.String("for") == "rocketmq";
  options.follow = settings.Bool("follow");
  if (options.task == Task::kRebuild) MQ_TRY(ReadRebuild(settings, options));
  if (options.task == Task::kDiff) options.other_root = WithoutEndSlashes(settings.String("diff"));
  if (settings.Given("hex")) options.hex_at = settings.Int("hex");
  if (settings.Given("from")) options.from = settings.Int("from");
  if (settings.Given("to")) options.to = settings.Int("to");
  if (options.to < options.from) return Usage("--to lies in front of --from");
  options.topics = settings.Strings("topic");
  if (settings.Given("time")) MQ_TRY(ReadTime(settings.String("time"), now_ms, options));
  options.grep = settings.String("grep");
  if (settings.Given("key")) options.key = settings.String("key");
  if (options.part == Part::kIndex && !options.topics.empty() && !options.key) return Usage("--topic needs --key here");
  options.redact = settings.Bool("redact");
  options.line_buffered = settings.Bool("line-buffered");
  if (settings.Given("index-slots")) options.index_slots = settings.Int("index-slots");
  if (settings.Given("index-entries")) options.index_entries = settings.Int("index-entries");
  if (settings.Given("queue-bytes")) options.queue_bytes = settings.Int("queue-bytes");
  MQ_ASSIGN(options.delay_levels_ms, store::ParseDelayLevels(settings.String("message-delay-level")));
  return options;
}

}  // namespace mq::storedump
