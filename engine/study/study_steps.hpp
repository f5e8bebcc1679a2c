#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/command/command_context.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/device_ceilings.hpp"
#include "engine/study/study_plan.hpp"

/// The steps of a study, each as the command of its name would do it.
namespace glycine::study {

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
    /// By algorithm and label of the configuration: empty where it agreed with the reference everywhere.
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
