#include "broker/query_processor.h"

#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "broker/range_writer.h"
#include "protocol/query_headers.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;
using remoting::Channel;

struct QueryProcessor::Query {
  remoting::ChannelHandle channel;
  protocol::SerializeType type = protocol::SerializeType::kJson;
  int32_t opaque = 0;
  bool by_key = false;
  // By key.
  store::IndexQuery index;
  store::PhysicalOffset wanted;  // answered when this much of the log is indexed, or at the deadline
  int64_t deadline_ms = 0;
  // By position.
  store::PhysicalOffset offset;
  // Filled by the pool's thread.
  store::IndexAnswer answer;
  std::optional<Error> error;
};

struct QueryProcessor::Readers {
  Readers(const store::StoreOptions& options, const store::Positions* positions)
      : index(options, positions), log(options, positions) {}
  store::IndexReader index;
  store::LogReader log;

  void Run(Query& query) {
    if (query.by_key) {
      auto answer = index.Query(query.index);
      if (answer) {
        query.answer = std::move(*answer);
      } else {
        query.error = std::move(answer).error();
      }
      return;
    }
    store::Slice slice;
    if (auto record = log.ReadRecord(query.offset, &slice)) {
      query.answer.bytes = static_cast<int64_t>(slice.bytes.size());
      query.answer.records.push_back(std::move(slice));
    } else {
      query.error = std::move(record).error();
    }
  }
};

QueryProcessor::QueryProcessor(Core& core, const TopicProcessor& topics)
    : core_(core), topics_(topics), readers_(std::make_shared<Readers>(core.options.store, core.positions)) {}

QueryProcessor::~QueryProcessor() = default;

namespace {

template <class Query>
void SetHead(Query& query, Channel& channel, const CommandView& request) {
  query.channel = channel.weak_from_this();
  query.type = request.type;
  query.opaque = request.opaque;
}

}  // namespace

void QueryProcessor::ProcessByKey(Channel& channel, const CommandView& request) {
  if (request.is_oneway()) return;
  const auto header = protocol::QueryMessageRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  if (!core_.options.store.index_enable) {
    // Not QUERY_NOT_FOUND: whether there is such a message is not known.
    return channel.Reply(request, ResponseCode::kSystemError, "there is no index: messageIndexEnable is false");
  }
  auto query = std::make_shared<Query>();
  SetHead(*query, channel, request);
  query->by_key = true;
  query->index.topic = header->topic;
  query->index.key = header->key;
  const int32_t wanted = header->by_id ? core_.options.query_by_id_messages : header->max_num;
  query->index.max_messages = std::min(wanted, core_.options.query_max_messages);
  query->index.begin_timestamp = header->begin_timestamp;
  query->index.end_timestamp = header->end_timestamp;
  query->index.not_below = topics_.DeletedBelow(header->topic);
  query->wanted = core_.visible_end();
  query->deadline_ms = MonotonicMs() + kWaitForIndexMs;
  if (query->index.max_messages < 1) {
    return channel.Reply(request, ResponseCode::kSystemError, "maxNum must be at least 1");
  }
  if (waiting_.size() + ready_.size() >= kMaxQueries) {
    return channel.Reply(request, ResponseCode::kSystemBusy, "too many queries wait already");
  }
  if (!IsAnswerable(*query) && !core_.draining) {
    waiting_.push_back(std::move(query));
  } else {
    Submit(std::move(query));
  }
}

void QueryProcessor::ProcessById(Channel& channel, const CommandView& request) {
  if (request.is_oneway()) return;
  const auto header = protocol::ViewMessageRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  const int64_t offset = header->offset.value();
  if (offset < 0 || header->offset >= core_.visible_end()) {
    return channel.Reply(
        request, ResponseCode::kSystemError,
        "can not find message by the offset, " + std::to_string(offset) + ": it is beyond the end of the commit log");
  }
  if (waiting_.size() + ready_.size() >= kMaxQueries) {
    return channel.Reply(request, ResponseCode::kSystemBusy, "too many queries wait already");
  }
  auto query = std::make_shared<Query>();
  SetHead(*query, channel, request);
  query->offset = header->offset;
  Submit(std::move(query));
}

void QueryProcessor::Submit(std::shared_ptr<Query> query) {
  ready_.push_back(std::move(query));
  RunNext();
}

void QueryProcessor::RunNext() {
  if (running_ || ready_.empty()) return;
  running_ = true;
  const auto query = ready_.front();
  ready_.pop_front();
  core_.loop.Work([readers = readers_, query] { readers->Run(*query); },
                  [this, query, alive = std::weak_ptr<bool>(alive_)] {
                    if (alive.expired()) return;
                    running_ = false;
                    Answer(*query);
                    RunNext();
                  });
}

