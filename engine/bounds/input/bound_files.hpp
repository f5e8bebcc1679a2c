#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/explain.hpp"
#include "engine/core/matrix.hpp"
#include "engine/picture/heat_map.hpp"
#include "engine/storage/disk_space.hpp"

/// Files of distance bounds that the command reads and writes.
namespace glycine::io {
class ByteSource;
}

namespace glycine::bounds {

/// The memory of BoundMatrices. `lower` is empty when only upper bounds are wanted.
template <class T>
struct OwnedBounds {
    Matrix<T> upper;
    Matrix<T> lower;
    BoundMatrices<T> matrices() {
        return {upper.view(), lower.data() == nullptr ? MatrixView<T>() : lower.view()};
    }
};
using AnyOwnedBounds = std::variant<OwnedBounds<float>, OwnedBounds<double>, OwnedBounds<std::int32_t>>;

/// Views of the matrices that `bounds` owns.
AnyBoundMatrices viewBounds(AnyOwnedBounds& bounds);
/// A copy that owns its memory, e.g. of the input before it is smoothed in place.
AnyOwnedBounds cloneBounds(const AnyBoundMatrices& matrices);

/// Bounds and their origin.
struct BoundSet {
    AnyOwnedBounds bounds;
    std::vector<std::string> atomNames;  ///< n names ("A/LYS52/CA"), or none
    std::string description;  ///< one line: "1231 atoms of 1d3z.pdb, 21874 of 21874 pairs below 6 Å known"
    std::size_t knownPairs = 0;  ///< pairs i < j whose upper bound is known
    /// Warnings about the result: "2 pairs came in with a lower bound above the upper bound".
    std::vector<std::string> warnings;

    AnyBoundMatrices matrices() { return viewBounds(bounds); }
};

struct BoundFileOptions {
    NumberFormat format = NumberFormat::Float32;
    Rounding rounding = Rounding::Nearest;  ///< of the file's numbers to the format
    /// Go on when a lower bound exceeds the upper bound of its pair.
    bool allowInconsistent = false;
    /// Several devices or processes will share the smoothing, and leave the input where it is (keepsInput()).
    bool isShared = false;
};

/// Throws MemoryError with required and available memory if bounds of so many atoms cannot be read and
/// smoothed. `where` begins the message. All readers below call it.
void requireSmoothingMemory(std::string_view where, const BoundFileOptions& options, std::size_t atoms);

/// Reads `upper` and, where present, `lower` and `atoms` from an NPZ file. Values are Å; +infinity among the
/// upper bounds means "unknown". Without `lower` all lower bounds are 0.
///
/// Converts to `options.format` while reading. A matrix is symmetric when |a_ij − a_ji| ≤ 1e-4 Å; the tighter
/// of the two is used for both. A pair counts as unknown when its upper bound is infinite or, where none is,
/// when it shares the largest upper bound with another pair.
///
/// Throws InputError, naming file, row and column (counted from 0, as numpy does), for: a matrix that is not
/// square, empty, of another size than its companion or not numeric; NaN; an infinity other than an unknown
/// upper bound; a negative or absurdly large (≥ 10⁶ Å) value; for the fixed format a finite value ≥ 512 Å; a
/// diagonal that is not zero; asymmetry beyond the tolerance; lower > upper (unless allowed).
BoundSet loadBounds(const std::filesystem::path& npz, const BoundFileOptions& options);

/// Returns the requested rounding, or the format's own without a request. Throws UsageError if the format
/// does not support it.
Rounding roundingOf(NumberFormat format, std::optional<Rounding> requested);

/// The same from two arrays in NPY's format, of which `lower` may be absent.
BoundSet loadBounds(io::ByteSource& upper, io::ByteSource* lower, const BoundFileOptions& options);

/// The same from two NPY files.
BoundSet loadBounds(const std::filesystem::path& upper, const std::optional<std::filesystem::path>& lower,
                    const BoundFileOptions& options);

/// Pairs i < j whose upper bound is a measurement. The largest bound is none when it means "unknown" or is
/// shared: the value of one pair alone is a measurement, one that many have is a default.
template <class T>
std::size_t countKnownPairs(const Matrix<T>& upper);

/// Writes an NPZ file, atomically: `upper`, `lower` (when there) and `atoms` (when there are names).
/// Floating-point bounds keep their type; fixed-point ones become float64 in Å, which is exact. Unknown upper
/// bounds become +infinity.
void writeBounds(const std::filesystem::path& npz, const AnyBoundMatrices& matrices,
                 std::span<const std::string> atomNames);

/// Writes every pair i < j as a line of values separated by tabs or commas (RFC 4180), atomically: columns i,
/// j (counted from 1), atom_i, atom_j (where names are known), lower, upper (Å, the shortest decimal form
/// that reads back to the same double; "inf" for unknown). `atomNames` has n names or none.
void writeBoundsTable(const std::filesystem::path& path, const AnyBoundMatrices& matrices,
                      std::span<const std::string> atomNames, char separator = '\t');

/// Bounds of the size of a file that writeBounds writes, or writeBoundsTable if `isTable`.
storage::ExpectedFile expectedFile(const std::filesystem::path& path, bool isTable,
                                   const AnyBoundMatrices& matrices, std::span<const std::string> atomNames);

/// Pictures of the upper and, where there are some, the lower bounds for picture::writeHeatMaps, in Å;
/// unknown upper bounds are grey. `when`, "before" say, ends the titles. Where atoms have names as in a
/// molecule
/// ("A/LYS52/CA"), the axes have marks: numbers of residues, and chains.
std::vector<picture::HeatMapPanel> boundPanels(std::string_view when, const AnyBoundMatrices& matrices,
                                               std::span<const std::string> atomNames);
/// The same of upper − lower.
picture::HeatMapPanel differencePanel(const AnyBoundMatrices& matrices,
                                      std::span<const std::string> atomNames);

// Tables of inconsistent pairs and of their causes: tab-separated, atoms counted from 1, lengths in
// Å in the shortest decimal form that reads back to the same double. Both appear complete or not at all.
// `atomNames` has n names or none; the columns of names are there with them.

/// A line for each pair: i, j, atom_i, atom_j, lower, upper, excess.
void writeViolations(const std::filesystem::path& tsv, std::span<const Violation> violations,
                     std::span<const std::string> atomNames);

/// A line for each contradiction: p, q, atom_p, atom_q, lower (of the input), upper_sum, short_by, pairs
/// (that it proves inconsistent), path (p … q, joined by commas), path_atoms, upper_inputs (one a step of the
/// path, joined by commas).
void writeContradictions(const std::filesystem::path& tsv, std::span<const Contradiction> contradictions,
                         std::span<const std::string> atomNames);

}  // namespace glycine::bounds
