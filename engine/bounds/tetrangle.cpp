#include "engine/bounds/tetrangle.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/bounds/number_format.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"

namespace glycine::bounds {

namespace {

constexpr double kMargin = 1e-5;  // Å

template <class T>
TetrangleSweep tightenTyped(const TetrangleLimits& limits, const BoundMatrices<T>& matrices) {
    const std::size_t n = matrices.atoms();
    TetrangleSweep sweep;
    for (std::size_t i = 0; i + 1 < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            T& upper = matrices.upper(i, j);
            T& lower = matrices.lower(i, j);
            const double most = std::sqrt(limits.upper(i, j)) + kMargin;
            const double least = std::sqrt(limits.lower(i, j)) - kMargin;
            const double lessUpper = angstromOrInfinity(upper) - most;
            const double moreLower = least - toAngstrom(lower);
            if (lessUpper > kLeastTetrangleGain) {
                upper = matrices.upper(j, i) = upperFromAngstrom<T>(most, Rounding::Outward);
                ++sweep.upper;
            }
            if (moreLower > kLeastTetrangleGain) {
                lower = matrices.lower(j, i) = lowerFromAngstrom<T>(least, Rounding::Outward);
                ++sweep.lower;
            }
            for (const double gain : {lessUpper, moreLower})
                if (std::isfinite(gain)) sweep.largestGain = std::max(sweep.largestGain, gain);
        }
    return sweep;
}

}  // namespace

TetrangleBounds::TetrangleBounds(const AnyBoundMatrices& matrices)
    : atoms(atomCount(matrices)),
      upper(atoms * atoms),
      lower(atoms * atoms),
      halfPerUpper(atoms * atoms),
      halfPerLower(atoms * atoms) {
    std::visit(
        [this](const auto& from) {
            for (std::size_t i = 0; i < atoms; ++i)
                for (std::size_t j = 0; j < atoms; ++j) {
                    const double u = isUnknownUpper(from.upper(i, j)) ? NAN : toAngstrom(from.upper(i, j));
                    const double l = toAngstrom(from.lower(i, j));
                    upper[i * atoms + j] = u * u;
                    lower[i * atoms + j] = l * l;
                    halfPerUpper[i * atoms + j] = u > 0 ? 0.5 / u : NAN;
                    halfPerLower[i * atoms + j] = l > 0 ? 0.5 / l : NAN;
                }
        },
        matrices);
}

PairTetrangles::PairTetrangles(const TetrangleBounds& bounds, InstructionSet instructions)
    : bounds_(bounds), kernel_(kernelFor<cpu::TetrangleKernel>(instructions)) {}

TetrangleLimit PairTetrangles::start(std::size_t i, std::size_t j) const {
    const double upper = bounds_.upper[i * bounds_.atoms + j];
    return {std::isnan(upper) ? std::numeric_limits<double>::infinity() : upper,
            bounds_.lower[i * bounds_.atoms + j]};
}

TetrangleLimit PairTetrangles::ofAll(std::size_t i, std::size_t j) const {
    TetrangleLimit limit = start(i, j);
    for (std::size_t k = 0; k + 1 < bounds_.atoms; ++k)
        if (k != i && k != j)
            kernel_.tighten(bounds_.row(i), bounds_.row(j), bounds_.row(k), k, {k + 1, bounds_.atoms}, limit);
    return limit;
}

void PairTetrangles::tighten(std::size_t i, std::size_t j, std::size_t k, std::size_t l,
                             TetrangleLimit& limit) const {
    kernel_.tighten(bounds_.row(i), bounds_.row(j), bounds_.row(k), k, {l, l + 1}, limit);
}

double secondsForPairTetrangles(std::size_t atoms) {
    return 1e-8 * static_cast<double>(atoms) * static_cast<double>(atoms) / 2;
}

bool isTighterAnywhere(const TetrangleLimits& found, const TetrangleLimits& expected) {
    for (std::size_t i = 0; i < found.upper.rows(); ++i)
        for (std::size_t j = i + 1; j < found.upper.rows(); ++j)
            if (!(found.upper(i, j) >= expected.upper(i, j) && found.lower(i, j) <= expected.lower(i, j)))
                return true;
    return false;
}

TetrangleLimits findTetrangleLimits(Backend& backend, const AnyBoundMatrices& matrices, Progress& progress) {
    checkTetrangles(matrices);
    const auto engine = createImplementation<SmoothingEngine>(backend);
    if (const Support support = engine->supportsTetrangles(atomCount(matrices)); !support)
        throw UnavailableError(fmt::format("tetrangles on {}: {}", backend.name(), support.reason()));
    return engine->tetrangleLimits(matrices, progress);
}

TetrangleSweep tightenBy(const TetrangleLimits& limits, const AnyBoundMatrices& matrices) {
    return std::visit([&](const auto& typed) { return tightenTyped(limits, typed); }, matrices);
}

double allowedTetrangleDifference(double slack) {
    return slack > 0 ? slack + kLeastTetrangleGain : 0;
}

void checkTetrangles(const AnyBoundMatrices& matrices) {
    const std::size_t n = atomCount(matrices);
    if (n > kMaxTetrangleAtoms)
        throw UnavailableError(fmt::format("tetrangles of {} atoms take n⁴ steps; expected at most {} atoms",
                                           n, kMaxTetrangleAtoms));
    if (!std::visit([](const auto& typed) { return typed.hasLower(); }, matrices))
        throw UsageError("tetrangles need lower bounds, too");
}

}  // namespace glycine::bounds
