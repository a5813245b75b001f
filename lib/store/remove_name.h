// Removes what has the name of a file of the store: a file, or a folder that somebody put in its place.
#pragma once

#include <string>

#include "base/result.h"

namespace mq::store {

// Nothing of that name is fine. The directory is the caller's to sync, once for all files.
Status RemoveName(const std::string& path);

}  // namespace mq::store
