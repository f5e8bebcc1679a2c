#include "engine/crossapen/pair_workspace.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/core/guarded_matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/crossapen/pair_entropies.hpp"
#include "engine/crossapen/prepared_signals.hpp"

namespace glycine::crossapen {

namespace {

/// Copies the signals and returns the channels left out: a sample is not finite, or T cannot represent it. A
/// constant channel has matches like any other.
template <class T>
std::vector<std::size_t> copyFinite(Signals epoch, MatrixView<T> copy) {
    std::vector<std::size_t> leftOut;
    for (std::size_t channel = 0; channel < epoch.rows(); ++channel) {
        const double* signal = epoch.row(channel);
        T* target = copy.row(channel);
        std::transform(signal, signal + epoch.columns(), target,
                       [](double value) { return static_cast<T>(value); });
        if (std::all_of(target, target + epoch.columns(), [](T value) { return std::isfinite(value); }))
            continue;
        std::fill_n(target, epoch.columns(), T(0));
        leftOut.push_back(channel);
    }
    return leftOut;
}

template <class T>
std::vector<T> tolerancesOf(Signals epoch, const EntropyOptions& options) {
    if (!hasPairTolerances(options)) return {static_cast<T>(options.tolerance)};
    const Matrix<double> pairs = entropyHubTolerances(epoch, options.tolerance);
    std::vector<T> result(pairs.size());
    // No value of a channel that is not finite is reported, but backends need a number.
    std::transform(pairs.data(), pairs.data() + pairs.size(), result.begin(),
                   [](double r) { return std::isfinite(r) ? static_cast<T>(r) : T(0); });
    return result;
}

MatchOutcome run(MatchEngine& engine, std::span<const AnyEpoch> items, const EntropyOptions& options,
                 std::span<const MatrixView<MatchStatistics>> results, Progress& progress) {
    return engine.match(items, options.rule, options.variant, results, progress);
}
MatchOutcome run(MembershipEngine& engine, std::span<const AnyEpoch> items, const EntropyOptions& options,
                 std::span<const MatrixView<MembershipSums>> results, Progress& progress) {
    return engine.sum(items, fuzzyRule(options), results, progress);
}

MatchOutcome run(PatternEngine& engine, std::span<const AnyEpoch> items, const EntropyOptions& options,
                 std::span<const MatrixView<PatternEntropy>> results, Progress& progress) {
    return engine.count(items, patternRule(options), results, progress);
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

double valueOf(const PatternEntropy& entropy, bool, std::size_t, const Quantity& quantity,
               const EntropyOptions& options) {
    return quantity.kind == Quantity::Kind::Normalised ? entropy.nats / largestEntropy(patternRule(options))
                                                       : entropy.nats;
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

PairNumbers numbersOf(const PatternEntropy& entropy) {
    return {std::bit_cast<std::uint64_t>(entropy.nats)};
}

template <class Engine, class Result>
class EngineWorkspace final : public PairWorkspace {
  public:
    EngineWorkspace(std::unique_ptr<Engine> engine, bool isGuarded)
        : engine_(std::move(engine)), isGuarded_(isGuarded) {}

    std::unique_ptr<EpochsOnDevice> prepare(const DeviceEpochs& epochs, Range some,
                                            const EntropyOptions& options) override {
        if constexpr (std::is_same_v<Engine, MatchEngine>) return engine_->prepare(epochs, some, options);
        return nullptr;
    }
    MatchOutcome compute(std::span<const AnyEpoch> items, const EntropyOptions& options,
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

bool isNormalised(const EntropyOptions& options) {
    return options.convention == Convention::Paper && !options.isAbsolute && !isOfPatterns(options.measure);
}
bool hasPairTolerances(const EntropyOptions& options) {
    return options.convention == Convention::EntropyHub && !options.isAbsolute;
}

Matrix<double> chosenChannels(Signals epoch, std::span<const std::size_t> channels) {
    Matrix<double> chosen(channels.size(), epoch.columns());
    for (std::size_t i = 0; i < channels.size(); ++i)
        std::copy_n(epoch.row(channels[i]), epoch.columns(), chosen.row(i));
    return chosen;
}

EpochBatch::EpochBatch(std::span<const Signals> epochs, const EntropyOptions& options, int threads)
    : channels_(epochs.front().rows()),
      samples_(epochs.front().columns()),
      isUsable_(epochs.size(), std::vector<char>(channels_, 1)) {
    if (options.format == NumberFormat::Float32)
        prepare<float>(epochs, options, threads);
    else
        prepare<double>(epochs, options, threads);
}

EpochBatch::EpochBatch(std::unique_ptr<EpochsOnDevice> there, std::size_t epochs, std::size_t channels,
                       std::size_t samples, const EntropyOptions& options)
    : channels_(channels),
      samples_(samples),
      epochsOnDevice_(std::move(there)),
      isUsable_(epochs, std::vector<char>(channels, 1)) {
    const auto take = [&]<class T>(T) {
        auto& prepared = epochs_.emplace<std::vector<Prepared<T>>>();
        for (std::size_t e = 0; e < epochs; ++e)
            prepared.push_back({{}, {static_cast<T>(options.tolerance)}});
    };
    if (options.format == NumberFormat::Float32)
        take(float());
    else
        take(double());
    for (std::size_t e = 0; e < epochs; ++e)
        for (std::size_t c = 0; c < channels; ++c)
            isUsable_[e][c] = epochsOnDevice_->useOf(e, c) == ChannelUse::Usable ? 1 : 0;
}

template <class T>
Epoch<T> EpochBatch::viewOf(std::size_t epoch, Range channels) const {
    const Prepared<T>& one = std::get<std::vector<Prepared<T>>>(epochs_)[epoch];
    if (!epochsOnDevice_)
        return {one.signals.view().block(channels.begin, 0, channels.size(), samples_), one.tolerance};
    return {{nullptr, channels.size(), samples_},
            one.tolerance,
            static_cast<const T*>(epochsOnDevice_->signal(epoch, channels.begin))};
}

template <class T>
void EpochBatch::prepare(std::span<const Signals> epochs, const EntropyOptions& options, int threads) {
    auto& prepared = epochs_.emplace<std::vector<Prepared<T>>>(epochs.size());
    parallelFor(threads, epochs.size(), [&](std::size_t e, std::size_t) {
        Prepared<T>& epoch = prepared[e];
        epoch.signals = Matrix<T>(channels_, samples_);
        UnusableChannels unusable;
        if (isNormalised(options))
            unusable = normalise(epochs[e], options.deviation, epoch.signals.view());
        else
            unusable.notFinite = copyFinite(epochs[e], epoch.signals.view());
        for (const auto* channels : {&unusable.constant, &unusable.notFinite})
            for (const std::size_t channel : *channels) isUsable_[e][channel] = 0;
        epoch.tolerance = tolerancesOf<T>(epochs[e], options);
    });
}

double EpochBatch::comparisons() const {
    const double side = static_cast<double>(channels_) * static_cast<double>(samples_);
    return static_cast<double>(count()) * side * side;
}

std::vector<AnyEpoch> EpochBatch::views() const {
    std::vector<AnyEpoch> views;
    std::visit(
        [&]<class T>(const std::vector<Prepared<T>>& epochs) {
            for (std::size_t e = 0; e < epochs.size(); ++e) views.push_back(viewOf<T>(e, {0, channels_}));
        },
        epochs_);
    return views;
}

std::vector<AnyEpoch> EpochBatch::channelViews() const {
    std::vector<AnyEpoch> views;
    std::visit(
        [&]<class T>(const std::vector<Prepared<T>>& epochs) {
            for (std::size_t e = 0; e < epochs.size(); ++e)
                for (std::size_t channel = 0; channel < channels_; ++channel)
                    views.push_back(viewOf<T>(e, {channel, channel + 1}));
        },
        epochs_);
    return views;
}

AnyEngine makeEngine(Backend& backend, Measure measure) {
    if (measure == Measure::CrossFuzzyEn) return createImplementation<MembershipEngine>(backend);
    if (isOfPatterns(measure)) return createImplementation<PatternEngine>(backend);
    return createImplementation<MatchEngine>(backend);
}

std::unique_ptr<PairWorkspace> makeWorkspace(AnyEngine engine, bool isGuarded) {
    if (auto* matches = std::get_if<std::unique_ptr<MatchEngine>>(&engine))
        return std::make_unique<EngineWorkspace<MatchEngine, MatchStatistics>>(std::move(*matches),
                                                                               isGuarded);
    if (auto* patterns = std::get_if<std::unique_ptr<PatternEngine>>(&engine))
        return std::make_unique<EngineWorkspace<PatternEngine, PatternEntropy>>(std::move(*patterns),
                                                                                isGuarded);
    return std::make_unique<EngineWorkspace<MembershipEngine, MembershipSums>>(
        std::move(std::get<std::unique_ptr<MembershipEngine>>(engine)), isGuarded);
}

}  // namespace glycine::crossapen
