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

/// Times several ways to solve one problem side by side.

namespace glycine::study {

/// The least that a result requires of one ceiling of its device (device_ceilings.hpp).
struct CeilingUse {
    std::string name;   ///< name of the ceiling: "add+min float32"
    std::string unit;   ///< unit of its rate: "G/s"; "µs" for a time per operation
    double rate = 0;    ///< best value measured, by the probe or by a result (raisedBy)
    std::string what;   ///< how the probe measured it
    double amount = 0;  ///< work that the result requires (rate · seconds), or the number of operations
    std::string stage;  ///< stage whose time is compared with the ceiling: RequiredWork::stage
    int threads = 0;    ///< processor threads that the ceiling is for; 0: not a processor ceiling
    /// The result in the same report that exceeded the probe, and whose rate is now the ceiling: "cpu/blocked
    /// float32 on bounds, sparse, 17 atoms". Empty if none did (RaisedCeilings in device_ceilings.hpp).
    std::string raisedBy{};
    double probed = 0;  ///< the probe's value, if a result raised it

    bool isTime() const { return unit == "µs"; }
    /// Time in seconds that the device needs for this work alone.
    double leastSeconds() const {
        if (isTime()) return amount * rate * 1e-6;
        return rate > 0 ? amount / rate : 0;
    }
    /// The rate (or the time per operation, in µs) that a result achieves if it takes `seconds`.
    double shownBy(double seconds) const { return isTime() ? seconds * 1e6 / amount : amount / seconds; }
    /// Share of the ceiling that a result reaches if it takes `seconds`.
    double shareOf(double seconds) const {
        const double share = seconds > 0 ? leastSeconds() / seconds : 0;
        return !raisedBy.empty() && share > 1 ? 1 : share;  // removes rounding errors
    }
};

/// A time over all timed runs, of one stage or of the whole run.
struct MeasuredTime {
    std::string name;  ///< name of the stage: "upper"
    Statistics seconds{};
    double work = 0;  ///< as StageTime::work

    double bestRate() const { return seconds.minimum > 0 ? work / seconds.minimum : 0; }
    double medianRate() const { return seconds.median > 0 ? work / seconds.median : 0; }
};

/// One row of a report: a configuration on a problem, and its outcome.
struct MeasuredRow {
    Configuration configuration;  ///< the variant is replaced by the one that ran
    int threads = 0;              ///< threads of `cpu`; 0: as the options say

    std::string problem{};    ///< Problem::name
    std::size_t size = 0;     ///< Problem::size
    Dimensions dimensions{};  ///< Problem::dimensions
    std::string skipped{};    ///< why it did not run; empty: it ran
    bool isWrong = false;     ///< failed a check; its times are meaningless
    std::string cutShort{};   ///< why it has fewer runs than requested; usually empty
    std::string check{};      ///< how the result was verified, or what was wrong
    std::string note{};       ///< what the backend decided while running
    std::vector<MeasuredTime> stages{};
    std::vector<Score> scores{};  ///< Outcome::scores
    /// Problem::needs in terms of the device's ceilings; the first one bounds the result. Empty if the
    /// problem states none.
    std::vector<CeilingUse> ceilings{};
    MeasuredTime total{"total"};
    std::vector<EnergyUse> energy{};  ///< per run, averaged over the timed runs
    std::string energyAbsent{};       ///< why energy is missing, wholly or in part; empty if not requested
    DeviceDescription device{};
    std::optional<ResultDigest> digest{};  ///< Computation::digest

    bool hasTime() const { return skipped.empty() && !isWrong && total.seconds.count > 0; }
    /// Least measured time of the stage that a need refers to (RequiredWork::stage), in seconds; 0 if there
    /// is none.
    double computingSeconds(std::string_view stage = {}) const;
    /// Best share that the row reaches of the ceiling that bounds it; 0 if it has none. At most 1 after
    /// raiseCeilings has processed the report.
    double ceilingShare() const;
    /// The time of the named stage, or of the "total"; null if there is none.
    const MeasuredTime* time(std::string_view name) const;
    void setProblem(const Problem& problem);
};

struct ContestRules {
    std::size_t repeats = 5;  ///< rounds after the first one, which is dropped
    /// A row stops once its timed runs have taken this many seconds in total.
    double enoughSeconds = std::numeric_limits<double>::infinity();
    bool keepsLongFirst = false;  ///< if the first run alone takes that long, it counts, and no other follows
    std::string unit{};           ///< unit of differences, for messages
    EnergyMeter* energy = nullptr;  ///< set to measure the energy of the runs
};

/// Runs the rows in rounds, each row once per round, so that changes of the machine affect all rows alike.
/// The first round is dropped. All computations are held at the same time, except those of different
/// dialects, which follow one another.
///
/// A run of a few milliseconds is preceded by an untimed run, because another contender has just replaced its
/// data in the caches. Such a run is repeated within its turn, and the turn's median run counts. The first
/// and the last result of each row are checked (CheckScope::Sampled).
///
/// Refusals (UnavailableError) are stored in `skipped`; a row that already has a reason there does not run.
/// At a TimeLimit, rows keep the runs that they have (`cutShort`); a row without any is marked in `skipped`.
/// Other errors and cancellation are thrown.
void runContest(Problem& problem, std::vector<MeasuredRow>& rows, BackendPool& backends,
                const ContestRules& rules, ConditionsMeter& meter, CommandContext& context);

}  // namespace glycine::study
