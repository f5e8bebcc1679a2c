#include "engine/bounds/reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "engine/bounds/number_format.hpp"
#include "engine/core/error.hpp"

namespace glycine::bounds {

namespace {

constexpr double kNotReached = std::numeric_limits<double>::infinity();

/// Å; sums of the fixed format stay below.
constexpr double kFixedSumLimit = kUnknownUpper<std::int32_t> / kFixedUnitsPerAngstrom;

[[noreturn]] void refusePath(std::size_t i, std::size_t j, const std::string& length) {
    throw InputError(fmt::format(
        "the upper bound that follows for pair ({}, {}) is {}; the fixed format holds less than {:.0f} Å "
        "(float32 with outward rounding is as safe, float64 finer)",
        std::min(i, j), std::max(i, j), length, kFixedSumLimit));
}

}  // namespace

template <class T>
Reach measureReach(MatrixView<const T> upper, const Progress& progress) {
    const std::size_t n = upper.rows();
    Reach reach{std::vector<std::size_t>(n), std::vector<double>(n, kNotReached),
                std::vector<std::uint32_t>(n, 0)};
    std::vector<std::size_t> open(n);
    for (std::size_t atom = 0; atom < n; ++atom) open[atom] = n - 1 - atom;
    while (!open.empty()) {
        progress.throwIfCancelled();
        // The last one stands for a new group, where none is reached: roots are taken in ascending order.
        std::size_t nearest = open.size() - 1;
        for (std::size_t slot = 0; slot < open.size(); ++slot)
            if (reach.distance[open[slot]] < reach.distance[open[nearest]]) nearest = slot;
        const std::size_t k = open[nearest];
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(nearest));
        if (reach.distance[k] == kNotReached) {
            reach.distance[k] = 0;
            reach.root[k] = k;
        }
        const T* const edges = upper.row(k);
        for (const std::size_t j : open) {
            if (isUnknownUpper(edges[j])) {
                reach.hasUnknown = true;
                continue;
            }
            const double candidate = reach.distance[k] + toAngstrom(edges[j]);
            if (!(candidate < reach.distance[j])) continue;
            reach.distance[j] = candidate;
            reach.steps[j] = reach.steps[k] + 1;
            reach.root[j] = reach.root[k];
        }
    }
    return reach;
}

FixedRange::FixedRange(const BoundMatrices<std::int32_t>& input, const Progress& progress) {
    // Where every pair has a bound, no smoothed one is larger than the largest.
    bool hasUnknown = false;
    for (std::size_t i = 0; i < input.atoms() && !hasUnknown; ++i)
        hasUnknown =
            std::any_of(input.upper.row(i), input.upper.row(i) + input.atoms(), isUnknownUpper<std::int32_t>);
    if (!hasUnknown) return;
    Reach reach = measureReach<std::int32_t>(input.upper, progress);
    const auto farthest = std::max_element(reach.distance.begin(), reach.distance.end());
    // Distances are whole numbers of 2⁻²⁰ Å, exact in double precision.
    if (*farthest >= kFixedSumLimit) {
        const auto atom = static_cast<std::size_t>(farthest - reach.distance.begin());
        refusePath(reach.root[atom], atom, fmt::format("{:.1f} Å", *farthest));
    }
    if (2 * *farthest >= kFixedSumLimit) reach_ = std::move(reach);
}

void FixedRange::check(const BoundMatrices<std::int32_t>& smoothed) const {
    if (!reach_) return;
    for (std::size_t i = 0; i < smoothed.atoms(); ++i)
        for (std::size_t j = i + 1; j < smoothed.atoms(); ++j)
            if (reach_->root[i] == reach_->root[j] && isUnknownUpper(smoothed.upper(i, j)))
                refusePath(i, j, "longer");
}

template Reach measureReach(MatrixView<const float>, const Progress&);
template Reach measureReach(MatrixView<const double>, const Progress&);
template Reach measureReach(MatrixView<const std::int32_t>, const Progress&);

}  // namespace glycine::bounds
