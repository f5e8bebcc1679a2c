#include "engine/bounds/input/molecule_bounds.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "engine/bounds/number_format.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/io/structures/structure.hpp"

namespace glycine::bounds {

namespace {

void checkOptions(const PairBoundsOptions& options) {
    const auto require = [](bool holds, std::string_view name, double value, std::string_view expected) {
        if (!holds) throw UsageError(fmt::format("{} is {}; expected {}", name, value, expected));
    };
    require(options.known >= 0 && options.known <= 1, "the known share", options.known, "0 to 1");
    require(options.tolerance >= 0 && std::isfinite(options.tolerance), "the tolerance", options.tolerance,
            "a length in Å, 0 or more");
    require(options.cutoff > 0, "the cut-off", options.cutoff, "a length in Å, more than 0");
    require(options.hydrogenDiameter >= 0 && std::isfinite(options.hydrogenDiameter), "the hydrogen diameter",
            options.hydrogenDiameter, "a length in Å, 0 or more");
    if (options.diameter)
        require(*options.diameter > 0 && std::isfinite(*options.diameter), "the molecule diameter",
                *options.diameter, "a length in Å, more than 0");
}

/// Positions as three arrays, so that distances from one atom to all are computed with vector instructions.
struct Coordinates {
    std::vector<double> x, y, z;

