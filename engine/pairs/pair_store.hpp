#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "engine/pairs/pair_layout.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "engine/storage/tile_store.hpp"

namespace glycine::pairs {

/// What all values of a result have in common.
struct PairFormat {
    PairLayout layout;
    ValueType type = ValueType::Float64;
    double diagonal = 0;              ///< of the value of an instance beside itself
    std::vector<double> diagonals{};  ///< the same, one an instance, where they differ; else empty

    double diagonalOf(std::size_t instance) const {
        return diagonals.empty() ? diagonal : diagonals[instance];
    }
};

/// The result on its way: in memory, or in a mapped file that survives a stop.
class PairStore final : public PairSink {
  public:
    /// In memory; nothing survives a stop. Throws UsageError for an unknown layout or value type, and
    /// diagonals of another number; Error when there is not enough memory.
    explicit PairStore(const PairFormat& format);
    /// The same in `memory` of the caller, storedBytes(format.layout, format.type) of it, aligned for the
    /// type.
    PairStore(const PairFormat& format, std::byte* memory);
    /// In a file that becomes, or helps to make, the output `target`; see storage::TileStore for `identity`,
    /// `restart` and what is thrown. The layout and the value type are added to the identity. `header`: what
    /// stands before the values where the file shall become the output (pairs/files/pair_files.hpp); of a
    /// size that leaves the values aligned. Throws Error when `target` is a folder or a device.
    PairStore(const std::filesystem::path& target, std::string_view identity, const PairFormat& format,
              std::string_view header, bool restart);

    /// See storage::TileStore.
    bool outlivesStop() const { return tiles_.outlivesStop(); }
    bool has(const PairTile& tile) const override { return tiles_.has(tile.rows, tile.columns); }
    /// Throws UsageError for a tile that is no part of the result, or values of another size; as storedValue
    /// for a value that the value type cannot hold.
    void store(const PairTile& tile, MatrixView<const double> values) override;
    bool takesWhole() const override { return true; }
    void store(const PairTile& tile, const WholeTile& whole) override;

    std::size_t instances() const { return format_.layout.instances; }
    ValueType valueType() const { return format_.type; }
    StoreLayout layout() const { return format_.layout.layout; }
    std::size_t references() const { return format_.layout.references; }
    /// Value of a pair that is held, in either order; the diagonal holds PairFormat::diagonalOf.
    double value(std::size_t i, std::size_t j) const;
    /// values(i, j) = value(rows.begin + i, columns.begin + j), in any layout; `values` has the size of the
    /// two ranges (UsageError otherwise, and for a rectangle). On several threads: many rows at once are read
    /// faster than one by one.
    void readBlock(Range rows, Range columns, MatrixView<double> values) const;
    /// Values (row, first) … (row, first + count − 1).
    void readRow(std::size_t row, std::size_t first, std::size_t count, double* values) const {
        readBlock({row, row + 1}, {first, first + count}, {values, 1, count});
    }
    /// The values of a row, all but that on the diagonal, where they lie as such: in a square of float64;
    /// else nothing.
    const double* rowInPlace(std::size_t row) const;
    /// Number of tiles that were there when the store was opened.
    std::size_t tilesKept() const { return tiles_.kept().size(); }
    std::vector<PairTile> keptTiles() const;
    /// Those that other processes have stored (core/process_team.hpp).
    std::vector<PairTile> tilesElsewhere() const;

    /// The complete file takes the name of the target. Nothing can be read afterwards.
    void becomeOutput() { tiles_.becomeOutput(); }
    /// Gives the memory back, or removes the file, once all outputs are written. Nothing can be read
    /// afterwards.
    void discard() { tiles_.discard(); }

  private:
    /// Calls use(values), with the values as what they are.
    template <class Use>
    auto use(const Use& use) const;

    PairFormat format_;
    storage::TileStore tiles_;
    std::byte* values_;  ///< in the memory of `tiles_`
};

}  // namespace glycine::pairs
