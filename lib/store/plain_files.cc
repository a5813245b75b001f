#include "store/plain_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "protocol/names.h"
#include "store/log_paths.h"

namespace mq::store {

namespace {

constexpr const char* kMoveAway = "move it away";
constexpr const char* kLeadsNowhere = "is a symbolic link that leads nowhere";

bool IsQueueNumber(const std::string& name) {
  int32_t number = 0;
  const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && stop == name.data() + name.size() && number >= 0;
}

class Finder {
 public:
  explicit Finder(const StoreLayout& layout) : layout_(layout) {}

  std::vector<Misplaced> Run() {
    LookAtLogPaths();
    LookAtFolders();
    LookAtFiles();
    LookAtLogFiles();
    LookAtQueues();
    return std::move(found_);
  }

 private:
  void Add(const std::string& path, std::string problem, std::string hint = kMoveAway) {
    found_.push_back({path, std::move(problem), std::move(hint)});
  }
  static std::optional<mode_t> KindOf(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return status.st_mode & S_IFMT;
  }
  static bool IsLink(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
  }
  // To nothing, or round and round. What is made in its place would be made elsewhere, or not at all.
  static bool LeadsNowhere(const std::string& path) { return !KindOf(path) && IsLink(path); }

  // What a broker makes and removes names in, or reads the names of.
  void LookAtFolders() {
    std::vector<std::string> folders = {layout_.root(), layout_.ConsumeQueueDir(), layout_.IndexDir(),
                                        layout_.ConfigDir(), layout_.MqDir()};
    folders.insert(folders.end(), layout_.CommitLogDirs().begin(), layout_.CommitLogDirs().end());
    for (const std::string& folder : folders) {
      if (const auto kind = KindOf(folder); kind && *kind != S_IFDIR) Add(folder, "is not a directory");
      if (LeadsNowhere(folder)) Add(folder, kLeadsNowhere);
    }
  }

  void LookAtFiles() {
    for (const std::string& path :
         {layout_.Lock(), layout_.Abort(), layout_.Checkpoint(), layout_.Dispatched(), layout_.Tombstones(),
          layout_.Numbers(), layout_.LogPathsFile(), layout_.Pool(), layout_.Pid()}) {
      if (const auto kind = KindOf(path); kind && *kind != S_IFREG) Add(path, "is no file");
      if (LeadsNowhere(path)) Add(path, kLeadsNowhere);
    }
    // Opened without following a link, which could lead out of the store.
    for (const std::string& path : {layout_.Lock(), layout_.Abort(), layout_.Checkpoint()}) {
      if (IsLink(path) && !LeadsNowhere(path)) Add(path, "is a symbolic link");
    }
    for (const std::string_view socket : {StoreLayout::kControlSocket, StoreLayout::kBrokerSocket}) {
      const std::string path = layout_.MqDir().append("/").append(socket);
      if (const auto kind = KindOf(path); kind && *kind != S_IFSOCK) Add(path, "is no socket");
    }
    for (const char* table : {"topics.json", "subscriptionGroup.json", "consumerOffset.json"}) {
      const std::string path = JoinPath(layout_.ConfigDir(), table);
      if (const auto kind = KindOf(path + ".tmp"); kind && *kind != S_IFREG) Add(path + ".tmp", "is no file");
      // A folder there is dealt with where the table is read: the other copy of it may do.
      for (const std::string& copy : {path, path + ".bak"}) {
        if (const auto kind = KindOf(copy); kind && *kind != S_IFREG && *kind != S_IFDIR) Add(copy, "is no file");
        if (LeadsNowhere(copy)) Add(copy, kLeadsNowhere);
      }
    }
  }

  // A disk that is not mounted would otherwise be a log that begins later, or not at all.
  void LookAtLogPaths() {
    const auto kind_of_list = KindOf(layout_.LogPathsFile());
    if (kind_of_list && *kind_of_list != S_IFREG) return;  // told with the other files
    const auto known = LoadLogPaths(layout_.root());
    if (!known) return;  // told by who needs them
    for (const auto* paths : {&known->writable, &known->read_only}) {
      for (const std::string& path : *paths) {
        const auto kind = KindOf(path);
        if (kind && *kind == S_IFDIR) continue;
        Add(layout_.LogPathsFile(), "names " + path + (kind ? ", which is not a directory" : ", which is not there"),
            "mount it or put it back; to go on without it, remove " + layout_.LogPathsFile());
      }
    }
  }

