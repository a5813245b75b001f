// Which part of the broker answers which request.
#include "broker/broker.h"
#include "broker/runtime_info.h"
#include "protocol/lists.h"

namespace mq::broker {

using protocol::RequestCode;

// Only how far it is can be asked; for everything else the broker is busy, and the client tries again later.
void Broker::AnswerWhileRecovering(remoting::ProcessorTable& table) {
  const auto state = [this] { return "recovering: " + store::RecoverText(positions_->broker()); };
  table.Register(RequestCode::kGetBrokerRuntimeInfo,
                 [this, state](remoting::Channel& c, const protocol::CommandView& r) {
                   protocol::KvTable info = {{"bootTimestamp", std::to_string(core_.boot_ms)},
                                             {"brokerState", state()},
                                             {"brokerVersion", "409"},
                                             {"brokerVersionDesc", "V4_9_8"}};
                   c.ReplyBody(r, protocol::EncodeKvTable(info));
                 });
  table.SetDefault([state](remoting::Channel& c, const protocol::CommandView& r) {
    c.Reply(r, protocol::ResponseCode::kSystemBusy, "[REJECTREQUEST]system busy: the broker is " + state());
  });
}

void Broker::FillProcessors(remoting::ProcessorTable& table, bool with_pull) {
  using Channel = remoting::Channel;
  using View = protocol::CommandView;
  // Whatever was handled may have moved the end of the log: the doorbells are looked at once at the turn's end.
  const auto send = [this](Channel& c, const View& r) {
    if (!overload_.RefusesSend(c, r, sends_->gate().held())) sends_->Process(c, r);
    LookAtTurnEnd();
  };
  table.Register(RequestCode::kSendMessage, send);
  table.Register(RequestCode::kSendMessageV2, send);
  table.Register(RequestCode::kSendBatchMessage, send);
  if (with_pull) {
    table.Register(RequestCode::kPullMessage, [this](Channel& c, const View& r) {
      if (!overload_.RefusesPull(c, r)) pulls_->Process(c, r);
      LookAtTurnEnd();
    });
  }
  AddGroupProcessors(table);
  table.Register(RequestCode::kGetMaxOffset, [this](Channel& c, const View& r) { offsets_->ProcessMax(c, r); });
  table.Register(RequestCode::kGetMinOffset, [this](Channel& c, const View& r) { offsets_->ProcessMin(c, r); });
  table.Register(RequestCode::kSearchOffsetByTimestamp,
                 [this](Channel& c, const View& r) { offsets_->ProcessSearch(c, r); });
  table.Register(RequestCode::kGetEarliestMsgStoretime,
                 [this](Channel& c, const View& r) { offsets_->ProcessEarliest(c, r); });
  table.Register(RequestCode::kQueryMessage, [this](Channel& c, const View& r) {
    queries_->ProcessByKey(c, r);
    LookAtTurnEnd();
  });
  table.Register(RequestCode::kViewMessageById, [this](Channel& c, const View& r) { queries_->ProcessById(c, r); });
  table.Register(RequestCode::kQueryConsumeQueue, [this](Channel& c, const View& r) { queue_entries_->Process(c, r); });
  table.Register(RequestCode::kUpdateAndCreateTopic,
                 [this](Channel& c, const View& r) { topic_processor_->ProcessCreate(c, r); });
  table.Register(RequestCode::kDeleteTopicInBroker,
                 [this](Channel& c, const View& r) { topic_processor_->ProcessDelete(c, r); });
  table.Register(RequestCode::kGetAllTopicConfig,
                 [this](Channel& c, const View& r) { topic_processor_->ProcessAll(c, r); });
  table.Register(RequestCode::kGetSystemTopicListFromBroker,
                 [this](Channel& c, const View& r) { topic_processor_->ProcessSystem(c, r); });
  table.Register(RequestCode::kCleanUnusedTopic,
                 [this](Channel& c, const View& r) { topic_processor_->ProcessCleanUnused(c, r); });
  table.Register(RequestCode::kDeleteExpiredCommitlog,
                 [this](Channel& c, const View& r) { expiry_->ProcessDeleteLog(c, r); });
  table.Register(RequestCode::kCleanExpiredConsumequeue,
                 [this](Channel& c, const View& r) { expiry_->ProcessCleanQueues(c, r); });
  if (config_) {
    table.Register(RequestCode::kGetBrokerConfig, [this](Channel& c, const View& r) { config_->ProcessGet(c, r); });
    table.Register(RequestCode::kUpdateBrokerConfig,
                   [this](Channel& c, const View& r) { config_->ProcessUpdate(c, r); });
  }
  table.Register(RequestCode::kGetBrokerRuntimeInfo, [this](Channel& c, const View& r) {
    protocol::KvTable info = RuntimeInfo(core_);
    info.emplace_back("brokerState", core_.draining ? "draining" : "serving");
    info.emplace_back("flushdState", helpers_->StateOf(ctl::Role::kFlushd));
    info.emplace_back("reputdState", helpers_->StateOf(ctl::Role::kReputd));
    if (!core_.unwritable.empty()) info.emplace_back("sendsRefused", core_.unwritable);
    if (core_.pool) info.emplace_back("remainTransientStoreBufferNumbs", std::to_string(core_.pool->free_slots()));
    info.emplace_back("refusedBusy", std::to_string(overload_.refused()));
    info.emplace_back("heldSends", std::to_string(sends_->gate().held()));
    expiry_->AddTo(info);
    info.emplace_back("heldPulls", std::to_string(pulls_->hold().held()));
    info.emplace_back("connections", std::to_string(server_->connections()));
    info.emplace_back("lateCommits", std::to_string(core_.offsets->late_commits()));
    c.ReplyBody(r, protocol::EncodeKvTable(info));
  });
  table.SetDefault(&remoting::AnswerNotSupported);
}

void Broker::AddGroupProcessors(remoting::ProcessorTable& table) {
  using Channel = remoting::Channel;
  using View = protocol::CommandView;
  const auto serve = [&](RequestCode code, auto& part, auto method) {
    table.Register(code, [at = part.get(), method](Channel& c, const View& r) { (at->*method)(c, r); });
  };
  table.Register(RequestCode::kHeartBeat, [this](Channel& c, const View& r) {
    if (!overload_.RefusesHeartbeat(c, r)) clients_->ProcessHeartbeat(c, r);
  });
  serve(RequestCode::kUnregisterClient, clients_, &Clients::ProcessUnregister);
  serve(RequestCode::kGetConsumerListByGroup, client_processor_, &ClientProcessor::ProcessConsumerIds);
  serve(RequestCode::kGetConsumerConnectionList, client_processor_, &ClientProcessor::ProcessConsumers);
  serve(RequestCode::kGetProducerConnectionList, client_processor_, &ClientProcessor::ProcessProducers);
  serve(RequestCode::kGetAllProducerInfo, client_processor_, &ClientProcessor::ProcessAllProducers);
  serve(RequestCode::kCheckClientConfig, client_processor_, &ClientProcessor::ProcessCheckConfig);
  serve(RequestCode::kQueryConsumerOffset, group_offsets_, &GroupOffsetProcessor::ProcessQuery);
  serve(RequestCode::kUpdateConsumerOffset, group_offsets_, &GroupOffsetProcessor::ProcessUpdate);
  serve(RequestCode::kGetAllConsumerOffset, group_offsets_, &GroupOffsetProcessor::ProcessAll);
  serve(RequestCode::kCloneGroupOffset, group_offsets_, &GroupOffsetProcessor::ProcessClone);
  serve(RequestCode::kUpdateAndCreateSubscriptiongroup, group_processor_, &GroupProcessor::ProcessUpdate);
  serve(RequestCode::kGetAllSubscriptiongroupConfig, group_processor_, &GroupProcessor::ProcessAll);
  serve(RequestCode::kDeleteSubscriptiongroup, group_processor_, &GroupProcessor::ProcessDelete);
  serve(RequestCode::kGetTopicStatsInfo, progress_, &ProgressProcessor::ProcessTopicStats);
  serve(RequestCode::kGetConsumeStats, progress_, &ProgressProcessor::ProcessConsumeStats);
  serve(RequestCode::kGetBrokerConsumeStats, progress_, &ProgressProcessor::ProcessAllConsumeStats);
  serve(RequestCode::kQueryTopicConsumeByWho, progress_, &ProgressProcessor::ProcessWhoConsumes);
  serve(RequestCode::kViewBrokerStatsData, progress_, &ProgressProcessor::ProcessCounters);
  serve(RequestCode::kInvokeBrokerToResetOffset, resets_, &ResetProcessor::ProcessReset);
  serve(RequestCode::kGetConsumerRunningInfo, relays_, &RelayProcessor::ProcessRunningInfo);
  serve(RequestCode::kInvokeBrokerToGetConsumerStatus, relays_, &RelayProcessor::ProcessStatus);
}

}  // namespace mq::broker
