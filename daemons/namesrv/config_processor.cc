#include "namesrv/config_processor.h"

#include <cstdlib>
#include <utility>

#include "base/log.h"
#include "conf/live_update.h"
#include "conf/properties.h"

namespace mq::namesrv {
namespace {

using protocol::ResponseCode;

std::string UnderHome(const std::string& name) {
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? std::string() : std::string(home) + "/namesrv/" + name;
}

}  // namespace

std::string KvConfigPath(const conf::Settings& settings) {
  return settings.Has("kvConfigPath") ? settings.String("kvConfigPath") : UnderHome("kvConfig.json");
}

std::string KvFallbackPath(int port) {
  return port == 0 ? std::string() : UnderHome("kvConfig-" + std::to_string(port) + ".json");
}

std::string ConfigStorePath(const conf::Settings& settings) {
  if (settings.Has("configStorePath")) return settings.String("configStorePath");
  if (settings.Has("config")) return settings.String("config");
  return UnderHome("namesrv.properties");
}

ConfigProcessor::ConfigProcessor(conf::Settings& settings, std::function<void()> changed)
    : settings_(settings), changed_(std::move(changed)) {}

void ConfigProcessor::AddTo(remoting::ProcessorTable& table) {
  using View = protocol::CommandView;
  table.Register(protocol::RequestCode::kGetNamesrvConfig,
                 [this](remoting::Channel& channel, const View& request) { Get(channel, request); });
  table.Register(protocol::RequestCode::kUpdateNamesrvConfig,
                 [this](remoting::Channel& channel, const View& request) { Update(channel, request); });
}

void ConfigProcessor::Get(remoting::Channel& channel, const protocol::CommandView& request) const {
  channel.ReplyBody(request, conf::FormatProperties(conf::SettingsAsProperties(settings_, worked_out_)));
}

void ConfigProcessor::Update(remoting::Channel& channel, const protocol::CommandView& request) {
  const auto refuse = [&](const Error& error) {
    log::Warn("namesrv.config", "not changed").Field("client", channel.peer()).Field("error", error);
    const bool forbidden = error.code == ErrorCode::kPermission;
    channel.Reply(request, forbidden ? ResponseCode::kNoPermission : ResponseCode::kSystemError, error.what);
  };
  const auto changes = conf::ChangeLive(settings_, request.body, worked_out_, ConfigStorePath(settings_),
                                        "a request of " + channel.peer());
  if (!changes) return refuse(changes.error());
  for (const conf::LiveChange& change : *changes) {
    log::Info("namesrv.config", "changed")
        .Field("key", change.row->key)
        .Field("old", change.old_value)
        .Field("new", change.new_value)
        .Field("client", channel.peer());
  }
  changed_();
  channel.Reply(request, ResponseCode::kSuccess);
}

}  // namespace mq::namesrv
