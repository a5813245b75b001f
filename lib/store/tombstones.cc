#include "store/tombstones.h"

#include <filesystem>

#include "base/file.h"
#include "base/strings.h"
#include "store/sum_line.h"

namespace mq::store {

// One "<position> <topic>" a line: topics have no blanks, and the position comes first so that it could. Then the sum.

Result<Tombstones> Tombstones::Decode(std::string_view text) {
  const auto summed = AboveSumLine(text);
  if (!summed) return MakeError(ErrorCode::kCorruption, "its sum is missing or wrong");
  Tombstones tombstones;
  int line_number = 0;
  for (std::string_view line : Split(*summed, '\n')) {
    ++line_number;
    if (line.empty()) continue;
    const size_t blank = line.find(' ');
    auto position = blank == std::string_view::npos ? MakeError(ErrorCode::kCorruption, "no position")
                                                    : ParseInt64(line.substr(0, blank));
    if (!position || *position < 0 || blank + 1 >= line.size()) {
      return MakeError(ErrorCode::kCorruption, "line " + std::to_string(line_number) + ": not a position and a topic");
    }
    tombstones.Add(line.substr(blank + 1), PhysicalOffset(*position));
  }
  return tombstones;
}

std::string Tombstones::Encode() const {
  std::string text;
  for (const auto& [topic, position] : positions_) {
    text.append(std::to_string(position.value())).append(" ").append(topic).append("\n");
  }
  return text + SumLine(text);
}

Result<Tombstones> Tombstones::Load(const StoreLayout& layout) {
  const std::string path = layout.Tombstones();
  // A fifo would hold who reads it.
  if (std::error_code error; std::filesystem::is_other(path, error))
    return MakeError(ErrorCode::kCorruption, path + " is no file");
  auto text = ReadFile(path);
  if (!text) {
    if (text.error().code == ErrorCode::kNotFound) return Tombstones();
    return std::move(text).error();
  }
  auto tombstones = Decode(*text);
  if (tombstones) return tombstones;
  return MakeError(ErrorCode::kCorruption, path + ": " + tombstones.error().what)
      .WithHint(
          "put it back from a copy; without it messages of topics that were deleted and made again may come back");
}

Status Tombstones::Save(const StoreLayout& layout) const { return WriteFileAtomically(layout.Tombstones(), Encode()); }

Result<Tombstones> Tombstones::Recover(const StoreLayout& layout, PhysicalOffset log_end) {
  MQ_ASSIGN(Tombstones tombstones, Load(layout));
  bool changed = false;
  for (auto& [topic, position] : tombstones.positions_) {
    if (position <= log_end) continue;
    position = log_end;
    changed = true;
  }
  if (changed) MQ_TRY(tombstones.Save(layout));
  return tombstones;
}

void Tombstones::Add(std::string_view topic, PhysicalOffset position) {
  auto [it, added] = positions_.try_emplace(std::string(topic), position);
  if (!added && it->second < position) it->second = position;
}

bool Tombstones::DropBelow(PhysicalOffset log_min, PhysicalOffset marked) {
  const auto is_done = [&](const auto& entry) { return entry.second <= log_min && entry.second < marked; };
  return std::erase_if(positions_, is_done) > 0;
}

PhysicalOffset Tombstones::Of(std::string_view topic) const {
  auto it = positions_.find(topic);
  return it == positions_.end() ? PhysicalOffset(0) : it->second;
}

}  // namespace mq::store
