#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "engine/algorithms/crossapen/study/epoch_batch.hpp"
#include "engine/algorithms/crossapen/study/figure_report.hpp"
#include "engine/algorithms/crossapen/study/result_check.hpp"
#include "engine/algorithms/crossapen/study/study.hpp"
#include "engine/command/command_context.hpp"

namespace glycine::crossapen {

/// Trials as the paper times them: random pairs of signals in float32, m = 1, r = 0.2.
struct TrialShape {
    std::size_t trials = 50;
    std::size_t samples = 8192;
    auto operator<=>(const TrialShape&) const = default;
    std::string text() const;  ///< "50 × 8,192"
};

/// What is run on them.
struct FigureMethod {
    std::string backend;
    Variant variant = Variant::Default;
    bool isOneThread = false;  ///< of the processor
};

/// Measures rows of figures. Every result is verified: a wrong one has no time.
class FigureRuns {
  public:
    /// Runs until `repeats` or some seconds are reached, after one that is dropped.
    FigureRuns(const BackendOptions& device, std::size_t repeats, std::uint64_t seed, CommandContext& context,
               FigureReport& report);

    /// A backend on all trials, each an epoch of two signals: four ordered pairs.
    FigureRow measure(const FigureMethod& method, const TrialShape& shape);
    /// The paper's C(1) or C(2) on the first of so long trials: one ordered pair.
    FigureRow measureLoop(bool isMerged, std::size_t samples);
    /// A backend's own choice on a study.
    FigureRow measureStudy(const std::string& backend, Study& study, const StudyPlan& plan);

  private:
    /// Trials of one shape with the check of their results.
    struct Trials {
        EpochBatch batch;
        std::optional<ResultCheck<Matcher>> check;
    };
    Trials& trialsOf(const TrialShape& shape);
    void measureRuns(Matcher& matcher, Variant variant, Trials& trials, FigureRow& row);
    FigureRow rowFor(const FigureMethod& method) const;
    template <class Measure>
    void withMatcher(const FigureMethod& method, FigureRow& row, const Measure& measure);

    BackendOptions device_;
    std::size_t repeats_;
    std::uint64_t seed_;
    CommandContext& context_;
    FigureReport& report_;
    BackendSlot slot_;
    BackendSlot oneThread_;
    std::map<TrialShape, Trials> trials_;
    std::map<std::pair<std::string, TrialShape>, FigureRow> measured_;  ///< by method
};

}  // namespace glycine::crossapen
