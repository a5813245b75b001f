// Cuts a stream of bytes into the messages to send, for mq-send and everything else that reads a pipe format.
//
// The caller reads straight into the reader's buffer and then takes records until there is no further one:
//
//   char* room = reader.Reserve(n); ... got = read(fd, room, n); reader.Commit(got);
//   for (;;) { MQ_ASSIGN(const bool more, reader.Next(record)); if (!more) break; ... }
//   reader.EndInput();  // at the end of a file: the last record may lack its delimiter; Next as before
//
// Bytes may arrive in pieces of any size. Views of a record live until the next Reserve. Not tied to a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "stream/format.h"

namespace mq::stream {

// The largest body that fits a remoting frame with its header; a longer record is reported, not kept.
inline constexpr std::size_t kMaxBodyBytes = 16 * 1024 * 1024 - 64 * 1024;

struct ReaderOptions {
  Format format = Format::kLines;
  std::string delimiter = "\n";  // lines; empty makes every input one record
  bool strip_cr = false;         // lines: drop one CR before a delimiter; not at the end of an unterminated record
  bool skip_empty = false;       // pass over records with an empty body; they keep their number
};

// One message as it came in. Attributes only come with json and msgpack.
struct InputRecord {
  std::uint64_t number = 0;  // from 1, over all inputs
  std::string_view body;
  bool structured = false;  // json or msgpack
  std::string topic;
  std::optional<std::int64_t> queue;
  std::string tag;
  std::vector<std::string> keys;
  std::vector<std::pair<std::string, std::string>> properties;
  std::int32_t flag = 0;
  // Set when this record cannot be sent but the ones behind it can be read; the text does not name the record.
  std::optional<Error> error;

  void Clear();
};

class Reader {
 public:
  explicit Reader(ReaderOptions options);

  // Room for at least `bytes` more; invalidates views of records.
  char* Reserve(std::size_t bytes);
  void Commit(std::size_t bytes);
  // Copies `bytes` in.
  void Feed(std::string_view bytes);
  // This input (file) is complete. A following Reserve begins the next input.
  void EndInput();

  // Takes the next record: true when there is one. An error, which is about record records() + 1 and does not name it,
  // means that nothing behind it can be read.
  Result<bool> Next(InputRecord& record);

  std::uint64_t records() const { return number_; }

 private:
  std::string_view Pending() const { return {buffer_.get() + begin_, end_ - begin_}; }
  bool TakePiece(std::string_view& piece);
  bool TakeWhole(std::string_view& piece);
  bool TakeDelimited(std::string_view& piece);
  bool SkipLong();
  Result<bool> NextText(InputRecord& record);
  Result<bool> NextJson(InputRecord& record);
  Result<bool> NextMsgpack(InputRecord& record);
  void Number(InputRecord& record);

  ReaderOptions options_;
  std::size_t limit_;  // of one raw record
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t scanned_ = 0;  // from begin_: bytes known to hold no delimiter
  bool ended_ = false;       // EndInput was called and not everything taken yet
  bool skipping_ = false;    // behind the refused beginning of a record beyond the limit
  bool long_record_ = false;
  bool delimited_ = false;  // the piece taken last had its delimiter
  std::uint64_t number_ = 0;
  std::string decoded_;  // a body decoded from base64 or JSON escapes
};

namespace internal {
// Fill a record from one JSON object or from the first msgpack map of `bytes`. `storage` holds a body that had to be
// decoded. An error of a JSON record is about that record alone.
Status ReadJsonRecord(std::string_view text, InputRecord& record, std::string& storage);
// Returns the bytes used, 0 when the map is not complete yet. An error here is final.
Result<std::size_t> ReadMsgpackRecord(std::string_view bytes, InputRecord& record);
}  // namespace internal

}  // namespace mq::stream
