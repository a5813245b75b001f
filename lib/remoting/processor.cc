#include "remoting/processor.h"

#include <string>

#include "base/check.h"
#include "remoting/channel.h"

namespace mq::remoting {
namespace {

constexpr size_t kMaxCode = 4096;  // RocketMQ 4's request codes are all below

}  // namespace

void ProcessorTable::Register(protocol::RequestCode code, Processor processor) {
  const auto index = static_cast<size_t>(code);
  MQ_CHECK(index < kMaxCode, "request code out of range");
  if (by_code_.size() <= index) by_code_.resize(index + 1);
  by_code_[index] = std::move(processor);
}

void ProcessorTable::SetDefault(Processor processor) { default_ = std::move(processor); }

const Processor& ProcessorTable::Find(int32_t code) const {
  if (code < 0 || static_cast<size_t>(code) >= by_code_.size()) return default_;
  const Processor& found = by_code_[static_cast<size_t>(code)];
  return found ? found : default_;
}

void AnswerNotSupported(Channel& channel, const protocol::CommandView& request) {
  channel.Reply(request, protocol::ResponseCode::kRequestCodeNotSupported,
                " request type " + std::to_string(request.code) + " not supported");
}

}  // namespace mq::remoting
