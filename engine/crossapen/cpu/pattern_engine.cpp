#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/patterns.hpp"

namespace glycine::crossapen::cpu {

namespace {

const VariantTable<Variant>& patternVariants() {
    static const VariantTable<Variant> table(
        "cpu", {"float64"},
        {{Variant::Patterns, "patterns as numbers, counted in sorted order", "Bandt and Pompe 2002"}});
    return table;
}

/// Entropy of the frequencies of equal codes.
PatternEntropy entropyOf(std::span<const std::uint64_t> sorted) {
    PatternSum sum(sorted.size());
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
        while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
        sum.add(end - begin);
    }
    return sum.entropy();
}

/// Indices of a template's samples in ascending order of value, earlier samples first among equal ones.
/// Insertion sort takes at most m² / 2 steps.
template <class T>
void sortTemplate(const T* first, const PatternRule& rule, std::uint8_t* order) {
    for (unsigned k = 0; k < rule.m; ++k) {
        unsigned at = k;
        for (; at > 0 && first[std::size_t{order[at - 1]} * rule.delay] > first[std::size_t{k} * rule.delay];
             --at)
            order[at] = order[at - 1];
        order[at] = static_cast<std::uint8_t>(k);
    }
}

constexpr unsigned kBits = 4;  // per index in a template
static_assert(kLongestPattern <= 16);

template <class T>
void permutations(const T* u, const PatternRule& rule, std::vector<std::uint64_t>& codes) {
    std::uint8_t order[kLongestPattern];
    for (std::size_t i = 0; i < codes.size(); ++i) {
        sortTemplate(u + i, rule, order);
        std::uint64_t code = 0;
        for (unsigned k = 0; k < rule.m; ++k) code = code << kBits | order[k];
        codes[i] = code;
    }
}

/// Cross-permutation entropy of a channel and its partner `v`. `orders`: of the channel's templates, one
/// after the other, by sortTemplate.
template <class T>
PatternEntropy entropyOfCrossings(std::span<const std::uint8_t> orders, const T* v, const PatternRule& rule) {
    std::array<std::size_t, crossingPatterns(kLongestPattern)> counts{};
    T line[kLongestPattern];
    const std::size_t templates = orders.size() / rule.m;
    for (std::size_t i = 0; i < templates; ++i) {
        const std::uint8_t* const order = orders.data() + i * rule.m;
        for (unsigned k = 0; k < rule.m; ++k) line[k] = v[i + std::size_t{order[k]} * rule.delay];
        std::size_t crossed = 0;
        // Without branches, which would be guessed wrong.
        for (unsigned k = 0; k + 2 < rule.m; ++k)
            for (unsigned j = k + 1; j + 1 < rule.m; ++j)
                crossed += static_cast<std::size_t>(((line[j + 1] < line[k]) & (line[k] < line[j])) |
                                                    ((line[j + 1] > line[k]) & (line[k] > line[j])));
        ++counts[crossed];
    }
    PatternSum sum(templates);
    for (const std::size_t count : counts) sum.add(count);
    return sum.entropy();
}

template <class T>
bool dispersions(std::span<const T> u, const PatternRule& rule, std::vector<std::uint64_t>& codes) {
    const std::vector<std::uint32_t> classes = dispersionClasses(u, rule);
    if (classes.empty()) return false;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        codes[i] = 0;
        for (unsigned k = 0; k < rule.m; ++k)
            codes[i] = codes[i] * rule.classes + classes[i + std::size_t{k} * rule.delay];
    }
    return true;
}

class CpuPatterns : public PatternEngine {
  public:
    explicit CpuPatterns(const HostBackend& backend) : threads_(backend.threads()) {}

    Support supports(const PatternRequest& request) const override {
        if (Support known = patternVariants().supports(request.variant); !known) return known;
        return supportsPatterns(request);
    }

    MatchOutcome count(std::span<const AnyEpoch> items, const PatternRule& rule,
                       std::span<const MatrixView<PatternEntropy>> results, Progress& progress) override {
        const Stopwatch watch;
        MatchOutcome outcome;
        outcome.variant = Variant::Patterns;
        parallelFor(threads_, items.size(), [&](std::size_t item, std::size_t) {
            std::visit([&](const auto& epoch) { countItem(epoch, rule, results[item], progress); },
                       items[item]);
        });
        outcome.times.compute = watch.seconds();
        return outcome;
    }

  private:
    template <class T>
    static void countItem(const Epoch<T>& epoch, const PatternRule& rule, MatrixView<PatternEntropy> results,
                          Progress& progress) {
        const std::size_t samples = epoch.samples(), channels = epoch.channels();
        const std::size_t templates = shortTemplates(samples, rule.m, rule.delay);
        const bool isCross = rule.measure == Measure::CrossPermEn;
        std::vector<std::uint8_t> orders(isCross ? templates * rule.m : 0);
        std::vector<std::uint64_t> codes(isCross ? 0 : templates);
        for (std::size_t a = 0; a < channels; ++a) {
            const std::span<const T> u(epoch.signals.row(a), samples);
            if (isCross) {
                for (std::size_t i = 0; i < templates; ++i)
                    sortTemplate(u.data() + i, rule, orders.data() + i * rule.m);
                for (std::size_t b = 0; b < channels; ++b) {
                    results(a, b) = entropyOfCrossings<T>(orders, epoch.signals.row(b), rule);
                    progress.advance(static_cast<double>(samples));
                }
                continue;
            }
            bool isDefined = true;
            if (rule.measure == Measure::PermEn)
                permutations(u.data(), rule, codes);
            else
                isDefined = dispersions(u, rule, codes);
            std::sort(codes.begin(), codes.end());
            std::fill_n(results.row(a), channels, isDefined ? entropyOf(codes) : kUndefinedPatterns);
            progress.advance(static_cast<double>(samples * channels));
        }
        progress.throwIfCancelled();
    }

    int threads_;
};

}  // namespace

Implementation<PatternEngine> patternEngine() {
    return implementWith<PatternEngine, CpuPatterns, HostBackend>(patternVariants());
}

}  // namespace glycine::crossapen::cpu
