// Verification of our own small files in mq/: that what a broker would read there can be believed. Part of VerifyStore.
#pragma once

#include "store/dump_verify.h"
#include "store/tombstones.h"

namespace mq::store {

// The store's tombstones; none of them, and a fault, when the file is damaged: a broker refuses the store then.
Result<Tombstones> VerifyTombstones(const StoreLayout& layout, const FaultSink& sink);

// mq/dispatched. Damaged, it costs the next start a walk over the whole log.
void VerifyMarker(const StoreLayout& layout, const FaultSink& sink);

// mq/numbers. Damaged, queue offsets of lost messages may be given again.
void VerifyNumbers(const StoreLayout& layout, const FaultSink& sink);

// A transient pool that holds records for a log file that is missing. Of a store at rest.
void VerifyPool(const VerifyOptions& options, const FaultSink& sink);

// mq/log-paths. Damaged, nobody but the broker knows where the log lies, and it refuses to guess.
void VerifyLogPaths(const StoreLayout& layout, const FaultSink& sink);

// Single files and sockets: anything else in their place keeps a broker from starting (plain_files.h).
void VerifyPlainFiles(const StoreLayout& layout, const FaultSink& sink);

}  // namespace mq::store
