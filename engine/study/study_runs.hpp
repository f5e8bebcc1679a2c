#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "engine/study/bench_report.hpp"
#include "engine/study/configuration_options.hpp"
#include "engine/study/device_report.hpp"
#include "engine/study/reproduction_report.hpp"
#include "engine/study/subject.hpp"
#include "engine/study/validation_report.hpp"

/// The measurements of `validate`, `bench`, `bench device` and `reproduce`, without options and output,
/// shared with `study`.
namespace glycine::study {

/// Compares whole results of the configurations with the reference's. `set` must be prepared; `options` are
/// those that it was declared on. Throws MemoryError.
ValidationReport compareProblems(const Subject& subject, ProblemSet& set,
                                 const std::vector<Configuration>& configurations, const Options& options,
                                 const BackendOptions& device, CommandContext& context);

struct TimingRules {
    double enoughSeconds = std::numeric_limits<double>::infinity();  ///< ContestRules::enoughSeconds
    /// Called with the rows of a problem before its contest. Rows that get a reason in `skipped` do not run;
    /// erased rows are not reported.
    std::function<void(std::vector<MeasuredRow>&, const Problem&)> beforeContest{};
    /// Called with the rows after the contest.
    std::function<void(const std::vector<MeasuredRow>&)> afterContest{};
    /// Known ceilings; newly measured ones are added. Null: none are known.
    CeilingsInUse* ceilings = nullptr;
};
/// Times the configurations in one contest per problem, and checks their results. At a TimeLimit, returns
/// what has been measured. Throws MemoryError.
BenchReport timeProblems(const Subject& subject, ProblemSet& set,
                         const std::vector<Configuration>& configurations, const StudyOptions& chosen,
                         const TimingRules& rules, CommandContext& context);

/// Measures the ceilings of the backends. A backend that cannot run gets the reason.
DeviceReport measureDevices(const std::vector<std::string>& backends, const BackendOptions& device,
                            const CeilingRules& rules, CommandContext& context);
/// The chosen backends, or all; always without the reference, which is not compared with ceilings.
std::vector<std::string> backendsToMeasure(std::vector<std::string> chosen);

/// A figure with its rows, none of them measured. `dialect`: for rows of `gl` that do not specify one.
ReproductionReport reportOf(const PublishedFigure& figure, Scale scale, Dialect dialect);
/// How far measureFigure goes within a TimeLimit; each goal includes those before it.
enum class Goal {
    Sentences,   ///< methods that give an open sentence its first verdict on each GPU backend
    Claims,      ///< methods of all open claims, which judge a sentence in further cases
    Everything,  ///< methods without a claim
};
/// Measures the rows and judges the claims; in a report that was measured before, only the open ones. Within
/// a TimeLimit, returns what has been measured. Throws MemoryError.
void measureFigure(const Subject& subject, ReproductionReport& report, const StudyOptions& options,
                   std::uint64_t seed, CeilingsInUse& ceilings, CommandContext& context,
                   Goal goal = Goal::Everything);

}  // namespace glycine::study
