#include "engine/crossapen/crossapen.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/names.hpp"
#include "engine/core/parallel.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/pair_workspace.hpp"
#include "engine/crossapen/prepared_signals.hpp"
#include "engine/crossapen/scales.hpp"

namespace glycine::crossapen {

namespace {

/// Names of measures as publications write them.
constexpr NameTable<Measure, 8> kMeasureTitles{{{Measure::CrossApEn, "Cross-ApEn"},
                                                {Measure::ApEn, "ApEn"},
                                                {Measure::CrossSampEn, "Cross-SampEn"},
                                                {Measure::SampEn, "SampEn"},
                                                {Measure::CrossFuzzyEn, "Cross-FuzzyEn"},
                                                {Measure::PermEn, "PermEn"},
                                                {Measure::CrossPermEn, "Cross-PermEn"},
                                                {Measure::DispEn, "DispEn"}}};

bool isApproximate(Measure measure) {
    return measure == Measure::CrossApEn || measure == Measure::ApEn;
}

Quantity withBias(Measure measure, Bias bias) {
    return {fmt::format("{}_{}", toString(measure), bias == Bias::MaxShort ? "max_short" : toString(bias)),
            bias == Bias::None ? fmt::format("{}, no correction", nameOf(measure, kMeasureTitles))
                               : fmt::format("{}, bias {}", nameOf(measure, kMeasureTitles),
                                             bias == Bias::Zero ? "0" : toString(bias)),
            Quantity::Kind::Entropy, bias};
}

/// Computes the entropies of epochs of one shape, tile by tile.
class TileEntropies {
  public:
    TileEntropies(Backend& backend, const EntropyOptions& options, std::size_t channels)
        : options_(options),
          quantities_(quantitiesOf(options)),
          shape_(epochShape(options, channels)),
          workspace_(makeWorkspace(makeEngine(backend, options.measure))) {
        const auto* host = dynamic_cast<const HostBackend*>(&backend);
        threads_ = host != nullptr ? host->threads() : omp_get_max_threads();
    }

    /// Fills `values` in the order that EntropySink::store expects.
    MatchOutcome compute(std::span<const Signals> epochs, std::span<double> values, Progress& progress) {
        return compute(EpochBatch(epochs, options_, threads_), values, progress);
    }
    /// Computes the same for epochs in device memory. Returns false if the host has to do it.
    bool compute(const DeviceEpochs& epochs, Range some, std::span<double> values, MatchOutcome& outcome,
                 std::vector<UnusableChannel>& unusable, Progress& progress) {
        std::unique_ptr<EpochsOnDevice> there = workspace_->prepare(epochs, some, options_);
        if (!there) return false;
        for (std::size_t e = 0; e < some.size(); ++e)
            for (const auto& [use, reason] : {std::pair(ChannelUse::NotFinite, "not finite"),
                                              std::pair(ChannelUse::Constant, "constant")})
                for (std::size_t c = 0; c < shape_.rows; ++c)
                    if (there->useOf(e, c) == use) unusable.push_back({some.begin + e, c, reason});
        outcome =
            compute(EpochBatch(std::move(there), some.size(), shape_.rows, epochs.first.columns, options_),
                    values, progress);
        return true;
    }

  private:
    MatchOutcome compute(const EpochBatch& batch, std::span<double> values, Progress& progress) {
        const bool isSingle = isOfSingleChannels(options_.measure);
        const std::vector<AnyEpoch> items = isSingle ? batch.channelViews() : batch.views();
        const MatchOutcome found = workspace_->compute(items, options_, progress);
        parallelFor(threads_, batch.count(), [&](std::size_t e, std::size_t) {
            double* value = values.data() + e * shape_.values();
            for (const Quantity& quantity : quantities_)
                for (std::size_t a = 0; a < shape_.rows; ++a)
                    for (std::size_t b = 0; b < shape_.columns; ++b) {
                        const PairPlace place =
                            isSingle ? PairPlace{e * shape_.rows + a, 0, 0} : PairPlace{e, a, b};
                        const bool isDefined = batch.isUsable(e, a) && (isSingle || batch.isUsable(e, b));
                        *value++ = isDefined ? workspace_->value(place, batch.samples(), quantity, options_)
                                             : std::numeric_limits<double>::quiet_NaN();
                    }
        });
        return found;
    }

