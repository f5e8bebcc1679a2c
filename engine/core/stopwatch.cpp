#include "engine/core/stopwatch.hpp"

#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "engine/core/system/machine.hpp"

namespace glycine {

namespace {

constexpr std::int64_t kRuns = -1;

std::int64_t nanosecondsOf(double seconds) {
    return static_cast<std::int64_t>(seconds * 1e9);
}

/// Where the held clock stands, in nanoseconds, or kRuns. Constant-initialised, because the clock may be read
/// before this file's objects are constructed.
constinit std::atomic<std::int64_t> held{kRuns};
/// How far a running clock is ahead of the system clock, in nanoseconds.
constinit std::atomic<std::int64_t> ahead{0};

/// Reads GLYCINE_CLOCK_STEP, in nanoseconds, and holds the clock if it is set; 0 if it is not.
std::int64_t stepOfEnvironment() {
    const char* text = std::getenv("GLYCINE_CLOCK_STEP");
    const std::int64_t found = text == nullptr ? 0 : nanosecondsOf(std::strtod(text, nullptr));
    if (found > 0) held = 0;
    return found;
}

const std::int64_t step = stepOfEnvironment();

Clock::Duration durationOf(std::int64_t nanoseconds) {
    return std::chrono::duration_cast<Clock::Duration>(std::chrono::nanoseconds(nanoseconds));
}

}  // namespace

Clock::TimePoint Clock::now() {
    if (held.load(std::memory_order_relaxed) != kRuns) return TimePoint(durationOf(held.fetch_add(step)));
    return std::chrono::steady_clock::now() + durationOf(ahead.load(std::memory_order_relaxed));
}

Clock::TimePoint Clock::processStart() {
    if (held.load(std::memory_order_relaxed) != kRuns) return now();
    // Asked first: a clock read before would put the start too early by the time that asking takes.
    const double seconds = secondsOfProcess().value_or(0);
    return now() - durationOf(nanosecondsOf(seconds));
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

StoppedClock::StoppedClock() {
    held = std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

StoppedClock::~StoppedClock() {
    held = kRuns;
}

}  // namespace glycine
