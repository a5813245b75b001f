// Kill points: the places where a crash between two steps matters, by name, so that a test can die at each of them.
//
// PassKillPoint(p) does nothing in production: the hook is a weak symbol that only the crash laboratory defines (the
// preloaded layer of tests/crash, or its in-process model), so a pass costs one load and one branch that is never
// taken, and no setting, file or request can arm it. The reference goes through the global offset table, as every
// position independent executable has it; a build without (-no-pie) resolves it to nothing, and the laboratory then
// reports every point as never passed. No point may stand inside a noexcept function: the model leaves by an exception.
//
// The list is the only one: tests/crash goes through it, and a point that no workload passes fails the run. Spec:
// store.md's crash matrix; the steps are those of mq-store(5).
#pragma once

namespace mq {

// X(name, what has happened when it is passed)
#define MQ_KILL_POINTS(X)                                                              \
  /* mq-broker: append */                                                              \
  X(kRecordHalfCopied, "a record's head is in the map, its body is not")               \
  X(kRecordCopied, "a record is in the map, `wrote` is not published")                 \
  X(kRecordPublished, "`wrote` is published, the numbering has not moved")             \
  X(kBatchHalfCopied, "one record of a batch is in the map")                           \
  X(kBatchCopied, "all of a batch is in the map, nothing is published")                \
  X(kBlankHalfWritten, "the blank at a file's end has its size and no magic")          \
  X(kBlankWritten, "the blank is whole, `wrote` is in front of it")                    \
  X(kFileLeft, "`wrote` is at a file's end, the next one is not open")                 \
  /* mq-flushd (the first file: mq-broker) */                                          \
  X(kLogFileSized, "the next commit log file has its size, no blocks, no name")        \
  X(kLogFileAllocated, "it has its blocks, no name")                                   \
  X(kLogFileSynced, "it is durable without a name")                                    \
  X(kLogFileNamed, "it has its name, the directory is not synced")                     \
  X(kLogSynced, "the log is synced, `flushed` is not published")                       \
  X(kFlushedPublished, "`flushed` is published, the checkpoint is behind")             \
  X(kCheckpointWritten, "the checkpoint's times are written, not synced")              \
  X(kSpareFileRemoved, "a spare file is unlinked, the directory is not synced")        \
  /* mq-flushd: transient pool */                                                      \
  X(kPoolCopied, "bytes of the pool are in the log file, `committed` is behind")       \
  X(kCommittedPublished, "`committed` is published, nothing of it is synced")          \
  /* mq-flushd: expiry */                                                              \
  X(kMinPublished, "the new `min` is published, the log file below it is there")       \
  X(kLogFileRemoved, "a log file is unlinked, its directory is not synced")            \
  X(kLogFileGone, "it is gone for good, the cleaner has not heard of it")              \
  /* mq-reputd */                                                                      \
  X(kQueueFileSized, "a queue file has its size and no name")                          \
  X(kQueueFileNamed, "it has its name, the directory is not synced")                   \
  X(kQueueEntryWritten, "a record has its queue entry, its keys are not in the index") \
  X(kIndexFileSized, "an index file has its size and no name")                         \
  X(kIndexFileNamed, "it has its name, the directory is not synced")                   \
  X(kIndexEntryWritten, "an index entry is written, its slot does not lead to it")     \
  X(kIndexSlotWritten, "its slot leads to it, the header does not count it")           \
  X(kIndexHeaderWritten, "the header's times are written, the count is not")           \
  X(kDispatchedUnpublished, "records are in queues and index, `dispatched` is behind") \
  X(kQueuesSynced, "the queues are synced, the index is not")                          \
  X(kIndexSynced, "queues and index are synced, the times are not handed over")        \
  X(kMarkerDue, "all that the marker says is durable, the marker is not written")      \
  X(kMarkerWritten, "the marker is durable, nothing in memory says so")                \
  X(kTopicRemoved, "the queues of a deleted topic are removed, nobody was told")       \
  X(kQueueFileTrimmed, "an expired queue file is unlinked, its directory not synced")  \
  X(kQueuesTrimmed, "the queues are trimmed, the index is not")                        \
  X(kIndexFileTrimmed, "an expired index file is unlinked, its directory not synced")  \
  X(kTrimUnpublished, "queues and index are trimmed, `trimmed` is behind")             \
  /* small files, whoever writes them */                                               \
  X(kTextWritten, "the new text is in FILE.tmp, not synced")                           \
  X(kTextSynced, "the new text is durable in FILE.tmp")                                \
  X(kBackupLinked, "the old file has a second name FILE.bak.tmp")                      \
  X(kBackupRenamed, "FILE.bak is the old file, FILE too")                              \
  X(kTextRenamed, "FILE is the new text, the directory is not synced")                 \
  X(kTombstoneSaved, "a deletion is on the disk, the topic is still in topics.json")   \
  /* mq-broker: start */                                                               \
  X(kAbortCreated, "the abort file is there, nothing was looked at")                   \
  X(kLogWalked, "recovery knows the end, nothing was changed")                         \
  X(kTailPartlyZeroed, "one page behind the end is overwritten, not synced")           \
  X(kTailZeroed, "a file's tail is overwritten, not synced")                           \
  X(kLogSettled, "tail and log are durable, nothing is numbered")                      \
  X(kQueuesNumbered, "the queues are numbered, nothing serves")                        \
  X(kLeftPoolFound, "a left pool is believed, nothing of it was copied")               \
  X(kLeftPoolPartlyCopied, "bytes of a left pool are in a log file, not synced")       \
  X(kLeftPoolCommitted, "a left pool is in the log for good, and still there")         \
  X(kPoolForgotten, "the store names no pool any more, its file is there")             \
  X(kPoolMade, "a new pool is whole, the store does not name it")                      \
  X(kPoolNamed, "the store names a new pool, nothing is in it")                        \
  /* mq-reputd: start */                                                               \
  X(kQueueCut, "one queue is cut to its marked end, others are not")                   \
  X(kIndexFileChecked, "one index file is repaired, others are not")                   \
  X(kQueuesChecked, "queues are cut, nothing is dispatched")                           \
  /* mq-broker: stop */                                                                \
  X(kStopDrained, "log, queues and checkpoint are durable, abort is still there")      \
  X(kAbortRemoved, "abort is gone, the lock is held")

enum class KillPoint : int {
#define MQ_KILL_POINT_NAME(name, what) name,
  MQ_KILL_POINTS(MQ_KILL_POINT_NAME)
#undef MQ_KILL_POINT_NAME
};

}  // namespace mq

extern "C" __attribute__((weak)) void mq_kill_point(int point);

namespace mq {

inline void PassKillPoint(KillPoint point) {
  if (__builtin_expect(mq_kill_point != nullptr, 0)) mq_kill_point(static_cast<int>(point));
}

}  // namespace mq
