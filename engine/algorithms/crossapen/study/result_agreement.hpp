#pragma once

#include "engine/algorithms/crossapen/study/pair_engines.hpp"
#include "engine/study/validation_report.hpp"

namespace glycine::crossapen {

/// Results of pairs beside those that are expected. Matches are exact; sums of memberships may differ as
/// agreeOnMemberships tells. Engine: Matcher or MembershipSummer.
template <class Engine>
class ResultComparison {
  public:
    /// `batch`: what the results are of.
    ResultComparison(const EpochBatch& batch, const RuleOf<Engine>& rule);

    /// Takes in the pair (a, b) of an epoch.
    void add(const ResultOf<Engine>& expected, const ResultOf<Engine>& found, std::size_t epoch,
             std::size_t a, std::size_t b);
    Comparison& comparison() { return comparison_; }

  private:
    RuleOf<Engine> rule_;
    NumberFormat format_;
    std::size_t samples_;
    Comparison comparison_;
};

/// Runs an engine over the batch, its results inside guards, and compares them with the reference's. Adds the
/// time that the engine took to `seconds`.
template <class Engine>
Comparison compareWithReference(Engine& engine, const EpochBatch& batch, const RuleOf<Engine>& rule,
                                Variant variant, const ResultMatrices<Engine>& expected, Progress& progress,
                                double& seconds);

extern template Comparison compareWithReference(Matcher&, const EpochBatch&, const MatchRule&, Variant,
                                                const ResultMatrices<Matcher>&, Progress&, double&);
extern template Comparison compareWithReference(MembershipSummer&, const EpochBatch&, const FuzzyRule&,
                                                Variant, const ResultMatrices<MembershipSummer>&, Progress&,
                                                double&);

}  // namespace glycine::crossapen
