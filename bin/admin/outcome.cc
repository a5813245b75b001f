// What several servers made of one change; see context.h.
#include "admin/context.h"

namespace mq::admin {

void Outcome::Failed(const std::string& who, const Error& error) {
  failure_ = Result<void>(error).WithContext(kind_ + " " + who).error();
  context_.Notice(failure_->what);
}

Result<int> Outcome::ExitStatus() const {
  if (!failure_) return kDone;
  if (done_ == 0) return *failure_;
  return kPartly;
}

const std::vector<std::string>& NameServers(const Context& context) { return context.admin.endpoints().name_servers; }

Status NeedNameServers(const Context& context) {
  if (!NameServers(context).empty()) return Ok();
  return MakeError(ErrorCode::kConfig, "this is asked of name servers: say --namesrv instead of --broker");
}

}  // namespace mq::admin
