#pragma once

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "engine/core/parallel.hpp"
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
        // Of a large tile, fresh pages from the system take longer than the rounding.
        if (tied_.size() < values.rows() * values.columns())
            tied_ = Matrix<double>(values.rows(), values.columns());
        const MatrixView<double> tied(tied_.data(), values.rows(), values.columns());
        parallelFor(omp_get_max_threads(), values.rows(), [&](std::size_t row, std::size_t) {
            std::transform(values.row(row), values.row(row) + values.columns(), tied.row(row),
                           [](double value) { return std::round(value * 0x1p40) * 0x1p-40; });
        });
        sink_.store(tile, tied);
    }

  private:
    pairs::PairSink& sink_;
    Matrix<double> tied_;
};

}  // namespace glycine::mutualinfo
