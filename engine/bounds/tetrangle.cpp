#include "engine/bounds/tetrangle.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/bounds/cpu/tetrangle_kernel.hpp"
#include "engine/bounds/number_format.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"

namespace glycine::bounds {

namespace {

constexpr double kMargin = 1e-5;  // Å

struct Squares {
    template <class T>
    explicit Squares(const BoundMatrices<T>& from)
        : n(from.atoms()), upper(n * n), lower(n * n), halfPerUpper(n * n), halfPerLower(n * n) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                const double u = isUnknownUpper(from.upper(i, j)) ? NAN : toAngstrom(from.upper(i, j));
                const double l = toAngstrom(from.lower(i, j));
                upper[i * n + j] = u * u;
                lower[i * n + j] = l * l;
                halfPerUpper[i * n + j] = u > 0 ? 0.5 / u : NAN;
                halfPerLower[i * n + j] = l > 0 ? 0.5 / l : NAN;
            }
    }
    cpu::SquaredBounds row(std::size_t i) const {
        return {&upper[i * n], &lower[i * n], &halfPerUpper[i * n], &halfPerLower[i * n]};
    }
    std::size_t n;
    std::vector<double> upper, lower, halfPerUpper, halfPerLower;
};

template <class T>
TetrangleSweep sweep(const BoundMatrices<T>& matrices, InstructionSet instructions, Progress& progress) {
    const std::size_t n = matrices.atoms();
    const Squares squares(matrices);
    const auto kernel = kernelFor<cpu::TetrangleKernel>(instructions);
    const int threads = omp_get_max_threads();
    std::vector<TetrangleSweep> found(static_cast<std::size_t>(threads));
    progress.begin("tetrangles", static_cast<double>(n * (n - 1) / 2));
    for (std::size_t i = 0; i + 1 < n; ++i) {
        parallelFor(threads, n - 1 - i, [&](std::size_t place, std::size_t thread) {
            const std::size_t j = i + 1 + place;
            T& upper = matrices.upper(i, j);
            T& lower = matrices.lower(i, j);
            cpu::TetrangleLimits limits{
                isUnknownUpper(upper) ? std::numeric_limits<double>::infinity() : squares.upper[i * n + j],
                squares.lower[i * n + j]};
            for (std::size_t k = 0; k + 1 < n; ++k)
                if (k != i && k != j)
                    kernel.tighten(squares.row(i), squares.row(j), squares.row(k), k, n, limits);
            const double most = std::sqrt(limits.upper) + kMargin;
            const double least = std::sqrt(limits.lower) - kMargin;
            const double lessUpper = angstromOrInfinity(upper) - most;
            const double moreLower = least - toAngstrom(lower);
            TetrangleSweep& mine = found[thread];
            if (lessUpper > kLeastTetrangleGain) {
                upper = matrices.upper(j, i) = upperFromAngstrom<T>(most, Rounding::Outward);
                ++mine.upper;
            }
            if (moreLower > kLeastTetrangleGain) {
                lower = matrices.lower(j, i) = lowerFromAngstrom<T>(least, Rounding::Outward);
                ++mine.lower;
            }
            for (const double gain : {lessUpper, moreLower})
                if (std::isfinite(gain)) mine.largestGain = std::max(mine.largestGain, gain);
        });
        progress.advance(static_cast<double>(n - 1 - i));
    }
    TetrangleSweep all;
    for (const TetrangleSweep& one : found) {
        all.upper += one.upper;
        all.lower += one.lower;
        all.largestGain = std::max(all.largestGain, one.largestGain);
    }
    return all;
}

}  // namespace

void checkTetrangles(const AnyBoundMatrices& matrices) {
    const std::size_t n = atomCount(matrices);
    if (n > kMaxTetrangleAtoms)
        throw UnavailableError(fmt::format("tetrangles of {} atoms take n⁴ steps; expected at most {} atoms",
                                           n, kMaxTetrangleAtoms));
    if (!std::visit([](const auto& typed) { return typed.hasLower(); }, matrices))
        throw UsageError("tetrangles need lower bounds, too");
}

TetrangleSweep tightenByTetrangles(const AnyBoundMatrices& matrices, InstructionSet instructions,
                                   Progress& progress) {
    checkTetrangles(matrices);
    return std::visit([&](const auto& typed) { return sweep(typed, instructions, progress); }, matrices);
}

}  // namespace glycine::bounds