    explicit Coordinates(std::span<const Position> positions) {
        for (std::size_t i = 0; i < positions.size(); ++i) {
            for (const double value : positions[i])
                if (!std::isfinite(value))
                    throw InputError(
                        fmt::format("atom {} of {}: a coordinate is {}; expected a finite number", i + 1,
                                    positions.size(), value));
            x.push_back(positions[i][0]);
            y.push_back(positions[i][1]);
            z.push_back(positions[i][2]);
        }
    }
    double squaredDistance(std::size_t i, std::size_t j) const {
        const double dx = x[i] - x[j];
        const double dy = y[i] - y[j];
        const double dz = z[i] - z[j];
        return dx * dx + dy * dy + dz * dz;
    }
    double largestDistance(Progress& progress) const {
        progress.begin("distances", static_cast<double>(x.size()));
        std::vector<double> largest(static_cast<std::size_t>(omp_get_max_threads()), 0.0);
        parallelFor(omp_get_max_threads(), x.size(), [&](std::size_t i, std::size_t thread) {
            double largestOfRow = 0;
#pragma omp simd reduction(max : largestOfRow)
            for (std::size_t j = i + 1; j < x.size(); ++j)
                largestOfRow = std::max(largestOfRow, squaredDistance(i, j));
            largest[thread] = std::max(largest[thread], largestOfRow);
            progress.advance(1);
        });
        return std::sqrt(*std::max_element(largest.begin(), largest.end()));
    }
};

bool isSelected(const io::StructureAtom& atom, AtomSubset selection) {
    switch (selection) {
        case AtomSubset::Heavy:
            return !atom.isHydrogen();
        case AtomSubset::Ca:
            // A calcium ion is called CA, too.
            return atom.name == "CA" && atom.element == "C";
        case AtomSubset::All:
            break;
    }
    return true;
}

template <class T>
OwnedBounds<T> makeTypedBounds(std::span<const Position> positions, const PairBoundsOptions& options,
                               PairBoundsReport& report, Progress& progress) {
    checkOptions(options);
    if (positions.empty()) throw InputError("bounds of no atoms; expected at least one");
    const Coordinates coordinates(positions);
    const std::size_t n = positions.size();

    report = {};
    report.diameter =
        options.diameter ? *options.diameter : coordinates.largestDistance(progress) + options.tolerance;
    const double largestBound =
        std::max(report.diameter, std::min(options.cutoff, report.diameter) + options.tolerance);
    if (std::is_same_v<T, std::int32_t> && largestBound >= kFixedLimitAngstrom)
        throw InputError(
            fmt::format("the molecule needs bounds of {:.1f} Å; the fixed format holds less than {:.0f}",
                        largestBound, kFixedLimitAngstrom));

    const T defaultUpper = upperFromAngstrom<T>(report.diameter, Rounding::Outward);
    const T defaultLower =
        lowerFromAngstrom<T>(std::min(options.hydrogenDiameter, report.diameter), Rounding::Outward);
    const double squaredCutoff = options.cutoff * options.cutoff;
    const double squaredHydrogen = options.hydrogenDiameter * options.hydrogenDiameter;
    const double squaredDiameter = report.diameter * report.diameter;
    const std::uint64_t seed = mixBits(options.seed + kGoldenIncrement);
    OwnedBounds<T> bounds{Matrix<T>(n, n), Matrix<T>(n, n)};
    std::vector<PairBoundsReport> counts(static_cast<std::size_t>(omp_get_max_threads()));
    progress.begin("bounds", static_cast<double>(n));
    parallelFor(omp_get_max_threads(), n, [&](std::size_t i, std::size_t thread) {
        PairBoundsReport& count = counts[thread];
        T* upper = bounds.upper.row(i);
        T* lower = bounds.lower.row(i);
        std::fill_n(upper, n, defaultUpper);
        std::fill_n(lower, n, defaultLower);
        upper[i] = 0;
        lower[i] = 0;
        // Both triangles are computed rather than mirrored: every thread writes whole rows of its own.
        for (std::size_t j = 0; j < n; ++j) {
            const double squared = coordinates.squaredDistance(i, j);
            if ((squared >= squaredCutoff && squared <= squaredDiameter) || i == j) continue;
            const bool isCandidate = squared < squaredCutoff;
            const bool isKnown = isCandidate && unitInterval(derivedSeed(derivedSeed(seed, std::min(i, j)),
                                                                         std::max(i, j))) < options.known;
            if (isKnown) {
                const double distance = std::sqrt(squared);
                upper[j] = upperFromAngstrom<T>(distance + options.tolerance, Rounding::Outward);
                lower[j] =
                    lowerFromAngstrom<T>(std::max(0.0, distance - options.tolerance), Rounding::Outward);
            }
            if (j < i) continue;
            count.candidatePairs += isCandidate ? 1 : 0;
            count.knownPairs += isKnown ? 1 : 0;
            count.closerThanHydrogenDiameter += !isKnown && squared < squaredHydrogen ? 1 : 0;
            count.fartherThanDiameter += !isKnown && squared > squaredDiameter ? 1 : 0;
        }
        progress.advance(1);
    });
    for (const PairBoundsReport& count : counts) {
        report.candidatePairs += count.candidatePairs;
        report.knownPairs += count.knownPairs;
        report.closerThanHydrogenDiameter += count.closerThanHydrogenDiameter;
        report.fartherThanDiameter += count.fartherThanDiameter;
    }
    return bounds;
}

}  // namespace

AnyOwnedBounds makePairBounds(std::span<const Position> positions, const PairBoundsOptions& options,
                              NumberFormat format, PairBoundsReport& report, Progress& progress) {
    return withNumberOf(format, [&]<class T>(T) {
        return AnyOwnedBounds(makeTypedBounds<T>(positions, options, report, progress));
    });
}

BoundSet boundsFromStructure(const io::Structure& structure, const MoleculeBoundsOptions& options,
                             const BoundFileOptions& reading, Progress& progress) {
    BoundSet set;
    std::vector<Position> positions;
    for (const io::StructureAtom& atom : structure.atoms) {
        if (!isSelected(atom, options.atoms)) continue;
        positions.push_back(atom.position);
        set.atomNames.push_back(atom.label());
    }
    if (positions.empty())
        throw InputError(fmt::format("{}: '{}' selects no atom of model {}, which has {}", structure.name,
                                     toString(options.atoms), structure.model,
                                     formatCount(structure.atoms.size(), "atom")));
    requireSmoothingMemory(structure.name, reading, positions.size());
    PairBoundsReport report;
    set.bounds = makePairBounds(positions, options, reading.format, report, progress);
    set.knownPairs = report.knownPairs;
    set.description =
        fmt::format("{} atoms ({}) of {}, model {}: {} of the {} pairs below {:g} Å known, ±{:g} Å",
                    positions.size(), toString(options.atoms), structure.name, structure.model,
                    report.knownPairs, report.candidatePairs, options.cutoff, options.tolerance);
    const auto warn = [&set](std::size_t pairs, std::string_view broken) {
        if (pairs > 0)
            set.warnings.push_back(fmt::format("{} of the structure break their {}",
                                               formatCount(pairs, "unknown pair"), broken));
    };
    warn(report.closerThanHydrogenDiameter, "lower bound: closer than --hydrogen-diameter");
    warn(report.fartherThanDiameter, "upper bound: farther apart than --diameter");
    return set;
}

void requireInputKind(const std::filesystem::path& file) {
    if (io::isStructureFile(file) || file.extension() == ".npz") return;
    if (file.extension() == ".npy")
        throw UsageError(fmt::format(
            "{} holds a single matrix; `glycine bounds` takes it with --upper or --lower", file.string()));
    throw UsageError(
        fmt::format("{0}: unknown kind of file; expected .npz, .pdb, .ent, .cif or .mmcif, or restraints: "
                    ".nef, .str, .tbl, .mr, .upl, .lol, .aco, .bounds, .tsv or .csv (all but .npz also with "
                    ".gz); `glycine inspect {0}` may identify it",
                    file.string()));
}

BoundSet loadInputFile(const std::filesystem::path& file, const InputFileOptions& options,
                       Progress& progress) {
    requireInputKind(file);
    if (!io::isStructureFile(file)) return loadBounds(file, options);
    return boundsFromStructure(io::readStructure(file, {.model = options.model}), options.molecule, options,
                               progress);
}

}  // namespace glycine::bounds
