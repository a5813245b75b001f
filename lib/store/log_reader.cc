#include <algorithm>
#include <string>

#include "base/bytes.h"
#include "store/commit_log.h"
#include "store/record.h"

namespace mq::store {

namespace {

// Mapped at the same time by one reader. A fully touched 1 GiB file costs 2 MiB of page tables.
constexpr size_t kMappedFiles = 16;

}  // namespace

LogReader::LogReader(const StoreOptions& options, const Positions* positions, PhysicalOffset end)
    : positions_(positions),
      end_(end),
      files_(options.layout().CommitLogDirs(), options.commit_log_file_bytes, kMappedFiles) {}

PhysicalOffset LogReader::end() const {
  if (positions_ == nullptr) return end_;
  return LoadReadable(*positions_);
}

PhysicalOffset LogReader::min() const { return positions_ == nullptr ? PhysicalOffset(0) : LoadLogMin(*positions_); }

Result<Slice> LogReader::Read(PhysicalOffset offset, int64_t size) {
  if (offset < min()) return MakeError(ErrorCode::kNotFound, "position is below the start of the commit log");
  const PhysicalOffset readable = end();
  if (size < 0 || offset > readable || size > readable - offset) {
    return MakeError(ErrorCode::kInvalidArgument, "position is beyond the end of the commit log");
  }
  auto file = files_.Get(offset.value());
  if (!file) return std::move(file).error();
  const int64_t at = offset.value() - (*file)->start();
  if (size > (*file)->bytes() - at) {
    return MakeError(ErrorCode::kInvalidArgument, "range crosses the end of a commit log file");
  }
  return Slice{std::string_view((*file)->data() + at, static_cast<size_t>(size)), std::move(*file)};
}

Result<Slice> LogReader::ReadRegion(PhysicalOffset offset) {
  const int64_t file_bytes = files_.file_bytes();
  const int64_t file_end = (offset.value() / file_bytes + 1) * file_bytes;
  return Read(offset, std::min(file_end - offset.value(), end() - offset));
}

Result<protocol::MessageView> LogReader::ReadRecord(PhysicalOffset offset, Slice* slice) {
  MQ_ASSIGN(*slice, ReadRegion(offset));
  const RecordCheck check = CheckRecord(slice->bytes, offset, protocol::BodyCheck::kSkip);
  if (check.kind != RecordKind::kMessage) {
    return MakeError(ErrorCode::kNotFound, "no record starts at position " + std::to_string(offset.value()));
  }
  slice->bytes = slice->bytes.substr(0, static_cast<size_t>(check.bytes));
  return check.message;
}

Result<int64_t> LogReader::StoreTimestamp(PhysicalOffset offset) {
  constexpr int64_t kEnough = 76;  // up to and with the store time behind an IPv6 born host
  MQ_ASSIGN(Slice head, Read(offset, kEnough));
  const auto own = static_cast<int64_t>(LoadBe64(head.bytes.data() + protocol::kRecordPhysicalOffsetAt));
  if (LoadBe32(head.bytes.data() + protocol::kRecordMagicAt) != protocol::kMessageMagic || own != offset.value()) {
    return MakeError(ErrorCode::kNotFound, "no record starts at position " + std::to_string(offset.value()));
  }
  const int32_t sys_flag = static_cast<int32_t>(LoadBe32(head.bytes.data() + protocol::kRecordSysFlagAt));
  const bool v6 = (sys_flag & protocol::sys_flag::kBornHostV6) != 0;
  return static_cast<int64_t>(LoadBe64(head.bytes.data() + protocol::RecordStoreTimeAt(v6)));
}

}  // namespace mq::store
