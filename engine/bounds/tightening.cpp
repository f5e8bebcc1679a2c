#include "engine/bounds/tightening.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/bounds/number_format.hpp"
#include "engine/core/pair_squares.hpp"

namespace glycine::bounds {

namespace {

constexpr std::size_t kBuckets = 1 << 16;
using Histogram = std::vector<std::size_t>;

std::uint32_t bitsOf(float amount) {
    return std::bit_cast<std::uint32_t>(amount);
}

/// Index of the bucket that holds the element of rank `rank`, which becomes its rank inside the bucket.
std::size_t findRank(const Histogram& histogram, std::size_t& rank) {
    std::size_t bucket = 0;
    while (rank >= histogram[bucket]) rank -= histogram[bucket++];
    return bucket;
}

/// Sums over pairs.
struct Sums {
    std::size_t tightened = 0;
    std::size_t fromUnknown = 0;
    double amount = 0;
    double largest = 0;
};

/// Calls look(sums, histogram, before, after) for all pairs i < j, on threads with sums and a histogram of
/// their own, and adds these up.
template <class T, class Look>
std::pair<Sums, Histogram> lookAtPairs(MatrixView<T> before, MatrixView<T> after, const Look& look) {
    const std::vector<Range> squares = splitRange(before.rows(), kPairSquare);
    Sums total;
    Histogram all(kBuckets);
#pragma omp parallel
    {
        Sums own;
        Histogram counts(kBuckets);
#pragma omp for schedule(dynamic)
        for (std::size_t row = 0; row < squares.size(); ++row) {
            Sums ofRow = own;  // stays in registers: no pointer leads to it
            std::size_t* const histogram = counts.data();
            visitMirrored<T>(squares[row], after, before,
                             [&](std::size_t, std::size_t, T is, T was) { look(ofRow, histogram, was, is); });
            own = ofRow;
        }
#pragma omp critical(glycine_bounds_tightening)
        {
            total.tightened += own.tightened;
            total.fromUnknown += own.fromUnknown;
            total.amount += own.amount;
            total.largest = std::max(total.largest, own.largest);
            for (std::size_t b = 0; b < kBuckets; ++b) all[b] += counts[b];
        }
    }
    return {total, std::move(all)};
}

/// `sign`: of the differences before − after that are tightenings.
template <class T>
Tightening measure(MatrixView<T> before, MatrixView<T> after, double sign) {
    const std::size_t n = before.rows();
    const auto amountOf = [sign](T was, T is) { return sign * (toAngstrom(was) - toAngstrom(is)); };
    // Without branches, which known and unknown bounds in random order would mislead.
    auto [sums, histogram] = lookAtPairs(before, after, [&](Sums& own, std::size_t* counts, T was, T is) {
        const double difference = amountOf(was, is);
        const bool isTighter = difference > 0;
        const bool isKnown = !isUnknownUpper(was);
        const double amount = (isTighter & isKnown) ? difference : 0;
        own.fromUnknown += isTighter & !isKnown;
        own.tightened += isTighter & isKnown;
        own.amount += amount;
        own.largest = std::max(own.largest, amount);
        ++counts[bitsOf(static_cast<float>(amount)) >> 16];
    });
    Tightening result{n * (n - 1) / 2, sums.tightened, sums.fromUnknown, 0, 0, sums.largest};
    if (sums.tightened == 0) return result;
    histogram[0] -= result.pairs - sums.tightened;  // the others' zeros
    result.mean = sums.amount / static_cast<double>(sums.tightened);

    std::size_t rank = (sums.tightened - 1) / 2;
    const std::size_t bucket = findRank(histogram, rank);
    const auto inBucket = lookAtPairs(before, after, [&](Sums&, std::size_t* counts, T was, T is) {
        const double amount = amountOf(was, is);
        const std::uint32_t bits = bitsOf(static_cast<float>(amount));
        if (bits >> 16 == bucket && amount > 0 && !isUnknownUpper(was)) ++counts[bits & 0xFFFF];
    });
    const auto bits = static_cast<std::uint32_t>(bucket << 16 | findRank(inBucket.second, rank));
    result.median = std::bit_cast<float>(bits);
    return result;
}

}  // namespace

Tightening measureUpperTightening(const AnyBoundMatrices& before, const AnyBoundMatrices& after) {
    return std::visit(
        [&after]<class T>(const BoundMatrices<T>& input) {
            return measure(input.upper, std::get<BoundMatrices<T>>(after).upper, 1);
        },
        before);
}

Tightening measureLowerTightening(const AnyBoundMatrices& before, const AnyBoundMatrices& after) {
    return std::visit(
        [&after]<class T>(const BoundMatrices<T>& input) {
            if (!input.hasLower()) return Tightening{};
            return measure(input.lower, std::get<BoundMatrices<T>>(after).lower, -1);
        },
        before);
}

}  // namespace glycine::bounds
