#include "broker/config_processor.h"

#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "broker/options.h"
#include "conf/live_update.h"
#include "conf/properties.h"
#include "protocol/config_headers.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;
using remoting::Channel;

ConfigProcessor::ConfigProcessor(Core& core, conf::Settings& settings, std::function<Status()> changed)
    : settings_(settings), changed_(std::move(changed)) {
  version_.timestamp = core.boot_ms;
}

void ConfigProcessor::NoteChange() {
  ++version_.counter;
  version_.timestamp = NowMs();
}

void ConfigProcessor::ProcessGet(Channel& channel, const CommandView& request) const {
  const std::string version = protocol::EncodeDataVersion(version_);
  protocol::GetBrokerConfigResponseHeader header;
  header.version = version;
  channel.Reply(request, ResponseCode::kSuccess, header,
                conf::FormatProperties(conf::SettingsAsProperties(settings_, worked_out_)));
}

void ConfigProcessor::ProcessUpdate(Channel& channel, const CommandView& request) {
  const auto refuse = [&](const Error& error) {
    log::Warn("broker.config", "not changed").Field("client", channel.peer()).Field("error", error);
    const bool forbidden = error.code == ErrorCode::kPermission;
    channel.Reply(request, forbidden ? ResponseCode::kNoPermission : ResponseCode::kSystemError, error.what);
  };
  const bool has_file = settings_.Has("config");
  const auto changes =
      conf::ChangeLive(settings_, request.body, worked_out_, has_file ? settings_.String("config") : std::string(),
                       "a request of " + channel.peer(), [](const conf::Settings& changed) -> Status {
                         MQ_TRY(ReadStoreOptions(changed));
                         return Ok();
                       });
  if (!changes) return refuse(changes.error());
  if (changes->empty()) return channel.Reply(request, ResponseCode::kSuccess);
  if (const Status taken = changed_(); !taken) return refuse(taken.error());
  for (const conf::LiveChange& change : *changes) {
    log::Info("broker.config", "changed")
        .Field("key", change.row->key)
        .Field("old", change.old_value)
        .Field("new", change.new_value)
        .Field("client", channel.peer());
  }
  channel.Reply(request, ResponseCode::kSuccess,
                has_file ? "" : "until the broker stops: it was started without a configuration file");
}

}  // namespace mq::broker
