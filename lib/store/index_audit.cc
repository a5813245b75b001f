#include "store/index_audit.h"

#include <algorithm>

#include "base/file.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "store/remove_name.h"

namespace mq::store {

Status IndexAudit::Step(int64_t budget) {
  while (!names_.empty() && budget > 0) {
    const auto& files = writer_.files();
    const auto is = [this](const MarkedIndexFile& file) { return file.name == names_.front(); };
    const auto file = std::find_if(files.begin(), files.end(), is);
    Result<bool> over = true;  // trimmed meanwhile
    if (file != files.end()) over = remake_ ? StepRemake(*file, budget) : StepFile(*file, budget);
    if (over && !*over) return Ok();
    check_.reset();
    remake_.reset();
    if (!over) return std::move(over).error();
    names_.pop_front();
    named_ = false;
  }
  return Ok();
}

void IndexAudit::Damaged(const std::string& name, const char* what) {
  if (named_) return;
  named_ = true;
  log::Warn("store.index", what).Field("file", name);
  damaged_.push_back(name);
}

Result<bool> IndexAudit::StepFile(const MarkedIndexFile& file, int64_t& budget) {
  if (!check_) {
    auto opened = IndexFileCheck::Open(options_, log_, log_.end(), file, IndexFileCheck::Extent::kWhole);
    if (!opened) return std::move(opened).error();
    check_ = std::move(*opened);
  }
  MQ_ASSIGN(const bool over, check_->Step(budget));
  if (!over) return false;
  if (!check_->entries_sound()) {
    Damaged(file.name, "an index file is damaged: its keys are put anew from the log");
    check_.reset();
    return StepRemake(file, budget);
  }
  const bool known = file.crc.has_value();
  if (check_->rest_damaged()) Damaged(file.name, "an index file is damaged: put right from its entries");
  MQ_ASSIGN(const MarkedIndexFile now, check_->PutRight());
  changed_ = changed_ || !known;
  writer_.Replace(now);
  PassKillPoint(KillPoint::kIndexFileChecked);
  return true;
}

Result<bool> IndexAudit::StepRemake(const MarkedIndexFile& file, int64_t& budget) {
  if (!remake_) {
    const bool first = &file == &writer_.files().front();
    auto started = IndexRemake::Start(options_, log_, first ? nullptr : &file - 1, file);
    if (!started) return std::move(started).error();
    remake_ = std::move(*started);
  }
  MQ_ASSIGN(const bool over, remake_->Step(budget));
  if (!over) return false;
  const MarkedIndexFile now = remake_->file();
  log::Info("store.index", "an index file is whole again")
      .Field("file", now.name)
      .Field("entries", static_cast<int64_t>(now.header.count - 1));
  if (now.header.count == 1) {
    MQ_TRY(Remove(now.name));
  } else {
    writer_.Replace(now);
  }
  changed_ = true;
  return true;
}

// None of its records is left in the log.
Status IndexAudit::Remove(const std::string& name) {
  MQ_TRY(RemoveName(layout_.IndexFile(name)));
  MQ_TRY(FsyncDirectory(layout_.IndexDir()));
  writer_.Drop(name);
  return Ok();
}

}  // namespace mq::store
