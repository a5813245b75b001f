// Options and sub-commands of mq-admin(1).
#include "conf/programs.h"

namespace mq::conf {

const Program& MqAdminProgram() {
  static const Program program{.name = "mq-admin",
                               .section = 1,
                               .doc = "ask and change a RocketMQ cluster",
                               .daemon = false,
                               .tables = {RouteOptions(), ToolOptions(), MetaOptions()},
                               .commands = {}};
  return program;
}

}  // namespace mq::conf