    EntropyOptions options_;
    std::vector<Quantity> quantities_;
    EpochShape shape_;
    int threads_;  ///< for work outside the backend
    std::unique_ptr<PairWorkspace> workspace_;
};

/// Entropies of epochs at all scales: first the sum, then each scale.
class ScaleEntropies {
  public:
    ScaleEntropies(Backend& backend, const EntropyOptions& options, std::size_t channels)
        : options_(options), shape_(epochShape(options, channels)) {
        for (unsigned scale = 1; scale <= options.scales; ++scale)
            scales_.push_back(std::make_unique<TileEntropies>(
                backend, options.scales == 1 ? options : atScale({}, options, scale).options, channels));
    }

    MatchOutcome compute(std::span<const Signals> epochs, std::span<double> values, Progress& progress) {
        if (scales_.size() == 1) return scales_.front()->compute(epochs, values, progress);
        MatchOutcome all;
        std::fill(values.begin(), values.end(), 0.0);
        std::vector<double> found;
        const std::size_t matrix = shape_.matrixValues();
        for (std::size_t k = 0; k < scales_.size(); ++k) {
            const ScaledEpochs scaled = atScale(epochs, options_, static_cast<unsigned>(k) + 1);
            const std::size_t width = epochShape(scaled.options, shape_.rows).values();
            found.resize(epochs.size() * width);
            const MatchOutcome one = scales_[k]->compute(scaled.views(), found, progress);
            if (k == 0) all.variant = one.variant;
            all.times += one.times;
            for (std::size_t e = 0; e < epochs.size(); ++e)
                for (std::size_t i = 0; i < matrix; ++i) {
                    double* const target = values.data() + e * shape_.values() + i;
                    *target += found[e * width + i];
                    target[(k + 1) * matrix] = found[e * width + i];
                }
        }
        return all;
    }

  private:
    EntropyOptions options_;
    EpochShape shape_;
    std::vector<std::unique_ptr<TileEntropies>> scales_;
};

/// Comparisons of samples that brute force needs for an epoch; for measures of patterns, the samples read.
double comparisonsPerEpoch(const EntropyOptions& options, std::size_t channels, std::size_t samples) {
    const auto pairs = static_cast<double>(epochShape(options, channels).matrixValues());
    double comparisons = 0;
    for (unsigned scale = 1; scale <= options.scales; ++scale) {
        const auto length = static_cast<double>(samples / scale);
        comparisons += pairs * length * (isOfPatterns(options.measure) ? 1 : length);
    }
    return comparisons;
}

/// Comparisons in a tile. A backend does them in some seconds, so a stopped run loses no more than that. The
/// processor needs no large tiles, whose prepared signals would take memory.
double tileComparisons(const Backend& backend) {
    if (backend.name() == "reference") return 0x1p27;
    if (backend.name() == "cuda") return 0x1p42;
    return backend.name() == "cpu" || backend.isEmulated() ? 0x1p34 : 0x1p38;
}

/// Epochs that the sink does not have, grouped into tiles of consecutive epochs.
std::vector<Range> missingTiles(const EntropySink& sink, std::size_t epochs, std::size_t tileEpochs) {
    std::vector<Range> tiles;
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
        if (sink.has(epoch)) continue;
        if (!tiles.empty() && tiles.back().end == epoch && tiles.back().size() < tileEpochs)
            ++tiles.back().end;
        else
            tiles.push_back({epoch, epoch + 1});
    }
    return tiles;
}

}  // namespace

bool isOfSingleChannels(Measure measure) {
    return measure == Measure::ApEn || measure == Measure::SampEn || measure == Measure::PermEn ||
           measure == Measure::DispEn;
}
bool isOfPatterns(Measure measure) {
    return measure == Measure::PermEn || measure == Measure::CrossPermEn || measure == Measure::DispEn;
}
bool isSymmetric(const EntropyOptions& options) {
    return options.measure == Measure::CrossSampEn || options.measure == Measure::CrossFuzzyEn;
}

