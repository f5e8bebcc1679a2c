#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/command_registry.hpp"
#include "engine/command/run_report.hpp"
#include "engine/core/configuration.hpp"
#include "engine/study/conditions.hpp"
#include "engine/study/energy.hpp"
#include "engine/study/problem.hpp"
#include "engine/study/statistics.hpp"

/// Timing of several ways to solve one problem, side by side.

namespace glycine::study {

/// What a result takes of a ceiling of its device at least (device_ceilings.hpp).
struct CeilingUse {
    std::string name;   ///< of the ceiling: "add+min float32"
    std::string unit;   ///< of its rate: "G/s"; "µs" of a time for each
    double rate = 0;    ///< the best that was measured, by the probe or by a result (raisedBy)
    std::string what;   ///< how the probe measured it
    double amount = 0;  ///< that the result takes: rate · seconds; of a time for each, how many
    std::string stage;  ///< whose time this is compared with: Need::stage
    int threads = 0;    ///< of the processor, that the ceiling is about; 0: it is none of the processor
    /// The result of the same report that is above what the probe measured, and whose rate is the ceiling
    /// therefore: "cpu/blocked float32 on bounds, sparse, 17 atoms"; empty: none (raised_ceilings.hpp).
    std::string raisedBy{};
    double probed = 0;  ///< what the probe measured, where a result raised it

    bool isTime() const { return unit == "µs"; }
    /// How long the device takes for that and nothing else.
    double leastSeconds() const {
        if (isTime()) return amount * rate * 1e-6;
        return rate > 0 ? amount / rate : 0;
    }
    /// The rate (of a time for each, the time) that a result shows which takes so many seconds.
    double shownBy(double seconds) const { return isTime() ? seconds * 1e6 / amount : amount / seconds; }
    /// Which share of the ceiling a result reaches that takes so many seconds.
    double shareOf(double seconds) const {
        const double share = seconds > 0 ? leastSeconds() / seconds : 0;
        return !raisedBy.empty() && share > 1 ? 1 : share;  // but for rounding
    }
};

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
    bool keepsLongFirst = false;  ///< where the first run alone takes so long, it counts, and is the only one
    std::string unit{};           ///< of differences, for messages
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
