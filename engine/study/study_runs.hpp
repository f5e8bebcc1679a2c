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

/// What `validate`, `bench`, `bench device` and `reproduce` do between their options and what they print:
/// `study` does the same.
namespace glycine::study {

/// Compares whole results of these configurations with the reference's. The set has been prepared; `options`
/// are those that it was declared on. Throws MemoryError.
ValidationReport compareProblems(const Subject& subject, ProblemSet& set,
                                 const std::vector<Configuration>& configurations, const Options& options,
                                 const BackendOptions& device, CommandContext& context);

struct TimingRules {
    double enoughSeconds = std::numeric_limits<double>::infinity();  ///< ContestRules::enoughSeconds
    /// Called with the rows of a problem before its contest: what gets a reason in `skipped` does not run,
    /// and what is taken out is not reported.
    std::function<void(std::vector<MeasuredRow>&, const Problem&)> admit{};
    /// Called with them after it.
    std::function<void(const std::vector<MeasuredRow>&)> seen{};
    /// What is known of them already, and takes what is measured; null: nothing is.
    CeilingsInUse* ceilings = nullptr;
};
/// Times these configurations by contests, a problem each, and checks what they time. At a TimeLimit it ends
/// with what is there. Throws MemoryError.
BenchReport timeProblems(const Subject& subject, ProblemSet& set,
                         const std::vector<Configuration>& configurations, const StudyOptions& chosen,
                         const TimingRules& rules, CommandContext& context);

/// The ceilings of these backends. What does not run has the reason.
DeviceReport measureDevices(const std::vector<std::string>& backends, const BackendOptions& device,
                            const CeilingRules& rules, CommandContext& context);
/// Those that were chosen, or all, but for the reference, which is held against nothing.
std::vector<std::string> backendsToMeasure(std::vector<std::string> chosen);

/// A figure with its rows, none of them measured yet. `dialect`: of rows of `gl` that name none.
ReproductionReport reportOf(const PublishedFigure& figure, Scale scale, Dialect dialect);
/// Measures the rows and judges the claims; of a report that was measured before, what is open. Within a
/// TimeLimit `claimsAlone` leaves out methods that no claim is about, and it ends with what is there. Throws
/// MemoryError.
void measureFigure(const Subject& subject, ReproductionReport& report, const StudyOptions& options,
                   std::uint64_t seed, CeilingsInUse& ceilings, CommandContext& context,
                   bool claimsAlone = false);

}  // namespace glycine::study
