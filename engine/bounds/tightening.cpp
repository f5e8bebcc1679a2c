#include "engine/bounds/tightening.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
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

/// Result of one pass over all pairs.
struct Sums {
    std::size_t tightened = 0;
    std::size_t fromUnknown = 0;
    double amount = 0;
    double largest = 0;
    Histogram histogram = Histogram(kBuckets);
};

/// Calls look(sums, before, after) for all pairs i < j, on threads with sums of their own, and adds these up.
template <class T, class Look>
Sums lookAtPairs(MatrixView<T> before, MatrixView<T> after, const Look& look) {
    const std::vector<Range> squares = splitRange(before.rows(), kPairSquare);
    Sums total;
#pragma omp parallel
    {
        Sums own;
#pragma omp for schedule(dynamic)
        for (std::size_t row = 0; row < squares.size(); ++row)
            visitMirrored<T>(squares[row], after, before,
                             [&](std::size_t, std::size_t, T is, T was) { look(own, was, is); });
#pragma omp critical(glycine_bounds_tightening)
        {
            total.tightened += own.tightened;
            total.fromUnknown += own.fromUnknown;
            total.amount += own.amount;
            total.largest = std::max(total.largest, own.largest);
            for (std::size_t b = 0; b < kBuckets; ++b) total.histogram[b] += own.histogram[b];
        }
    }
    return total;
}

/// `sign`: of the differences before − after that are tightenings.
template <class T>
Tightening measure(MatrixView<T> before, MatrixView<T> after, double sign) {
    const std::size_t n = before.rows();
    const auto amountOf = [sign](T was, T is) { return sign * (toAngstrom(was) - toAngstrom(is)); };
    const Sums sums = lookAtPairs(before, after, [&](Sums& own, T was, T is) {
        const double amount = amountOf(was, is);
        if (!(amount > 0)) return;
        if (isUnknownUpper(was)) {
            ++own.fromUnknown;
            return;
        }
        ++own.tightened;
        own.amount += amount;
        own.largest = std::max(own.largest, amount);
        ++own.histogram[bitsOf(static_cast<float>(amount)) >> 16];
    });
    Tightening result{n * (n - 1) / 2, sums.tightened, sums.fromUnknown, 0, 0, sums.largest};
    if (sums.tightened == 0) return result;
    result.mean = sums.amount / static_cast<double>(sums.tightened);

    std::size_t rank = (sums.tightened - 1) / 2;
    const std::size_t bucket = findRank(sums.histogram, rank);
    const Sums inBucket = lookAtPairs(before, after, [&](Sums& own, T was, T is) {
        const double amount = amountOf(was, is);
        const std::uint32_t bits = bitsOf(static_cast<float>(amount));
        if (bits >> 16 == bucket && amount > 0 && !isUnknownUpper(was)) ++own.histogram[bits & 0xFFFF];
    });
    const auto bits = static_cast<std::uint32_t>(bucket << 16 | findRank(inBucket.histogram, rank));
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
