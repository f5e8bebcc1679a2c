#include "engine/algorithms/crossapen/study/pair_engines.hpp"

namespace glycine::crossapen {

Support supportsBatch(const Matcher& engine, const EpochBatch& batch, const MatchRule& rule,
                      Variant variant) {
    MatchRequest request;
    request.variant = variant;
    request.format = batch.format();
    request.rule = rule;
    request.channels = batch.channels();
    request.samples = batch.samples();
    request.hasPairTolerances = batch.hasPairTolerances();
    return engine.supports(request);
}

Support supportsBatch(const MembershipSummer& engine, const EpochBatch& batch, const FuzzyRule& rule,
                      Variant variant) {
    return engine.supports({variant, batch.format(), rule, batch.channels(), batch.samples()});
}

MatchOutcome computePairs(Matcher& engine, const EpochBatch& batch, const MatchRule& rule, Variant variant,
                          std::span<const MatrixView<MatchStatistics>> results, Progress& progress) {
    return engine.match(batch.views(), rule, variant, results, progress);
}

MatchOutcome computePairs(MembershipSummer& engine, const EpochBatch& batch, const FuzzyRule& rule, Variant,
                          std::span<const MatrixView<MembershipSums>> results, Progress& progress) {
    return engine.sum(batch.views(), rule, results, progress);
}

}  // namespace glycine::crossapen
