// Broker: the parts of mq-broker put together, in the order in which a start and a stop must go.
//
// Boot: lock -> note abort, create it -> what a transient pool still holds is committed -> recovery of the log, ending
// with fsync -> queue-offset table -> serving. The broker waits for no helper. Clean stop: sends refused -> log
// flushed, queues built and flushed, checkpoint (the helpers' drain) -> abort removed -> lock released; any failure on
// the way leaves abort in place. Spec: mq-overview(7).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "broker/client_processor.h"
#include "broker/clients.h"
#include "broker/config_processor.h"
#include "broker/core.h"
#include "broker/expiry.h"
#include "broker/group_offset_processor.h"
#include "broker/group_processor.h"
#include "broker/helpers.h"
#include "broker/offset_processor.h"
#include "broker/overload.h"
#include "broker/progress_processor.h"
#include "broker/pull_processor.h"
#include "broker/query_processor.h"
#include "broker/queue_entries_processor.h"
#include "broker/registration.h"
#include "broker/relay_processor.h"
#include "broker/reset_processor.h"
#include "broker/send_processor.h"
#include "broker/topic_processor.h"
#include "loop/process.h"
#include "remoting/server.h"
#include "store/layout.h"
#include "store/recovery.h"
#include "store/store_lock.h"

namespace mq::broker {

class Broker : public loop::TurnEndHook {
 public:
  Broker(loop::Loop& loop, BrokerOptions options, std::string log_level);
  ~Broker() override;

  // Answers questions about the settings and lets them be changed; before Start. `settings` outlives the broker.
  void ServeSettings(conf::Settings& settings);
  // Everything up to the recovery of the log, which goes on while the loop runs; then the broker serves. The error says
  // what to do; kHeldByOther names the holder. `failed` learns what goes wrong later.
  Status Start(std::function<void(const Error&)> failed = nullptr);
  // Whether a thread still works on the store: then a stop can only end the process, which may be done at any moment.
  bool recovering() const { return recovering_; }
  // Takes over what may change live.
  void Reconfigure(const BrokerOptions& options);
  // Begins the clean stop; `done` learns whether it was complete. A second call hurries nothing.
  void Stop(std::function<void(bool clean)> done);

 private:
  Status TakeLock();
  struct Recovery;
  Status BeginRecovery();
  Status LoadTables();
  Status Recover(bool clean, Recovery& out);
  void Serve();
  Status BuildParts(Recovery& found);
  Status Listen();
  Status ListenFast(const loop::Address& main, std::shared_ptr<const remoting::ProcessorTable> table);
  void FillProcessors(remoting::ProcessorTable& table, bool with_pull);
  void AnswerWhileRecovering(remoting::ProcessorTable& table);
  void AddGroupProcessors(remoting::ProcessorTable& table);
  void AnnounceReady();
  void OnHelperWake();
  void LookAtTurnEnd();
  void LookAtPositions();
  void LookForTrouble();
  void LookAtPool();
  void Tick();
  void FinishStop(const std::string& problem);
  void CloseStore(const std::string& problem);
  void OnTurnEnd() override;

  loop::Loop& loop_;
  BrokerOptions options_;
  std::string log_level_;
  store::StoreLayout layout_;
  Core core_;
  std::optional<store::StoreLock> lock_;
  std::optional<store::Positions> positions_;
  std::unique_ptr<Helpers> helpers_;
  std::unique_ptr<SendProcessor> sends_;
  std::unique_ptr<Clients> clients_;
  std::unique_ptr<PullProcessor> pulls_;
  std::unique_ptr<OffsetProcessor> offsets_;
  std::unique_ptr<ClientProcessor> client_processor_;
  std::unique_ptr<GroupOffsetProcessor> group_offsets_;
  std::unique_ptr<GroupProcessor> group_processor_;
  std::unique_ptr<ProgressProcessor> progress_;
  std::unique_ptr<ResetProcessor> resets_;
  std::unique_ptr<RelayProcessor> relays_;
  std::unique_ptr<Registration> registration_;
  std::unique_ptr<TopicProcessor> topic_processor_;
  std::unique_ptr<QueryProcessor> queries_;
  std::unique_ptr<Expiry> expiry_;
  std::unique_ptr<QueueEntriesProcessor> queue_entries_;
  std::unique_ptr<ConfigProcessor> config_;
  Overload overload_;
  std::shared_ptr<remoting::ProcessorTable> main_table_;
  std::shared_ptr<remoting::ProcessorTable> fast_table_;
  std::unique_ptr<remoting::Server> server_;
  loop::Address address_;
  std::unique_ptr<loop::Timer> tick_;
  std::unique_ptr<loop::Timer> ready_timer_;
  std::unique_ptr<loop::Timer> watchdog_;
  bool announced_ = false;
  bool recovering_ = false;
  bool stopping_ = false;
  bool look_asked_ = false;
  int64_t last_second_ms_ = 0;
  int64_t last_scan_ms_ = 0;
  store::PhysicalOffset rung_;  // `wrote` when the doorbells were last looked at
  store::PhysicalOffset seen_flushed_;
  store::PhysicalOffset seen_visible_;
  store::PhysicalOffset seen_committed_;
  store::PhysicalOffset seen_dispatched_;
  store::PhysicalOffset seen_indexed_;
  int64_t seen_allocated_ = 0;
  uint64_t seen_map_faults_ = 0;
  std::function<void(bool)> stopped_;
  std::function<void(const Error&)> failed_;
};

}  // namespace mq::broker
