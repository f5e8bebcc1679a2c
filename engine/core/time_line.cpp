#include "engine/core/time_line.hpp"

#include <algorithm>

namespace glycine {

void TimeLine::add(const TimedStage& time) {
    if (time.seconds <= 0 && time.overlapped <= 0) return;
    auto known = std::ranges::find(stages_, time.stage, &TimedStage::stage);
    if (known == stages_.end()) known = stages_.insert(known, {.stage = time.stage});
    known->seconds += time.seconds;
    known->overlapped += time.overlapped;
}

double TimeLine::end(std::string_view stage) {
    return divide({}, stage);
}

double TimeLine::divide(std::vector<TimedStage> parts, std::string_view rest) {
    const Clock::TimePoint now = Clock::now();
    const double elapsed = Clock::secondsBetween(last_, now);
    last_ = now;
    double sum = 0;
    for (const TimedStage& part : parts) sum += part.seconds;
    if (sum > elapsed)
        for (TimedStage& part : parts) {
            const double kept = part.seconds * elapsed / sum;
            part.overlapped += part.seconds - kept;
            part.seconds = kept;
        }
    for (const TimedStage& part : parts) add(part);
    add({.stage = std::string(rest), .seconds = elapsed - std::min(sum, elapsed)});
    return elapsed;
}

}  // namespace glycine
