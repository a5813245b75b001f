#include "damage_expect.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/file.h"
#include "base/json.h"
#include "protocol/message.h"
#include "store/consume_queue.h"
#include "store/index_file.h"

namespace mq::crash {

namespace {

// Rules by which a damage is told that is seen only where files disagree.
constexpr std::string_view kQueueDisagrees = "I-4 I-5 I-7 I-8 ";
constexpr std::string_view kIndexDisagrees = "I-12 I-13 ";
constexpr std::string_view kLogGap = "I-1 ";
constexpr std::string_view kLogAhead = "I-1 I-5 I-10 I-12 I-14 ";

enum class Notice { kNo, kYes, kByQueue };

// Of a record: is a change of its byte `at` noticed?
Notice NoticeInRecord(std::string_view record, int64_t at, bool in_queue) {
  const auto sys_flag = static_cast<int32_t>(LoadBe32(record.data() + protocol::kRecordSysFlagAt));
  const int64_t born = (sys_flag & protocol::sys_flag::kBornHostV6) != 0 ? 20 : 8;
  const int64_t stored = (sys_flag & protocol::sys_flag::kStoreHostV6) != 0 ? 20 : 8;
  const int64_t body_length_at = 48 + born + 8 + stored + 12;
  const int64_t body_bytes = static_cast<int32_t>(LoadBe32(record.data() + body_length_at));
  const int64_t topic_length_at = body_length_at + 4 + body_bytes;
  const int64_t topic_bytes = static_cast<uint8_t>(record[static_cast<size_t>(topic_length_at)]);
  const int64_t properties_at = topic_length_at + 1 + topic_bytes + 2;
  if (at < 8) return Notice::kYes;
  if (at < 12) return body_bytes > 0 ? Notice::kYes : Notice::kNo;
  if (at < 16) return in_queue ? Notice::kByQueue : Notice::kNo;
  if (at < 20) return Notice::kNo;
  if (at < 28) return in_queue ? Notice::kByQueue : Notice::kNo;
  if (at < 36) return Notice::kYes;
  if (at < body_length_at) return Notice::kNo;
  if (at <= topic_length_at) return Notice::kYes;
  if (at < properties_at - 2) return in_queue ? Notice::kByQueue : Notice::kNo;
  return at < properties_at ? Notice::kYes : Notice::kNo;
}

class Comparison {
 public:
  Comparison(const DamageStores& stores, const BaseStore& store, const Damage& damage)
      : work_(stores.work()), store_(store), truth_(store.truth), damage_(damage) {}

  Result<Expectation> Run() {
    for (const std::string& name : damage_.touched) {
      MQ_TRY(Load(name));
      if (truth_.log.contains(name)) {
        expected_.log_touched = true;
        CompareLog(name);
      } else if (name.starts_with("store/consumequeue/")) {
        CompareQueue(name);
      } else if (name.starts_with("store/index/")) {
        CompareIndex(name);
      } else {
        CompareSmall(name);
      }
      // What a pool holds belongs behind the log as it was, and to the store as it was.
      if (truth_.log.contains(name) || name == "store/mq/pool") {
        expected_.cut_from = std::min(expected_.cut_from, truth_.pool_from);
      }
    }
    return std::move(expected_);
  }

 private:
  Status Load(const std::string& name) {
    const std::string path = work_ + "/" + name;
    struct stat status {};
    there_ = ::lstat(path.c_str(), &status) == 0;
    folder_ = there_ && S_ISDIR(status.st_mode);
    now_.clear();
    if (there_ && !folder_) {
      MQ_ASSIGN(now_, ReadFile(path));
    }
    before_.clear();
    const std::string original = store_.folder + "/" + name;
    if (!PathExists(original)) return Ok();
    MQ_ASSIGN(before_, ReadFile(original));
    return Ok();
  }

  void Must(const std::string& file, int64_t from = 0, int64_t to = INT64_MAX, std::string_view rules = "") {
    const auto start = truth_.starts.find(file);
    expected_.must_name.push_back({file, from, to, start == truth_.starts.end() ? -1 : start->second, rules});
  }

  bool Same(int64_t from, int64_t to) const {
    to = std::min(to, static_cast<int64_t>(before_.size()));
    const auto begin = static_cast<size_t>(from);
    const auto size = static_cast<size_t>(to - from);
    return now_.size() >= begin + size && now_.compare(begin, size, before_, begin, size) == 0;
  }

