#include "damage_verify.h"

#include "base/file.h"
#include "base/strings.h"
#include "process.h"

namespace mq::crash {

namespace {

constexpr int64_t kVerifyMs = 10000;

Error Bad(std::string what) { return MakeError(ErrorCode::kCorruption, std::move(what)); }

void AddStretch(const Truth& truth, FoundFault& fault) {
  const auto start = truth.starts.find(fault.file);
  if (start == truth.starts.end() || (fault.rule != "I-2" && fault.rule != "I-3")) return;
  constexpr std::string_view kNext = "the next record is at position ";
  const size_t at = fault.text.find(kNext);
  fault.covers_from = start->second + fault.byte;
  fault.covers_to = INT64_MAX;
  if (at == std::string::npos) return;
  const size_t number = at + kNext.size();
  const auto next = ParseInt64(std::string_view(fault.text).substr(number, fault.text.find(' ', number) - number));
  if (next) fault.covers_to = *next;
}

}  // namespace

Result<std::vector<FoundFault>> Verify(const DamageStores& stores, const Truth& truth) {
  MQ_ASSIGN(const ProcessResult ran,
            RunProcess({stores.programs + "/mq-storedump", stores.root(), "--verify", "-q"}, kVerifyMs));
  if (ran.status != 0 && ran.status != 1) {
    return Bad("--verify ended with status " + std::to_string(ran.status) + ": " + ran.err);
  }
  std::vector<FoundFault> faults;
  for (const std::string_view line : SplitAny(ran.out, "\n")) {
    const size_t text = line.find(": ");
    const size_t colon = line.rfind(':', text - 1);
    const size_t rule = line.rfind(" [");
    if (text == std::string_view::npos || colon == std::string_view::npos || rule == std::string_view::npos) {
      return Bad("--verify printed '" + std::string(line) + "'");
    }
    FoundFault fault;
    fault.file = line.substr(0, colon);
    if (fault.file.starts_with(stores.work() + "/")) fault.file.erase(0, stores.work().size() + 1);
    MQ_ASSIGN(fault.byte, ParseInt64(line.substr(colon + 1, text - colon - 1)));
    fault.rule = line.substr(rule + 2, line.size() - rule - 3);
    fault.text = line.substr(text + 2);
    AddStretch(truth, fault);
    faults.push_back(std::move(fault));
  }
  if (faults.empty() != (ran.status == 0)) return Bad("--verify ended with status " + std::to_string(ran.status));
  return faults;
}

Status CheckRefusalText(const DamageStores& stores) {
  const auto log = ReadFile(stores.log());
  std::vector<std::string_view> lines;
  if (log) {
    for (const std::string_view line : SplitAny(*log, "\n")) {
      if (line.starts_with("mq-broker: ")) lines.push_back(line);
    }
  }
  if (lines.empty() || lines.size() > 2) return Bad("the broker did not say in one line why it does not start");
  if (lines[0].find(stores.work()) == std::string_view::npos) return Bad("the broker's refusal names no file");
  return Ok();
}

Status CheckNoCrash(const DamageStores& stores) {
  const auto log = ReadFile(stores.log());
  if (!log) return Ok();
  for (const std::string_view line : SplitAny(*log, "\n")) {
    const bool crashed =
        line.find("helper.exit") != std::string_view::npos && line.find("signal=0") == std::string_view::npos;
    if (crashed || line.find("panic") != std::string_view::npos ||
        line.find("mapped bytes are gone") != std::string_view::npos) {
      return Bad("a process broke down: " + std::string(line));
    }
  }
  return Ok();
}

}  // namespace mq::crash