void checkOptions(const EntropyOptions& options, std::size_t samples) {
    checkKnown(options.measure);
    checkKnown(options.bias);
    checkKnown(options.deviation);
    checkKnown(options.convention);
    checkKnown(options.format);
    checkKnown(options.variant);
    if (options.rule.m == 0) throw UsageError("m is the length of the templates: at least 1");
    if (options.rule.delay == 0) throw UsageError("the time delay is at least 1 sample");
    if (!isLongEnough(samples, options.rule.m, options.rule.delay))
        throw UsageError(tooShort(samples, options.rule));
    if (options.scales == 0) throw UsageError("the largest scale is at least 1");
    if (!isLongEnough(samples / options.scales, options.rule.m, options.rule.delay))
        throw UsageError(
            fmt::format("at scale {} {}", options.scales, tooShort(samples / options.scales, options.rule)));
    if (options.scales > 1 && options.convention == Convention::EntropyHub)
        throw UsageError(
            "the convention 'entropyhub' has one scale; take the convention 'paper' for several");
    if (isOfPatterns(options.measure)) {
        if (options.convention == Convention::EntropyHub && !isOfSingleChannels(options.measure))
            throw UsageError(
                "crosspermen supports only the convention 'paper', which gives EntropyHub's values");
        if (options.rule.isStrict || options.isAbsolute)
            throw UsageError(fmt::format(
                "{} counts patterns and has no tolerance, which the strict and the absolute rule are about",
                toString(options.measure)));
        if (const Support support = supportsPatterns({Variant::Default, patternRule(options), samples});
            !support)
            throw UsageError(support.reason());
    }
    if (samples > kMaximumSamples)
        throw UsageError(
            fmt::format("epochs of {} samples are too long: at most {}", samples, kMaximumSamples));
    if (!std::isfinite(static_cast<float>(options.tolerance)) || options.tolerance <= 0)
        throw UsageError(fmt::format("r = {}: expected a number above 0", options.tolerance));
    // Subnormal float32 numbers have fewer digits, or none.
    if (options.format == NumberFormat::Float32 && options.tolerance < std::numeric_limits<float>::min())
        throw UsageError(fmt::format("r = {}: float32 has no numbers as small; take the format float64",
                                     options.tolerance));
    if (!std::isfinite(options.fuzzyPower) || options.fuzzyPower <= 0)
        throw UsageError(fmt::format("n = {}: expected a number above 0", options.fuzzyPower));
    if (options.convention == Convention::EntropyHub && isOfSingleChannels(options.measure))
        throw UsageError(fmt::format(
            "the convention 'entropyhub' is for crossapen, crosssampen and crossfuzzyen, not for {}",
            toString(options.measure)));
    if (options.convention == Convention::EntropyHub && options.rule.delay > 1)
        throw UsageError(
            "the convention 'entropyhub' has a time delay of 1; use the convention 'paper' for a longer one");
    if (options.measure == Measure::CrossFuzzyEn && options.rule.m == 1)
        throw UsageError(
            "m = 1 is too short for crossfuzzyen: without its mean, a template of one sample is 0, so that "
            "all memberships and Φ^m are 1; use m = 2 or more");
    if (options.measure == Measure::CrossFuzzyEn && options.rule.isStrict)
        throw UsageError("memberships have no '<' or '<=': the strict rule is for matches");
}

void checkEntropies(std::span<const Signals> epochs, const EntropyOptions& options) {
    if (epochs.empty()) return checkOptions(options, kMaximumSamples);
    const Signals first = epochs.front();
    if (first.rows() == 0) throw InputError("epoch 0 has no channels; expected at least one");
    for (std::size_t e = 0; e < epochs.size(); ++e) {
        if (epochs[e].rows() != first.rows() || epochs[e].columns() != first.columns())
            throw UsageError(fmt::format("epoch {} has {} × {} samples, epoch 0 {} × {}: expected one shape",
                                         e, epochs[e].rows(), epochs[e].columns(), first.rows(),
                                         first.columns()));
        checkView(fmt::format("the signals of epoch {}", e), epochs[e]);
    }
    checkOptions(options, first.columns());
}

