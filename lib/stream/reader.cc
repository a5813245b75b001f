#include "stream/reader.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace mq::stream {
namespace {

// Base64 and escapes make a JSON record larger than its body, and attributes come on top.
constexpr std::size_t kMaxStructuredBytes = 6 * kMaxBodyBytes;

}  // namespace

void InputRecord::Clear() {
  body = {};
  structured = false;
  topic.clear();
  queue.reset();
  tag.clear();
  keys.clear();
  properties.clear();
  flag = 0;
  error.reset();
}

Reader::Reader(ReaderOptions options) : options_(std::move(options)), limit_(kMaxBodyBytes) {
  if (options_.format == Format::kNul) options_.delimiter.assign(1, '\0');
  if (options_.format == Format::kJson) options_.delimiter = "\n";
  if (options_.format == Format::kJson || options_.format == Format::kMsgpack) limit_ = kMaxStructuredBytes;
}

char* Reader::Reserve(std::size_t bytes) {
  const std::size_t pending = end_ - begin_;
  if (begin_ > 0 && pending > 0) std::memmove(buffer_.get(), buffer_.get() + begin_, pending);
  begin_ = 0;
  end_ = pending;
  if (capacity_ - end_ < bytes) {
    const std::size_t grown = std::max(capacity_ * 2, end_ + bytes);
    std::unique_ptr<char[]> larger(new char[grown]);  // not make_unique: the bytes need no zeros
    if (pending > 0) std::memcpy(larger.get(), buffer_.get(), pending);
    buffer_ = std::move(larger);
    capacity_ = grown;
  }
  return buffer_.get() + end_;
}

void Reader::Commit(std::size_t bytes) {
  MQ_CHECK(end_ + bytes <= capacity_, "more bytes committed than reserved");
  end_ += bytes;
}

void Reader::Feed(std::string_view bytes) {
  std::memcpy(Reserve(bytes.size()), bytes.data(), bytes.size());
  Commit(bytes.size());
}

void Reader::EndInput() { ended_ = true; }

void Reader::Number(InputRecord& record) { record.number = ++number_; }

// Behind a record that was refused as too long: drops what is pending up to its end. True when the end was found.
bool Reader::SkipLong() {
  const std::string_view pending = Pending();
  const std::size_t keep = options_.delimiter.empty() ? 0 : options_.delimiter.size() - 1;
  const std::size_t at = options_.delimiter.empty() ? std::string_view::npos : pending.find(options_.delimiter);
  if (at != std::string_view::npos) {
    begin_ += at + options_.delimiter.size();
  } else if (ended_) {
    begin_ = end_;
    ended_ = false;
  } else {
    begin_ += pending.size() > keep ? pending.size() - keep : 0;
    return false;
  }
  skipping_ = false;
  scanned_ = 0;
  return true;
}

bool Reader::TakeWhole(std::string_view& piece) {
  if (!ended_) return false;
  ended_ = false;
  piece = Pending();
  begin_ = end_;
  // An empty file is an empty message only where a file is a message, not where a delimiter is merely absent.
  return options_.format == Format::kWhole || !piece.empty();
}

bool Reader::TakeDelimited(std::string_view& piece) {
  const std::string_view pending = Pending();
  const std::string& delimiter = options_.delimiter;
  std::size_t at = std::string_view::npos;
  if (delimiter.size() == 1) {
    const std::size_t rest = pending.size() - scanned_;
    const void* found = rest == 0 ? nullptr : std::memchr(pending.data() + scanned_, delimiter[0], rest);
    if (found != nullptr) at = static_cast<std::size_t>(static_cast<const char*>(found) - pending.data());
  } else {
    at = pending.find(delimiter, scanned_);
  }
  if (at != std::string_view::npos) {
    piece = pending.substr(0, at);
    begin_ += at + delimiter.size();
    scanned_ = 0;
    delimited_ = true;
    return true;
  }
  // The delimiter may begin in the last bytes seen.
  scanned_ = pending.size() - std::min(pending.size(), delimiter.size() - 1);
  if (!ended_) return false;
  ended_ = false;
  scanned_ = 0;
  if (pending.empty()) return false;
  piece = pending;
  begin_ = end_;
  delimited_ = false;
  return true;
}

bool Reader::TakePiece(std::string_view& piece) {
  if (skipping_ && !SkipLong()) return false;
  const bool whole = options_.format == Format::kWhole || options_.delimiter.empty();
  if (whole ? TakeWhole(piece) : TakeDelimited(piece)) {
    if (piece.size() > limit_) {
      long_record_ = true;
      piece = {};
    }
    return true;
  }
  // The last bytes may be the beginning of a delimiter.
  const std::size_t slack = options_.delimiter.empty() ? 0 : options_.delimiter.size() - 1;
  if (Pending().size() <= limit_ + slack) return false;
  // Refused here and now: its end may be far away, or never come.
  skipping_ = long_record_ = true;
  piece = {};
  return true;
}

Result<bool> Reader::NextText(InputRecord& record) {
  std::string_view piece;
  while (TakePiece(piece)) {
    Number(record);
    if (long_record_) {
      long_record_ = false;
      record.error = MakeError(ErrorCode::kInvalidArgument,
                               "it is longer than the " + std::to_string(limit_) + " bytes a message can have");
      return true;
    }
    if (options_.strip_cr && delimited_ && piece.ends_with('\r')) piece.remove_suffix(1);
    if (piece.empty() && options_.skip_empty) continue;
    record.body = piece;
    return true;
  }
  return false;
}

Result<bool> Reader::NextJson(InputRecord& record) {
  std::string_view piece;
  while (TakePiece(piece)) {
    if (!long_record_ && piece.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Number(record);
    record.structured = true;
    if (long_record_) {
      long_record_ = false;
      record.error = MakeError(ErrorCode::kInvalidArgument,
                               "a line of more than " + std::to_string(limit_) + " bytes is too long");
      return true;
    }
    const Status read = internal::ReadJsonRecord(piece, record, decoded_);
    if (!read) {
      record.error = read.error();
      return true;
    }
    if (record.body.empty() && options_.skip_empty) {
      record.Clear();
      continue;
    }
    return true;
  }
  return false;
}

Result<bool> Reader::NextMsgpack(InputRecord& record) {
  while (begin_ < end_) {
    record.Clear();
    record.structured = true;
    Result<std::size_t> used = internal::ReadMsgpackRecord(Pending(), record);
    if (!used) return used.error();
    if (*used == 0) break;
    begin_ += *used;
    Number(record);
    if (!record.error && record.body.empty() && options_.skip_empty) continue;
    return true;
  }
  if (end_ - begin_ > limit_) {
    return MakeError(ErrorCode::kInvalidArgument, "it is too long");
  }
  if (ended_ && begin_ < end_) {
    return MakeError(ErrorCode::kInvalidArgument, "it is cut off at the end of the input");
  }
  ended_ = false;
  return false;
}

Result<bool> Reader::Next(InputRecord& record) {
  record.Clear();
  if (options_.format == Format::kMsgpack) return NextMsgpack(record);
  if (options_.format == Format::kJson) return NextJson(record);
  return NextText(record);
}

}  // namespace mq::stream
