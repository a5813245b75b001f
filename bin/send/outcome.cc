#include "send/outcome.h"

namespace mq::send {
namespace {

constexpr int kPartlyDone = 3;
constexpr int kRefusedForGood = 4;

}  // namespace

int StatusOfFailure(const Error& error) {
  if (error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kNotFound) return kRefusedForGood;
  return ExitStatusOf(error);
}

void Outcome::NoteFailure(std::uint64_t number, const Error& error) {
  ++failed_;
  // Outcomes come in any order: the first failure is that of the lowest record.
  if (first_ && first_number_ <= number) return;
  first_ = error;
  first_number_ = number;
}

void Outcome::CountRefused(std::uint64_t number, const Error& error) { NoteFailure(number, error); }

bool Outcome::Count(const client::SendReport& report) {
  switch (report.status) {
    case client::SendStatus::kStored:
      ++stored_;
      return true;
    case client::SendStatus::kSent:
      ++handed_over_;
      return true;
    case client::SendStatus::kStoredNotFlushed:
      ++stored_;
      if (need_flushed_) ++unconfirmed_;
      return true;
    case client::SendStatus::kStoredNotReplicated:
      ++stored_;
      return true;
    case client::SendStatus::kFailed:
      break;
  }
  NoteFailure(report.cookie,
              report.error != nullptr ? *report.error : MakeError(ErrorCode::kInternal, "no reason was given"));
  return false;
}

void Outcome::NoteTrouble(const Error& error) {
  if (!trouble_) trouble_ = error;
}

std::string Outcome::FirstFailure() const {
  if (first_) return "send record " + std::to_string(first_number_) + ": " + first_->what;
  if (trouble_) return trouble_->what;
  return {};
}

std::string Outcome::Hint() const { return first_ ? first_->hint : trouble_ ? trouble_->hint : std::string(); }

int Outcome::ExitStatus() const {
  if (!any_failure()) return unconfirmed_ > 0 ? kPartlyDone : 0;
  if (stored_ > 0 || handed_over_ > 0) return kPartlyDone;
  return first_ ? StatusOfFailure(*first_) : ExitStatusOf(*trouble_);
}

}  // namespace mq::send