std::vector<Quantity> quantitiesOf(const EntropyOptions& options) {
    checkKnown(options.measure);
    checkKnown(options.bias);
    checkKnown(options.convention);
    const std::string title(nameOf(options.measure, kMeasureTitles));
    if (options.convention == Convention::EntropyHub)
        return {{fmt::format("{}_entropyhub", toString(options.measure)),
                 fmt::format("{} as EntropyHub", title)}};
    if (options.scales > 1) {
        EntropyOptions single = options;
        single.scales = 1;
        const Quantity one = quantitiesOf(single).front();
        std::vector<Quantity> all{one};
        all.front().name += "_sum";
        all.front().label += fmt::format(", sum over scales 1 to {}", options.scales);
        for (unsigned scale = 1; scale <= options.scales; ++scale) {
            all.push_back(one);
            all.back().name += fmt::format("_scale_{}", scale);
            all.back().label += fmt::format(", scale {}", scale);
        }
        return all;
    }
    const std::string name(toString(options.measure));
    if (isOfPatterns(options.measure))
        return {{name, title},
                {name + "_normalized", title + " as a share of the largest", Quantity::Kind::Normalised}};
    if (!isApproximate(options.measure)) return {{name, title}};
    std::vector<Quantity> quantities{withBias(options.measure, options.bias)};
    for (const Bias bias : {Bias::Zero, Bias::Max})
        if (bias != options.bias) quantities.push_back(withBias(options.measure, bias));
    quantities.push_back({"share_without_match", "Share of templates without a match at m + 1",
                          Quantity::Kind::ShareWithoutMatch});
    return quantities;
}

EpochShape epochShape(const EntropyOptions& options, std::size_t channels) {
    return {quantitiesOf(options).size(), channels, isOfSingleChannels(options.measure) ? 1 : channels};
}

std::vector<UnusableChannel> unusableChannels(std::span<const Signals> epochs,
                                              const EntropyOptions& options) {
    std::vector<UnusableChannel> result;
    for (std::size_t e = 0; e < epochs.size(); ++e)
        checkView(fmt::format("the signals of epoch {}", e), epochs[e]);
    for (std::size_t e = 0; e < epochs.size(); ++e) {
        const UnusableChannels unusable = findUnusable(epochs[e]);
        for (const std::size_t channel : unusable.notFinite) result.push_back({e, channel, "not finite"});
        if (!isNormalised(options)) continue;
        for (const std::size_t channel : unusable.constant) result.push_back({e, channel, "constant"});
    }
    return result;
}

Support supportsEntropies(Backend& backend, const EntropyOptions& options, std::size_t channels,
                          std::size_t samples) {
    checkKnown(options.measure);
    if (options.scales > 1) {
        EntropyOptions single = options;
        single.scales = 1;
        if (const Support support = supportsEntropies(backend, single, channels, samples); !support)
            return support;
        return supportsEntropies(backend, single, channels, samples / options.scales);
    }
    if (isOfPatterns(options.measure)) {
        const Support support = glycine::supportsRequest<PatternEngine>(
            backend, PatternRequest{options.variant, patternRule(options), samples,
                                    isOfSingleChannels(options.measure) ? 1 : channels});
        const bool isHost = backend.name() == "reference" || backend.name() == "cpu";
        if (isHost || !support || !isOfSingleChannels(options.measure)) return support;
        // Measured on an H100: docs/results/crossapen.md.
        return Support::slowly("cpu counts patterns of single channels faster than a GPU");
    }
    if (options.measure == Measure::CrossFuzzyEn) {
        MembershipRequest request;
        request.variant = options.variant;
        request.format = options.format;
        request.rule = fuzzyRule(options);
        request.channels = channels;
        request.samples = samples;
        return glycine::supportsRequest<MembershipEngine>(backend, request);
    }
    MatchRequest request;
    request.variant = options.variant;
    request.format = options.format;
    request.rule = options.rule;
    request.channels = isOfSingleChannels(options.measure) ? 1 : channels;
    request.samples = samples;
    request.hasPairTolerances = crossapen::hasPairTolerances(options);
    return glycine::supportsRequest<MatchEngine>(backend, request);
}

