#pragma once

#include <cmath>

#include "engine/pairs/pair_tile.hpp"

namespace glycine::mutualinfo {

/// Hands information on in multiples of 2⁻⁴⁰ ≈ 10⁻¹² of its unit, which is how far backends and compilers
/// may differ in float64. Genes that tell equally much about each other, as many do whose ranks are the same,
/// then stay tied: which edges a method selects, and in which order, does not hang on the last bits.
class TiedInformation final : public pairs::PairSink {
  public:
    explicit TiedInformation(pairs::PairSink& sink) : sink_(sink) {}
    bool has(const pairs::PairTile& tile) const override { return sink_.has(tile); }
    void store(const pairs::PairTile& tile, MatrixView<const double> values) override {
        Matrix<double> tied(values.rows(), values.columns());
        for (std::size_t row = 0; row < values.rows(); ++row)
            for (std::size_t column = 0; column < values.columns(); ++column)
                tied(row, column) = std::round(values(row, column) * 0x1p40) * 0x1p-40;
        sink_.store(tile, tied.view());
    }

  private:
    pairs::PairSink& sink_;
};

}  // namespace glycine::mutualinfo
