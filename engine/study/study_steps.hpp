#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/command/command_registry.hpp"
#include "engine/core/names.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/configuration_options.hpp"
#include "engine/study/device_ceilings.hpp"
#include "engine/study/subject.hpp"

/// What `glycine study` does, one step after the other, each as the command of its name would do it.

namespace glycine::study {

// What a machine does for seconds on end (clocks, neighbours, where memory lies) meets all rounds of a short
// step alike, and repeating does not show it. So a study comes back to short steps, later and several times.

/// A step of times that took longer has met changes of that kind already.
inline constexpr double kShortStepSeconds = 20;
/// Rounds of a visit after the first one.
inline constexpr std::size_t kRoundsOfVisit = 2;
/// Rounds of whole commands.
inline constexpr std::size_t kRoundsOfCommands = 3;

/// Whether both are rows of the same configuration and problem in reports of `bench`.
bool isSameRow(const Json& one, const Json& other);

/// Adds what a later visit has measured to the report of the first (both as `bench` writes them): samples
/// with summarizeVisits, the better rates and shares of ceilings, the ratios to the first row of a size, and
/// the conditions of the busier one. What a visit finds wrong loses its times.
void mergeVisit(Json& first, const Json& later);

/// A validation goes before the times that it lets through.
enum class StepKind { Validation, Times, Ceilings, Commands, Figure };
constexpr auto namesOf(StepKind) {
    return namesAre<StepKind>("part of a study", {{StepKind::Validation, "validation"},
                                                  {StepKind::Times, "times"},
                                                  {StepKind::Ceilings, "ceilings"},
                                                  {StepKind::Commands, "commands"},
                                                  {StepKind::Figure, "figures"}});
}

struct StudyRequest {
    std::vector<std::string> algorithms{"all"};
    std::string folder = "study";
    std::string input;                 ///< a file of the one algorithm; empty: generated inputs
    std::string label;                 ///< what the machine is called in comparisons; empty: its devices
    std::vector<std::string> leftOut;  ///< kinds of steps
    Extent upTo = Extent::Large;
    bool isQuick = false;
    Scale figures = Scale::Published;
    double figureLimit = 0;  ///< seconds of a published figure; 0: none
    double budget = 0;       ///< seconds of the whole call; 0: none
    std::size_t visits = 5;  ///< to short steps of times, the first one among them
    bool restart = false;
    std::uint64_t seed = 1;     ///< of published figures
    double longestRun = 10;     ///< a run that takes more seconds is not followed by larger ones
    double enoughSeconds = 20;  ///< runs of a row that have taken so long together are not repeated
    StudyOptions options;

    CeilingRules ceilingRules() const { return isQuick ? quickCeilings() : CeilingRules{}; }
};

/// One thing to do, whose result is kept in a file of its own.
struct StudyStep {
    std::string id;  ///< the file's name: "times-bounds-float32-small"
    StepKind kind = StepKind::Validation;
    const Subject* subject = nullptr;  ///< none: of the ceilings
    SweepStep sweep{};     ///< of times; of a validation the arguments alone, of commands the extent
    std::string figure{};  ///< PublishedFigure::id

    std::string algorithm() const;
    /// "times of bounds, float32, small".
    std::string title() const;
};

/// Everything is compared before anything is timed, and small inputs come before large ones: what a study
/// that is stopped has is of all algorithms. Throws UsageError for an algorithm or part that does not exist,
/// and for an input of several algorithms.
std::vector<StudyStep> planStudy(const StudyRequest& request);

/// What earlier steps tell those after them. Filled from their JSON, so that it does not matter whether they
/// were done now or by an earlier call.
class StudyFindings {
  public:
    StudyFindings(double longestRun, const CeilingRules& rules)
        : longestRun_(longestRun), ceilings_(std::make_shared<CeilingsInUse>(rules)) {}
    void take(const StudyStep& step, const Json& result);
    /// Why the configuration's times may not be taken: it was not compared with the reference, differs from
    /// it, or its runs were too long already. Empty: it may run.
    struct Refusal {
        std::string reason;
        bool isLimit = false;  ///< of this study alone: the configuration is supported
    };
    Refusal refusal(const StudyStep& step, const MeasuredRow& row) const;
    /// Why whole commands on a backend may not be timed: one of its configurations is wrong. Empty: they may.
    std::string refusalOfCommands(const StudyStep& step, const std::string& backend) const;
    /// A row of the step, as the report has it.
    void takeTime(const StudyStep& step, const std::string& label, const std::string& size, double seconds);
    /// Those of the step that measures them, and what others asked for beside them: of all copies.
    CeilingsInUse& ceilings() const { return *ceilings_; }

  private:
    struct TooLong {
        std::string size;
        double seconds;
    };
    double longestRun_;
    std::shared_ptr<CeilingsInUse> ceilings_;
    /// By algorithm and label of the configuration, which begins with the backend: empty where it agreed with
    /// the reference everywhere.
    std::map<std::pair<std::string, std::string>, std::string> verdicts_;
    /// By algorithm, series and label.
    std::map<std::pair<std::string, std::string>, TooLong> tooLong_;
};

/// The step's report, as the command of its name writes it as JSON. `first`: of a later visit to a step of
/// times, the report of its first one, whose rows alone are measured, with fewer rounds. Throws what that
/// command throws.
Json runStep(const StudyStep& step, const StudyRequest& request, const StudyFindings& findings,
             const Json* first, CommandContext& context);

}  // namespace glycine::study
