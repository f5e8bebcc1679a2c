#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/pairs/pair_store.hpp"
#include "engine/pairs/value_summary.hpp"
#include "engine/storage/part_file.hpp"

namespace glycine::pairs {

/// One part of the all-pairs values, on its way into a file (storage::PartStore). Each tile is stored row by
/// row in the value type, whatever the layout of the result.
class PairPart final : public PairSink {
  public:
    /// The part has every nth tile of side `side`, where n is the head's number of parts. Throws as
    /// storage::PartStore and PairStore do.
    PairPart(const std::filesystem::path& output, storage::PartHead head, const PairFormat& format,
             std::size_t side, bool restart);

    bool has(const PairTile& tile) const override { return store_->has(tile.rows, tile.columns); }
    void store(const PairTile& tile, MatrixView<const double> values) override;

    /// Whether a pair (column < row) belongs to the part.
    bool holds(std::size_t row, std::size_t column) const { return placeOf(row, column).has_value(); }
    /// The value of a pair that the part holds.
    double value(std::size_t row, std::size_t column) const;
    /// Summary of all its pairs; call after the last tile.
    ValueSummary summary(double diagonalValue) const;
    storage::PartStore& file() { return *store_; }

  private:
    std::optional<std::size_t> placeOf(std::size_t row, std::size_t column) const;

    PairFormat format_;
    std::size_t side_;
    std::unique_ptr<storage::PartStore> store_;
    std::vector<std::byte> bytes_;
};

/// Adds the members of PairFormat to the identity of a part.
std::string identityOfPart(std::string_view identity, const PairFormat& format);

/// Passes the values of all tiles of a part to `sink`.
void handOver(const storage::PartFile& part, ValueType type, PairSink& sink);

}  // namespace glycine::pairs
