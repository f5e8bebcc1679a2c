#include "engine/command/time_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/quantity.hpp"
#include "engine/io/text/json.hpp"

namespace glycine {

namespace {

struct KnownStage {
    std::string_view stage;
    std::string_view words;
    TimeGroup group;
};

constexpr KnownStage kKnown[] = {{"startUp", "start-up", TimeGroup::StartUp},
                                 {"read", "reading", TimeGroup::Reading},
                                 {"open", "opening the store", TimeGroup::Preparation},
                                 {"prepare", "preparing", TimeGroup::Preparation},
                                 {"copy", "copying", TimeGroup::Preparation},
                                 {"pack", "packing", TimeGroup::Preparation},
                                 {"upload", "copying", TimeGroup::Preparation},
                                 {"compute", "computing", TimeGroup::Kernel},
                                 {"upper", "upper bounds", TimeGroup::Kernel},
                                 {"lower", "lower bounds", TimeGroup::Kernel},
                                 {"download", "copying", TimeGroup::Preparation},
                                 {"check", "checking", TimeGroup::Checks},
                                 {"compare", "comparing", TimeGroup::Checks},
                                 {"explain", "explaining", TimeGroup::Checks},
                                 {"recount", "re-counting", TimeGroup::Checks},
                                 {"summarize", "summing up", TimeGroup::Checks},
                                 {"store", "storing", TimeGroup::Writing},
                                 {"write", "writing", TimeGroup::Writing},
                                 {"draw", "drawing", TimeGroup::Other},
                                 {TimeLine::kOther, TimeLine::kOther, TimeGroup::Other}};

const KnownStage* known(std::string_view stage) {
    const auto* const found = std::ranges::find(kKnown, stage, &KnownStage::stage);
    return found == std::end(kKnown) ? nullptr : found;
}

}  // namespace

std::string_view wordsOf(std::string_view stage, const std::vector<StageWords>& words) {
    const auto own = std::ranges::find(words, stage, &StageWords::stage);
    if (own != words.end()) return own->words;
    const KnownStage* const found = known(stage);
    return found == nullptr ? stage : found->words;
}

std::string_view toString(TimeGroup group) {
    constexpr std::string_view kNames[kTimeGroups] = {"start-up", "reading", "preparation", "kernel",
                                                      "checks",   "writing", "other"};
    return kNames[static_cast<std::size_t>(group)];
}

TimeGroup groupOf(std::string_view stage) {
    const KnownStage* const found = known(stage);
    return found == nullptr ? TimeGroup::Kernel : found->group;
}

std::string describeTimes(const TimeLine& times, bool isDetailed, const std::vector<StageWords>& words) {
    return describeTimes(times.wall(), times.stages(), isDetailed, words);
}

std::string describeTimes(double wall, const std::vector<TimedStage>& stages, bool isDetailed,
                          const std::vector<StageWords>& words) {
    constexpr double kShown = 0.005;  // of the wall clock
    std::vector<TimedStage> shown;    // by their words
    for (const TimedStage& time : stages) {
        const bool isJoined = !isDetailed && groupOf(time.stage) == TimeGroup::Preparation;
        const std::string_view name = isJoined ? "preparing" : wordsOf(time.stage, words);
        auto place = std::ranges::find(shown, name, &TimedStage::stage);
        if (place == shown.end()) place = shown.insert(place, {.stage = std::string(name)});
        place->seconds += time.seconds;
        if (isDetailed) place->overlapped += time.overlapped;
    }
    std::erase_if(shown, [&](const TimedStage& time) {
        return time.stage == TimeLine::kOther || time.seconds + time.overlapped < kShown * wall;
    });
    double other = wall;
    std::string text;
    for (const TimedStage& time : shown) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", time.stage,
                            formatSeconds(time.seconds + time.overlapped));
        if (time.overlapped >= kShown * wall)
            text += fmt::format(" ({} in parallel with other stages)", formatSeconds(time.overlapped));
        other -= time.seconds;
    }
    if (other >= kShown * wall || text.empty())
        text += fmt::format("{}other {}", text.empty() ? "" : ", ", formatSeconds(other));
    return fmt::format("{}: {}", formatSeconds(wall), text);
}

Json timesJson(const TimeLine& times) {
    const double wall = times.wall();
    Json json{{"wall", wall}};
    double other = wall;
    for (const TimedStage& time : times.stages()) {
        if (time.overlapped > 0) json["overlapped"][time.stage] = time.overlapped;
        if (time.stage == TimeLine::kOther) continue;
        json[time.stage] = time.seconds;
        other -= time.seconds;
    }
    json[std::string(TimeLine::kOther)] = std::max(0.0, other);
    return json;
}

}  // namespace glycine
