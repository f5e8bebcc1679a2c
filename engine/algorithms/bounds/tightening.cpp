#include "engine/algorithms/bounds/tightening.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "engine/algorithms/bounds/number_format.hpp"

namespace glycine::bounds {

namespace {

constexpr std::size_t kBuckets = 1 << 16;
using Histogram = std::vector<std::size_t>;

std::uint32_t upperHalf(float amount) {
    return std::bit_cast<std::uint32_t>(amount) >> 16;
}
std::uint32_t lowerHalf(float amount) {
    return std::bit_cast<std::uint32_t>(amount) & 0xFFFF;
}

/// Index of the bucket that holds the element of rank `rank`, which becomes its rank inside the bucket.
std::size_t findRank(const Histogram& histogram, std::size_t& rank) {
    std::size_t bucket = 0;
    while (rank >= histogram[bucket]) rank -= histogram[bucket++];
    return bucket;
}

/// `amountAt(i, j)`: Å by which the pair is tighter; `isUnknown(i, j)`: there was no bound before.
template <class AmountAt, class IsUnknown>
Tightening measure(std::size_t n, const AmountAt& amountAt, const IsUnknown& isUnknown) {
    Tightening result;
    result.pairs = n * (n - 1) / 2;
    Histogram high(kBuckets);
    double sum = 0;
    std::size_t tightened = 0;
    std::size_t fromUnknown = 0;
    double largest = 0;
#pragma omp parallel reduction(+ : sum, tightened, fromUnknown) reduction(max : largest)
    {
        Histogram own(kBuckets);
#pragma omp for schedule(dynamic, 16)
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = i + 1; j < n; ++j) {
                const double amount = amountAt(i, j);
                if (!(amount > 0)) continue;
                if (isUnknown(i, j)) {
                    ++fromUnknown;
                    continue;
                }
                ++tightened;
                sum += amount;
                largest = std::max(largest, amount);
                ++own[upperHalf(static_cast<float>(amount))];
            }
        }
#pragma omp critical
        for (std::size_t b = 0; b < kBuckets; ++b) high[b] += own[b];
    }
    result.tightened = tightened;
    result.fromUnknown = fromUnknown;
    result.largest = largest;
    if (tightened == 0) return result;
    result.mean = sum / static_cast<double>(tightened);

    std::size_t rank = (tightened - 1) / 2;
    const std::size_t bucket = findRank(high, rank);
    Histogram low(kBuckets);
#pragma omp parallel
    {
        Histogram own(kBuckets);
#pragma omp for schedule(dynamic, 16)
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = i + 1; j < n; ++j) {
                const double amount = amountAt(i, j);
                if (!(amount > 0) || isUnknown(i, j)) continue;
                const float rounded = static_cast<float>(amount);
                if (upperHalf(rounded) == bucket) ++own[lowerHalf(rounded)];
            }
        }
#pragma omp critical
        for (std::size_t b = 0; b < kBuckets; ++b) low[b] += own[b];
    }
    const auto bits = static_cast<std::uint32_t>(bucket << 16 | findRank(low, rank));
    result.median = std::bit_cast<float>(bits);
    return result;
}

}  // namespace

Tightening measureUpperTightening(const AnyBoundMatrices& before, const AnyBoundMatrices& after) {
    return std::visit(
        [&after]<class T>(const BoundMatrices<T>& input) {
            const MatrixView<T> u = input.upper;
            const MatrixView<T> smoothed = std::get<BoundMatrices<T>>(after).upper;
            return measure(
                u.rows(),
                [&](std::size_t i, std::size_t j) {
                    return toAngstrom(u(i, j)) - toAngstrom(smoothed(i, j));
                },
                [&](std::size_t i, std::size_t j) { return isUnknownUpper(u(i, j)); });
        },
        before);
}

Tightening measureLowerTightening(const AnyBoundMatrices& before, const AnyBoundMatrices& after) {
    return std::visit(
        [&after]<class T>(const BoundMatrices<T>& input) {
            if (!input.hasLower()) return Tightening{};
            const MatrixView<T> l = input.lower;
            const MatrixView<T> smoothed = std::get<BoundMatrices<T>>(after).lower;
            return measure(
                l.rows(),
                [&](std::size_t i, std::size_t j) {
                    return toAngstrom(smoothed(i, j)) - toAngstrom(l(i, j));
                },
                [](std::size_t, std::size_t) { return false; });
        },
        before);
}

}  // namespace glycine::bounds
