#include "engine/crossapen/delayed_matches.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::crossapen {

namespace {

/// The separators of an epoch must be distinct in float32.
constexpr std::size_t kMaxSeparators = std::size_t{1} << 18;

std::size_t separatorsOf(std::size_t channels, unsigned delay) {
    return channels * (std::size_t{delay} - 1);
}
std::size_t rearrangedSamples(std::size_t samples, unsigned delay) {
    return samples + delay - 1;
}

/// Separators between phases: numbers beyond all samples of the epoch, and far enough from each other.
template <class T>
class Separators {
  public:
    Separators(const Epoch<T>& epoch, unsigned delay) : perChannel_(delay - 1) {
        for (std::size_t channel = 0; channel < epoch.channels(); ++channel)
            for (std::size_t i = 0; i < epoch.samples(); ++i)
                top_ = std::max(top_, std::abs(epoch.signals(channel, i)));
        const T r = *std::max_element(epoch.tolerance.begin(), epoch.tolerance.end());
        step_ = std::max({4 * r, top_ / 256, top_ == 0 ? T(1) : T(0)});
        const auto count = static_cast<T>(separatorsOf(epoch.channels(), delay));
        if (!std::isfinite(top_ + step_ * (count + 1)))
            throw UsageError(
                fmt::format("samples up to {} with r = {} are too large for a time delay: there must be room "
                            "for {} further values above them in the format of comparison",
                            top_, r, separatorsOf(epoch.channels(), delay)));
    }
    T of(std::size_t channel, std::size_t phase) const {
        return top_ + step_ * static_cast<T>(1 + channel * perChannel_ + phase);
    }

  private:
    std::size_t perChannel_;
    T top_ = 0;
    T step_ = 0;
};

template <class T>
Matrix<T> rearrange(const Epoch<T>& epoch, unsigned delay) {
    const Separators<T> separators(epoch, delay);
    Matrix<T> phases(epoch.channels(), rearrangedSamples(epoch.samples(), delay));
    for (std::size_t channel = 0; channel < epoch.channels(); ++channel) {
        T* target = phases.row(channel);
        for (std::size_t phase = 0; phase < delay; ++phase) {
            if (phase > 0) *target++ = separators.of(channel, phase - 1);
            for (std::size_t i = phase; i < epoch.samples(); i += delay)
                *target++ = epoch.signals(channel, i);
        }
    }
    return phases;
}

/// Turns the statistics of rearranged signals into the statistics of the original signals.
template <class T>
class Correction {
  public:
    Correction(const Epoch<T>& epoch, const MatchRule& rule)
        : epoch_(epoch),
          rule_(rule),
          shortCount_(shortTemplates(epoch.samples(), rule.m, rule.delay)),
          longCount_(longTemplates(epoch.samples(), rule.m, rule.delay)) {}

    void apply(MatchStatistics& statistics, std::size_t a, std::size_t b) const {
        const Pair pair{epoch_.signals.row(a), epoch_.signals.row(b), epoch_.toleranceOf(a, b)};
        const unsigned acrossShort = rule_.m * (rule_.delay - 1);
        const unsigned acrossLong = (rule_.m + 1) * (rule_.delay - 1);
        std::uint64_t outside = 0;
        std::uint32_t lastWithMatch = 0;
        for (std::size_t i = longCount_; i < shortCount_; ++i) {
            std::uint64_t matches = 0;
            for (std::size_t j = 0; j < shortCount_; ++j) matches += isMatch(pair, i, j);
            outside += matches;
            // The engine does not count the very last template of the rearranged signal as a long one either.
            lastWithMatch += matches > 0 && !isLastOfAll(i);
        }
        for (std::size_t j = longCount_; j < shortCount_; ++j)
            for (std::size_t i = 0; i < longCount_; ++i) outside += isMatch(pair, i, j);

        if (a == b && isWithin(T(0), pair.r)) {
            statistics.matchesShort -= acrossShort;
            statistics.matchesLong -= acrossLong;
        } else {
            statistics.noShort -= acrossShort;
            statistics.noLong -= acrossLong;
            statistics.noLongOnly -= lastWithMatch;
        }
        statistics.matchesWithin = statistics.matchesShort - outside;
    }

