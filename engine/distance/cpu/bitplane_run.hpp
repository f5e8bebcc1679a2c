#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/distance/cpu/count_kernel.hpp"
#include "engine/distance/cpu/plane_panels.hpp"
#include "engine/distance/pair_engine.hpp"

namespace glycine::distance::cpu {

/// `cpu bitplane`: counts differences of discrete data with XOR, OR and population counts of bit planes.
class BitplaneRun final : public CountingRun {
  public:
    BitplaneRun(const DiscreteSource& source, CountNeeds needs, InstructionSet instructions, int threads);
    Variant variant() const override { return Variant::Bitplane; }
    PairTimes times() const override { return times_; }
    void count(const PairTile& tile, const PairCounts& counts, Progress& progress) override;
    /// PairEngine::hostBytes.
    static double hostBytes(const DiscreteShape& shape, CountNeeds needs, std::size_t tile);

  private:
    void countBlock(const PairTile& tile, const std::vector<PairTile>& parts, int threads,
                    const PlanePanel& rows, const PlanePanel& columns, Range attributes,
                    const PairCounts& counts, Progress& progress);
    void chooseBlock(const PairTile& tile);

    const DiscreteSource& source_;
    const DiscreteShape shape_;
    const CountNeeds needs_;
    const CountKind kind_;
    const CountKernel kernel_;
    const int threads_;
    std::optional<PanelCache> panels_;
    std::size_t block_ = 0;        ///< attributes that are read at once
    std::size_t longestSide_ = 0;  ///< of the tiles so far
    PairTimes times_;
};

}  // namespace glycine::distance::cpu
