#include "damage_make.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/bytes.h"
#include "base/file.h"

namespace mq::crash {

namespace {

// What a draw chooses from: the names of one part of the store.
bool IsLog(const std::string& name) { return name.starts_with("store/commitlog/") || name.starts_with("log-"); }
bool IsQueue(const std::string& name) { return name.starts_with("store/consumequeue/"); }
bool IsIndex(const std::string& name) { return name.starts_with("store/index/"); }
bool IsSmall(const std::string& name) { return !IsLog(name) && !IsQueue(name) && !IsIndex(name); }

class Maker {
 public:
  Maker(Random& random, const DamageStores& stores)
      : random_(random), work_(stores.work()), files_(FilesBelow(work_)) {}

  Result<Damage> Make() {
    constexpr int kWeights[] = {22, 9, 12, 5, 12, 6, 8, 10, 5, 4, 3, 4};
    static_assert(std::size(kWeights) == static_cast<size_t>(DamageKind::kCount));
    auto draw = static_cast<int>(Below(random_, 100));
    int kind = 0;
    while (draw >= kWeights[kind]) draw -= kWeights[kind++];
    damage_.kind = static_cast<DamageKind>(kind);
    MQ_TRY(Do());
    return std::move(damage_);
  }

 private:
  Status Do() {
    switch (damage_.kind) {
      case DamageKind::kBits:
        return ChangeBytes([this](std::string& bytes) { TurnBits(bytes); });
      case DamageKind::kNoise:
        return ChangeBytes([this](std::string& bytes) { PutNoise(bytes); });
      case DamageKind::kZeros:
        return ChangeBytes([this](std::string& bytes) { PutZeros(bytes); });
      case DamageKind::kPage:
        return PutPage();
      case DamageKind::kTruncated:
        return Resize(true);
      case DamageKind::kExtended:
        return Resize(false);
      case DamageKind::kSwapped:
        return Swap();
      case DamageKind::kRemoved:
        return Remove(AnyFile());
      case DamageKind::kFolder:
        return RemoveFolder();
      case DamageKind::kCheckpoint:
        return TurnBackCheckpoint();
      case DamageKind::kGarbage:
        return PutGarbage();
      default:
        return PutDirectory();
    }
  }

  const std::string& OneOf(const std::vector<std::string>& names) { return names[Below(random_, names.size())]; }

  template <class Is>
  std::vector<std::string> FilesThat(const Is& is) const {
    std::vector<std::string> some;
    std::copy_if(files_.begin(), files_.end(), std::back_inserter(some), is);
    return some;
  }

  // The parts are hit alike, however many files each has.
  std::string AnyFile() {
    const uint64_t part = Below(random_, 10);
    const auto some = FilesThat(part < 4 ? IsLog : part < 6 ? IsQueue : part < 8 ? IsIndex : IsSmall);
    return OneOf(some.empty() ? files_ : some);
  }

  std::string PathOf(const std::string& name) const { return work_ + "/" + name; }

  // Where something lies: most of a preallocated file is zeros, which say little.
  size_t PlaceIn(const std::string& bytes) {
    const size_t last = bytes.find_last_not_of('\0');
    const size_t used = last == std::string::npos || Percent(random_, 10) ? bytes.size() : last + 1;
    return Below(random_, used);
  }

  template <class Change>
  Status ChangeBytes(const Change& change) {
    std::string name = AnyFile();
    MQ_ASSIGN(std::string bytes, ReadFile(PathOf(name)));
    while (bytes.empty()) {
      name = AnyFile();
      MQ_ASSIGN(bytes, ReadFile(PathOf(name)));
    }
    change(bytes);
    return Write(name, bytes);
  }

  Status Write(const std::string& name, std::string_view bytes) {
    damage_.touched.push_back(name);
    MQ_ASSIGN(const UniqueFd fd, OpenFile(PathOf(name), O_WRONLY | O_CREAT | O_TRUNC));
    return WriteAll(fd.get(), bytes, name);
  }

  void TurnBits(std::string& bytes) {
    const size_t place = PlaceIn(bytes);
    damage_.text = "bits at";
    for (uint64_t n = 1 + Below(random_, 8); n > 0; --n) {
      // Close together: one cell, one cable.
      const size_t at = std::min(place + Below(random_, 16), bytes.size() - 1);
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << Below(random_, 8)));
      damage_.text += " " + std::to_string(at);
    }
  }

  void PutNoise(std::string& bytes) {
    const size_t at = PlaceIn(bytes);
    const size_t length = std::min<size_t>(1 + Below(random_, 300), bytes.size() - at);
    for (size_t i = 0; i < length; ++i) bytes[at + i] = static_cast<char>(random_());
    damage_.text = std::to_string(length) + " bytes of noise at " + std::to_string(at);
  }

