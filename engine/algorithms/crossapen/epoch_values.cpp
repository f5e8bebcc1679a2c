#include "engine/algorithms/crossapen/epoch_values.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/algorithms/crossapen/entropyhub.hpp"
#include "engine/algorithms/crossapen/membership_engine.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"

namespace glycine::crossapen {

namespace {

bool staysAsItIs(const EntropyOptions& options) {
    return options.convention == Convention::EntropyHub || options.isAbsolute;
}

/// Signals and tolerances of some epochs, in the format in which they are compared.
template <class T>
class PreparedEpochs {
  public:
    PreparedEpochs(const SignalSet& signals, Range epochs, const EntropyOptions& options, int threads)
        : isSingle_(isOfSingleChannels(options.measure)),
          channels_(signals.channels.size()),
          signals_(epochs.size()),
          tolerances_(epochs.size()),
          isUsable_(epochs.size()) {
        parallelFor(threads, epochs.size(), [&](std::size_t e, std::size_t) {
            const MatrixView<const double> epoch = signals.epoch(epochs.begin + e);
            signals_[e] = Matrix<T>(epoch.rows(), epoch.columns());
            UnusableChannels unusable;
            if (staysAsItIs(options))
                unusable.notFinite = copyFinite(epoch, signals_[e].view());
            else
                unusable = normalise(epoch, options.deviation, signals_[e].view());
            isUsable_[e].assign(channels_, 1);
            for (const std::size_t channel : unusable.constant) isUsable_[e][channel] = 0;
            for (const std::size_t channel : unusable.notFinite) isUsable_[e][channel] = 0;
            tolerances_[e] = tolerances(epoch, options);
        });
    }

    /// What the backend is given: one item an epoch, or one a channel of each epoch.
    std::vector<AnyEpoch> views() const {
        std::vector<AnyEpoch> views;
        for (std::size_t e = 0; e < signals_.size(); ++e) {
            const MatrixView<const T> whole = signals_[e].view();
            if (!isSingle_) views.push_back(Epoch<T>{whole, tolerances_[e]});
            for (std::size_t channel = 0; isSingle_ && channel < channels_; ++channel)
                views.push_back(Epoch<T>{whole.block(channel, 0, 1, whole.columns()), tolerances_[e]});
        }
        return views;
    }
    const std::vector<char>& isUsable(std::size_t epoch) const { return isUsable_[epoch]; }

  private:
    /// Returns the channels that are left out: a sample is no number, or none that T holds. A constant one
    /// has matches like any other.
    static std::vector<std::size_t> copyFinite(MatrixView<const double> epoch, MatrixView<T> copy) {
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

    static std::vector<T> tolerances(MatrixView<const double> epoch, const EntropyOptions& options) {
        if (options.convention == Convention::Paper || options.isAbsolute)
            return {static_cast<T>(options.tolerance)};
        const Matrix<double> pairs = entropyHubTolerances(epoch, options.tolerance);
        std::vector<T> result(pairs.size());
        // Of a channel that is not finite nothing is reported; backends want a number all the same.
        std::transform(pairs.data(), pairs.data() + pairs.size(), result.begin(),
                       [](double r) { return std::isfinite(r) ? static_cast<T>(r) : T(0); });
        return result;
    }

    bool isSingle_;
    std::size_t channels_;
    std::vector<Matrix<T>> signals_;
    std::vector<std::vector<T>> tolerances_;
    std::vector<std::vector<char>> isUsable_;  ///< one a channel
};

}  // namespace

EpochShape epochShape(const EntropyOptions& options, std::size_t channels) {
    return {quantitiesOf(options).size(), channels, isOfSingleChannels(options.measure) ? 1 : channels};
}

double comparisonsPerEpoch(const EntropyOptions& options, std::size_t channels, std::size_t samples) {
    const EpochShape shape = epochShape(options, channels);
    return static_cast<double>(shape.matrixValues()) * static_cast<double>(samples) *
           static_cast<double>(samples);
}

std::vector<UnusableChannel> unusableChannels(const SignalSet& signals, const EntropyOptions& options) {
    std::vector<UnusableChannel> result;
    for (std::size_t e = 0; e < signals.epochs.size(); ++e) {
        const UnusableChannels unusable = findUnusable(signals.epoch(e));
        for (const std::size_t channel : unusable.notFinite) result.push_back({e, channel, "not finite"});
        if (staysAsItIs(options)) continue;
        for (const std::size_t channel : unusable.constant) result.push_back({e, channel, "constant"});
    }
    return result;
}

/// A pair of channels of an item.
struct PairPlace {
    std::size_t item = 0;
    std::size_t a = 0;
    std::size_t b = 0;
};

/// What a backend finds out about pairs, and the values that follow from it.
class EpochWork {
  public:
    virtual ~EpochWork() = default;
    /// `items`: one an epoch, or one a channel of each epoch.
    virtual MatchOutcome find(std::span<const AnyEpoch> items, const EntropyOptions& options,
                              Progress& progress) = 0;
    virtual double value(const PairPlace& place, std::size_t samples, const Quantity& quantity,
                         const EntropyOptions& options) const = 0;
};

namespace {

/// One square matrix an item, kept from call to call.
template <class Element>
class ItemMatrices {
  public:
    std::vector<MatrixView<Element>> fit(std::span<const AnyEpoch> items) {
        matrices_.resize(items.size());
        std::vector<MatrixView<Element>> views;
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::size_t channels =
                std::visit([](const auto& epoch) { return epoch.channels(); }, items[i]);
            if (matrices_[i].rows() != channels) matrices_[i] = Matrix<Element>(channels, channels);
            views.push_back(matrices_[i].view());
        }
        return views;
    }
    const Matrix<Element>& operator[](std::size_t item) const { return matrices_[item]; }

