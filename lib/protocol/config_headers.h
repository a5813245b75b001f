// Header of the answer to GET_BROKER_CONFIG (26). The bodies of 25, 26, 318 and 319 are Java properties text, which
// conf/properties.h reads and writes.
#pragma once

#include <string_view>

#include "protocol/typed_header.h"

namespace mq::protocol {

struct GetBrokerConfigResponseHeader : TypedHeader<GetBrokerConfigResponseHeader> {
  std::string_view version;  // a DataVersion as JSON

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("version", self.version);
  }
};

}  // namespace mq::protocol
