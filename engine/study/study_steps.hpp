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

/// The steps of `glycine study`, each run as the command of its name runs it.

namespace glycine::study {

// Effects that last for seconds (clock rates, other programs, memory placement) affect all rounds of a short
// step alike, so repeating the step at once does not reveal them. A study therefore revisits short steps
// several times, later.

/// Steps of times that take longer than this many seconds average over such effects and are not revisited.
inline constexpr double kShortStepSeconds = 20;
/// Rounds of each visit after the first.
inline constexpr std::size_t kRoundsOfVisit = 2;
/// Rounds of whole commands.
inline constexpr std::size_t kRoundsOfCommands = 3;

/// Whether both rows (in reports of `bench`) are about the same configuration and problem.
bool isSameRow(const Json& one, const Json& other);

/// Merges a later visit's report into the first one's (both in the format of `bench`): samples by
/// summarizeVisits, the better rates and shares of ceilings, the ratios to the first row of a size, and the
/// conditions of the busier visit. A row that is wrong in a later visit loses its times.
void mergeVisit(Json& first, const Json& later);

/// A step of times runs only configurations that an earlier validation accepted.
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
    std::string input;                 ///< a file, if there is only one algorithm; empty: generated inputs
    std::string label;                 ///< name of the machine in comparisons; empty: named after its devices
    std::vector<std::string> leftOut;  ///< kinds of steps to skip
    Extent upTo = Extent::Large;
    bool isQuick = false;
    Scale figures = Scale::Published;
    double figureLimit = 0;  ///< seconds per published figure; 0: none
    double budget = 0;       ///< seconds for the whole call; 0: none
    std::size_t visits = 5;  ///< visits to short steps of times, including the first
    bool restart = false;
    std::uint64_t seed = 1;  ///< seed of published figures
    double longestRun = 10;  ///< after a run of more seconds, larger ones are skipped
    /// a row is not repeated further once its runs have taken this many seconds in total
    double enoughSeconds = 20;
    StudyOptions options;

    CeilingRules ceilingRules() const { return isQuick ? quickCeilings() : CeilingRules{}; }
};

/// One unit of work; its result is kept in a file of its own.
struct StudyStep {
    std::string id;  ///< file name: "times-bounds-float32-small"
    StepKind kind = StepKind::Validation;
    const Subject* subject = nullptr;  ///< null for ceilings
    SweepStep sweep{};     ///< for times; for validations only the arguments, for commands only the extent
    std::string figure{};  ///< PublishedFigure::id

    std::string algorithm() const;
    /// "times of bounds, float32, small".
    std::string title() const;
};

/// Plans the steps. All algorithms are validated before anything is timed, and small inputs come before large
/// ones, so that a stopped study covers all algorithms. Throws UsageError for unknown algorithms or parts,
/// and for an input file with several algorithms.
std::vector<StudyStep> planStudy(const StudyRequest& request);

/// Results of earlier steps that affect later ones. Read from their JSON, so that it does not matter whether
/// this call or an earlier one ran them.
class StudyFindings {
  public:
    StudyFindings(double longestRun, const CeilingRules& rules)
        : longestRun_(longestRun), ceilings_(std::make_shared<CeilingsInUse>(rules)) {}
    void take(const StudyStep& step, const Json& result);
    /// Why a configuration may not be timed: it was not compared with the reference, disagrees with it, or
    /// already took too long. Empty: it may run.
    struct Refusal {
        std::string reason;
        bool isLimit = false;  ///< a limit of this study only: the configuration is supported
    };
    Refusal refusal(const StudyStep& step, const MeasuredRow& row) const;
    /// Why whole commands on a backend may not be timed: one of its configurations is wrong. Empty if they
    /// may.
    std::string refusalOfCommands(const StudyStep& step, const std::string& backend) const;
    /// Records the time of a row of the step.
    void takeTime(const StudyStep& step, const std::string& label, const std::string& size, double seconds);
    /// The ceilings of the step that measures them, and those measured on demand by others. Shared by all
    /// copies.
    CeilingsInUse& ceilings() const { return *ceilings_; }

  private:
    struct TooLong {
        std::string size;
        double seconds;
    };
    double longestRun_;
    std::shared_ptr<CeilingsInUse> ceilings_;
    /// By algorithm and configuration label, which starts with the backend. Empty if the configuration agreed
    /// with the reference everywhere.
    std::map<std::pair<std::string, std::string>, std::string> verdicts_;
    /// By algorithm, series and label.
    std::map<std::pair<std::string, std::string>, TooLong> tooLong_;
};

/// Returns the step's report, in the JSON format of the command of that name. `first`: for a later visit to a
/// step of times, the report of the first visit; only rows timed there are measured, with fewer rounds.
/// Throws what that command throws.
Json runStep(const StudyStep& step, const StudyRequest& request, const StudyFindings& findings,
             const Json* first, CommandContext& context);

}  // namespace glycine::study
