#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/command_context.hpp"
#include "engine/command/environment.hpp"
#include "engine/core/configuration.hpp"
#include "engine/study/ceiling.hpp"
#include "engine/study/conditions.hpp"
#include "engine/study/energy.hpp"
#include "engine/study/problem.hpp"
#include "engine/study/statistics.hpp"

/// Timing of several ways to solve one problem, side by side.
namespace glycine::study {

/// A time over all timed runs: of a stage, or of the whole.
struct MeasuredTime {
    std::string name;  ///< of the stage: "upper"
    Statistics seconds{};
    double work = 0;  ///< as StageTime::work

    double bestRate() const { return seconds.minimum > 0 ? work / seconds.minimum : 0; }
    double medianRate() const { return seconds.median > 0 ? work / seconds.median : 0; }
};

/// A configuration on a problem, and what came of it: a row of a report.
struct MeasuredRow {
    Configuration configuration;  ///< the variant becomes the one that ran
    int threads = 0;              ///< of `cpu`; 0: what the options say

    std::string problem{};    ///< Problem::name
    std::size_t size = 0;     ///< Problem::size
    Dimensions dimensions{};  ///< Problem::dimensions
    std::string skipped{};    ///< why it did not run; empty: it ran
    bool isWrong = false;     ///< failed a check: its times mean nothing
    std::string cutShort{};   ///< why it has fewer runs than were asked for; mostly empty
    std::string check{};      ///< how the result was verified, or what was wrong
    std::string note{};       ///< what the backend decided on the way
    std::vector<MeasuredTime> stages{};
    std::vector<Score> scores{};  ///< Outcome::scores
    /// What Problem::needs takes of the device; the first one bounds the result. Empty: nothing is told.
    std::vector<CeilingUse> ceilings{};
    MeasuredTime total{"total"};
    std::vector<EnergyUse> energy{};  ///< of a run, as the mean of the timed ones
    std::string energyAbsent{};       ///< why some of it, or all, is not told; empty: it is, or nobody asked
    DeviceDescription device{};
    std::optional<ResultDigest> digest{};  ///< Computation::digest

    bool hasTime() const { return skipped.empty() && !isWrong && total.seconds.count > 0; }
    /// The least time that was measured for what a need is about (Need::stage). 0: there is none.
    double computingSeconds(std::string_view stage = {}) const;
    /// Which share of the ceiling that bounds it the row reaches at its best; 0: it has none. At most 1 once
    /// the ceilings of its report are raised (raised_ceilings.hpp).
    double ceilingShare() const;
    /// The time of a stage, or the "total"; null when there is none.
    const MeasuredTime* time(std::string_view name) const;
    void setProblem(const Problem& problem);
};

struct ContestRules {
    std::size_t repeats = 5;  ///< rounds after the one that is dropped
    /// A row whose timed runs have taken so long together stops there.
    double enoughSeconds = std::numeric_limits<double>::infinity();
    std::string unit{};             ///< of differences, for messages
    EnergyMeter* energy = nullptr;  ///< where what runs use is to be told
};

/// Runs the rows in rounds, each once a round, so that what changes on the machine meets all of them
/// alike; the first round is dropped. All are held at once but those of different dialects, which follow each
/// other. A run of a few milliseconds is preceded by one without timing, since another contender has just
/// left its data in the caches, and repeated in its turn; the turn counts with its median run. The first and
/// the last result of each are checked (Depth::Sampled). Refusals (UnavailableError) end up in `skipped`; a
/// row that has a reason there already does not run. At a TimeLimit rows end with the runs that they have
/// (`cutShort`), and in `skipped` where that is none. Other errors and cancellation are thrown.
void holdContest(Problem& problem, std::vector<MeasuredRow>& rows, BackendPool& backends,
                 const ContestRules& rules, ConditionsMeter& meter, CommandContext& context);

}  // namespace glycine::study