  // Store time of the first intact record behind; as good as durable when there is none.
  int64_t TimeBehind(size_t record) const {
    for (size_t i = record; i < truth_.records.size(); ++i) {
      if (!expected_.hit.contains(i)) return truth_.records[i].store_time;
    }
    return 0;
  }

  void MayCut(int64_t position, size_t next_record) {
    const bool unclean = PathExists(work_ + "/store/abort");
    if (!unclean || position < std::max(truth_.marked, truth_.flushed)) return;
    // Times are RocketMQ's evidence: others have the same millisecond.
    if (truth_.flushed == 0 && TimeBehind(next_record) <= truth_.checkpoint_time) return;
    expected_.cut_from = std::min(expected_.cut_from, position);
  }

  void CompareLog(const std::string& name) {
    const int64_t start = truth_.starts.at(name);
    const int64_t end = start + static_cast<int64_t>(before_.size());
    const auto& records = truth_.records;
    const auto first = std::lower_bound(records.begin(), records.end(), start,
                                        [](const TrueRecord& record, int64_t at) { return record.position < at; });
    const auto index = [&](auto it) { return static_cast<size_t>(it - records.begin()); };
    auto behind = first;
    while (behind != records.end() && behind->position < end) ++behind;
    // All hits first: what follows a hit record asks for the next one that is whole.
    for (auto it = first; it != behind; ++it) {
      if (!Same(it->position - start, it->end() - start)) expected_.hit.insert(index(it));
    }
    for (auto it = first; it != behind; ++it) {
      if (expected_.hit.contains(index(it))) MayCut(it->position, index(it));
    }
    const int64_t used = first == behind ? 0 : (behind - 1)->end() - start;
    const bool last = behind == records.end();
    // The blank's head, or the zeros behind the end of the log.
    if (!Same(used, last ? static_cast<int64_t>(before_.size()) : used + 8)) MayCut(start + used, index(behind));
    if (!there_ && first == records.begin()) return;  // it looks expired
    if (!there_ && last && first == behind) return;   // not used yet
    // The last file, of which nothing was flushed or dispatched.
    if (!there_ && last && std::max({truth_.flushed, truth_.marked, truth_.entries_end}) <= start) return;
    if (!there_) return Must(name, 0, 0, last ? kLogAhead : kLogGap);
    if (!folder_ && truth_.log.size() == 1 && !now_.empty() && now_.size() != before_.size()) {
      // There is no neighbour to tell the size of files.
      if (!expected_.hit.empty()) Must(name, 0, 0, kLogAhead);
      return;
    }
    if (folder_ || now_.size() != before_.size()) return Must(name);
    for (auto it = first; it != behind; ++it) {
      if (!expected_.hit.contains(index(it))) continue;
      // Nothing but zeros from there on: the log seems to end, and only what points behind its end says more.
      const bool end_moved =
          last && now_.find_first_not_of('\0', static_cast<size_t>(it->position - start)) == std::string::npos;
      if (end_moved) return Must(name, 0, 0, kLogAhead);
      LookInto(name, *it, start);
    }
    const int64_t size = static_cast<int64_t>(before_.size());
    if (!Same(used, last ? size : used + 8)) Must(name, used, size);
  }

  void LookInto(const std::string& name, const TrueRecord& record, int64_t start) {
    const std::string_view bytes = std::string_view(before_).substr(static_cast<size_t>(record.position - start),
                                                                    static_cast<size_t>(record.bytes));
    const bool in_queue = record.queue_offset >= 0 && (store_.clean || record.position < truth_.marked);
    bool by_queue = false;
    for (int64_t at = 0; at < record.bytes; ++at) {
      if (Same(record.position - start + at, record.position - start + at + 1)) continue;
      const Notice notice = NoticeInRecord(bytes, at, in_queue);
      // A stretch of damage is named once, where it begins.
      if (notice == Notice::kYes) return Must(name, 0, record.end() - start);
      by_queue = by_queue || notice == Notice::kByQueue;
    }
    if (by_queue) Must(name, 0, 0, kQueueDisagrees);
  }

