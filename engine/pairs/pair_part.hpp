#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/pairs/pair_store.hpp"
#include "engine/pairs/value_summary.hpp"
#include "engine/storage/part_file.hpp"

namespace glycine::pairs {

/// A part of the values of all pairs on its way into a file (storage::PartStore). Each tile's values are held
/// row by row as the value type has them, whatever the layout of the result.
class PairPart final : public PairSink {
  public:
    /// The part has every `of`th tile of side `side`. Throws as storage::PartStore and PairStore.
    PairPart(const std::filesystem::path& output, storage::PartHead head, const PairFormat& format,
             std::size_t side, bool restart);

    bool has(const PairTile& tile) const override { return store_->has(tile.rows, tile.columns); }
    void store(const PairTile& tile, MatrixView<const double> values) override;

    /// Whether a pair, with column < row, is one of the part's.
    bool holds(std::size_t row, std::size_t column) const { return placeOf(row, column).has_value(); }
    /// Of a pair that it holds.
    double value(std::size_t row, std::size_t column) const;
    /// Of all its pairs, once they are there.
    ValueSummary summary(double diagonalValue) const;
    storage::PartStore& file() { return *store_; }

  private:
    std::optional<std::size_t> placeOf(std::size_t row, std::size_t column) const;

    PairFormat format_;
    std::size_t side_;
    std::unique_ptr<storage::PartStore> store_;
    std::vector<std::byte> bytes_;
};

/// What PairFormat adds to the identity of a part.
std::string identityOfPart(std::string_view identity, const PairFormat& format);

/// Hands the values of all tiles of a part on.
void handOver(const storage::PartFile& part, ValueType type, PairSink& sink);

}  // namespace glycine::pairs