  private:
    struct Pair {
        const T* u;
        const T* v;
        T r;
    };
    bool isWithin(T distance, T r) const { return rule_.isStrict ? distance < r : distance <= r; }
    /// For templates of length m.
    bool isMatch(const Pair& pair, std::size_t i, std::size_t j) const {
        for (std::size_t k = 0; k < rule_.m; ++k) {
            const std::size_t offset = k * rule_.delay;
            if (!isWithin(std::abs(pair.u[i + offset] - pair.v[j + offset]), pair.r)) return false;
        }
        return true;
    }
    bool isLastOfAll(std::size_t i) const { return i % rule_.delay == rule_.delay - std::size_t{1}; }

    const Epoch<T>& epoch_;
    const MatchRule& rule_;
    std::size_t shortCount_;
    std::size_t longCount_;
};

class DelayedMatchEngine : public MatchEngine {
  public:
    explicit DelayedMatchEngine(std::unique_ptr<MatchEngine> engine) : engine_(std::move(engine)) {}

    Support supports(const MatchRequest& request) const override {
        const unsigned delay = request.rule.delay;
        if (delay == 1) return engine_->supports(request);
        if (Support any = supportsShape(request); !any) return any;
        if (separatorsOf(request.channels, delay) > kMaxSeparators)
            return Support::no(fmt::format("{} channels with a time delay of {}: their product is {} at most",
                                           request.channels, delay, kMaxSeparators));
        MatchRequest rearranged = request;
        rearranged.rule.delay = 1;
        rearranged.samples = 0;
        if (Support ofAnyLength = engine_->supports(rearranged); request.samples == 0 || !ofAnyLength)
            return ofAnyLength;
        rearranged.samples = rearrangedSamples(request.samples, delay);
        const Support support = engine_->supports(rearranged);
        if (support) return support;
        // The engine's message names the rearranged length, so add the user's.
        return Support::no(fmt::format("{} (epochs of {} samples are {} longer with a time delay of {})",
                                       support.reason(), request.samples, delay - 1, delay));
    }

    std::unique_ptr<EpochsOnDevice> prepare(const DeviceEpochs& epochs, Range some,
                                            const EntropyOptions& options) override {
        return options.rule.delay == 1 ? engine_->prepare(epochs, some, options) : nullptr;
    }
    std::optional<KernelUse> kernelOf(Variant variant) const override { return engine_->kernelOf(variant); }
    MatchOutcome match(std::span<const AnyEpoch> epochs, const MatchRule& rule, Variant variant,
                       std::span<const MatrixView<MatchStatistics>> statistics, Progress& progress) override {
        if (rule.delay == 1) return engine_->match(epochs, rule, variant, statistics, progress);
        Stopwatch watch;
        std::vector<std::variant<Matrix<float>, Matrix<double>>> phases(epochs.size());
        parallelFor(omp_get_max_threads(), epochs.size(), [&](std::size_t e, std::size_t) {
            std::visit([&](const auto& epoch) { phases[e] = rearrange(epoch, rule.delay); }, epochs[e]);
        });
        std::vector<AnyEpoch> rearranged;
        for (std::size_t e = 0; e < epochs.size(); ++e)
            std::visit(
                [&]<class T>(const Epoch<T>& epoch) {
                    rearranged.push_back(Epoch<T>{std::get<Matrix<T>>(phases[e]).view(), epoch.tolerance});
                },
                epochs[e]);
        MatchRule consecutive = rule;
        consecutive.delay = 1;
        const double prepareSeconds = watch.seconds();
        MatchOutcome outcome = engine_->match(rearranged, consecutive, variant, statistics, progress);
        watch.restart();
        for (std::size_t e = 0; e < epochs.size(); ++e)
            std::visit(
                [&]<class T>(const Epoch<T>& epoch) {
                    const Correction<T> correction(epoch, rule);
                    parallelFor(omp_get_max_threads(), epoch.channels(), [&](std::size_t a, std::size_t) {
                        for (std::size_t b = 0; b < epoch.channels(); ++b)
                            correction.apply(statistics[e](a, b), a, b);
                        progress.throwIfCancelled();
                    });
                },
                epochs[e]);
        outcome.times.prepare += prepareSeconds;
        outcome.times.compute += watch.seconds();
        return outcome;
    }

  private:
    std::unique_ptr<MatchEngine> engine_;
};

}  // namespace

Implementation<MatchEngine> withDelay(Implementation<MatchEngine> entry) {
    entry.create = [create = std::move(entry.create)](Backend& backend) -> std::unique_ptr<MatchEngine> {
        return std::make_unique<DelayedMatchEngine>(create(backend));
    };
    return entry;
}

}  // namespace glycine::crossapen
