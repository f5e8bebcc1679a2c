#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/algorithms/crossapen/study/pair_engines.hpp"
#include "engine/study/validation_report.hpp"

namespace glycine::crossapen {

/// Verifies results of one batch: pairs of some channels in some epochs against the reference, and, once a
/// result has passed, all pairs of the others against it. Engine: Matcher or MembershipSummer.
template <class Engine>
class ResultCheck {
  public:
    /// `budget`: comparisons of samples that the reference may take; as many epochs and channels as fit, all
    /// where they do. At least two channels (or one, where there is one) of one epoch, whatever that takes.
    /// The batch must outlive the check. Throws CancelledError.
    ResultCheck(const EpochBatch& batch, const RuleOf<Engine>& rule, std::uint64_t seed, double budget,
                Progress& progress);

    /// Whether the results are right; the first right ones are kept, with the label of what found them.
    bool check(const std::string& label, const ResultMatrices<Engine>& results);
    /// What the last check was like: "all 4,096 pairs exact", "64 pairs exact, all 4,096 as cpu/pruned", or
    /// the largest difference.
    const std::string& verdict() const { return verdict_; }

  private:
    struct Sample {
        std::size_t epoch = 0;
        std::vector<std::size_t> channels;
        ResultMatrices<Engine> expected;  ///< one
    };
    Comparison compareSamples(const ResultMatrices<Engine>& results) const;
    Comparison compareAll(const ResultMatrices<Engine>& results) const;

    const EpochBatch& batch_;
    RuleOf<Engine> rule_;
    bool isWhole_ = false;
    std::vector<Sample> samples_;
    std::string keptLabel_;
    ResultMatrices<Engine> kept_;
    std::string verdict_;
};

extern template class ResultCheck<Matcher>;
extern template class ResultCheck<MembershipSummer>;

}  // namespace glycine::crossapen
