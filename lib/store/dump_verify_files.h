// The part of dump_verify that looks at names, sizes, checkpoint and configuration files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/dump_log.h"
#include "store/dump_verify.h"
#include "store/dump_verify_queues.h"

namespace mq::store {

// commitlog/ and consumequeue/: contiguous files of one size (I-1); for RocketMQ also: nothing else in there.
Status VerifyNames(const VerifyOptions& options, const DumpLog& log, const FaultSink& sink);

// Topics that topics.json names, sorted; empty when it cannot be read.
std::vector<std::string> ConfiguredTopics(const StoreLayout& layout);

// checkpoint (I-14), config/*.json, delayOffset (I-15) and consumerOffset against the queues. `newest_time`: store
// time of the newest record.
Status VerifyConfig(const VerifyOptions& options, const QueueVerifier& queues, bool has_records, int64_t newest_time,
                    const FaultSink& sink);

}  // namespace mq::store
