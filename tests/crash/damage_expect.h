// What may and what must follow from a damage, worked out from the bytes before and after it.
//
// `mq-storedump --verify` must name every damage but these, which leave nothing that could be compared:
//   - of a record: flag, sysFlag, times, hosts, reconsume count, prepared offset and properties, which no checksum
//     covers (RocketMQ's format has one for the body alone); a checksum of no body; topic and queue id of a record that
//     a kill left without queue entry
//   - behind a blank's head, and in entry numbers that nothing counts: behind the end of a queue or an index file, the
//     unused index entry 0, the seconds of an index's first entry
//   - a first log file that is gone (it looks expired), files behind the end of the log, the size of a log's only file
//   - the only file of an index of which the checkpoint says nothing
//   - a checkpoint that is gone, or holds times that are merely older; a mq/dispatched or mq/tombstones that is gone
//   - a configuration file that is another sound one, or gone with its backup; a backup beside a sound file
//   - consumequeue_ext (RocketMQ calls it weakly reliable), abort, lock, process id, sockets
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "damage_make.h"
#include "damage_store.h"

namespace mq::crash {

struct FoundFault {
  std::string file;  // below work()
  int64_t byte = 0;
  std::string rule;
  std::string text;
  // Of a damaged stretch of the log: its positions.
  int64_t covers_from = 0;
  int64_t covers_to = 0;
};

// A place that --verify must name.
struct MustName {
  std::string file;  // empty: any fault will do
  int64_t from = 0;
  int64_t to = INT64_MAX;
  int64_t file_start = -1;  // of a log file: its position; a stretch that begins in another file may cover the place
  std::string_view rules;   // if any: a fault of one of these rules names it, wherever it is found
};

struct Expectation {
  std::set<size_t> hit;          // records of Truth::records whose bytes changed
  int64_t cut_from = INT64_MAX;  // a recovery may drop records from there on: not known to be durable
  bool log_touched = false;
  std::vector<MustName> must_name;

  // Must this record be served, byte for byte?
  bool Intact(const Truth& truth, size_t record) const {
    return !hit.contains(record) && truth.records[record].position < cut_from;
  }
};

// Compares stores.work() with what the store was.
Result<Expectation> Expect(const DamageStores& stores, const BaseStore& store, const Damage& damage);

// The place that none of the faults names; nothing when all are named.
const MustName* Unnamed(const Expectation& expected, const std::vector<FoundFault>& faults);

}  // namespace mq::crash
