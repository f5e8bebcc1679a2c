#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/text_table.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/statistics.hpp"

/// How quiet the machine was while something was timed. Other programs make times too long, and not all of
/// them by the same factor: a figure without this cannot be trusted.
namespace glycine::study {

struct Conditions {
    /// Processes that wanted to run, mean of a minute, as the system counts them before anything was timed.
    std::optional<double> loadAverageBefore{};
    /// Share of the time of the processors that this program may use which others used, 0 … 1: just before,
    /// and while it was measuring. Nothing where the system does not tell.
    std::optional<double> othersBefore{};
    std::optional<double> othersDuring{};
    /// By how much the same short loop of one thread took longer between the runs (median) than at its best.
    double loopNoise = 0;
    Statistics loopSeconds{};
    /// (maximum − minimum) / median of the timed runs: the median of all rows.
    double runSpread = 0;

    /// What disturbed, in a sentence; empty on a quiet machine.
    std::string disturbance() const;
};

/// "load" and "noise" for the head of a report.
Fields conditionFields(const Conditions& conditions);
/// {"load": …, "noise": …, "busy": …} are added to a report's object.
void addToJson(Json& report, const Conditions& conditions);
/// One line where the machine was busy, otherwise nothing.
std::string busyLine(const Conditions& conditions);

/// Seconds that processors have spent since they were started.
struct ProcessorTimes {
    double total = 0;
    double idle = 0;  ///< waiting for devices included
};
/// Sums the lines of processorTimesText (core/system/machine.hpp) for the processors `numbers` (all of them
/// where it is empty), in ticks; nothing where it has none of them.
std::optional<ProcessorTimes> parseProcessorTimes(std::string_view procStat, const std::set<int>& numbers);

/// Watches the machine from its construction, which takes a fifth of a second, until `finish`.
class ConditionsMeter {
  public:
    ConditionsMeter();
    /// Times the loop once: about a millisecond. Call it between runs.
    void probe();
    /// `runSpreads`: of each row that has a time.
    Conditions finish(std::vector<double> runSpreads) const;

  private:
    /// What the whole machine and this program have used so far.
    struct Usage {
        std::optional<ProcessorTimes> all;
        double own = 0;
    };
    static Usage usageNow();
    static std::optional<double> othersBetween(const Usage& start, const Usage& end);
    double timeLoop() const;

    Conditions conditions_;
    unsigned long iterations_ = 0;
    double fastestLoop_ = 0;
    std::vector<double> loops_;
    Usage start_;
};

}  // namespace glycine::study
