#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/algorithms/crossapen/study/epoch_batch.hpp"
#include "engine/command/command_context.hpp"

namespace glycine::crossapen {

/// All ordered channel pairs of the epochs of some subjects, generated and matched one subject after the
/// other. The defaults are the paper's study, section 3.5: 30 · 49 · 148² · 1024² = 3.38e13 comparisons.
struct StudyPlan {
    std::size_t subjects = 30;
    SignalShape shape{.channels = 148, .samples = 1024, .epochs = 49};
    SignalModel model{};
    MatchRule rule{};
    double r = 0.2;
    NumberFormat format = NumberFormat::Float32;
    std::uint64_t seed = 1;

    double comparisons() const;
};

struct StudyOutcome {
    Variant variant = Variant::Default;  ///< the one that ran
    MatchTimes times;                    ///< the backend's stages
    double wallSeconds = 0;              ///< from normalised signals to statistics in memory
    double generateSeconds = 0;          ///< making and normalising signals; no part of wallSeconds
    bool isWrong = false;
    std::string check;
};

/// Runs the plan with one configuration after another.
class Study {
  public:
    Study(const StudyPlan& plan, CommandContext& context) : plan_(plan), context_(context) {}

    /// The first subject is matched once before, without timing. Of each subject some pairs are compared with
    /// the reference, and a checksum of all with that of the configuration that ran first. Throws
    /// UnavailableError when the matcher cannot do it.
    StudyOutcome run(Matcher& matcher, Variant variant, const std::string& label);

  private:
    StudyPlan plan_;
    CommandContext& context_;
    std::string firstLabel_;
    std::vector<std::uint64_t> firstChecksums_;
};

}  // namespace glycine::crossapen
