#include "broker/runtime_info.h"

#include <cstdio>
#include <span>

#include "base/clock.h"
#include "base/file.h"

namespace mq::broker {
namespace {

std::string Runtime(int64_t ms) {
  const int64_t s = ms / 1000;
  char text[96];
  std::snprintf(text, sizeof text, "[ %lld days, %lld hours, %lld minutes, %lld seconds ]",
                static_cast<long long>(s / 86400), static_cast<long long>(s / 3600 % 24),
                static_cast<long long>(s / 60 % 60), static_cast<long long>(s % 60));
  return text;
}

std::string CapacityOf(const std::string& path) {
  const auto space = DiskSpaceOf(path);
  if (!space) return "";
  constexpr double kGib = 1024.0 * 1024 * 1024;
  char text[96];
  std::snprintf(text, sizeof text, "Total : %.1f GiB, Free : %.1f GiB.", static_cast<double>(space->total) / kGib,
                static_cast<double>(space->usable) / kGib);
  return text;
}

// Of several directories the emptiest counts.
double UsedRatioOf(std::span<const std::string> paths) {
  double ratio = -1;
  for (const std::string& path : paths) {
    const auto space = DiskSpaceOf(path);
    if (space && (ratio < 0 || space->used_percent() / 100.0 < ratio)) ratio = space->used_percent() / 100.0;
  }
  return ratio;
}

std::string Ratio(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", ratio);
  return text;
}

int64_t EarliestMessageTime(const Core& core) {
  return core.log_reader->StoreTimestamp(core.log_reader->min()).value_or(-1);
}

std::string IndexDamage(const store::ReputdPage& page) {
  const uint32_t files = page.index_damaged.load(std::memory_order_acquire);
  if (files == 0) return "";
  const uint32_t unsure = page.index_unsure.load(std::memory_order_acquire);
  return std::to_string(files) + (files == 1 ? " file, " : " files, the last one ") +
         std::to_string(page.index_damaged_file.load(std::memory_order_relaxed)) + "; " +
         (unsure > 0 ? "being made anew from the log, until then queries by key may be told to come again"
                     : "made anew from the log");
}

std::string SkippedByDispatch(const store::ReputdPage& page) {
  const uint32_t stretches = page.log_skipped.load(std::memory_order_acquire);
  if (stretches == 0) return "";
  return std::to_string(stretches) + (stretches == 1 ? " stretch" : " stretches, the last one") + " from position " +
         std::to_string(page.log_skipped_at.load(std::memory_order_relaxed)) + " on";
}

}  // namespace

protocol::KvTable RuntimeInfo(const Core& core) {
  const auto& total = core.stats.total;
  const int64_t now = NowMs();
  const int64_t wrote = core.log->wrote().value();
  const store::StoreLayout layout = core.options.store.layout();
  const std::string queues = layout.ConsumeQueueDir();
  using C = Stats::Counters;
  const auto n = [](int64_t v) { return std::to_string(v); };
  protocol::KvTable t = {
      {"bootTimestamp", n(core.boot_ms)},
      {"brokerVersion", "409"},
      {"brokerVersionDesc", "V4_9_8"},
      {"commitLogDirCapacity", CapacityOf(layout.CommitLogDir())},
      {"commitLogDiskRatio", Ratio(UsedRatioOf(layout.WritableLogDirs()))},
      {"commitLogMaxOffset", n(wrote)},
      {"commitLogMinOffset", n(core.log_reader->min().value())},
      {"consumeQueueDiskRatio", Ratio(UsedRatioOf({&queues, 1}))},
      {"dispatchBehindBytes", n(wrote - core.dispatched().value())},
      {"earliestMessageTimeStamp", n(EarliestMessageTime(core))},
      {"getFoundTps", core.stats.Rates(&C::get_found)},
      {"getMissTps", core.stats.Rates(&C::get_missed)},
      {"getTotalTps", core.stats.GetTotalRates()},
      {"getTransferedTps", core.stats.Rates(&C::transferred)},
      {"msgGetTotalTodayMorning", n(core.stats.got_until_today())},
      {"msgGetTotalTodayNow", n(total.transferred)},
      {"msgGetTotalYesterdayMorning", n(core.stats.got_until_yesterday())},
      {"msgPutTotalTodayMorning", n(core.stats.put_until_today())},
      {"msgPutTotalTodayNow", n(total.put_messages)},
      {"msgPutTotalYesterdayMorning", n(core.stats.put_until_yesterday())},
      {"putMessageAverageSize", n(total.put_messages == 0 ? 0 : total.put_bytes / total.put_messages)},
      {"putMessageFailedTimes", n(total.put_failed)},
      {"putMessageSizeTotal", n(total.put_bytes)},
      {"putMessageTimesTotal", n(total.put_messages)},
      {"putTps", core.stats.Rates(&C::put_messages)},
      {"remainHowManyDataToFlush", n(wrote - core.flushed().value()) + " B"},
      {"runtime", Runtime(now - core.boot_ms)},
      {"startAcceptSendRequestTimeStamp", "0"},
  };
  // There are no request queues here, one loop answers everything in order: their lengths and waits are 0.
  for (const char* queue : {"pull", "query", "send"}) {
    t.emplace_back(std::string(queue) + "ThreadPoolQueueCapacity", "0");
    t.emplace_back(std::string(queue) + "ThreadPoolQueueHeadWaitTimeMills", "0");
    t.emplace_back(std::string(queue) + "ThreadPoolQueueSize", "0");
  }
  t.emplace_back("pageCacheLockTimeMills", "0");
  if (!core.log_damage.empty()) t.emplace_back("logDamage", core.log_damage);
  if (std::string why = core.LogUnreadable(); !why.empty()) t.emplace_back("logUnreadable", std::move(why));
  if (std::string skipped = SkippedByDispatch(core.positions->reputd()); !skipped.empty()) {
    t.emplace_back("logSkipped", std::move(skipped));
  }
  if (!core.pool_loss.empty()) t.emplace_back("poolLoss", core.pool_loss);
  for (const auto& [key, kind] :
       {std::pair("queueDamage", DamageMet::Kind::kEntry), std::pair("recordDamage", DamageMet::Kind::kRecord)}) {
    if (std::string damage = core.damage_met.Text(kind); !damage.empty()) t.emplace_back(key, std::move(damage));
  }
  if (const std::string damage = IndexDamage(core.positions->reputd()); !damage.empty()) {
    t.emplace_back("indexDamage", damage);
  }
  if (core.positions->reputd().index_failing.load(std::memory_order_relaxed) != 0) {
    t.emplace_back("indexFailing", "records from position " +
                                       n(core.positions->reputd().indexed.load(std::memory_order_acquire)) +
                                       " on are not found by key yet; the log of mq-reputd says why");
  }
  if (std::string unknown = core.unknown_topics.Text(*core.topics); !unknown.empty()) {
    t.emplace_back("unknownTopics", std::move(unknown));
  }
  std::string unsaved;
  for (const std::string& problem :
       {core.topics->save_problem(), core.groups->save_problem(), core.offsets->save_problem()}) {
    if (!problem.empty()) unsaved += (unsaved.empty() ? "" : "; ") + problem;
  }
  if (!unsaved.empty()) t.emplace_back("unsavedTables", std::move(unsaved));
  return t;
}

}  // namespace mq::broker
