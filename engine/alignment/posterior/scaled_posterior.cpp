#include "engine/alignment/posterior/scaled_posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/pair_model.hpp"
#include "engine/core/matrix.hpp"

namespace glycine::align {

namespace {

using Codes = std::vector<std::uint8_t>;
using Kinds = std::array<double, kMaxGapKinds>;

/// A model read from its start or from its end. Backwards, the cost of beginning a gap is its cost of ending.
struct Direction {
    const PairModel& model;
    const Kinds& begin;
    const Kinds& end;
    std::vector<ScaledNumber> borders;  ///< sums before a pair at this many residues from the corner
};

/// Sums over all alignments of everything before each pair of residues; row i is divided by 2^exponents[i].
struct SumsBefore {
    Matrix<double> sums;
    std::vector<int> exponents;
};

SumsBefore sumBefore(const Direction& direction, const Codes& first, const Codes& second) {
    const PairModel& model = direction.model;
    const std::size_t n = first.size(), m = second.size();
    SumsBefore before{Matrix<double>(n, m), std::vector<int>(n)};
    // From the previous row: sums including the pair itself, and sums that end with a gap in either sequence.
    std::vector<double> pairs(m), pairsAbove(m);
    std::vector<Kinds> down(m), downAbove(m), across(m), acrossAbove(m);
    int exponent = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::span<double> row(before.sums.row(i), m);
        for (std::size_t j = 0; j < m; ++j) {
            if (i == 0 || j == 0) {
                row[j] = direction.borders[i + j].times2To(-exponent);
            } else {
                row[j] = model.match * pairsAbove[j - 1];
                for (std::size_t kind = 0; kind < model.gapKinds; ++kind)
                    row[j] += direction.end[kind] * (downAbove[j - 1][kind] + acrossAbove[j - 1][kind]);
            }
            pairs[j] = model.odds[first[i]][second[j]] * row[j];
            for (std::size_t kind = 0; kind < model.gapKinds; ++kind) {
                down[j][kind] =
                    i == 0 ? 0
                           : direction.begin[kind] * pairsAbove[j] + model.extend[kind] * downAbove[j][kind];
                across[j][kind] =
                    j == 0 ? 0
                           : direction.begin[kind] * pairs[j - 1] + model.extend[kind] * across[j - 1][kind];
            }
        }
        const double largest = std::max(std::ranges::max(pairs), std::ranges::max(row));
        const int shift = largest == 0 ? 0 : std::ilogb(largest);
        const auto scale = [&](double& value) { value = std::ldexp(value, -shift); };
        std::ranges::for_each(row, scale);
        std::ranges::for_each(pairs, scale);
        for (std::vector<Kinds>* gaps : {&down, &across})
            for (Kinds& kinds : *gaps) std::ranges::for_each(kinds, scale);
        before.exponents[i] = exponent += shift;
        std::swap(pairs, pairsAbove);
        std::swap(down, downAbove);
        std::swap(across, acrossAbove);
    }
    return before;
}

/// The share of all alignments, weighted by the model, in which two residues are paired.
Matrix<double> posteriorsBy(const PairModel& model, const Codes& first, const Codes& second) {
    const std::size_t n = first.size(), m = second.size(), longer = std::max(n, m);
    SumsBefore there = sumBefore({model, model.open, model.close, model.leads(longer)}, first, second);
    const SumsBefore back = sumBefore({model, model.close, model.open, model.trails(longer)},
                                      {first.rbegin(), first.rend()}, {second.rbegin(), second.rend()});
    Matrix<double> result = std::move(there.sums);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) result(i, j) *= model.odds[first[i]][second[j]];
    // Every alignment has a last pair, which only gaps follow.
    const std::vector<ScaledNumber> trails = model.trails(longer);
    ScaledNumber total;
    const auto addEnd = [&](std::size_t i, std::size_t j) {
        const ScaledNumber& trail = trails[n - 1 - i + m - 1 - j];
        total.add(result(i, j) * trail.mantissa, there.exponents[i] + trail.exponent);
    };
    for (std::size_t i = 0; i < n; ++i) addEnd(i, m - 1);
    for (std::size_t j = 0; j + 1 < m; ++j) addEnd(n - 1, j);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j)
            result(i, j) = std::ldexp(result(i, j) * back.sums(n - 1 - i, m - 1 - j) / total.mantissa,
                                      there.exponents[i] + back.exponents[n - 1 - i] - total.exponent);
    return result;
}

SparsePosterior merged(Alphabet alphabet, const Codes& first, const Codes& second) {
    // The loss of a row, whose sums span more than the range of double, grows with the number of columns.
    if (first.size() < second.size()) return merged(alphabet, second, first).transposed(first.size());
    const Matrix<double> p = posteriorsBy(hiddenMarkovModel(alphabet), first, second),
                         q = posteriorsBy(partitionModel(alphabet), first, second);
    std::vector<std::uint32_t> begins{0};
    std::vector<PosteriorEntry> entries;
    for (std::size_t i = 0; i < first.size(); ++i) {
        for (std::size_t j = 0; j < second.size(); ++j) {
            const auto value = static_cast<float>(std::sqrt((p(i, j) * p(i, j) + q(i, j) * q(i, j)) / 2));
            if (value >= kSmallestPosterior) entries.push_back({static_cast<std::uint32_t>(j), value});
        }
        begins.push_back(static_cast<std::uint32_t>(entries.size()));
    }
    return {std::move(begins), std::move(entries)};
}

}  // namespace

SparsePosterior scaledPosterior(const Sequences& sequences, std::size_t first, std::size_t second) {
    return merged(sequences.alphabet, sequences.codes[first], sequences.codes[second]);
}

}  // namespace glycine::align
