// A configuration file in JSON as RocketMQ's processes keep it: FILE, and FILE.bak with what was there before the last
// change. Written whole (WriteFileAtomically), so that a crash leaves the old or the new one.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace mq::json {

// Says what is wrong with a value that is JSON but not what the file should hold.
using Check = std::function<Status(const Value&)>;
// That the member, where there is one, is an object: anything else there would read as an empty table.
Check HasObject(std::string member);

// The file, else its backup. Nothing when neither is there: then there are only defaults. An empty file is a damaged
// one: no writer leaves it so. A damaged file that the backup stands in for is set aside as FILE.damaged, so that the
// next change cannot put it in the place of the good backup, and written again from the backup; that is logged.
// kCorruption naming both files when neither is good.
Result<std::optional<Value>> LoadFile(const std::string& path, const Check& check = nullptr);

// What LoadFile finds, with nothing changed and nothing logged.
struct FileState {
  std::optional<Value> value;
  std::string why_backup;  // what is wrong with the file when its backup stands in; else empty
};
Result<FileState> LookAtFile(const std::string& path, const Check& check = nullptr);

}  // namespace mq::json
