#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"

/// Triangle-inequality smoothing of interatomic distance bounds.
///
/// Given upper bounds u and lower bounds l on the distances between n atoms, finds the tightest bounds that
/// follow from d_ij ≤ d_ik + d_kj:
///
///     U_ij = length of the shortest path from i to j in the complete graph with edge lengths u
///     L_ij = max over all atoms p, q of  l_pq − U_ip − U_qj
///
/// Sources: P. Micikevicius, "GPU Computing for Protein Structure Prediction", GPU Gems 2 (2005), chapter 43;
/// A. W. M. Dress and T. F. Havel, "Shortest-Path Problems and Molecular Conformation", Discrete Applied
/// Mathematics 19 (1988), 129–144.
namespace glycine::bounds {

/// How a bound is stored and added. All variants with `Fixed` give the same bits.
enum class NumberFormat {
    Float32,
    Float64,
    Fixed,  ///< int32 in units of 2⁻²⁰ Å; upper bounds rounded up, lower bounds down (see number_format.hpp)
};
constexpr auto namesOf(NumberFormat) {
    using enum NumberFormat;
    return namesAre<NumberFormat>("number format",
                                  {{Float32, "float32"}, {Float64, "float64"}, {Fixed, "fixed"}});
}

/// How to round a bound that its number format cannot hold.
enum class Rounding {
    Nearest,  ///< to the nearest number: results may lie on either side of the exact bound
    /// Upper bounds up and lower bounds down, from the file to the result: no result excludes a distance that
    /// the exact bounds allow (see outward.hpp). `Fixed` always rounds so.
    Outward,
};
constexpr auto namesOf(Rounding) {
    using enum Rounding;
    return namesAre<Rounding>("rounding", {{Nearest, "nearest"}, {Outward, "outward"}});
}

/// Variants of all backends; `glycine list` shows which backend offers which.
enum class Variant {
    Default,             ///< the backend's own choice for this size and format
    Serial,              ///< reference: the chapter's loops
    Dense,               ///< cpu: blocked Floyd-Warshall and pruned products
    Sparse,              ///< cpu: shortest paths over the known upper bounds only
    Recursive,           ///< cpu: Floyd-Warshall that halves the matrix until a block fits the cache
    Scalar,              ///< gl, 43.3.2: one bound a texel, texture coordinates from the rasterizer
    ScalarShaderCoords,  ///< gl, 43.3.2: texture coordinates computed in the shader
    Copy,                ///< gl, 43.3.1: copy to a texture after each pass instead of ping-pong
    Triangle,            ///< gl, 43.3.3: both bounds in one texture, three primitives a pass
    TriangleSingle,      ///< gl, 43.3.3: the same with one primitive, whose shader finds the region
    TrianglePacked,      ///< gl, 43.3.4: both bounds in one texture, four bounds a texel
    Packed,              ///< gl, 43.3.4: four bounds a texel, four programs by k mod 4
    PackedBranch,        ///< gl, 43.3.4: four bounds a texel, one program that selects the component
    Blocked,             ///< gl, cuda: a block of k a pass
    Naive,               ///< cuda: one launch per k
};
constexpr auto namesOf(Variant) {
    using enum Variant;
    return namesAre<Variant>("variant", {{Default, "default"},
                                         {Serial, "serial"},
                                         {Dense, "dense"},
                                         {Sparse, "sparse"},
                                         {Recursive, "recursive"},
                                         {Scalar, "scalar"},
                                         {ScalarShaderCoords, "scalar-shadercoords"},
                                         {Copy, "copy"},
                                         {Triangle, "triangle"},
                                         {TriangleSingle, "triangle-single"},
                                         {TrianglePacked, "triangle-packed"},
                                         {Packed, "packed"},
                                         {PackedBranch, "packed-branch"},
                                         {Blocked, "blocked"},
                                         {Naive, "naive"}});
}

/// Stands for "unknown" among upper bounds inside the engine, so that no infinity is ever subtracted.
/// Two of them can be added without overflow. Input readers map +infinity to it, writers map it back.
template <class T>
inline constexpr T kUnknownUpper = T(1e30);
template <>
inline constexpr std::int32_t kUnknownUpper<std::int32_t> = (1 << 30) - 1;

/// Upper and lower bounds of the same n atoms: two symmetric n × n matrices with zero diagonals, in Å (or in
/// units of 2⁻²⁰ Å for int32). 0 ≤ lower; lower ≤ upper unless the data contradict themselves.
/// An empty `lower` requests the upper bounds alone.
template <class T>
struct BoundMatrices {
    MatrixView<T> upper;
    MatrixView<T> lower;
    std::size_t atoms() const { return upper.rows(); }
    bool hasLower() const { return lower.data() != nullptr; }
};
using AnyBoundMatrices =
    std::variant<BoundMatrices<float>, BoundMatrices<double>, BoundMatrices<std::int32_t>>;
NumberFormat numberFormat(const AnyBoundMatrices& matrices);
std::size_t atomCount(const AnyBoundMatrices& matrices);

/// A pair whose smoothed lower bound exceeds its smoothed upper bound: no structure can satisfy the input.
struct Violation {
    std::size_t i = 0;  ///< i < j
    std::size_t j = 0;
    double upper = 0;  ///< Å
    double lower = 0;  ///< Å
    double excess() const { return lower - upper; }
};

struct SmoothingOptions {
    Variant variant = Variant::Default;
    /// A pair is inconsistent when lower − upper > tolerance, in Å. Float32 sums that are rounded to the
    /// nearest number need at least 1e-4; of outward ones every excess proves a contradiction.
    double tolerance = 1e-4;
    /// The caller has rounded the input likewise (upperFromAngstrom, lowerFromAngstrom).
    Rounding rounding = Rounding::Nearest;
    /// The list holds at most this many pairs, the worst first; the count is always complete.
    std::size_t maxListedViolations = 10000;
    /// If several devices or processes share the run: writes the result above the diagonals alone and leaves
    /// the input below them, which needs no memory for a copy. RunInput (input/run_input.hpp) separates them.
    /// Ignored otherwise, and for floats rounded outward: see keepsInput().
    bool keepInput = false;
};
/// Whether a shared run leaves its input below the diagonals.
bool keepsInput(NumberFormat format, const SmoothingOptions& options);

/// Seconds per stage of one call, by a steady clock. Each stage ends with the device idle.
struct SmoothingTimes {
    double upload = 0;  ///< to the device and into its layout
    double upper = 0;
    double lower = 0;
    double download = 0;  ///< back into the caller's matrices
    double total() const { return upload + upper + lower + download; }
};

/// Work of one device in a shared run.
struct WorkerShare {
    int device = 0;          ///< index, or DeviceCrew::kHost
    std::size_t blocks = 0;  ///< on and above the diagonal
    /// Relaxations per second, as measured before the run to divide the blocks; 0: divided evenly.
    double rate = 0;
    double busySeconds = 0;  ///< of `seconds`, without waiting for others
    double seconds = 0;      ///< of all rounds
    std::string reason;      ///< why it has no blocks; empty if it has some
};

/// How several devices or processes shared a run (shared_smoothing.hpp).
struct SharedWork {
    std::size_t workers = 0;
    std::size_t gridRows = 0, gridColumns = 0;  ///< of workers
    std::size_t side = 0;                       ///< of a block
    std::size_t exchangedBytes = 0;             ///< of panels, as they were received
    std::size_t expectedBytes = 0;              ///< the same by formula
    std::vector<WorkerShare> shares;            ///< of the devices of one process; else empty
};

struct SmoothingReport {
    std::string backend;
    std::string variant;  ///< the one that ran, never "default"
    std::string device;
    NumberFormat format = NumberFormat::Float32;
    SmoothingTimes times;
    double checkSeconds = 0;  ///< for the input's numbers before them, and contradictions after them
    /// Å; all bounds of the result are multiples of this step, after outward rounding or in `Fixed`. 0: none.
    double step = 0;
    std::size_t violationCount = 0;     ///< pairs i < j with lower − upper > tolerance
    std::vector<Violation> violations;  ///< the worst, descending
    std::string note;  ///< decisions of the run ("lower pass: 3 % of the tiles"); may be empty
    std::optional<SharedWork> shared;
    bool hasKeptInput = false;  ///< below the diagonals, see SmoothingOptions::keepInput
};

/// Throws what `smooth` throws for its arguments, before any backend is involved: InputError for matrices
/// that are empty, not square, of different sizes, without memory, with overlapping rows, not symmetric, or
/// with elements that are no bounds (upper: 0 … kUnknownUpper, lower: 0 up to below it; the diagonal does not
/// count); UsageError for unknown enumerators, a tolerance that is negative or no number, or one memory for
/// both matrices. O(n²), in parallel.
void checkSmoothing(const AnyBoundMatrices& matrices, const SmoothingOptions& options);

/// Smooths `matrices` in place on `backend`, upper bounds first and to the end, then the lower bounds.
///
/// The views may be strided; only their n × n elements are written. The result is symmetric with zero
/// diagonal (but see SmoothingOptions::keepInput). Contradictory input (see Violation) is smoothed like any
/// other, by the formula above; the report lists it. Whether the results of variants may lie apart:
/// mayDiffer().
///
/// Throws as checkSmoothing, UnavailableError when the backend cannot run this variant, format or size
/// (nothing was changed),
/// InputError when a path is too long for the fixed format (1,024 Å), CancelledError or DeviceError (the
/// contents of the matrices are then unspecified).
SmoothingReport smooth(Backend& backend, const AnyBoundMatrices& matrices, const SmoothingOptions& options,
                       Progress& progress);

/// Largest difference in Å between two float results that took their sums along different paths or in another
/// order. Each bound is a chain of upper bounds, and for lower ones one lower bound, that takes at most
/// `sums` additions. Each of them rounds by at most half a unit in the last place of a partial sum that is no
/// larger than `largest`. So each result lies within sums·ε/2·largest of the exact one, and
/// |a − b| ≤ sums·ε·largest with ε = 2⁻²³ (float) or 2⁻⁵² (double); 0 in fixed point. How many sums that may
/// be: nearTieRounding() in exact_row.hpp.
double pathRoundingBound(NumberFormat format, std::size_t sums, double largest);

/// Puts the input above the diagonals again, where a run that has not ended has kept it below them
/// (SmoothingOptions::keepInput).
void restoreInput(const AnyBoundMatrices& matrices);

/// Whether rounding may set a variant's result apart from the reference's, by up to roundingOfAllRows(). Of
/// consistent input the results have equal bits where the variant takes the same sums in the same order: all
/// variants do but `dense`, `recursive`, `sparse` and `blocked`.
bool mayDiffer(Variant variant, bool isConsistent);

/// The largest finite bound of both matrices, in Å.
double largestFiniteBound(const AnyBoundMatrices& matrices);
/// The smallest bound above 0 in Å; 0 where there is none.
double smallestBound(const AnyBoundMatrices& matrices);

/// Bytes of upper and lower bounds.
double bytesForBounds(NumberFormat format, std::size_t atoms);

/// Bytes on the host that smoothing takes together with its input: the matrices, a copy of them as they were
/// (for the report, or to check the result with), and half a matrix as tiles. Lower bounds included.
double hostBytesForSmoothing(NumberFormat format, std::size_t atoms);

/// Bytes on the host of `glycine bounds` stage by stage, if several devices or processes share the blocks: of
/// the process that reads and writes.
struct SharedHostBytes {
    double reading = 0;    ///< the matrices
    double smoothing = 0;  ///< the matrices and blocks; the input stays below the diagonals
    double checking = 0;   ///< the matrices; whole rows are re-counted if the input fits once more
    double writing = 0;    ///< the matrices
    double most() const;
};
/// `blockBytes`: of blocks in the memory of this process. Floats rounded outward take one more copy while
/// they are smoothed.
SharedHostBytes hostBytesForSharing(NumberFormat format, std::size_t atoms, double blockBytes);

/// All pairs i < j with lower − upper > tolerance; `limit` of the worst are kept.
/// Returns the complete count. Throws as checkSmoothing for the matrices' shapes, and UsageError for a
/// tolerance that is no finite number.
std::size_t findViolations(const AnyBoundMatrices& matrices, double tolerance, std::size_t limit,
                           std::vector<Violation>& worst);

}  // namespace glycine::bounds
