#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "engine/command/command_context.hpp"
#include "engine/command/environment.hpp"
#include "engine/core/configuration.hpp"
#include "engine/study/backend_pool.hpp"
#include "engine/study/conditions.hpp"
#include "engine/study/problem.hpp"
#include "engine/study/statistics.hpp"

/// Timing of several ways to solve one problem, side by side.
namespace glycine::study {

/// A time over all timed runs: of a stage, or of the whole.
struct MeasuredTime {
    std::string name;  ///< of the stage; empty: the whole run
    Statistics seconds;
    double work = 0;  ///< as StageTime::work
};

/// A configuration in a contest, and what came of it.
struct Contender {
    Configuration configuration;  ///< the variant becomes the one that ran
    int threads = 0;              ///< of `cpu`; 0: what the options say

    std::string skipped{};  ///< why it did not run; empty: it ran
    bool isWrong = false;   ///< failed a check: its times mean nothing
    std::string check{};    ///< how the result was verified, or what was wrong
    std::string note{};
    std::vector<MeasuredTime> stages{};
    MeasuredTime total{};
    DeviceDescription device{};

    bool hasTime() const { return skipped.empty() && !isWrong && total.seconds.count > 0; }
};

struct ContestRules {
    std::size_t repeats = 5;  ///< rounds after the one that is dropped
    /// A contender whose timed runs have taken so long together stops there.
    double enoughSeconds = std::numeric_limits<double>::infinity();
    std::string algorithm{};  ///< for messages
    std::string unit{};       ///< of differences, for messages
};

/// Runs the contenders in rounds, each once a round, so that what changes on the machine meets all of them
/// alike; the first round is dropped. All are held at once but those of different dialects, which follow each
/// other. A run of a few milliseconds is preceded by one without timing: another contender has just left its
/// data in the caches. The first and the last result of each are checked (Depth::Sampled). Refusals
/// (UnavailableError) end up in `skipped`; other errors and cancellation are thrown.
void holdContest(Problem& problem, std::vector<Contender>& contenders, BackendPool& backends,
                 const ContestRules& rules, ConditionsMeter& meter, CommandContext& context);

}  // namespace glycine::study
