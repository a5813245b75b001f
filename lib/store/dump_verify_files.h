// The part of dump_verify that looks at names and sizes of files and folders.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "store/dump_log.h"
#include "store/dump_verify.h"

namespace mq::store {

// commitlog/ and consumequeue/: contiguous files of one size (I-1); for RocketMQ also: nothing else in there.
Status VerifyNames(const VerifyOptions& options, const DumpLog& log, const FaultSink& sink);

// The mapped files of one kind, in one folder or several. `file_bytes`: what each of them must have; 0: not known.
Status VerifyFolder(std::span<const std::string> directories, int64_t file_bytes, bool for_rocketmq,
                    const FaultSink& sink);

}  // namespace mq::store
