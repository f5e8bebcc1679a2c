#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/algorithms/crossapen/membership_engine.hpp"
#include "engine/algorithms/crossapen/study/pair_input.hpp"
#include "engine/core/guarded_matrix.hpp"
#include "engine/study/comparison.hpp"

namespace glycine::crossapen {

/// Matchers and summers of memberships, seen alike: both give one result for every ordered pair of channels
/// of every epoch.
template <class Engine>
using ResultOf = std::conditional_t<std::is_same_v<Engine, Matcher>, MatchStatistics, MembershipSums>;

/// Throws UnavailableError when the backend has no implementation.
template <class Engine>
std::unique_ptr<Engine> createEngine(Backend& backend) {
    if constexpr (std::is_same_v<Engine, Matcher>)
        return createImplementation("crossapen", matcherEntries(), backend);
    else
        return createImplementation("crossapen", membershipEntries(), backend);
}
inline MatchOutcome runEngine(Matcher& engine, const EpochBatch& batch, const EntropyOptions& options,
                              std::span<const MatrixView<MatchStatistics>> results, Progress& progress) {
    return engine.match(batch.views(), options.rule, options.variant, results, progress);
}
inline MatchOutcome runEngine(MembershipSummer& engine, const EpochBatch& batch,
                              const EntropyOptions& options,
                              std::span<const MatrixView<MembershipSums>> results, Progress& progress) {
    return engine.sum(batch.views(), fuzzyRule(options), results, progress);
}

/// Room for the results of an input: one matrix an epoch, channels × channels.
template <class Result>
class PairResults {
  public:
    PairResults(const EpochExtents& extents, bool isGuarded) {
        for (std::size_t e = 0; e < extents.epochs; ++e)
            views_.push_back(rooms_.emplace_back(extents.channels, extents.channels, isGuarded).view());
        clear();
    }
    std::span<const MatrixView<Result>> views() const { return views_; }
    bool isIntact(std::size_t epoch) const { return rooms_[epoch].isIntact(); }
    /// Zeros, which no engine leaves.
    void clear() {
        for (const MatrixView<Result>& view : views_)
            for (std::size_t a = 0; a < view.rows(); ++a) std::fill_n(view.row(a), view.columns(), Result{});
    }

  private:
    std::vector<GuardedMatrix<Result>> rooms_;
    std::vector<MatrixView<Result>> views_;
};

/// Verifies results of one input: pairs of some channels in some epochs against the reference, matches to the
/// bit and memberships as agreeOnMemberships tells; and, once a result has passed, all pairs of others
/// against it.
template <class Engine>
class PairCheck {
  public:
    using Result = ResultOf<Engine>;
    /// As many epochs and channels are compared as the reference takes a few seconds for, divided by `share`;
    /// all where they fit, or where `isWhole`. At least two channels (or one, where there is one) of one
    /// epoch. The input must outlive the check. Throws CancelledError.
    PairCheck(const PairInput& input, NumberFormat format, bool isWhole, std::size_t share,
              std::uint64_t seed, Progress& progress);

    /// The first right results are kept, with the label of what found them.
    Comparison compare(const std::string& label, const PairResults<Result>& results);
    double referenceSeconds() const { return referenceSeconds_; }

  private:
    struct Sample {
        std::size_t epoch = 0;
        std::vector<std::size_t> channels;
        Matrix<Result> expected;
    };
    void compareElement(Comparison& comparison, const Result& expected, const Result& found,
                        std::size_t epoch, std::size_t a, std::size_t b) const;

    const PairInput& input_;
    NumberFormat format_;
    bool isWhole_ = false;
    std::vector<Sample> samples_;
    std::string keptLabel_;
    std::vector<Matrix<Result>> kept_;
    double referenceSeconds_ = 0;
};

extern template class PairCheck<Matcher>;
extern template class PairCheck<MembershipSummer>;

}  // namespace glycine::crossapen
