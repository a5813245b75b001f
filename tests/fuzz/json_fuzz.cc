// JSON of peers and configuration files, fastjson's peculiar maps included.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json.h"
#include "protocol/topic_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto value = mq::json::Parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (value) mq::protocol::TopicConfigsFromJson(*value).Ignore("any answer will do");
  return 0;
}
