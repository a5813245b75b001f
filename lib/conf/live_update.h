// A daemon's settings over the wire: told to tools (requests 26 and 319) and changed by them (25 and 318).
//
// Only settings whose row says Apply::kLive can be changed this way: the rows are the list of what is allowed, and
// nothing that names a file, a directory or an address is among them. Loop thread of the daemon only.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "conf/settings.h"

namespace mq::conf {

// Every setting with a key as RocketMQ writes it: sizes in bytes, times in milliseconds, booleans as true and false;
// sorted by key. `worked_out` holds what has no default and is found at start (the broker's name, the port bound).
std::vector<std::pair<std::string, std::string>> SettingsAsProperties(
    const Settings& settings, const std::map<std::string, std::string>& worked_out = {});

struct LiveChange {
  const Option* row = nullptr;
  std::string old_value;  // in RocketMQ's form
  std::string new_value;
};

// What `text`, a properties text, would change: all of it or nothing. An unknown key, a value its row refuses, and a
// setting that needs a restart (unless it is as it was) are errors that name the key: kPermission for the last one and
// for unknown keys, kConfig otherwise.
Result<std::vector<LiveChange>> PlanLiveUpdate(const Settings& settings, std::string_view text,
                                               const std::map<std::string, std::string>& worked_out = {});

// Takes over what was planned. What environment or options said stays what it comes from at the next start.
Status ApplyLiveUpdate(Settings& settings, const std::vector<LiveChange>& changes, const std::string& origin);

// Makes the changes stay in a properties file, which may be missing: the lines of their keys are replaced, all others
// stay byte for byte. Atomic and durable; the old file is kept as `<path>.bak`.
Status SaveLiveUpdate(const std::string& path, const std::vector<LiveChange>& changes);

// A whole change: planned, kept in `path` (unless it is empty) before anything takes effect, so that a change that a
// restart would lose is not said to be done, and taken over. `check` (may be empty) sees all settings as they would be
// and may refuse what no single row can. What was changed; nothing is when it fails.
Result<std::vector<LiveChange>> ChangeLive(Settings& settings, std::string_view text,
                                           const std::map<std::string, std::string>& worked_out,
                                           const std::string& path, const std::string& origin,
                                           const std::function<Status(const Settings&)>& check = {});

}  // namespace mq::conf
