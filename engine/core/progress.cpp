#include "engine/core/progress.hpp"

#include <atomic>
#include <csignal>
#include <utility>

#include "engine/core/error.hpp"

namespace glycine {

namespace {
std::atomic<bool> cancelRequested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

extern "C" void requestCancellation(int signal) {
    cancelRequested = true;
    std::signal(signal, SIG_DFL);  // a second signal ends a program that does not come to its next check
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
    start_ = std::chrono::steady_clock::now();
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

void Progress::notify(bool force) {
    if (!listener_) return;
    const auto now = std::chrono::steady_clock::now();
    if (!force && now - lastNotice_ < std::chrono::milliseconds(100)) return;
    lastNotice_ = now;
    ProgressUpdate update;
    update.stage = stage_;
    update.fraction = total_ > 0 ? std::min(1.0, done_ / total_) : 1.0;
    update.secondsElapsed = std::chrono::duration<double>(now - start_).count();
    if (update.fraction > 0.01)
        update.secondsRemaining = update.secondsElapsed * (1 - update.fraction) / update.fraction;
    listener_(update);
}

void installCancellationHandler() {
    std::signal(SIGINT, requestCancellation);
    std::signal(SIGTERM, requestCancellation);
}

bool cancellationRequested() {
    return cancelRequested;
}

}  // namespace glycine
