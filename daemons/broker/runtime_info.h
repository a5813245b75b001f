// RuntimeInfo: the answer to GET_BROKER_RUNTIME_INFO (28), the table mqadmin and mq-admin show. Spec: protocol 3.13.
#pragma once

#include "broker/core.h"
#include "protocol/lists.h"

namespace mq::broker {

protocol::KvTable RuntimeInfo(const Core& core);

}  // namespace mq::broker