std::size_t tileEpochs(const Backend& backend, const EntropyOptions& options, std::size_t channels,
                       std::size_t samples) {
    const double epoch = comparisonsPerEpoch(options, channels, samples);
    return static_cast<std::size_t>(std::clamp(tileComparisons(backend) / epoch, 1.0, 1e6));
}

namespace {

/// Fills the values of some epochs. Returns false if it cannot.
using ComputeTile = std::function<bool(Range epochs, std::span<double> values, MatchOutcome& outcome)>;

/// Returns nothing if a tile cannot be computed.
std::optional<EntropyReport> computeTiles(Backend& backend, std::size_t epochs, std::size_t channels,
                                          std::size_t samples, const EntropyOptions& options,
                                          EntropySink& sink, Progress& progress, const ComputeTile& compute) {
    EntropyReport report;
    report.backend = backend.name();
    report.variant = toString(options.variant);
    report.device = backend.device();
    report.epochs = epochs;
    if (epochs == 0) return report;
    if (const Support support = supportsEntropies(backend, options, channels, samples); !support)
        throw UnavailableError(support.reason());

    const std::vector<Range> tiles =
        missingTiles(sink, epochs, tileEpochs(backend, options, channels, samples));
    std::size_t missing = 0;
    for (const Range tile : tiles) missing += tile.size();
    report.epochsResumed = epochs - missing;
    const double work = comparisonsPerEpoch(options, channels, samples) * static_cast<double>(missing);
    if (!isOfPatterns(options.measure)) report.comparisons = work;
    progress.begin("entropies", work);
    std::vector<double> values;
    for (const Range tile : tiles) {
        values.resize(tile.size() * epochShape(options, channels).values());
        MatchOutcome outcome;
        if (!compute(tile, values, outcome)) return std::nullopt;
        report.variant = toString(outcome.variant);
        report.times += outcome.times;
        sink.store(tile, values);
    }
    return report;
}

}  // namespace

EntropyReport computeEntropies(Backend& backend, std::span<const Signals> epochs,
                               const EntropyOptions& options, EntropySink& sink, Progress& progress) {
    checkEntropies(epochs, options);
    const std::size_t channels = epochs.empty() ? 0 : epochs.front().rows();
    const std::size_t samples = epochs.empty() ? 0 : epochs.front().columns();
    std::optional<ScaleEntropies> entropies;
    return *computeTiles(backend, epochs.size(), channels, samples, options, sink, progress,
                         [&](Range tile, std::span<double> values, MatchOutcome& outcome) {
                             if (!entropies) entropies.emplace(backend, options, channels);
                             outcome = entropies->compute(epochs.subspan(tile.begin, tile.size()), values,
                                                          progress);
                             return true;
                         });
}

std::optional<EntropyReport> computeEntropies(Backend& backend, const DeviceEpochs& epochs,
                                              const EntropyOptions& options, EntropySink& sink,
                                              std::vector<UnusableChannel>& unusable, Progress& progress) {
    checkOptions(options, epochs.first.columns);
    if (options.scales > 1 || isOfPatterns(options.measure) || options.measure == Measure::CrossFuzzyEn ||
        hasPairTolerances(options) || options.rule.delay > 1)
        return std::nullopt;
    std::optional<TileEntropies> entropies;
    return computeTiles(backend, epochs.count, epochs.first.rows, epochs.first.columns, options, sink,
                        progress, [&](Range tile, std::span<double> values, MatchOutcome& outcome) {
                            if (!entropies) entropies.emplace(backend, options, epochs.first.rows);
                            return entropies->compute(epochs, tile, values, outcome, unusable, progress);
                        });
}

}  // namespace glycine::crossapen
