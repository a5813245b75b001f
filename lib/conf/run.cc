#include "conf/run.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <new>
#include <optional>

#include "base/log.h"
#include "base/strings.h"
#include "conf/emit.h"
#include "conf/parse.h"

namespace mq::conf {
namespace {

constexpr int kUsageStatus = 2;
constexpr int kLocalTroubleStatus = 8;

// Writes to stdout as a whole; 0, or the status for an output that cannot be written.
int Print(const Program& program, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return 0;
  PrintError(program.name, ErrnoError(ErrorCode::kIo, "cannot write to standard output"));
  return kLocalTroubleStatus;
}

int PrintEmit(const Program& program, const std::string& what) {
  if (what == "bash") return Print(program, BashCompletion(program));
  if (what == "zsh") return Print(program, ZshCompletion(program));
  if (what == "fish") return Print(program, FishCompletion(program));
  if (what == "conf") return Print(program, ExampleFile(program));
  const std::string page((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
  const Result<std::string> filled = FillPage(program, page);
  if (filled) return Print(program, *filled);
  PrintError(program.name, filled.error());
  return kUsageStatus;
}

// Answers --help, --version, --emit and --print-config; nullopt when none was given.
std::optional<int> AnswerMeta(const Program& program, const Settings& settings) {
  if (settings.Given("help")) {
    const bool brief = settings.Origin("help") == "-h";
    const Command* command = settings.command().noun.empty() ? nullptr : &settings.command();
    return Print(program, HelpText(program, command, brief));
  }
  if (settings.Given("version"))
    return Print(program, VersionText(program, settings.HasRow("json") && settings.Bool("json")));
  if (settings.Given("emit")) return PrintEmit(program, settings.String("emit"));
  if (settings.Given("print-config")) return Print(program, ConfigText(settings, ::isatty(STDOUT_FILENO) == 1));
  return std::nullopt;
}

void PrintRemarks(const Program& program, const Settings& settings, const std::vector<Remark>& remarks) {
  for (const Remark& remark : remarks) {
    if (!program.daemon) {
      Notice(settings, remark.text);
    } else if (remark.level == Remark::Level::kInfo) {
      log::Info("conf.file", remark.text);
    } else {
      log::Warn("conf.file", remark.text);
    }
  }
}

// Runs another executable of the toolkit in our place: the one beside us, which is of the same build.
int RunBeside(const Program& program, const Translation& translation) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string path = (self.parent_path() / translation.program).string();
  std::vector<char*> argv = {const_cast<char*>(translation.program.data())};
  for (const std::string& argument : translation.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(path.c_str(), argv.data());
  PrintError(program.name, ErrnoError(ErrorCode::kIo, "cannot run " + path));
  return kLocalTroubleStatus;
}

// Fewer than the loop, the standard ones and a connection take. Raised where that is allowed.
constexpr rlim_t kFewestOpenFiles = 32;

Status HaveOpenFiles() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= kFewestOpenFiles) return Ok();
  if (files.rlim_max >= kFewestOpenFiles) {
    const rlimit raised{kFewestOpenFiles, files.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) return Ok();
  }
  return MakeError(ErrorCode::kIo, "only " + std::to_string(files.rlim_cur) + " files may be open, and at least " +
                                       std::to_string(kFewestOpenFiles) + " are needed")
      .WithHint("ulimit -n 1024, or LimitNOFILE= of the unit, allows more");
}

int RunChecked(const Program& program, int argc, char** argv, const Body& body) {
  Translation translation{
      .program = program.name, .arguments = std::vector<std::string>(argv + 1, argv + argc), .hint = {}};
  if (program.translate != nullptr) {
    Result<Translation> translated = program.translate(program, translation.arguments);
    if (!translated) {
      PrintError(program.name, translated.error());
      return kUsageStatus;
    }
    translation = std::move(*translated);
  }
  if (translation.program != program.name) {
    PrintError(program.name, MakeError(ErrorCode::kConfig, translation.hint));
    return RunBeside(program, translation);
  }
  const Result<Parsed> parsed = Parse(program, translation.arguments, Environment::OfProcess());
  if (!parsed) {
    PrintError(program.name, parsed.error());
    return kUsageStatus;
  }
  if (!translation.hint.empty()) Notice(parsed->settings, translation.hint);
  const Settings& settings = parsed->settings;
  if (program.daemon) {
    const Result<log::Level> level = log::ParseLevel(settings.String("log-level"));
    if (level) log::SetLevel(*level);
  }
  PrintRemarks(program, settings, parsed->remarks);
  if (const std::optional<int> status = AnswerMeta(program, settings)) return *status;
  Result<int> result = 0;
  if (Status enough = HaveOpenFiles(); !enough) {
    result = std::move(enough).error();
  } else {
    result = body(settings);
  }
  if (result) return *result;
  PrintError(program.name, result.error());
  return ExitStatusOf(result.error());
}

}  // namespace

namespace {

// A standard descriptor that was closed is opened on /dev/null in the wrong direction: no file of ours takes its
// number, and reading or writing it fails as it must.
void KeepStandardDescriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    const int opened = ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != fd) {
      ::dup2(opened, fd);
      ::close(opened);
    }
  }
}

}  // namespace

int Run(const Program& program, int argc, char** argv, const Body& body) {
  KeepStandardDescriptors();
  log::SetProgram(program.name);
  try {
    return RunChecked(program, argc, argv, body);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: out of memory\n", program.name.data());
    return kLocalTroubleStatus;
  }
}

void PrintError(std::string_view program, const Error& error) {
  std::string text = std::string(program) + ": " + error.what + "\n";
  if (!error.hint.empty()) text += std::string(program) + ": " + error.hint + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Notice(const Settings& settings, std::string_view text) {
  if (settings.HasRow("quiet") && settings.Bool("quiet")) return;
  const std::string line = std::string(settings.program().name) + ": " + std::string(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

Result<std::vector<std::string>> ReloadLive(Settings& settings, std::vector<std::string>* needs_restart) {
  std::vector<std::string> changed;
  if (!settings.Has("config")) return changed;
  Settings fresh(settings.program(), settings.command());
  std::vector<Remark> remarks;
  MQ_TRY(ApplyFile(settings.String("config"), fresh, remarks, settings.Bool("strict")));
  for (const Option* row : RowsOf(settings.program(), settings.command())) {
    const std::string_view name = SettingName(*row);
    // What environment, option or broker said stays stronger than the file.
    if (row->key.empty() || settings.SourceOf(name) > Source::kFile || fresh.String(name) == settings.String(name)) {
      continue;
    }
    if (row->apply == Apply::kRestart) {
      if (needs_restart != nullptr) needs_restart->emplace_back(name);
      continue;
    }
    MQ_TRY(settings.Set(*row, fresh.String(name), fresh.SourceOf(name), fresh.Origin(name)));
    changed.emplace_back(name);
  }
  return changed;
}

bool ReloadOnHangup(Settings& settings) {
  std::vector<std::string> needs_restart;
  const auto changed = ReloadLive(settings, &needs_restart);
  if (!changed) {
    log::Err("conf.reload", "nothing changed").Field("error", changed.error());
    return false;
  }
  for (const auto& key : *changed) log::Info("conf.reload").Field("key", key).Field("value", settings.String(key));
  if (!needs_restart.empty()) {
    log::Warn("conf.reload", "these take effect at the next start").Field("keys", JoinStrings(needs_restart, ","));
  }
  if (changed->empty() && needs_restart.empty()) log::Info("conf.reload", "nothing changed");
  return !changed->empty();
}

}  // namespace mq::conf
