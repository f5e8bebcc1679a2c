#include <algorithm>
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

namespace patterns {

namespace {

const VariantTable<Variant>& variants() {
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
void permutations(const T* u, const T*, std::size_t count, const PatternRule& rule,
                  std::vector<std::uint64_t>& codes) {
    std::uint8_t order[kLongestPattern];
    for (std::size_t i = 0; i < count; ++i) {
        sortTemplate(u + i, rule, order);
        std::uint64_t code = 0;
        for (unsigned k = 0; k < rule.m; ++k) code = code << kBits | order[k];
        codes[i] = code;
    }
}

template <class T>
void crossings(const T* u, const T* v, std::size_t count, const PatternRule& rule,
               std::vector<std::uint64_t>& codes) {
    std::uint8_t order[kLongestPattern];
    double line[kLongestPattern];
    for (std::size_t i = 0; i < count; ++i) {
        sortTemplate(u + i, rule, order);
        for (unsigned k = 0; k < rule.m; ++k)
            line[k] = static_cast<double>(v[i + std::size_t{order[k]} * rule.delay]);
        std::uint64_t crossed = 0;
        for (unsigned k = 0; k + 2 < rule.m; ++k)
            for (unsigned j = k + 1; j + 1 < rule.m; ++j)
                crossed += (line[j + 1] < line[k] && line[k] < line[j]) ||
                           (line[j + 1] > line[k] && line[k] > line[j]);
        codes[i] = crossed;
    }
}

template <class T>
bool dispersions(const T* u, std::size_t samples, std::size_t count, const PatternRule& rule,
                 std::vector<std::uint64_t>& codes) {
    const std::vector<std::uint32_t> classes = dispersionClasses(std::span(u, samples), rule);
    if (classes.empty()) return false;
    for (std::size_t i = 0; i < count; ++i) {
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
        if (Support known = variants().supports(request.variant); !known) return known;
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
        const std::size_t samples = epoch.samples();
        std::vector<std::uint64_t> codes(shortTemplates(samples, rule.m, rule.delay));
        for (std::size_t a = 0; a < epoch.channels(); ++a)
            for (std::size_t b = 0; b < epoch.channels(); ++b) {
                const T *u = epoch.signals.row(a), *v = epoch.signals.row(b);
                bool isDefined = true;
                if (rule.measure == Measure::PermEn)
                    permutations(u, v, codes.size(), rule, codes);
                else if (rule.measure == Measure::CrossPermEn)
                    crossings(u, v, codes.size(), rule, codes);
                else
                    isDefined = dispersions(u, samples, codes.size(), rule, codes);
                std::sort(codes.begin(), codes.end());
                results(a, b) = isDefined ? entropyOf(codes) : kUndefinedPatterns;
                progress.advance(static_cast<double>(samples));
            }
        progress.throwIfCancelled();
    }

    int threads_;
};

}  // namespace

}  // namespace patterns

PatternEngineEntry patternEngine() {
    return implementWith<PatternEngine, patterns::CpuPatterns, HostBackend>(patterns::variants());
}

}  // namespace glycine::crossapen::cpu
