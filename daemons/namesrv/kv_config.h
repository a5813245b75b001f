// The KV configuration: texts by namespace and key that operators keep at the name servers. Its namespace
// ORDER_TOPIC_CONFIG says which topics keep order over the whole cluster, and on which queues.
//
// One JSON file, {"configTable":{namespace:{key:value}}}, as RocketMQ's name server writes it. A change is durable when
// Put or Delete returns; changes are an operator's and rare, so they are written on the loop's thread. Loop thread
// only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "protocol/kv_headers.h"

namespace mq::namesrv {

using protocol::kOrderTopicNamespace;
// More than any deployment keeps; each change writes the whole file.
inline constexpr size_t kMaxKvBytes = 4 * 1024 * 1024;

class KvConfig {
 public:
  using Table = std::map<std::string, std::string, std::less<>>;

  // Without a path nothing is kept on disk. `fallback` is the path of a name server that finds the file in use by
  // another one on this machine (nothing: it does not start then).
  explicit KvConfig(std::string path = {}, std::optional<std::string> fallback = {})
      : path_(std::move(path)), fallback_(std::move(fallback)) {}

  // A missing file is an empty configuration; of a damaged one the backup is taken, and without a good backup the error
  // names the file. From here on the file is ours alone, by the lock of FILE.lock (kHeldByOther).
  Status Load();
  const std::string& path() const { return path_; }

  Status Put(std::string_view space, std::string_view key, std::string_view value);
  // A missing key is fine. The namespace stays, empty, so that brokers learn that it lost its last key.
  Status Delete(std::string_view space, std::string_view key);
  // Null when there is no such namespace or key.
  const std::string* Find(std::string_view space, std::string_view key) const;
  const Table* FindSpace(std::string_view space) const;

 private:
  using Spaces = std::map<std::string, Table, std::less<>>;
  Status Save(const Spaces& spaces) const;

  Status Lock();

  std::string path_;
  std::optional<std::string> fallback_;
  UniqueFd lock_;
  Spaces spaces_;
};

}  // namespace mq::namesrv
