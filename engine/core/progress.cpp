#include "engine/core/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"

namespace glycine {

namespace {

constexpr std::chrono::milliseconds kBetweenNotices{100};

std::mutex processMutex;
Progress* processProgress = nullptr;

/// Estimated remaining seconds when `fraction` took `seconds`; negative while it is too early to tell.
double remaining(double fraction, double seconds) {
    return fraction > 0.01 ? seconds * (1 - fraction) / fraction : -1;
}

}  // namespace

Progress::Progress(Listener listener, CancelCheck isCancelled)
    : listener_(std::move(listener)), isCancelled_(std::move(isCancelled)) {}

void Progress::begin(std::string stage, double totalWork) {
    throwIfCancelled();
    const std::lock_guard lock(mutex_);
    stage_ = std::move(stage);
    total_ = totalWork;
    done_ = 0;
    start_ = Clock::now();
    lastNotice_ = start_;
}

void Progress::advance(double work) {
    throwIfCancelled();
    const std::lock_guard lock(mutex_);
    done_ += work;
    notify(done_ >= total_);
}

void Progress::throwIfCancelled() const {
    if (isCancelled_ && isCancelled_()) throw CancelledError();
}

ProgressUpdate Progress::updateNow(Clock::TimePoint now) const {
    const double fraction = total_ > 0 ? std::min(1.0, done_ / total_) : 1.0;
    const double seconds = Clock::secondsBetween(start_, now);
    return {stage_, fraction, seconds, remaining(fraction, seconds)};
}

void Progress::notify(bool force) {
    if (!listener_) return;
    const auto now = Clock::now();
    if (!force && now - lastNotice_ < kBetweenNotices) return;
    lastNotice_ = now;
    listener_(updateNow(now));
}

void Progress::notice(const ProgressUpdate& update) {
    const std::lock_guard lock(mutex_);
    const bool isUnderWay = !stage_.empty() && done_ < total_;
    if (listener_ && !isUnderWay) listener_(update);
}

BackgroundWork::BackgroundWork(std::string stage, double total)
    : stage_(std::move(stage)), total_(total), start_(Clock::now()), lastNotice_(start_) {}

void BackgroundWork::advance(double work) {
    throwIfCancellationRequested();
    done_ += work;
    const auto now = Clock::now();
    if (now - lastNotice_ < kBetweenNotices) return;
    lastNotice_ = now;
    const std::lock_guard lock(processMutex);
    if (processProgress == nullptr) return;
    const double seconds = Clock::secondsBetween(start_, now);
    if (total_ > 0) {
        const double fraction = std::min(1.0, done_ / total_);
        processProgress->notice({stage_, fraction, seconds, remaining(fraction, seconds)});
    } else {
        processProgress->notice(
            {fmt::format("{} ({})", stage_, formatBytes(static_cast<std::uint64_t>(done_))), -1, seconds,
             -1});
    }
}

void setProcessProgress(Progress* progress) {
    const std::lock_guard lock(processMutex);
    processProgress = progress;
}

}  // namespace glycine
