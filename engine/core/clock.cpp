#include "engine/core/clock.hpp"

#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace glycine {

namespace {

constexpr std::int64_t kRuns = -1;

std::int64_t nanosecondsOf(double seconds) {
    return static_cast<std::int64_t>(seconds * 1e9);
}

/// What GLYCINE_CLOCK_STEP says, in nanoseconds; 0 where it says nothing.
std::int64_t stepOfEnvironment() {
    const char* text = std::getenv("GLYCINE_CLOCK_STEP");
    return text == nullptr ? 0 : nanosecondsOf(std::strtod(text, nullptr));
}

const std::int64_t step = stepOfEnvironment();
/// Where the clock stands, in nanoseconds, or kRuns.
std::atomic<std::int64_t> held{step > 0 ? 0 : kRuns};
/// How far a running clock is ahead of the system's, in nanoseconds.
std::atomic<std::int64_t> ahead{0};

Clock::Duration durationOf(std::int64_t nanoseconds) {
    return std::chrono::duration_cast<Clock::Duration>(std::chrono::nanoseconds(nanoseconds));
}

}  // namespace

Clock::TimePoint Clock::now() {
    if (held.load(std::memory_order_relaxed) != kRuns) return TimePoint(durationOf(held.fetch_add(step)));
    return std::chrono::steady_clock::now() + durationOf(ahead.load(std::memory_order_relaxed));
}

double Clock::threadSeconds() {
    if (held.load(std::memory_order_relaxed) != kRuns) return secondsBetween(TimePoint(), now());
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void Clock::advance(double seconds) {
    (held == kRuns ? ahead : held) += nanosecondsOf(seconds);
}

HeldClock::HeldClock() {
    held = std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

HeldClock::~HeldClock() {
    held = kRuns;
}

}  // namespace glycine
