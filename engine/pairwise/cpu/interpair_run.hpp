#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/core/instruction_set.hpp"
#include "engine/pairwise/pairwise_engine.hpp"

namespace glycine::pairwise::cpu {

/// `cpu interpair`: sequences of a tile sorted by length; each is aligned with batches of others, a pair in
/// each lane of a register. Score and identities are one number of 32 bits, or of 64 where the bounds of the
/// scores (scoreBounds) do not leave room for both; where nobody asks for identities, of 16 where they fit.
class InterPairRun final : public PairwiseRun {
  public:
    InterPairRun(const Sequences& sequences, const PairScoring& scoring, InstructionSet instructions,
                 int threads)
        : sequences_(sequences), scoring_(scoring), instructions_(instructions), threads_(threads) {}
    std::string_view variantName() const override { return toString(Variant::InterPair); }
    pairs::PairTimes times() const override { return times_; }
    std::string note() const override;
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  private:
    const Sequences& sequences_;
    PairScoring scoring_;
    InstructionSet instructions_;
    int threads_;
    pairs::PairTimes times_;
    double wideCells_ = 0;  ///< whose numbers had 64 bits
};

}  // namespace glycine::pairwise::cpu
