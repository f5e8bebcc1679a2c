#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/time_line.hpp"
#include "engine/io/text/json_forward.hpp"

/// Reports of where the time of a command went.
namespace glycine {

/// Groups of stages, in the order in which a command goes through them.
enum class TimeGroup { StartUp, Reading, Preparation, Kernel, Checks, Writing, Other };
inline constexpr std::size_t kTimeGroups = 7;
std::string_view toString(TimeGroup group);
/// Stages without a common name are an algorithm's own and belong to Kernel.
TimeGroup groupOf(std::string_view stage);

/// Another displayed name of a stage: {"pack", "weights"}.
struct StageWords {
    std::string_view stage;
    std::string_view words;
};

/// "8.9 s: start-up 1.1 s, reading 1.9 s, preparing 2.8 s, computing 0.6 s, storing 2.4 s, other 0.1 s": adds
/// up to the wall clock. Negligible stages count as other. `isDetailed`: lists packing and copying
/// separately, and overlapped time: "storing 2.4 s (1.9 s in parallel with other stages)".
std::string describeTimes(const TimeLine& times, bool isDetailed, const std::vector<StageWords>& words = {});
/// The same for stages of a run that takes `wall` seconds.
std::string describeTimes(double wall, const std::vector<TimedStage>& stages, bool isDetailed,
                          const std::vector<StageWords>& words = {});
/// "reading": what the times call a stage.
std::string_view wordsOf(std::string_view stage, const std::vector<StageWords>& words = {});

/// {"wall": 8.9, "startUp": 1.1, "read": 1.9, …, "other": 0.1, "overlapped": {"store": 1.9}}: all stages and
/// "other" add up to "wall"; "overlapped" is additional time, in parallel with other stages.
Json timesJson(const TimeLine& times);

}  // namespace glycine
