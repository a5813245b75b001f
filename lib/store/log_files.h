// What recovery asks of the files of the log before it looks into them: contiguous, all of the configured size, none
// gone from the end. Spec: mq-store(5), "Recovery".
#pragma once

#include <vector>

#include "base/result.h"
#include "store/layout.h"
#include "store/recovery.h"
#include "store/store_options.h"

namespace mq::store {

// `files` are those of the log in order, at least one; `durable` is what anything says was durable of it (0: nothing).
// The last file may be shorter after a crash: with kRepair it gets its size back, zero-filled from its last whole
// record on and durable, and its entry says so; where it ended is returned (0: it was whole). A plan drops an entry
// that has no bytes. An error names the file that no crash leaves so, and the way out: the store must not be opened.
Result<PhysicalOffset> CheckLogFiles(const StoreOptions& options, PhysicalOffset durable, RecoverMode mode,
                                     std::vector<FileEntry>& files);

}  // namespace mq::store
