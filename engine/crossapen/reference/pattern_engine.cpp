#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "engine/core/compensated_sum.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/crossapen/entropy_engine.hpp"

namespace glycine::crossapen::reference {

namespace {

using Pattern = std::vector<std::size_t>;

template <class T>
std::vector<double> templateAt(const T* signal, std::size_t i, const PatternRule& rule) {
    std::vector<double> samples;
    for (std::size_t k = 0; k < rule.m; ++k)
        samples.push_back(static_cast<double>(signal[i + k * rule.delay]));
    return samples;
}

/// The indices of the samples in ascending order of their values; equal values in order of time.
Pattern orderOf(const std::vector<double>& samples) {
    Pattern order(samples.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return samples[a] < samples[b]; });
    return order;
}

/// Bandt and Pompe 2002: the ordinal pattern.
template <class T>
Pattern permutation(const T* u, const T*, std::size_t i, const PatternRule& rule) {
    return orderOf(templateAt(u, i, rule));
}

/// Shi, Shang and Lin 2015, section 2: v in the order of u is G. The pattern is the number of steps from G(j)
/// to G(j + 1) that cross the level of an earlier G(k).
template <class T>
Pattern crossings(const T* u, const T* v, std::size_t i, const PatternRule& rule) {
    const std::vector<double> partner = templateAt(v, i, rule);
    std::vector<double> g;
    for (const std::size_t k : orderOf(templateAt(u, i, rule))) g.push_back(partner[k]);
    std::size_t crossed = 0;
    for (std::size_t k = 0; k + 2 < g.size(); ++k)
        for (std::size_t j = k + 1; j + 1 < g.size(); ++j)
            if ((g[j + 1] - g[k]) * (g[k] - g[j]) > 0) ++crossed;
    return {crossed};
}

/// Rostaghi and Azami 2016, section II: the normal distribution function with the signal's mean and deviation
/// maps samples to c equal classes.
template <class T>
Pattern dispersion(const T* u, std::size_t samples, std::size_t i, const PatternRule& rule) {
    double mean = 0, squares = 0;
    for (std::size_t k = 0; k < samples; ++k)
        mean += static_cast<double>(u[k]) / static_cast<double>(samples);
    for (std::size_t k = 0; k < samples; ++k) squares += std::pow(static_cast<double>(u[k]) - mean, 2);
    const auto n = static_cast<double>(samples);
    const double deviation = std::sqrt(squares / (rule.deviation == Deviation::Sample ? n - 1 : n));
    Pattern classes;
    for (const double x : templateAt(u, i, rule)) {
        const double y = 0.5 * (1 + std::erf((x - mean) / (deviation * std::sqrt(2.0))));
        classes.push_back(
            std::min<std::size_t>(static_cast<std::size_t>(y * rule.classes), rule.classes - 1));
    }
    return classes;
}

template <class T>
double entropy(const T* u, const T* v, std::size_t samples, const PatternRule& rule) {
    if (rule.measure == Measure::DispEn && std::all_of(u, u + samples, [&](T x) { return x == u[0]; }))
        return std::numeric_limits<double>::quiet_NaN();
    std::map<Pattern, std::size_t> counts;
    const std::size_t templates = shortTemplates(samples, rule.m, rule.delay);
    for (std::size_t i = 0; i < templates; ++i)
        ++counts[rule.measure == Measure::PermEn        ? permutation(u, v, i, rule)
                 : rule.measure == Measure::CrossPermEn ? crossings(u, v, i, rule)
                                                        : dispersion(u, samples, i, rule)];
    CompensatedSum sum;
    for (const auto& [pattern, count] : counts) {
        const double p = static_cast<double>(count) / static_cast<double>(templates);
        sum.add(p * std::log(p));
    }
    return std::abs(sum.value());
}

class ReferencePatterns : public PatternEngine {
  public:
    Support supports(const PatternRequest& request) const override { return supportsPatterns(request); }

    MatchOutcome count(std::span<const AnyEpoch> items, const PatternRule& rule,
                       std::span<const MatrixView<PatternEntropy>> results, Progress& progress) override {
        const Stopwatch watch;
        for (std::size_t item = 0; item < items.size(); ++item)
            std::visit(
                [&](const auto& epoch) {
                    for (std::size_t a = 0; a < epoch.channels(); ++a)
                        for (std::size_t b = 0; b < epoch.channels(); ++b) {
                            results[item](a, b).nats =
                                entropy(epoch.signals.row(a), epoch.signals.row(b), epoch.samples(), rule);
                            progress.advance(static_cast<double>(epoch.samples()));
                        }
                },
                items[item]);
        MatchOutcome outcome;
        outcome.variant = Variant::Patterns;
        outcome.times.compute = watch.seconds();
        return outcome;
    }
};

}  // namespace

Implementation<PatternEngine> patternEngine() {
    static const VariantTable<Variant> variants(
        "reference", {"float64"},
        {{Variant::Patterns, "the definitions, pattern by pattern",
          "Bandt and Pompe 2002; Shi et al. 2015; Rostaghi and Azami 2016"}});
    return implementWith<PatternEngine, ReferencePatterns, Backend>(variants);
}

}  // namespace glycine::crossapen::reference
