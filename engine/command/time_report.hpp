#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/time_line.hpp"
#include "engine/io/text/json_forward.hpp"

/// How reports tell where the time of a command went.
namespace glycine {

/// What a stage is part of, in the order in which a command goes through them.
enum class TimeGroup { StartUp, Reading, Preparation, Kernel, Checks, Writing, Other };
inline constexpr std::size_t kTimeGroups = 7;
std::string_view toString(TimeGroup group);
/// Stages that have no name of the house are an algorithm's own: Kernel.
TimeGroup groupOf(std::string_view stage);

/// Another name of a stage for people: {"pack", "weights"}.
struct StageWords {
    std::string_view stage;
    std::string_view words;
};

/// "8.9 s: start-up 1.1 s, reading 1.9 s, preparing 2.8 s, computing 0.6 s, storing 2.4 s, other 0.1 s": what
/// is named adds up to the wall clock. Stages that take next to nothing count as other. `isDetailed`: packing
/// and copying apart, and what was done beside other stages: "storing 2.4 s (1.9 s of them beside others)".
std::string describeTimes(const TimeLine& times, bool isDetailed, const std::vector<StageWords>& words = {});

/// {"wall": 8.9, "startUp": 1.1, "read": 1.9, …, "other": 0.1, "beside": {"store": 1.9}}: all stages and
/// "other" add up to "wall"; "beside" are seconds more, while other stages were at work.
Json timesJson(const TimeLine& times);

}  // namespace glycine