  void CompareQueue(const std::string& name) {
    const auto held = [this](size_t at) {
      return at + 20 <= before_.size() && store::LoadQueueEntry(before_.data() + at).IsRecord();
    };
    bool any = false;
    bool changed = false;
    for (size_t at = 0; at + 20 <= before_.size(); at += 20) {
      if (!held(at)) continue;
      any = true;
      changed = changed || !Same(static_cast<int64_t>(at), static_cast<int64_t>(at) + 20);
    }
    if (!there_) {
      if (any) Must(name);
    } else if (folder_ || changed || now_.size() != before_.size()) {
      Must(name);
    }
  }

  void CompareIndex(const std::string& name) {
    const store::IndexView view(before_.data(), store_.options.index_slots, store_.options.index_entries);
    const int64_t entries_at = view.EntriesStart();
    const int32_t count = before_.size() < 40 ? 1 : view.LoadCount();
    if (!there_) {
      if (count > 1 && (truth_.index_time > 0 || truth_.index_files > 1)) Must(name, 0, 0, kIndexDisagrees);
      return;
    }
    if (folder_ || now_.size() != before_.size()) return Must(name);
    if (count <= 1) return;
    if (!Same(0, entries_at) || !Same(view.EntryStart(2), view.EntryStart(count))) return Must(name);
    const int64_t first = view.EntryStart(1);
    if (!Same(first, first + 12) || !Same(first + 16, first + 20)) Must(name);
  }

  void CompareSmall(const std::string& name) {
    const std::string file = name.substr(name.rfind('/') + 1);
    if (name == "store/checkpoint") return CompareCheckpoint(name);
    if (name == "store/mq/log-paths") return Must("");
    if (name == "store/mq/dispatched" || name == "store/mq/tombstones") {
      if (there_ && (folder_ || now_ != before_)) Must(name);
      return;
    }
    if (!name.starts_with("store/config/") || file.ends_with(".bak")) return;
    if (!there_) {
      if (PathExists(work_ + "/" + name + ".bak")) Must(name);
      return;
    }
    const auto value = json::Parse(now_);
    if (folder_ || !value || !value->is_object()) Must(name);
  }

  void CompareCheckpoint(const std::string& name) {
    if (!there_) return;
    if (folder_ || now_.size() < 24) return Must(name);
    int64_t newest = 0;
    for (const TrueRecord& record : truth_.records) newest = std::max(newest, record.store_time);
    for (size_t at = 0; at < 24; at += 8) {
      const auto time = static_cast<int64_t>(LoadBe64(now_.data() + at));
      if (time < 0 || time > newest) return Must(name);
    }
  }

  std::string work_;
  const BaseStore& store_;
  const Truth& truth_;
  const Damage& damage_;
  Expectation expected_;
  std::string before_;
  std::string now_;
  bool there_ = false;
  bool folder_ = false;
};

bool Names(const FoundFault& fault, const MustName& place) {
  if (!place.rules.empty()) return place.rules.find(fault.rule + " ") != std::string_view::npos;
  if (place.file.empty()) return true;
  if (place.file_start >= 0 && fault.covers_to > fault.covers_from) {
    const int64_t from = fault.covers_from - place.file_start;
    const int64_t to = fault.covers_to - place.file_start;
    if (from <= place.to && to > place.from) return true;
  }
  if (fault.text.find(place.file + ":") != std::string::npos) return true;
  // Of one queue only so many are said.
  if (fault.text.find("more faults in") != std::string::npos && DirectoryOf(fault.file) == DirectoryOf(place.file)) {
    return true;
  }
  if (fault.file == place.file) return fault.byte >= place.from && fault.byte <= place.to;
  // A folder that is gone, or one in which something is.
  return place.file.starts_with(fault.file + "/") || fault.file.starts_with(place.file + "/");
}

}  // namespace

Result<Expectation> Expect(const DamageStores& stores, const BaseStore& store, const Damage& damage) {
  return Comparison(stores, store, damage).Run();
}

const MustName* Unnamed(const Expectation& expected, const std::vector<FoundFault>& faults) {
  for (const MustName& place : expected.must_name) {
    const auto names = [&place](const FoundFault& fault) { return Names(fault, place); };
    if (std::none_of(faults.begin(), faults.end(), names)) return &place;
  }
  return nullptr;
}

}  // namespace mq::crash
