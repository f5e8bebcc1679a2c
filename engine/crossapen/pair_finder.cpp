#include "engine/crossapen/pair_finder.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "engine/core/guarded_matrix.hpp"
#include "engine/crossapen/entropyhub.hpp"

namespace glycine::crossapen {

namespace {

MatchOutcome run(Matcher& matcher, std::span<const AnyEpoch> items, const EntropyOptions& options,
                 std::span<const MatrixView<MatchStatistics>> results, Progress& progress) {
    return matcher.match(items, options.rule, options.variant, results, progress);
}
MatchOutcome run(MembershipSummer& summer, std::span<const AnyEpoch> items, const EntropyOptions& options,
                 std::span<const MatrixView<MembershipSums>> results, Progress& progress) {
    return summer.sum(items, fuzzyRule(options), results, progress);
}

double valueOf(const MatchStatistics& statistics, bool isSelf, std::size_t samples, const Quantity& quantity,
               const EntropyOptions& options) {
    const unsigned m = options.rule.m;
    const unsigned delay = options.rule.delay;
    if (quantity.kind == Quantity::Kind::ShareWithoutMatch)
        return shareWithoutMatch(statistics, samples, m, delay);
    const bool isSample = options.measure == Measure::CrossSampEn || options.measure == Measure::SampEn;
    if (options.convention == Convention::EntropyHub)
        return isSample ? entropyHubCrossSampEn(statistics) : entropyHubCrossApEn(statistics, samples, m);
    return isSample ? crossSampleEntropy(statistics, samples, m, isSelf, delay)
                    : crossApproximateEntropy(statistics, samples, m, quantity.bias, delay);
}
double valueOf(const MembershipSums& sums, bool isSelf, std::size_t samples, const Quantity&,
               const EntropyOptions& options) {
    return options.convention == Convention::EntropyHub
               ? entropyHubCrossFuzzyEn(sums, samples, options.rule.m, isSelf)
               : crossFuzzyEntropy(sums, samples, options.rule.m, isSelf, options.rule.delay);
}

PairNumbers numbersOf(const MatchStatistics& s) {
    return {s.matchesShort,
            s.matchesWithin,
            s.matchesLong,
            s.noShort,
            s.noLong,
            s.noLongOnly,
            static_cast<std::uint64_t>(s.logShort),
            static_cast<std::uint64_t>(s.logLong)};
}
PairNumbers numbersOf(const MembershipSums& sums) {
    return {std::bit_cast<std::uint64_t>(sums.shortSum), std::bit_cast<std::uint64_t>(sums.longSum)};
}

template <class Engine, class Result>
class EngineFinder final : public PairFinder {
  public:
    EngineFinder(std::unique_ptr<Engine> engine, bool isGuarded)
        : engine_(std::move(engine)), isGuarded_(isGuarded) {}

    MatchOutcome find(std::span<const AnyEpoch> items, const EntropyOptions& options,
                      Progress& progress) override {
        fit(items.size(), std::visit([](const auto& epoch) { return epoch.channels(); }, items.front()));
        return run(*engine_, items, options, views_, progress);
    }
    double value(const PairPlace& place, std::size_t samples, const Quantity& quantity,
                 const EntropyOptions& options) const override {
        return valueOf(views_[place.item](place.a, place.b), place.a == place.b, samples, quantity, options);
    }
    PairNumbers numbers(const PairPlace& place) const override {
        return numbersOf(views_[place.item](place.a, place.b));
    }
    bool isIntact(std::size_t item) const override { return rooms_[item].isIntact(); }
    void clear() override {
        for (const MatrixView<Result>& view : views_)
            for (std::size_t a = 0; a < view.rows(); ++a)
                std::fill_n(view.row(a), view.columns(), GuardedMatrix<Result>::kGuard);
    }

  private:
    /// All items of a run have the same shape.
    void fit(std::size_t items, std::size_t channels) {
        if (!views_.empty() && views_.front().rows() != channels) rooms_.clear();
        while (rooms_.size() < items) rooms_.emplace_back(channels, channels, isGuarded_);
        views_.clear();
        for (std::size_t i = 0; i < items; ++i) views_.push_back(rooms_[i].view());
    }

    std::unique_ptr<Engine> engine_;
    bool isGuarded_;
    std::vector<GuardedMatrix<Result>> rooms_;
    std::vector<MatrixView<Result>> views_;
};

}  // namespace

AnyEngine makeEngine(Backend& backend, Measure measure) {
    if (measure == Measure::CrossFuzzyEn)
        return createImplementation("crossapen", implementations<MembershipSummer>(), backend);
    return createImplementation("crossapen", implementations<Matcher>(), backend);
}

std::unique_ptr<PairFinder> makeFinder(AnyEngine engine, bool isGuarded) {
    if (auto* matcher = std::get_if<std::unique_ptr<Matcher>>(&engine))
        return std::make_unique<EngineFinder<Matcher, MatchStatistics>>(std::move(*matcher), isGuarded);
    return std::make_unique<EngineFinder<MembershipSummer, MembershipSums>>(
        std::move(std::get<std::unique_ptr<MembershipSummer>>(engine)), isGuarded);
}

}  // namespace glycine::crossapen
