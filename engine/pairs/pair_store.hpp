#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "engine/pairs/pair_layout.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "engine/storage/tile_store.hpp"

namespace glycine::pairs {

/// The format of a result: its layout, value type and diagonal.
struct PairFormat {
    PairLayout layout;
    ValueType type = ValueType::Float64;
    double diagonal = 0;              ///< value of an instance paired with itself
    std::vector<double> diagonals{};  ///< the same per instance, if they differ; else empty

    double diagonalOf(std::size_t instance) const {
        return diagonals.empty() ? diagonal : diagonals[instance];
    }
};

/// The result while it is computed: in memory, or in a mapped file that survives a stop.
class PairStore final : public PairSink {
  public:
    /// In memory; nothing survives a stop. Throws UsageError for an unknown layout or value type, and for a
    /// wrong number of diagonal values; throws Error if there is not enough memory.
    explicit PairStore(const PairFormat& format);
    /// The same in the caller's `memory`: storedBytes(format.layout, format.type) bytes, aligned for the
    /// type.
    PairStore(const PairFormat& format, std::byte* memory);
    /// In a file that becomes, or helps to create, the output `target`. See storage::TileStore for
    /// `identity`, `restart` and exceptions. Layout and value type are added to the identity. `header`
    /// precedes the values if the file is to become the output (pairs/files/pair_files.hpp); its size must
    /// keep the values aligned. Throws Error if `target` is a folder or a device.
    PairStore(const std::filesystem::path& target, std::string_view identity, const PairFormat& format,
              std::string_view header, bool restart);

    /// See storage::TileStore.
    bool outlivesStop() const { return tiles_.outlivesStop(); }
    bool has(const PairTile& tile) const override { return tiles_.has(tile.rows, tile.columns); }
    /// Throws UsageError for a tile outside the result or values of another size. Throws as storedValue does
    /// for a value that the value type cannot hold.
    void store(const PairTile& tile, MatrixView<const double> values) override;
    bool acceptsWholeNumbers() const override { return true; }
    void store(const PairTile& tile, const WholeTile& whole) override;

    std::size_t instances() const { return format_.layout.instances; }
    ValueType valueType() const { return format_.type; }
    StoreLayout layout() const { return format_.layout.layout; }
    std::size_t references() const { return format_.layout.references; }
    /// Value of a stored pair, in either order; on the diagonal, PairFormat::diagonalOf.
    double value(std::size_t i, std::size_t j) const;
    /// values(i, j) = value(rows.begin + i, columns.begin + j). Throws UsageError for pairs that a rectangle
    /// lacks, and unless `values` has the size of the two ranges. Uses several threads, so many rows at once
    /// are faster than single rows.
    void readBlock(Range rows, Range columns, MatrixView<double> values) const;
    /// Values (row, first) … (row, first + count − 1).
    void readRow(std::size_t row, std::size_t first, std::size_t count, double* values) const {
        readBlock({row, row + 1}, {first, first + count}, {values, 1, count});
    }
    /// Pointer to a row's values in the store; valid except on the diagonal. Null unless the store is a
    /// square of float64.
    const double* rowInPlace(std::size_t row) const;
    /// Number of finished tiles found when the store was opened.
    std::size_t tilesKept() const { return tiles_.kept().size(); }
    std::vector<PairTile> keptTiles() const;
    /// Tiles that other processes have stored (core/process_team.hpp).
    std::vector<PairTile> tilesOfOtherProcesses() const;

    /// Gives the complete file the name of the target. The values cannot be read afterwards.
    void becomeOutput() { tiles_.becomeOutput(); }
    /// Frees the memory, or removes the file, after all outputs are written. The values cannot be read
    /// afterwards.
    void discard() { tiles_.discard(); }

  private:
    /// Calls use(values) with the values in their stored type.
    template <class Use>
    auto use(const Use& use) const;

    PairFormat format_;
    storage::TileStore tiles_;
    std::byte* values_;  ///< in the memory of `tiles_`
};

}  // namespace glycine::pairs
