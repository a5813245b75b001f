// The waiting half of LogPrint: commitlog --follow.
#include <sys/resource.h>

#include <ctime>

#include "conf/run.h"
#include "storedump/log_print.h"

namespace mq::storedump {
namespace {

// How long after an append it is printed at the latest; a look costs two reads of a shared page.
constexpr long kPollNs = 10L * 1000 * 1000;
constexpr int kWaitsBetweenLists = 100;  // looks before new files and a new broker are looked for

}  // namespace

using store::LogItem;
using store::LogItemKind;

Status LogPrint::Follow() {
  // Where processors are short the broker and its clients come first; what is written waits in the log.
  constexpr int kPoliteNice = 15;
  if (::getpriority(PRIO_PROCESS, 0) < kPoliteNice) ::setpriority(PRIO_PROCESS, 0, kPoliteNice);
  while (!stop_ && log_->position() < to_ && SignalThatCame() == 0) {
    LookAtBroker();
    MQ_TRY(log_->CheckNotCut());
    MQ_ASSIGN(bool more, log_->HasNext());
    if (more && live_.positions() == nullptr) {
      MQ_ASSIGN(more, Settled());
    }
    if (!more && !MayBeDamage()) {
      MQ_ASSIGN(more, WaitForMore());
      if (!more) break;
      continue;
    }
    MQ_ASSIGN(const std::optional<LogItem> item, log_->Next());
    // What looks torn at the end is being written.
    if (item && item->kind != LogItemKind::kTornTail) {
      MQ_TRY(OnItem(*item, false));
    } else {
      MQ_ASSIGN(more, WaitForMore());
      if (!more) break;
    }
  }
  return Ok();
}

// No record is at the position: the end, or damage that has records behind it. A broker's word decides; without one it
// is looked for now and then.
bool LogPrint::MayBeDamage() const {
  if (const store::Positions* positions = live_.positions()) {
    return log_->position() < LoadReadable(*positions);
  }
  return waits_ % kWaitsBetweenLists == 0;
}

// A record that is being written looks whole before its last bytes are there. It is whole when another follows, or when
// it is the same after a pause.
Result<bool> LogPrint::Settled() {
  const store::PhysicalOffset at = log_->position();
  MQ_ASSIGN(const std::optional<LogItem> item, log_->RecordAt(at));
  if (!item) return true;  // a blank, or a gap: both are written in one piece
  MQ_ASSIGN(const std::optional<LogItem> next, log_->RecordAt(at + item->bytes));
  if (next) return true;
  MQ_ASSIGN(const std::string_view bytes, log_->BytesAt(at, item->bytes));
  if (seen_at_ == at && seen_ == bytes) return true;
  seen_at_ = at;
  seen_ = bytes;
  return false;
}

Result<bool> LogPrint::WaitForMore() {
  MQ_TRY(output_.Flush());
  if (SignalThatCame() != 0) return false;
  const timespec pause = {0, kPollNs};
  ::nanosleep(&pause, nullptr);  // a signal ends it early
  ++waits_;
  const bool at_end =
      log_->files().empty() || log_->position().value() >= log_->files().back().start + log_->files().back().bytes;
  if (at_end || live_.positions() == nullptr || waits_ % kWaitsBetweenLists == 0) MQ_TRY(log_->Refresh());
  if (waits_ % kWaitsBetweenLists == 0 && live_.Gone()) {
    const bool had = live_.any() != nullptr;
    const Status asked = live_.Ask();
    // A new broker begins behind what its predecessor left; without one the bytes alone decide.
    if (!asked && had) {
      conf::Notice(settings_, "the broker has stopped; waiting for another one");
      log_->clear_limit();
    }
  }
  return SignalThatCame() == 0;
}

}  // namespace mq::storedump