  private:
    std::vector<Matrix<Element>> matrices_;
};

class MatchWork final : public EpochWork {
  public:
    explicit MatchWork(Backend& backend)
        : matcher_(createImplementation("crossapen", matcherEntries(), backend)) {}

    MatchOutcome find(std::span<const AnyEpoch> items, const EntropyOptions& options,
                      Progress& progress) override {
        return matcher_->match(items, options.rule, options.variant, statistics_.fit(items), progress);
    }

    double value(const PairPlace& place, std::size_t samples, const Quantity& quantity,
                 const EntropyOptions& options) const override {
        const MatchStatistics& statistics = statistics_[place.item](place.a, place.b);
        const unsigned m = options.rule.m;
        if (quantity.kind == Quantity::Kind::ShareWithoutMatch)
            return shareWithoutMatch(statistics, samples, m);
        const bool isSample = options.measure == Measure::CrossSampEn || options.measure == Measure::SampEn;
        if (options.convention == Convention::EntropyHub)
            return isSample ? entropyHubCrossSampEn(statistics) : entropyHubCrossApEn(statistics, samples, m);
        if (!isSample) return crossApproximateEntropy(statistics, samples, m, quantity.bias);
        return crossSampleEntropy(statistics, samples, m, place.a == place.b);
    }

  private:
    std::unique_ptr<Matcher> matcher_;
    ItemMatrices<MatchStatistics> statistics_;
};

class MembershipWork final : public EpochWork {
  public:
    explicit MembershipWork(Backend& backend)
        : summer_(createImplementation("crossapen", membershipEntries(), backend)) {}

    MatchOutcome find(std::span<const AnyEpoch> items, const EntropyOptions& options,
                      Progress& progress) override {
        return summer_->sum(items, {options.rule.m, options.tolerance, options.fuzzyPower}, sums_.fit(items),
                            progress);
    }

    double value(const PairPlace& place, std::size_t samples, const Quantity&,
                 const EntropyOptions& options) const override {
        const MembershipSums& sums = sums_[place.item](place.a, place.b);
        const bool isSelf = place.a == place.b;
        return options.convention == Convention::EntropyHub
                   ? entropyHubCrossFuzzyEn(sums, samples, options.rule.m, isSelf)
                   : crossFuzzyEntropy(sums, samples, options.rule.m, isSelf);
    }

  private:
    std::unique_ptr<MembershipSummer> summer_;
    ItemMatrices<MembershipSums> sums_;
};

std::unique_ptr<EpochWork> makeWork(Backend& backend, Measure measure) {
    if (measure == Measure::CrossFuzzyEn) return std::make_unique<MembershipWork>(backend);
    return std::make_unique<MatchWork>(backend);
}

}  // namespace

EpochEntropies::EpochEntropies(Backend& backend, EntropyOptions options)
    : options_(options), quantities_(quantitiesOf(options)), work_(makeWork(backend, options.measure)) {
    const auto* host = dynamic_cast<const HostBackend*>(&backend);
    threads_ = host != nullptr ? host->threads() : omp_get_max_threads();
}

EpochEntropies::~EpochEntropies() = default;

template <class T>
void EpochEntropies::computeAs(const SignalSet& signals, Range epochs, std::span<double> values,
                               Progress& progress) {
    const PreparedEpochs<T> prepared(signals, epochs, options_, threads_);
    const std::vector<AnyEpoch> items = prepared.views();
    const MatchOutcome found = work_->find(items, options_, progress);
    outcome_.variant = found.variant;
    outcome_.times += found.times;

    const EpochShape shape = epochShape(options_, signals.channels.size());
    const bool isSingle = isOfSingleChannels(options_.measure);
    parallelFor(threads_, epochs.size(), [&](std::size_t e, std::size_t) {
        const std::vector<char>& isUsable = prepared.isUsable(e);
        double* value = values.data() + e * shape.values();
        for (const Quantity& quantity : quantities_)
            for (std::size_t a = 0; a < shape.rows; ++a)
                for (std::size_t b = 0; b < shape.columns; ++b) {
                    const PairPlace place =
                        isSingle ? PairPlace{e * shape.rows + a, 0, 0} : PairPlace{e, a, b};
                    const bool isDefined = isUsable[a] != 0 && (isSingle || isUsable[b] != 0);
                    *value++ = isDefined ? work_->value(place, signals.epochSamples, quantity, options_)
                                         : std::numeric_limits<double>::quiet_NaN();
                }
    });
}

void EpochEntropies::compute(const SignalSet& signals, Range epochs, std::span<double> values,
                             Progress& progress) {
    if (options_.format == NumberFormat::Float32)
        computeAs<float>(signals, epochs, values, progress);
    else
        computeAs<double>(signals, epochs, values, progress);
}

}  // namespace glycine::crossapen
