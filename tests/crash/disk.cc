#include "disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/file.h"
#include "base/strings.h"

namespace mq::crash {

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kSector = 512;

std::string Number(uint64_t number) { return std::to_string(number); }

Result<uint64_t> InodeOf(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return ErrnoError(ErrorCode::kIo, "look at " + path);
  return static_cast<uint64_t>(st.st_ino);
}

Status WriteFile(const std::string& path, std::string_view bytes) {
  MQ_ASSIGN(UniqueFd fd, OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC));
  return WriteAll(fd.get(), bytes, path);
}

// The file's bytes; empty when it is not there.
std::string BytesOf(const std::string& path) {
  auto bytes = ReadFile(path);
  return bytes ? std::move(*bytes) : std::string();
}

}  // namespace

// How this cut decides: some take everything away that may be taken, some nothing, most mix.
struct Disk::Cut {
  Random& random;
  uint64_t page_percent;   // that an unsynced page is the newest
  uint64_t mix_percent;    // that it is a mix of sectors
  uint64_t entry_percent;  // that an unsynced directory entry is the newest
  uint64_t size_percent;   // that an unsynced size is the newest
  bool by_file;            // all pages of a file alike
  CutFigures figures;
};

Result<Disk> Disk::Create(const std::string& base) {
  Disk disk;
  disk.base_ = base;
  MQ_TRY(RemoveTree(base));
  MQ_TRY(MakeDirectories(disk.shadow()));
  const std::string path = disk.shadow() + "/control";
  MQ_TRY(WriteFile(path, std::string(sizeof(ControlPage), '\0')));
  MQ_ASSIGN(UniqueFd fd, OpenFile(path, O_RDWR));
  MQ_ASSIGN(disk.control_, MappedRegion::ReadWrite(fd.get(), sizeof(ControlPage), path));
  disk.control().armed.store(kNoPoint);
  MQ_TRY(disk.Clear());
  return disk;
}

Status Disk::Clear() {
  MQ_TRY(RemoveTree(root()));
  MQ_TRY(MakeDirectories(root()));
  return Settle();
}

Result<Disk::Names> Disk::NamesNow(const std::string& path) const {
  DIR* const directory = ::opendir(path.c_str());
  if (directory == nullptr) return ErrnoError(ErrorCode::kIo, "open " + path);
  Names names;
  while (const dirent* const entry = ::readdir(directory)) {
    const bool folder = entry->d_type == DT_DIR;
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    if (folder || entry->d_type == DT_REG) names[entry->d_name] = {static_cast<uint64_t>(entry->d_ino), folder};
  }
  ::closedir(directory);
  return names;
}

Disk::Names Disk::DurableNames(uint64_t inode) const {
  Names names;
  const std::string text = BytesOf(shadow() + "/names/" + Number(inode));
  for (const std::string_view line : Split(text, '\n')) {
    const size_t blank = line.find(' ');
    if (blank == std::string_view::npos || line.size() < blank + 4) continue;
    const auto number = ParseInt64(line.substr(0, blank));
    if (!number) continue;
    names[std::string(line.substr(blank + 3))] = {static_cast<uint64_t>(*number), line[blank + 1] == 'd'};
  }
  return names;
}

Status Disk::SettleFolder(const std::string& path) {
  MQ_ASSIGN(const Names names, NamesNow(path));
  MQ_ASSIGN(const uint64_t inode, InodeOf(path));
  std::string text;
  for (const auto& [name, entry] : names) {
    text += Number(entry.inode) + (entry.folder ? " d " : " f ") + name + "\n";
    const std::string child = path + "/" + name;
    if (entry.folder) {
      MQ_TRY(SettleFolder(child));
      continue;
    }
    const std::string number = Number(entry.inode);
    MQ_TRY(WriteFile(shadow() + "/durable/" + number, BytesOf(child)));
    // A backup is a second name of the same file.
    if (::link(child.c_str(), (shadow() + "/live/" + number).c_str()) != 0 && errno != EEXIST) {
      return ErrnoError(ErrorCode::kIo, "keep " + child);
    }
  }
  return WriteFile(shadow() + "/names/" + Number(inode), text);
}

Status Disk::Settle() {
  for (const char* folder : {"/live", "/durable", "/names"}) {
    MQ_TRY(RemoveTree(shadow() + folder));
    MQ_TRY(MakeDirectories(shadow() + folder));
  }
  return SettleFolder(root());
}