bool QueryProcessor::IsAnswerable(const Query& query) const {
  return query.wanted <= core_.indexed() && core_.positions->reputd().index_unsure.load(std::memory_order_acquire) == 0;
}

// Why the answer would be a guess, so that asking again helps; empty: it is none.
std::string QueryProcessor::WhyUnsure(const Query& query) {
  if (query.answer.records.empty()) {
    const int64_t missing = query.wanted - core_.indexed();
    if (missing > 0) {
      return "can not find message; the index is being built, " + std::to_string(missing) + " bytes are missing";
    }
    if (query.answer.unsure_files > 0) {
      return "can not find message; the index is being checked, " + std::to_string(query.answer.unsure_files) +
             " files are left";
    }
  }
  return query.answer.oddity ? WhyOdd(*query.answer.oddity) : "";
}

std::string QueryProcessor::WhyOdd(const store::IndexOddity& oddity) {
  const store::ReputdPage& page = core_.positions->reputd();
  std::string why = "index file " + oddity.file + " cannot be right at entry " + std::to_string(oddity.entry) +
                    " and is being checked";
  // Being looked into anyway.
  if (page.index_unsure.load(std::memory_order_acquire) > 0) return why;
  const bool chain = oddity.position.value() < 0;
  const auto known = odd_.find(oddity.position);
  if (!chain && known != odd_.end()) {
    const auto served = static_cast<int32_t>(page.index_checks.load(std::memory_order_acquire) - known->second);
    return served >= 0 ? "" : why;
  }
  const uint32_t request =
      core_.positions->own_broker().index_check_requests.fetch_add(1, std::memory_order_release) + 1;
  if (odd_.size() >= kMaxOdd) odd_.clear();
  if (!chain) odd_.emplace(oddity.position, request);
  uint64_t suppressed = 0;
  if (odd_log_.Allow(&suppressed)) {
    log::Warn("store.index", "a query has met what cannot be; the index is checked")
        .Field("file", oddity.file)
        .Field("entry", oddity.entry)
        .Field("position", oddity.position.value())
        .Field("suppressed", suppressed);
  }
  return why;
}

void QueryProcessor::Answer(Query& query) {
  const auto channel = query.channel.lock();
  if (!channel) return;
  protocol::CommandHead head;
  head.type = query.type;
  head.opaque = query.opaque;
  head.flag = protocol::kFlagResponse;
  std::string remark;
  if (query.error) {
    head.code = static_cast<int32_t>(ResponseCode::kSystemError);
    remark = query.error->what;
    if (!query.by_key) {
      remark = "can not find message by the offset, " + std::to_string(query.offset.value()) + ": " + remark;
    }
  } else if (query.by_key) {
    remark = WhyUnsure(query);
    if (!remark.empty()) {
      head.code = static_cast<int32_t>(ResponseCode::kSystemBusy);
      query.answer.records.clear();
      query.answer.bytes = 0;
    } else if (query.answer.records.empty()) {
      head.code = static_cast<int32_t>(ResponseCode::kQueryNotFound);
      remark = "can not find message, maybe time range not correct";
    }
  }
  head.remark = remark;
  ReplyFound(*channel, query, head);
}

void QueryProcessor::ReplyFound(Channel& channel, const Query& query, protocol::CommandHead head) {
  protocol::CommandWriter writer(channel.output(), head);
  if (query.by_key && !query.error) {
    protocol::QueryMessageResponseHeader header;
    header.index_last_update_timestamp = query.answer.last_timestamp;
    header.index_last_update_offset = query.answer.last_position;
    header.Encode(writer);
  }
  writer.Finish(static_cast<size_t>(query.answer.bytes));
  WriteRanges(channel, query.answer.records);
}

void QueryProcessor::OnIndexed() {
  const auto reached = [this](const std::shared_ptr<Query>& query) { return IsAnswerable(*query); };
  for (const auto& query : waiting_) {
    if (reached(query)) ready_.push_back(query);
  }
  std::erase_if(waiting_, reached);
  RunNext();
}

void QueryProcessor::ForgetFiles() {
  // A query that runs keeps those it has until it is done.
  readers_ = std::make_shared<Readers>(core_.options.store, core_.positions);
}

void QueryProcessor::Tick(int64_t now_ms) {
  const auto over = [&](const std::shared_ptr<Query>& query) {
    return query->deadline_ms <= now_ms || query->channel.expired();
  };
  for (const auto& query : waiting_) {
    if (over(query)) ready_.push_back(query);
  }
  std::erase_if(waiting_, over);
  RunNext();
}

void QueryProcessor::AnswerAll() { Tick(INT64_MAX); }

}  // namespace mq::broker
