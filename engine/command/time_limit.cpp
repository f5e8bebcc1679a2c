#include "engine/command/time_limit.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "engine/core/stopwatch.hpp"

namespace glycine {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// Atomic, because computing threads read them.
std::atomic<std::int64_t> endOfTime{kNever};  ///< nanoseconds of the clock
std::atomic<bool> isSuspended{false};
std::string endReason;

std::int64_t nanoseconds(Clock::Duration duration) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

}  // namespace

TimeLimit::TimeLimit(double seconds, std::string reason) {
    endReason = std::move(reason);
    // Centuries count as never; the clock would overflow.
    constexpr double kLongest = 1e9;
    endOfTime = seconds < kLongest ? nanoseconds(Clock::now().time_since_epoch()) +
                                         static_cast<std::int64_t>(std::llround(seconds * 1e9))
                                   : kNever;
}

TimeLimit::~TimeLimit() {
    endOfTime = kNever;
    endReason.clear();
}

bool TimeLimit::hasExpired() {
    const std::int64_t end = endOfTime;
    return end != kNever && !isSuspended && nanoseconds(Clock::now().time_since_epoch()) >= end;
}

void TimeLimit::throwIfOver() {
    if (hasExpired()) throw TimeLimitError(endReason);
}

double TimeLimit::secondsLeft() {
    const std::int64_t end = endOfTime;
    return end == kNever ? std::numeric_limits<double>::infinity()
                         : static_cast<double>(end - nanoseconds(Clock::now().time_since_epoch())) / 1e9;
}

std::string TimeLimit::reason() {
    return endReason;
}

TimeLimit::Suspension::Suspension() : before_(isSuspended.exchange(true)) {}

TimeLimit::Suspension::~Suspension() {
    isSuspended = before_;
}

}  // namespace glycine
