#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/device_matrix.hpp"
#include "engine/core/tiling.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Launches of the bound-smoothing kernels, between the host code of this folder (bounds*.cpp) and the device
/// code (bounds_*.cu). T is float, double or std::int32_t throughout. Matrices are row-major in device
/// memory; sides, strides and the ends of ranges are multiples of kPadding elements, so that no kernel needs
/// an edge case.
namespace glycine::cuda {

/// Sides of padded matrices are multiples of this.
inline constexpr std::size_t kPadding = 128;

/// Most rows of one panel of the blocked Floyd-Warshall in device memory.
inline constexpr std::size_t kMaxPanelRows = 512;

/// Upper bound between atoms that no known bound connects; two of them can be added in every format. Padding
/// atoms are this far from all others.
template <class T>
inline constexpr T kFarAway = T(1e30);
template <>
inline constexpr std::int32_t kFarAway<std::int32_t> = (1 << 30) - 1;

enum class Semiring { MinPlus, MaxPlus };

/// c = best(start, aᵀ ⊗ b): c is rows × columns, a is depth × rows, b is depth × columns.
template <class T>
struct Product {
    MatrixOnDevice<const T> a;
    MatrixOnDevice<const T> b;
    MatrixOnDevice<const T> start;  ///< may be c itself
    MatrixOnDevice<T> c;
    std::size_t rows, columns, depth;
};
template <class T>
void launchProduct(const Launch& launch, Semiring semiring, const Product<T>& product);

// --- Layout
// ---------------------------------------------------------------------------------------------------

/// Completes a matrix of `atoms` from its upper triangle: mirrors it, writes `padding` into the rows and
/// columns from `atoms` to `side`, and turns −0 into +0, which the integer order of floats
/// (tropical_product.cuh) needs.
template <class T>
void launchSymmetrize(const Launch& launch, T* matrix, std::size_t atoms, std::size_t side, T padding);

/// target = −source, `count` elements; may be the same memory.
template <class T>
void launchNegate(const Launch& launch, const T* source, T* target, std::size_t count);

/// Rows `band` of a symmetric matrix of which only the upper triangle is kept → panel (band.size() × side).
template <class T>
void launchGatherPanel(const Launch& launch, MatrixOnDevice<const T> matrix, std::size_t side, Range band,
                       MatrixOnDevice<T> panel);
/// The reverse of launchGatherPanel: writes the panel into the upper triangle.
template <class T>
void launchScatterPanel(const Launch& launch, MatrixOnDevice<const T> panel, std::size_t side, Range band,
                        MatrixOnDevice<T> matrix);
/// target[j][i] = source[i][j] for `rows` × `columns` of the source.
template <class T>
void launchTranspose(const Launch& launch, MatrixOnDevice<const T> source, std::size_t rows,
                     std::size_t columns, MatrixOnDevice<T> target);

/// Largest |a − b| over n × n elements; `result` is one double in device memory, zeroed by the call.
template <class T>
void launchMaxAbsDifference(const Launch& launch, MatrixOnDevice<const T> a, MatrixOnDevice<const T> b,
                            std::size_t n, double* result);

// --- Bounds in device memory that the caller owns
// ---------------------------------------------------------------------------------------------------

/// Facts about such bounds; the caller zeroes the structure.
struct BoundFacts {
    double largest;                ///< upper bound of two atoms
    unsigned long long atLargest;  ///< pairs that have it
    unsigned long long exceeding;  ///< pairs whose lower bound exceeds the upper one by more than `tolerance`
    unsigned isRefused;            ///< some number is no bound, or not the same on both sides of the diagonal
};

/// Writes bounds in Å into a matrix of `atoms` whose rows are `target.stride` elements apart.
template <class T>
void launchTakeBounds(const Launch& launch, const DeviceMatrix& source, bool isUpper, std::size_t atoms,
                      MatrixOnDevice<T> target, BoundFacts* facts);
/// Counts pairs in `facts`, of which `largest` is known.
template <class T>
void launchCountBounds(const Launch& launch, MatrixOnDevice<const T> upper, MatrixOnDevice<const T> lower,
                       std::size_t atoms, double tolerance, BoundFacts* facts);
/// The reverse of launchTakeBounds, with zeros on the diagonal. `target`: of the same type of numbers.
template <class T>
void launchGiveBounds(const Launch& launch, MatrixOnDevice<const T> source, std::size_t atoms,
                      const DeviceMatrix& target);

// --- Upper bounds
// ---------------------------------------------------------------------------------------------

/// One pass of the chapter's algorithm: u_ij = min(u_ij, u_ik + u_kj) for all i, j < atoms.
template <class T>
void launchNaiveUpper(const Launch& launch, MatrixOnDevice<T> upper, std::size_t atoms, std::size_t k);

/// Floyd-Warshall on a symmetric `side` × `side` block, in place.
template <class T>
void launchClosure(const Launch& launch, MatrixOnDevice<T> block, std::size_t side);

/// Relaxes through the atoms of a finished panel (depth × side, closed) the tiles of the upper triangle that
/// have a row or a column in `band`, but none in `finished`.
template <class T>
void launchRelaxBand(const Launch& launch, MatrixOnDevice<T> matrix, std::size_t side,
                     MatrixOnDevice<const T> panel, std::size_t depth, Range finished, Range band);
/// The same for the tiles of the upper triangle that have neither a row nor a column in `skipped`.
template <class T>
void launchRelaxRest(const Launch& launch, MatrixOnDevice<T> matrix, std::size_t side,
                     MatrixOnDevice<const T> panel, std::size_t depth, Range skipped);

// --- Lower bounds
// ---------------------------------------------------------------------------------------------

/// One pass of the chapter's algorithm: l_ij = max(l_ij, l_ik − u_kj, l_kj − u_ik) for all i ≠ j < atoms.
template <class T>
void launchNaiveLower(const Launch& launch, MatrixOnDevice<T> lower, MatrixOnDevice<const T> upper,
                      std::size_t atoms, std::size_t k);

/// A (max, +) product over side × side matrices that skips terms which cannot change the result. Step k is
/// skipped for a tile if (largest a_ki of the tile) + (largest b_kj of the tile) ≤ (smallest start_ij of
/// the tile). Rounded sums are monotone, so no skipped sum could have won.
template <class T>
struct PrunedProduct {
    MatrixOnDevice<const T> a;      ///< a[k][i]
    MatrixOnDevice<const T> b;      ///< b[k][j]
    MatrixOnDevice<const T> start;  ///< start[i][j] ≥ 0; may be c itself
    MatrixOnDevice<T> c;
    std::size_t rows, columns, depth;
    /// Of a square: i, j and k are the same atoms, as many of which are no padding. 0: of a part, in which
    /// every element counts.
    std::size_t atoms = 0;
    bool ignoreOwnColumn = false;    ///< b_kk adds nothing to `start`: leave it out of the test
    bool upperTriangleOnly = false;  ///< compute the tiles on and above the diagonal
};
/// Side of the tiles that launchPrunedProduct uses for matrices of this side.
template <class T>
std::size_t prunedTileSide(const Launch& launch, std::size_t side);

/// Operands of the pruning test: the largest a_ki of each (tile row, k), the largest b_kj of each (tile
/// column, k), the smallest start_ij of each tile.
template <class T>
struct PruningTables {
    T* largestA;
    T* largestB;
    T* smallestStart;
};
/// Number of elements of T in the tables of one pruned product.
template <class T>
std::size_t pruningTableSize(std::size_t rows, std::size_t columns, std::size_t depth, std::size_t tileSide);
/// The three tables, one after another in `memory`.
template <class T>
PruningTables<T> pruningTables(const PrunedProduct<T>& product, std::size_t tileSide, T* memory);
/// Fills the tables of the operands.
template <class T>
void launchLargest(const Launch& launch, const PrunedProduct<T>& product, std::size_t tileSide,
                   const PruningTables<T>& tables);
/// Fills that of `start`.
template <class T>
void launchSmallest(const Launch& launch, const PrunedProduct<T>& product, std::size_t tileSide,
                    const PruningTables<T>& tables);
/// Rows `tileRows` and columns `tileColumns` of tiles. Adds to `*relaxedSteps`, where there is
/// one, the number of (tile, k) that were taken.
template <class T>
void launchPrunedProduct(const Launch& launch, const PrunedProduct<T>& product, std::size_t tileSide,
                         const PruningTables<T>& tables, Range tileRows, Range tileColumns,
                         unsigned long long* relaxedSteps);

// --- Tetrangles
// ---------------------------------------------------------------------------------------------

/// Bounds as bounds::TetrangleBounds has them, n × n each, without padding.
struct TetrangleArrays {
    const double *upper, *lower, *halfPerUpper, *halfPerLower;
    unsigned long long *limitUpper,
        *limitLower;  ///< bits of the limits of pairs i < j, which launches tighten
    std::size_t atoms;
};

/// Tightens all limits by the quadruples whose third atom is in the range `k` (of at most 65,535) and whose
/// fourth is above it.
void launchTetrangles(const Launch& launch, const TetrangleArrays& arrays, const Range& k);

}  // namespace glycine::cuda