  void LookAtLogFiles() {
    for (const std::string& directory : layout_.CommitLogDirs()) {
      const auto names = ListDirectory(directory);
      if (!names) continue;  // missing, or told by who needs them
      for (const std::string& name : *names) {
        if (!ParseMappedFileName(name)) continue;
        const std::string path = JoinPath(directory, name);
        const auto kind = KindOf(path);
        if (IsLink(path)) {
          Add(path, "is a symbolic link");
        } else if (kind && *kind != S_IFREG) {
          Add(path, "is no file");
        }
      }
    }
  }

  // A file of another name is nobody's business.
  void LookAtQueues() {
    for (const auto& topic : Folder(layout_.ConsumeQueueDir())) {
      std::error_code error;
      const std::string name = topic.path().filename().string();
      if (LeadsNowhere(topic.path().string())) {
        if (protocol::CheckTopicName(name)) Add(topic.path().string(), kLeadsNowhere);
        continue;
      }
      if (!topic.is_directory(error)) {
        if (!error && protocol::CheckTopicName(name)) Add(topic.path().string(), "is not a directory");
        continue;
      }
      for (const auto& queue : Folder(topic.path().string())) {
        const std::string path = queue.path().string();
        if (queue.is_directory(error) || !IsQueueNumber(queue.path().filename().string())) continue;
        if (LeadsNowhere(path)) {
          Add(path, kLeadsNowhere);
        } else if (!error) {
          Add(path, "is not a directory");
        }
      }
    }
  }

  static std::filesystem::directory_iterator Folder(const std::string& path) {
    std::error_code error;
    return std::filesystem::directory_iterator(path, std::filesystem::directory_options::skip_permission_denied, error);
  }

  const StoreLayout& layout_;
  std::vector<Misplaced> found_;
};

// Where the log ends, which recovery may have to write: empty without a log.
std::string LastLogFile(const StoreLayout& layout) {
  const auto files = ListLogFiles(layout);
  return files && !files->empty() ? layout.CommitLogFile(PhysicalOffset(files->back().start)) : std::string();
}

Status MustAllow(const std::string& path, int mode, const char* problem) {
  if (path.empty() || ::access(path.c_str(), mode) == 0 || errno != EACCES) return Ok();
  return ErrnoError(ErrorCode::kIo, path + " " + problem).WithHint("the broker's user needs that permission");
}

// Of an ordinary user: any of them would keep mq-reputd from going on, and consumers waiting.
Status RefuseForbiddenQueues(const StoreLayout& layout) {
  constexpr const char* kProblem = "may not be read and written";
  MQ_ASSIGN(const std::vector<QueueName> queues, ListQueues(layout));
  for (const QueueName& queue : queues) {
    const std::string directory = layout.QueueDir(queue.topic, queue.queue_id);
    MQ_TRY(MustAllow(directory, R_OK | W_OK | X_OK, kProblem));
    MQ_ASSIGN(const auto names, ListDirectory(directory));
    for (const std::string& name : names) {
      if (ParseMappedFileName(name)) MQ_TRY(MustAllow(JoinPath(directory, name), R_OK | W_OK, kProblem));
    }
  }
  return Ok();
}

// What a start opens for writing. A filesystem that is read-only is told by the lock, which comes first.
Status RefuseForbidden(const StoreLayout& layout) {
  for (const std::string& folder : {layout.root(), layout.ConsumeQueueDir(), layout.ConfigDir(), layout.MqDir()}) {
    MQ_TRY(MustAllow(folder, R_OK | W_OK | X_OK, "may not be read and written"));
  }
  for (const std::string& folder : layout.WritableLogDirs()) {
    MQ_TRY(MustAllow(folder, R_OK | W_OK | X_OK, "may not be read and written"));
  }
  for (const std::string& file : {layout.Lock(), layout.Checkpoint(), LastLogFile(layout)}) {
    MQ_TRY(MustAllow(file, R_OK | W_OK, "may not be read and written"));
  }
  if (::geteuid() != 0) MQ_TRY(RefuseForbiddenQueues(layout));
  return Ok();
}

}  // namespace

std::vector<Misplaced> FindMisplaced(const StoreLayout& layout) { return Finder(layout).Run(); }

Status RefuseUnusable(const StoreLayout& layout) {
  const std::vector<Misplaced> misplaced = FindMisplaced(layout);
  if (misplaced.empty()) return RefuseForbidden(layout);
  const Misplaced& first = misplaced.front();
  return MakeError(ErrorCode::kCorruption, first.path + " " + first.problem).WithHint(first.hint);
}

}  // namespace mq::store
