#include "broker/range_writer.h"

namespace mq::broker {

namespace {
// Ranges shorter than this are copied behind the header: a pin and an iovec cost more than the copy.
constexpr size_t kCopyBelowBytes = 4096;
}  // namespace

void WriteRanges(remoting::Channel& channel, const std::vector<store::Slice>& ranges) {
  bool added = false;
  for (const auto& range : ranges) {
    if (range.bytes.size() < kCopyBelowBytes) {
      channel.output().append(range.bytes);
      added = false;
    } else {
      if (!added) channel.OutputAdded();
      channel.WritePinned(range.pin, range.bytes);
      added = true;
    }
  }
  if (!added) channel.OutputAdded();
}

}  // namespace mq::broker
