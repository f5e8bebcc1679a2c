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

/// How quiet the machine was during a measurement. Other programs lengthen times, by different factors for
/// different contenders, so a figure without its conditions cannot be trusted.
namespace glycine::study {

struct Conditions {
    /// Runnable processes, averaged over a minute by the system, before the first measurement.
    std::optional<double> loadAverageBefore{};
    /// Share (0 … 1) of the available processors' time that other programs used: before the measurement and
    /// during it. Nothing if the system does not report it.
    std::optional<double> othersBefore{};
    std::optional<double> othersDuring{};
    /// Relative slowdown of a short single-threaded loop between the runs (median), compared with its fastest
    /// time.
    double loopNoise = 0;
    Statistics loopSeconds{};
    /// (maximum − minimum) / median of the timed runs; the median over all rows.
    double runSpread = 0;

    /// The disturbance of the measurement, in a sentence; empty on a quiet machine.
    std::string disturbance() const;
};

/// "load" and "noise" for the head of a report.
Fields conditionFields(const Conditions& conditions);
/// Adds {"load": …, "noise": …, "busy": …} to a report's object.
void addToJson(Json& report, const Conditions& conditions);
/// The conditions in a report's object. Throws the JSON library's exceptions.
Conditions conditionsFrom(const Json& report);
/// One line if the machine was busy, otherwise empty.
std::string busyLine(const Conditions& conditions);

/// Processor time since boot, in seconds.
struct ProcessorTimes {
    double total = 0;
    double idle = 0;  ///< includes waiting for devices
};
/// Sums the lines of processorTimesText (core/system/machine.hpp) over the processors in `numbers` (empty:
/// all), in ticks. Nothing if the text lists none of them.
std::optional<ProcessorTimes> parseProcessorTimes(std::string_view procStat, const std::set<int>& numbers);

/// Watches the machine from its construction, which takes 0.2 s, until `finish`.
class ConditionsMeter {
  public:
    ConditionsMeter();
    /// Times the loop once, about a millisecond. Call it between runs.
    void probe();
    /// `runSpreads`: one for each row that has a time.
    Conditions finish(std::vector<double> runSpreads) const;

  private:
    /// Processor time used so far, by the whole machine and by this program.
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