  void PutZeros(std::string& bytes) {
    const size_t unit = Percent(random_, 50) ? 512 : 4096;
    const size_t at = PlaceIn(bytes) / unit * unit;
    const size_t length = std::min(unit * (1 + Below(random_, 2)), bytes.size() - at);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, '\0');
    damage_.text = std::to_string(length) + " zeros at " + std::to_string(at);
  }

  // Mostly what lies at that place of the other file, so that entries are whole.
  Status PutPage() {
    auto some = FilesThat(Percent(random_, 60) ? IsQueue : Percent(random_, 50) ? IsLog : IsIndex);
    if (some.size() < 2) some = FilesThat(IsLog);
    const std::string name = OneOf(some);
    MQ_ASSIGN(std::string bytes, ReadFile(PathOf(name)));
    MQ_ASSIGN(const std::string other, ReadFile(PathOf(OneOf(some))));
    const size_t unit = Percent(random_, 50) ? 512 : 4096;
    const size_t at = PlaceIn(bytes) / unit * unit;
    const size_t from = Percent(random_, 70) ? at : PlaceIn(other) / unit * unit;
    const std::string_view page = std::string_view(other).substr(std::min(from, other.size()), unit);
    const size_t length = std::min(page.size(), bytes.size() - at);
    bytes.replace(at, length, page.substr(0, length));
    damage_.text = std::to_string(length) + " bytes of another file's at " + std::to_string(at);
    return Write(name, bytes);
  }

  Status Resize(bool shorter) {
    const std::string name = AnyFile();
    MQ_ASSIGN(std::string bytes, ReadFile(PathOf(name)));
    const size_t before = bytes.size();
    if (shorter) {
      bytes.resize(Percent(random_, 20)   ? 0
                   : Percent(random_, 30) ? Below(random_, before + 1) / 4096 * 4096
                                          : Below(random_, before + 1));
    } else {
      const size_t more = Percent(random_, 30) ? 4096 : 1 + Below(random_, 5000);
      const bool noise = Percent(random_, 50);
      for (size_t i = 0; i < more; ++i) bytes += noise ? static_cast<char>(random_()) : '\0';
    }
    damage_.text = "resized from " + std::to_string(before) + " to " + std::to_string(bytes.size());
    return Write(name, bytes);
  }

  Status Swap() {
    const uint64_t part = Below(random_, 8);
    auto some = FilesThat(part < 3 ? IsLog : part < 5 ? IsQueue : part < 7 ? IsIndex : IsSmall);
    if (some.size() < 2) some = files_;
    const std::string one = OneOf(some);
    std::string other = OneOf(some);
    while (other == one) other = OneOf(some);
    damage_.text = "swapped";
    damage_.touched = {one, other};
    std::error_code error;
    std::filesystem::rename(PathOf(one), work_ + "/aside", error);
    std::filesystem::rename(PathOf(other), PathOf(one), error);
    std::filesystem::rename(work_ + "/aside", PathOf(other), error);
    return error ? MakeError(ErrorCode::kIo, "swap " + one + ": " + error.message()) : Ok();
  }

  Status Remove(const std::string& name) {
    damage_.text = "removed";
    damage_.touched.push_back(name);
    return RemoveFile(PathOf(name));
  }

  Status RemoveFolder() {
    std::vector<std::string> folders = {"store/consumequeue", "store/index", "store/config", "store/mq"};
    for (const std::string& name : files_) {
      if (IsQueue(name)) folders.push_back(DirectoryOf(name));
    }
    // One queue's folder as often as a whole part.
    const size_t parts = 4;
    const std::string folder = Percent(random_, 50) || folders.size() == parts
                                   ? folders[Below(random_, parts)]
                                   : folders[parts + Below(random_, folders.size() - parts)];
    for (const std::string& name : files_) {
      if (name.starts_with(folder + "/")) damage_.touched.push_back(name);
    }
    damage_.text = "removed the folder " + folder;
    return RemoveTree(PathOf(folder));
  }

  Status TurnBackCheckpoint() {
    const std::string name = "store/checkpoint";
    std::string bytes(4096, '\0');
    if (const auto now = ReadFile(PathOf(name)); now && now->size() >= 24) bytes = *now;
    // Behind, unless it is one of a store that is ahead.
    const bool ahead = Percent(random_, 20);
    const int64_t by = static_cast<int64_t>(1 + Below(random_, 100000000)) * (ahead ? -1 : 1);
    for (size_t at = 0; at < 24; at += 8) {
      const auto time = static_cast<int64_t>(LoadBe64(bytes.data() + at));
      StoreBe64(bytes.data() + at, static_cast<uint64_t>(std::max<int64_t>(time - by, 0)));
    }
    damage_.text = "turned back by " + std::to_string(by) + " ms";
    return Write(name, bytes);
  }

  Status PutGarbage() {
    const std::vector<std::string> names = {"store/abort", "store/lock", "store/mq/pid", "store/mq/ctl.sock",
                                            "store/mq/broker.sock"};
    const std::string& name = OneOf(names);
    MQ_TRY(MakeDirectories(DirectoryOf(PathOf(name))));
    std::string bytes(1 + Below(random_, 300), '\0');
    for (char& c : bytes) c = static_cast<char>(random_());
    damage_.text = "garbage";
    return Write(name, bytes);
  }

  Status PutDirectory() {
    const std::string name = AnyFile();
    damage_.text = "a folder in its place";
    damage_.touched.push_back(name);
    MQ_TRY(RemoveFile(PathOf(name)));
    return MakeDirectories(PathOf(name));
  }

  Random& random_;
  std::string work_;
  std::vector<std::string> files_;
  Damage damage_;
};

}  // namespace

const char* NameOf(DamageKind kind) {
  constexpr const char* kNames[] = {"bits",    "noise",   "zeros",  "page",       "truncated", "extended",
                                    "swapped", "removed", "folder", "checkpoint", "garbage",   "directory"};
  static_assert(std::size(kNames) == static_cast<size_t>(DamageKind::kCount));
  return kNames[static_cast<size_t>(kind)];
}

Result<Damage> MakeDamage(Random& random, const DamageStores& stores, const BaseStore& store) {
  MQ_ASSIGN(Damage damage, Maker(random, stores).Make());
  std::string names;
  for (const std::string& name : damage.touched) names += (names.empty() ? "" : ", ") + name;
  constexpr size_t kLongest = 300;
  if (names.size() > kLongest) names = names.substr(0, kLongest) + "...";
  damage.text = std::string(NameOf(damage.kind)) + " in " + store.name + ": " + names + ": " + damage.text;
  return damage;
}

}  // namespace mq::crash