Status Disk::CheckDurable(const std::string& folder, int64_t file_bytes, int64_t position) const {
  const std::string path = root() + "/" + folder;
  MQ_ASSIGN(const Names names, NamesNow(path));
  MQ_ASSIGN(const uint64_t inode, InodeOf(path));
  const Names durable_names = DurableNames(inode);
  for (const auto& [name, entry] : names) {
    const auto start = ParseInt64(name);
    if (!start || *start >= position) continue;
    const auto durable_name = durable_names.find(name);
    if (durable_name == durable_names.end() || durable_name->second != entry) {
      return MakeError(ErrorCode::kCorruption, path + "/" + name + " holds flushed bytes and has no durable name");
    }
    const std::string bytes = BytesOf(path + "/" + name);
    const std::string durable = BytesOf(shadow() + "/durable/" + Number(entry.inode));
    const auto end = static_cast<size_t>(std::min(file_bytes, position - *start));
    for (size_t i = 0; i < std::min(end, bytes.size()); ++i) {
      if (i < durable.size() && durable[i] == bytes[i]) continue;
      return MakeError(ErrorCode::kCorruption, path + "/" + name + ": byte " + std::to_string(i) + " of " +
                                                   std::to_string(end) + " flushed ones is not durable");
    }
  }
  return Ok();
}

Status Disk::ComposeFile(Cut& cut, uint64_t inode, const std::string& now, const std::string& out) {
  const std::string kept = shadow() + "/live/" + Number(inode);
  const std::string durable = BytesOf(shadow() + "/durable/" + Number(inode));
  std::string bytes = BytesOf(PathExists(kept) ? kept : now);
  size_t size = bytes.size();
  if (durable.size() != bytes.size() && !Percent(cut.random, cut.size_percent)) {
    ++cut.figures.sizes_lost;
    size = durable.size();
  }
  const bool file_newest = Percent(cut.random, cut.page_percent);
  bytes.resize(std::max(bytes.size(), durable.size()), '\0');
  std::string old = durable;
  old.resize(bytes.size(), '\0');
  for (size_t at = 0; at < bytes.size(); at += kPage) {
    const size_t length = std::min(kPage, bytes.size() - at);
    if (std::memcmp(bytes.data() + at, old.data() + at, length) == 0) continue;
    if (!cut.by_file && Percent(cut.random, cut.mix_percent)) {
      ++cut.figures.pages_mixed;
      for (size_t sector = at; sector < at + length; sector += kSector) {
        if (!Percent(cut.random, 50)) continue;
        std::memcpy(bytes.data() + sector, old.data() + sector, std::min(kSector, at + length - sector));
      }
    } else if (cut.by_file ? file_newest : Percent(cut.random, cut.page_percent)) {
      ++cut.figures.pages_kept;
    } else {
      ++cut.figures.pages_lost;
      std::memcpy(bytes.data() + at, old.data() + at, length);
    }
  }
  bytes.resize(size);
  return WriteFile(out, bytes);
}

Status Disk::ComposeFolder(Cut& cut, uint64_t inode, const std::string& now, const std::string& out) {
  if (::mkdir(out.c_str(), 0755) != 0) return ErrnoError(ErrorCode::kIo, "make " + out);
  Names newest;
  if (!now.empty()) {
    MQ_ASSIGN(newest, NamesNow(now));
  }
  const Names durable = DurableNames(inode);
  Names chosen = durable;
  // What the newest directory says of a name, against what the durable one says; "nothing" is an answer too.
  for (const auto& [name, entry] : newest) {
    const auto old = durable.find(name);
    if (old != durable.end() && old->second == entry) continue;
    if (Percent(cut.random, cut.entry_percent)) {
      chosen[name] = entry;
    } else {
      ++cut.figures.names_lost;
    }
  }
  for (const auto& [name, entry] : durable) {
    if (!newest.contains(name) && Percent(cut.random, cut.entry_percent)) chosen.erase(name);
  }
  for (const auto& [name, entry] : chosen) {
    const auto there = newest.find(name);
    const bool same = there != newest.end() && there->second == entry;
    const std::string child = same ? now + "/" + name : std::string();
    if (entry.folder) {
      MQ_TRY(ComposeFolder(cut, entry.inode, child, out + "/" + name));
    } else {
      MQ_TRY(ComposeFile(cut, entry.inode, child, out + "/" + name));
    }
  }
  return Ok();
}

Result<CutFigures> Disk::CutPower(Random& random) {
  constexpr uint64_t kPercents[] = {0, 10, 50, 90, 100};
  Cut cut{random, 0, 0, 0, 0, false, {}};
  cut.page_percent = kPercents[Below(random, 5)];
  cut.mix_percent = Percent(random, 50) ? 20 : 0;
  cut.entry_percent = kPercents[Below(random, 5)];
  cut.size_percent = kPercents[Below(random, 5)];
  cut.by_file = Percent(random, 25);
  const std::string next = base_ + "/next";
  MQ_TRY(RemoveTree(next));
  MQ_ASSIGN(const uint64_t inode, InodeOf(root()));
  MQ_TRY(ComposeFolder(cut, inode, root(), next));
  MQ_TRY(RemoveTree(root()));
  if (std::rename(next.c_str(), root().c_str()) != 0) return ErrnoError(ErrorCode::kIo, "rename " + next);
  MQ_TRY(Settle());
  return cut.figures;
}

}  // namespace mq::crash
