#include "store/positions.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/check.h"

namespace mq::store {

namespace {

constexpr int kPages = 3;
constexpr const char* kName = "positions";

// The layout of the pages is part of the build: daemons compiled from other headers never match.
constexpr std::string_view kBuildId = "mq positions 4, " __VERSION__;

PageHeader MakeHeader() {
  PageHeader header;
  header.version = kPositionsVersion;
  header.pages = kPages;
  std::string_view build = BuildId();
  std::memcpy(header.build, build.data(), build.size());
  return header;
}

}  // namespace

std::string RecoverText(const BrokerPage& page) {
  constexpr const char* kPhases[] = {"looking for a transient pool", "walking the commit log", "numbering the queues"};
  const uint32_t phase = std::min<uint32_t>(page.recover_phase.load(std::memory_order_acquire), 2);
  return std::string(kPhases[phase]) + ", " + std::to_string(page.recover_percent.load(std::memory_order_relaxed)) +
         "%";
}

std::string_view BuildId() { return kBuildId.substr(0, sizeof(PageHeader::build) - 1); }

Result<Positions> Positions::Map(UniqueFd fd, PositionsRole role) {
  Positions positions;
  positions.role_ = role;
  for (int page = 0; page < kPages; ++page) {
    const off_t offset = page * kPageBytes;
    const bool own = static_cast<int>(role) == page;
    auto region = own ? MappedRegion::ReadWrite(fd.get(), kPageBytes, kName, offset)
                      : MappedRegion::ReadOnly(fd.get(), kPageBytes, kName, offset);
    if (!region) return std::move(region).error();
    positions.regions_[page] = std::move(*region);
  }
  positions.broker_ = reinterpret_cast<BrokerPage*>(positions.regions_[0].data());
  positions.flushd_ = reinterpret_cast<FlushdPage*>(positions.regions_[1].data());
  positions.reputd_ = reinterpret_cast<ReputdPage*>(positions.regions_[2].data());
  positions.fd_ = std::move(fd);
  return positions;
}

Result<Positions> Positions::Create() {
  UniqueFd fd(::memfd_create("mq-positions", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return ErrnoError(ErrorCode::kIo, "create the positions memory");
  if (::ftruncate(fd.get(), kPages * kPageBytes) != 0) return ErrnoError(ErrorCode::kIo, "size the positions memory");
  const PageHeader header = MakeHeader();
  for (int page = 0; page < kPages; ++page) {
    if (::pwrite(fd.get(), &header, sizeof header, page * kPageBytes) != static_cast<ssize_t>(sizeof header)) {
      return ErrnoError(ErrorCode::kIo, "write the positions memory");
    }
  }
  // Nobody who gets the descriptor can take pages away under somebody's mapping.
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return ErrnoError(ErrorCode::kIo, "seal the positions memory");
  }
  MQ_ASSIGN(Positions positions, Map(std::move(fd), PositionsRole::kBroker));
  positions.broker_->pid.store(::getpid(), std::memory_order_release);
  return positions;
}

Result<Positions> Positions::CreateForOneProcess() {
  MQ_ASSIGN(Positions positions, Create());
  for (int page = 0; page < kPages; ++page) {
    MQ_ASSIGN(positions.regions_[page], MappedRegion::ReadWrite(positions.fd(), kPageBytes, kName, page * kPageBytes));
  }
  positions.broker_ = reinterpret_cast<BrokerPage*>(positions.regions_[0].data());
  positions.flushd_ = reinterpret_cast<FlushdPage*>(positions.regions_[1].data());
  positions.reputd_ = reinterpret_cast<ReputdPage*>(positions.regions_[2].data());
  positions.all_writable_ = true;
  return positions;
}

Result<Positions> Positions::Attach(UniqueFd fd, PositionsRole role) {
  struct stat status;
  if (::fstat(fd.get(), &status) != 0) return ErrnoError(ErrorCode::kIo, "look at the positions memory");
  if (status.st_size != kPages * kPageBytes) {
    return MakeError(ErrorCode::kProtocol, "the broker's positions have " + std::to_string(status.st_size) +
                                               " bytes instead of " + std::to_string(kPages * kPageBytes));
  }
  const int seals = ::fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return MakeError(ErrorCode::kProtocol, "the broker's positions are not sealed against shrinking");
  }
  MQ_ASSIGN(Positions positions, Map(std::move(fd), role));
  const PageHeader expected = MakeHeader();
  for (const MappedRegion& region : positions.regions_) {
    if (std::memcmp(region.data(), &expected, sizeof expected) != 0) {
      return MakeError(ErrorCode::kProtocol, "the broker's positions are of another version or build");
    }
  }
  return positions;
}

BrokerPage& Positions::own_broker() {
  MQ_CHECK(role_ == PositionsRole::kBroker || all_writable_, "only the broker writes the broker's page");
  return *broker_;
}
FlushdPage& Positions::own_flushd() {
  MQ_CHECK(role_ == PositionsRole::kFlushd || all_writable_, "only mq-flushd writes its page");
  return *flushd_;
}
ReputdPage& Positions::own_reputd() {
  MQ_CHECK(role_ == PositionsRole::kReputd || all_writable_, "only mq-reputd writes its page");
  return *reputd_;
}

}  // namespace mq::store
