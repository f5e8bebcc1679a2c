#include "engine/gl/framework/pass_budget.hpp"

#include <algorithm>

#include "engine/gl/framework/gl_api.hpp"

namespace glycine::gl {

namespace {
/// Until something was measured, a device is taken to be slow: the first portion only finds out.
constexpr double kFirstWorkPerSecond = 5e7;
/// A portion may grow at most this much over the last one, because small ones are all overhead.
constexpr double kLargestGrowth = 8;
}  // namespace

void PassBudget::restart() {
    workPerSecond_ = kFirstWorkPerSecond;
    pending_ = 0;
    portionStart_ = Clock::now();
}

bool PassBudget::note(double work) {
    pending_ += work;
    if (pending_ < workPerSecond_ * budgetSeconds_) return false;
    glFinish();
    const auto now = Clock::now();
    const double seconds = std::max(Clock::secondsBetween(portionStart_, now), 1e-6);
    workPerSecond_ = std::min(pending_ / seconds, workPerSecond_ * kLargestGrowth);
    pending_ = 0;
    portionStart_ = now;
    return true;
}

}  // namespace glycine::gl
