#include "engine/alignment/reference/serial_posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/posteriors.hpp"

namespace glycine::align::reference {

namespace {

using GapRow = std::vector<std::array<double, kMostGapKinds>>;

/// Divides a row by a power of two near its largest value; returns the exponent.
int rescale(std::span<double> pairs, GapRow& gaps) {
    const double largest = std::ranges::max(pairs);
    if (largest == 0) return 0;
    const int exponent = std::ilogb(largest);
    for (double& value : pairs) value = std::ldexp(value, -exponent);
    for (auto& kinds : gaps)
        for (double& value : kinds) value = std::ldexp(value, -exponent);
    return exponent;
}

/// Sums over all alignments of the first i and j residues that end with the pair (i, j), each row divided by
/// 2^exponents[i].
struct Forward {
    Matrix<double> pairs;
    std::vector<int> exponents;
    ScaledNumber total;
};

Forward sumForwards(const PairModel& model, std::span<const std::uint8_t> first,
                    std::span<const std::uint8_t> second) {
    const std::size_t n = first.size(), m = second.size();
    const std::vector<ScaledNumber> leads = model.leads(std::max(n, m));
    const std::vector<ScaledNumber> trails = model.trails(std::max(n, m));
    Forward forward{Matrix<double>(n, m), std::vector<int>(n), {}};
    // Gaps that end with a residue of the first sequence, by the column that they stand behind; those in the
    // row before, too, and gaps that end with a residue of the second.
    GapRow below(m), belowBefore(m), beside(m), besideBefore(m);
    int exponent = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::span<double> row(forward.pairs.row(i), m);
        for (std::size_t j = 0; j < m; ++j) {
            double before = 0;
            if (i == 0 || j == 0) before = leads[i + j].times2To(-exponent);
            if (i > 0 && j > 0) {
                before = model.match * forward.pairs(i - 1, j - 1);
                for (std::size_t kind = 0; kind < model.gapKinds; ++kind)
                    before += model.close[kind] * (belowBefore[j - 1][kind] + besideBefore[j - 1][kind]);
            }
            row[j] = model.odds[first[i]][second[j]] * before;
            for (std::size_t kind = 0; kind < model.gapKinds; ++kind) {
                below[j][kind] = i == 0 ? 0
                                        : model.open[kind] * forward.pairs(i - 1, j) +
                                              model.extend[kind] * belowBefore[j][kind];
                beside[j][kind] =
                    j == 0 ? 0 : model.open[kind] * row[j - 1] + model.extend[kind] * beside[j - 1][kind];
            }
        }
        const int shift = rescale(row, below);
        for (auto& kinds : beside)
            for (double& value : kinds) value = std::ldexp(value, -shift);
        exponent += shift;
        forward.exponents[i] = exponent;
        const auto addEnd = [&](double sum, const ScaledNumber& trail) {
            forward.total.add(sum * trail.mantissa, exponent + trail.exponent);
        };
        addEnd(row[m - 1], trails[n - 1 - i]);
        if (i + 1 == n)
            for (std::size_t j = 0; j + 1 < m; ++j) addEnd(row[j], trails[m - 1 - j]);
        std::swap(below, belowBefore);
        std::swap(beside, besideBefore);
    }
    return forward;
}

}  // namespace

Matrix<double> pairPosteriors(const PairModel& model, std::span<const std::uint8_t> first,
                              std::span<const std::uint8_t> second) {
    const std::size_t n = first.size(), m = second.size();
    const std::vector<ScaledNumber> trails = model.trails(std::max(n, m));
    Forward forward = sumForwards(model, first, second);
    Matrix<double> result(n, m);
    // Of what is behind the pair (i, j), and behind gaps that end there.
    std::vector<double> pairs(m), weighedBelow(m), weighed(m);
    GapRow below(m);
    int exponent = 0;
    for (std::size_t i = n; i-- > 0;) {
        std::array<double, kMostGapKinds> beside{};
        for (std::size_t j = m; j-- > 0;) {
            const double next = i + 1 < n && j + 1 < m ? weighedBelow[j + 1] : 0;
            double behind = model.match * next;
            if (i + 1 == n || j + 1 == m) behind += trails[n - 1 - i + m - 1 - j].times2To(-exponent);
            for (std::size_t kind = 0; kind < model.gapKinds; ++kind) {
                behind += model.open[kind] * (below[j][kind] + beside[kind]);
                below[j][kind] = model.close[kind] * next + model.extend[kind] * below[j][kind];
                beside[kind] = model.close[kind] * next + model.extend[kind] * beside[kind];
            }
            pairs[j] = behind;
        }
        const int shift = rescale(pairs, below);
        exponent += shift;
        for (std::size_t j = 0; j < m; ++j) {
            weighed[j] = model.odds[first[i]][second[j]] * pairs[j];
            result(i, j) = std::ldexp(forward.pairs(i, j) * pairs[j] / forward.total.mantissa,
                                      forward.exponents[i] + exponent - forward.total.exponent);
        }
        std::swap(weighed, weighedBelow);
    }
    return result;
}

SparsePosterior mergedPosterior(const PairModel& one, const PairModel& other,
                                std::span<const std::uint8_t> first, std::span<const std::uint8_t> second) {
    // What a row loses, because its sums differ by more than double holds, grows with the columns.
    if (first.size() < second.size())
        return mergedPosterior(one, other, second, first).transposed(first.size());
    const Matrix<double> p = pairPosteriors(one, first, second), q = pairPosteriors(other, first, second);
    std::vector<std::uint32_t> begins{0};
    std::vector<PosteriorEntry> entries;
    for (std::size_t i = 0; i < first.size(); ++i) {
        for (std::size_t j = 0; j < second.size(); ++j) {
            const auto merged = static_cast<float>(std::sqrt((p(i, j) * p(i, j) + q(i, j) * q(i, j)) / 2));
            if (merged >= kSmallestPosterior) entries.push_back({static_cast<std::uint32_t>(j), merged});
        }
        begins.push_back(static_cast<std::uint32_t>(entries.size()));
    }
    return {std::move(begins), std::move(entries)};
}

SparsePosterior mergedPosterior(const Sequences& sequences, std::size_t first, std::size_t second) {
    return mergedPosterior(hiddenMarkovModel(sequences.alphabet), partitionModel(sequences.alphabet),
                           sequences.codes[first], sequences.codes[second]);
}

}  // namespace glycine::align::reference
