#include "engine/algorithms/crossapen/study/pair_input.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <optional>

#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"

namespace glycine::crossapen {

namespace {

/// Epochs for which memberships are compared with m = 1 alone: the reference takes long for them.
constexpr std::size_t kLongSamples = 1000;
/// Of signals that are shifted and scaled: their mean is exact.
constexpr std::size_t kExactSamples = 64;

EpochBatch batchOf(const std::vector<Matrix<double>>& epochs, EntropyOptions options, NumberFormat format) {
    std::vector<Signals> views;
    for (const Matrix<double>& epoch : epochs) views.push_back(epoch.view());
    options.format = format;
    return {views, options, omp_get_max_threads()};
}

std::vector<EpochExtents> defaultExtents(unsigned m) {
    std::vector<EpochExtents> extents{
        {1, m + std::size_t{2}, 1}, {3, m + std::size_t{3}, 1}, {2, 65, 2}, {5, 131, 1}};
    if (m <= 2) extents.push_back({2, 1025, 1});
    return extents;
}

PairInput makeInput(const char* kind, std::optional<Oddity> oddity, unsigned m, double r,
                    const EpochExtents& extents, std::uint64_t seed) {
    PairInput input;
    input.name =
        fmt::format("{}, m {}, r {}, {} × {}{}", kind, m, r, extents.channels, formatCount(extents.samples),
                    extents.epochs > 1 ? fmt::format(", {} epochs", extents.epochs) : "");
    input.options.rule.m = m;
    input.options.tolerance = r;
    input.isFuzzy = r > 0 && (extents.samples < kLongSamples || m == 1);
    const std::uint64_t ownSeed = derivedSeed(seed, m);
    input.epochs = oddity ? oddEpochs(*oddity, extents, ownSeed) : randomEpochs({}, extents, ownSeed);
    return input;
}

/// Differences are whole steps, and r is one.
PairInput makeTies(bool isStrict, unsigned m, const EpochExtents& extents, std::uint64_t seed) {
    PairInput input =
        makeInput(isStrict ? "ties at r, <" : "ties at r", Oddity::Steps, m, kSignalStep, extents, seed);
    input.options.rule.isStrict = isStrict;
    input.options.isAbsolute = true;
    input.options.fuzzyPower = 1;
    if (isStrict) input.isFuzzy = false;
    return input;
}

}  // namespace

EpochBatch PairInput::batch(NumberFormat format) const {
    return batchOf(epochs, options, format);
}

EpochBatch PairInput::batch(NumberFormat format, std::size_t epoch,
                            std::span<const std::size_t> channels) const {
    std::vector<Matrix<double>> chosen;
    chosen.emplace_back(channels.size(), epochs[epoch].columns());
    for (std::size_t i = 0; i < channels.size(); ++i)
        std::copy_n(epochs[epoch].row(channels[i]), chosen[0].columns(), chosen[0].row(i));
    return batchOf(chosen, options, format);
}

std::vector<PairInput> makeValidationInputs(const ValidationPlan& plan) {
    std::vector<PairInput> inputs;
    const double r = plan.r.front();
    for (const unsigned m : plan.m) {
        const auto add = [&](const char* kind, std::optional<Oddity> oddity, double one,
                             const EpochExtents& extents) -> PairInput& {
            return inputs.emplace_back(makeInput(kind, oddity, m, one, extents, plan.seed));
        };
        for (const EpochExtents& extents : plan.extents.empty() ? defaultExtents(m) : plan.extents) {
            if (!isLongEnough(extents.samples, m)) continue;
            for (const double one : m == plan.m.front() ? plan.r : std::vector{r})
                add("signals", std::nullopt, one, extents);
            for (const bool isStrict : {false, true})
                inputs.push_back(makeTies(isStrict, m, extents, plan.seed));
            add("constant but for outliers", Oddity::Outliers, r, extents);
            if (extents.channels == 1) continue;
            // Memberships need z-scores, or an r for all.
            PairInput& apart = add("no matches between channels", Oddity::Apart, r, extents);
            apart.options.isAbsolute = true;
            apart.isFuzzy = false;
            PairInput& unequal = add("r of each pair", Oddity::Unequal, r, extents);
            unequal.options.convention = Convention::EntropyHub;
            unequal.isFuzzy = false;
        }
        if (!isLongEnough(kExactSamples, m)) continue;
        add("signals shifted and scaled", Oddity::Moved, r, {3, kExactSamples, 1});
        add("a signal and its copy", Oddity::Twins, r, {2, kExactSamples, 1}).isFuzzy = false;
    }
    return inputs;
}

}  // namespace glycine::crossapen
