#pragma once

#include <span>

#include "engine/core/instruction_set.hpp"
#include "engine/pairwise/pairwise_engine.hpp"

namespace glycine::pairwise::cpu {

/// Pairs as ClustalW 2.1 aligns them, by registers of columns (ClustalAligner) on several threads.
class ClustalRun final : public PairwiseRun {
  public:
    ClustalRun(const Sequences& sequences, InstructionSet instructions, int threads)
        : sequences_(sequences), instructions_(instructions), threads_(threads) {}
    std::string_view variantName() const override { return toString(Variant::InterPair); }
    pairs::PairTimes times() const override { return times_; }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  private:
    const Sequences& sequences_;
    InstructionSet instructions_;
    int threads_;
    pairs::PairTimes times_;
};

}  // namespace glycine::pairwise::cpu
