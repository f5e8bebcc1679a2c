#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/input/bound_files.hpp"
#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"
#include "engine/io/structures/structure.hpp"

/// Distance bounds of a molecule whose structure is known, made as GPU Gems 2, section 43.1 describes its
/// input.
namespace glycine::bounds {

enum class AtomSubset {
    All,    ///< every atom of the structure
    Heavy,  ///< without hydrogen and deuterium
    Ca,     ///< one atom a residue: the alpha carbon
};
constexpr auto namesOf(AtomSubset) {
    using enum AtomSubset;
    return namesAre<AtomSubset>("selection of atoms", {{All, "all"}, {Heavy, "heavy"}, {Ca, "ca"}});
}

/// Twice the covalent radius of hydrogen, 0.31 Å (B. Cordero et al., "Covalent radii revisited", Dalton
/// Transactions 2008, 2832–2838), the smallest of all elements: bonded atoms are no closer.
inline constexpr double kHydrogenDiameter = 0.62;

/// Å: largest distance that an option takes. No molecule is larger, and sums of a few stay below what files
/// of bounds may hold.
inline constexpr double kLargestOptionAngstrom = 1e5;

/// Which pairs count as measured, and the bounds of all others.
struct PairBoundsOptions {
    /// Share of the pairs below `cutoff` that is known, 0 … 1; which ones, `seed` decides.
    double known = 1.0;
    /// Å; a known pair has the bounds d ± tolerance. The chapter gives no number. The default lies far above
    /// the rounding of coordinates in PDB files (it moves a distance by less than 0.002 Å), so that the
    /// structure satisfies its own bounds, and far below the slack of real NOE bounds (1 Å and more): raise
    /// it to imitate those.
    double tolerance = 0.05;
    /// Å; only pairs closer than this can be known. The default is the reach of the nuclear Overhauser
    /// effect, from which NMR distances come (K. Wüthrich, "NMR of Proteins and Nucleic Acids", 1986: 5 to 6
    /// Å).
    double cutoff = 6.0;
    std::uint64_t seed = 1;
    /// Å; upper bound of the pairs that are not known. Absent: the largest distance in the molecule +
    /// tolerance.
    std::optional<double> diameter;
    /// Å; lower bound of the pairs that are not known.
    double hydrogenDiameter = kHydrogenDiameter;
};

struct MoleculeBoundsOptions : PairBoundsOptions {
    AtomSubset atoms = AtomSubset::All;
};

/// Statistics of makePairBounds.
struct PairBoundsReport {
    std::size_t candidatePairs = 0;  ///< pairs i < j closer than the cut-off
    std::size_t knownPairs = 0;      ///< those of them that are known
    double diameter = 0;             ///< Å; upper bound of the others
    /// Unknown pairs that are closer than the hydrogen diameter, so that the positions break their lower
    /// bound; and unknown pairs farther apart than a given diameter. Both 0: the positions satisfy all
    /// bounds.
    std::size_t closerThanHydrogenDiameter = 0;
    std::size_t fartherThanDiameter = 0;
};

using Position = std::array<double, 3>;  ///< Å

/// Bounds of all pairs of n positions: n × n, symmetric, zero diagonal. Known pairs: upper = d + tolerance,
/// lower = max(0, d − tolerance), rounded outwards to T; others: upper = diameter, lower = min(hydrogen
/// diameter, diameter). Whether a pair is known depends on (seed, i, j) alone, so the result is the same for
/// any number of threads and on every machine. O(n²), in parallel. Throws InputError for no positions or ones
/// that are not finite, UsageError for options out of range, and for the fixed format InputError when a bound
/// reaches 512 Å; CancelledError.
AnyOwnedBounds makePairBounds(std::span<const Position> positions, const PairBoundsOptions& options,
                              NumberFormat format, PairBoundsReport& report, Progress& progress);

/// Bounds of the selected atoms of a structure, with a warning where it breaks the bounds of unknown pairs.
/// Throws as makePairBounds and requireSmoothingMemory do, and InputError when the selection is empty.
BoundSet boundsFromStructure(const io::Structure& structure, const MoleculeBoundsOptions& options,
                             const BoundFileOptions& reading, Progress& progress = silentProgress());

struct InputFileOptions : BoundFileOptions {
    MoleculeBoundsOptions molecule{};  ///< of a structure
    std::optional<int> model{};        ///< of a structure; absent: the first one
};

/// The bounds of an NPZ file or a structure. Throws UsageError for another kind of file, InputError for what
/// it holds.
BoundSet loadInputFile(const std::filesystem::path& file, const InputFileOptions& options,
                       Progress& progress = silentProgress());

/// Throws UsageError unless the name ends as files with bounds (.npz) or structures do.
void requireInputKind(const std::filesystem::path& file);

}  // namespace glycine::bounds
