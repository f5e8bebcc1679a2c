#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/algorithms/crossapen/match_engine.hpp"
#include "engine/algorithms/crossapen/membership_engine.hpp"
#include "engine/algorithms/crossapen/study/epoch_batch.hpp"
#include "engine/core/backend.hpp"

/// Matchers and summers of memberships, seen alike: both give one result for every ordered pair of channels
/// of every epoch.
namespace glycine::crossapen {

template <class Engine>
struct EngineTraits;

template <>
struct EngineTraits<Matcher> {
    using Result = MatchStatistics;
    using Rule = MatchRule;
    static constexpr std::string_view kTask = "matching";
    /// Comparisons of samples that the reference may be asked for, a few seconds' worth.
    static constexpr double kReferenceBudget = 6e8;
    static const std::vector<MatcherEntry>& entries() { return matcherEntries(); }
};

template <>
struct EngineTraits<MembershipSummer> {
    using Result = MembershipSums;
    using Rule = FuzzyRule;
    static constexpr std::string_view kTask = "memberships";
    static constexpr double kReferenceBudget = 2e7;  ///< every one takes two exponentials
    static const std::vector<MembershipEntry>& entries() { return membershipEntries(); }
};

template <class Engine>
using ResultOf = typename EngineTraits<Engine>::Result;
template <class Engine>
using RuleOf = typename EngineTraits<Engine>::Rule;

/// Results of a batch: one matrix an epoch, channels × channels.
template <class Engine>
using ResultMatrices = std::vector<Matrix<ResultOf<Engine>>>;

/// Throws UnavailableError when the backend has no implementation.
template <class Engine>
std::unique_ptr<Engine> createEngine(Backend& backend) {
    return createImplementation("crossapen", EngineTraits<Engine>::entries(), backend);
}

Support supportsBatch(const Matcher& engine, const EpochBatch& batch, const MatchRule& rule, Variant variant);
Support supportsBatch(const MembershipSummer& engine, const EpochBatch& batch, const FuzzyRule& rule,
                      Variant variant);

MatchOutcome computePairs(Matcher& engine, const EpochBatch& batch, const MatchRule& rule, Variant variant,
                          std::span<const MatrixView<MatchStatistics>> results, Progress& progress);
MatchOutcome computePairs(MembershipSummer& engine, const EpochBatch& batch, const FuzzyRule& rule,
                          Variant variant, std::span<const MatrixView<MembershipSums>> results,
                          Progress& progress);

/// Fills them with what no engine leaves: zeros.
template <class Result>
void clearResults(std::vector<Matrix<Result>>& results) {
    for (Matrix<Result>& matrix : results) std::fill_n(matrix.data(), matrix.size(), Result{});
}
/// Room for the results of a batch, cleared.
template <class Engine>
ResultMatrices<Engine> emptyResults(const EpochBatch& batch) {
    ResultMatrices<Engine> results;
    for (std::size_t e = 0; e < batch.count(); ++e)
        results.emplace_back(batch.channels(), batch.channels(), ResultOf<Engine>{});
    return results;
}
template <class Result>
std::vector<MatrixView<Result>> viewsOf(std::vector<Matrix<Result>>& results) {
    std::vector<MatrixView<Result>> views;
    for (Matrix<Result>& matrix : results) views.push_back(matrix.view());
    return views;
}

/// The specification's results.
template <class Engine>
ResultMatrices<Engine> askReference(const EpochBatch& batch, const RuleOf<Engine>& rule, Progress& progress) {
    const std::unique_ptr<Backend> backend = BackendRegistry::instance().create("reference", {});
    ResultMatrices<Engine> results = emptyResults<Engine>(batch);
    progress.begin("reference", batch.comparisons());
    computePairs(*createEngine<Engine>(*backend), batch, rule, Variant::Default, viewsOf(results), progress);
    return results;
}

}  // namespace glycine::crossapen
