#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "engine/algorithms/distance/results/result_sink.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::distance {

/// How values are kept.
enum class ValueType { Int32, Float32, Float64 };
/// "int32", "float32", "float64".
std::string_view toString(ValueType type);
/// Throws UsageError that lists the known names.
ValueType parseValueType(std::string_view name);

/// Which elements of the N × N result are held, row by row.
enum class StoreLayout {
    Square,     ///< all
    Triangle,   ///< below the diagonal: (1,0), (2,0), (2,1), …
    Condensed,  ///< above the diagonal: (0,1), (0,2), …, (1,2), …: SciPy's condensed distance matrix
};
std::string_view toString(StoreLayout layout);

/// What tells one run from another: a kept tile is only used by a run with the same text. One parameter a
/// line, "name: value", so that a refusal can show what differs. What concerns the store itself (layout,
/// value type) is added by it.
struct RunIdentity {
    std::string text;
};

/// The result on its way: in memory, or in a mapped file that survives a stop. `store` throws UsageError
/// naming both instances and --dtype for a value that the value type cannot hold: no whole number up to 2³¹ −
/// 1 for int32, a finite value beyond the range of float32.
class ResultStore : public ResultSink {
  public:
    virtual std::size_t instances() const = 0;
    virtual ValueType valueType() const = 0;
    virtual StoreLayout layout() const = 0;
    /// Value of a pair in either order; the diagonal holds `diagonalValue`.
    virtual double value(std::size_t i, std::size_t j) const = 0;
    /// values(i, j) = value(rows.begin + i, columns.begin + j), in any layout; `values` has the size of the
    /// two ranges. Many rows at once are read faster than one by one.
    virtual void readBlock(Range rows, Range columns, MatrixView<double> values) const = 0;
    /// Values (row, first) … (row, first + count − 1).
    void readRow(std::size_t row, std::size_t first, std::size_t count, double* values) const {
        readBlock({row, row + 1}, {first, first + count}, {values, 1, count});
    }
    /// Number of tiles that were there when the store was opened.
    virtual std::size_t tilesKept() const { return 0; }
};

/// Bytes that a store takes, in memory or on the disk. Throws UsageError for more than 2³⁰ instances.
std::size_t storedBytes(std::size_t instances, ValueType type, StoreLayout layout);

/// In memory; nothing survives a stop. Throws Error when there is not enough memory.
std::unique_ptr<ResultStore> makeMemoryStore(std::size_t instances, ValueType type, StoreLayout layout,
                                             double diagonalValue);

/// A mapped file that becomes, or helps to make, the output `target`: TARGET.unfinished, with a journal
/// TARGET.unfinished.tiles that names the run and lists finished tiles, each with a checksum (XXH3) of its
/// values. A tile is entered after its values have reached the disk: about a second after it was stored, or
/// when the store is destroyed. Files without any finished tile are removed when the store is destroyed.
class MappedStore : public ResultStore {
  public:
    /// Begins, or goes on with what an earlier run with the same identity has left (`restart`: never). Tiles
    /// whose checksum does not fit are computed again. `isNpy`: the file is laid out as the .npy file that
    /// `target` will be, N × N or condensed.
    ///
    /// Throws UsageError that shows the first parameter that differs and says how to begin anew, when the
    /// files belong to another run; Error when another process works on them, when `target` is a folder or a
    /// device, or when the disk has no room for the whole.
    static std::unique_ptr<MappedStore> open(const std::filesystem::path& target, const RunIdentity& identity,
                                             std::size_t instances, ValueType type, StoreLayout layout,
                                             double diagonalValue, bool isNpy, bool restart);
    /// The complete file takes the name of the target (isNpy only). Nothing can be read afterwards.
    virtual void commitAsTarget() = 0;
    /// Removes the file and its journal, once all outputs are written. Nothing can be read afterwards.
    virtual void discard() = 0;
};

}  // namespace glycine::distance
