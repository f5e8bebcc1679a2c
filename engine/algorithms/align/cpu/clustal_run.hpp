#pragma once

#include <span>

#include "engine/algorithms/align/pairwise_engine.hpp"

namespace glycine::align::cpu {

/// Pairs as ClustalW 2.1 aligns them, side by side on several threads.
class ClustalRun final : public PairwiseRun {
  public:
    ClustalRun(const Sequences& sequences, int threads) : sequences_(sequences), threads_(threads) {}
    std::string_view variantName() const override { return toString(Variant::InterPair); }
    pairs::PairTimes times() const override { return times_; }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  private:
    const Sequences& sequences_;
    int threads_;
    pairs::PairTimes times_;
};

}  // namespace glycine::align::cpu
