#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/distance/cpu/sum_kernel.hpp"
#include "engine/distance/pair_engine.hpp"

namespace glycine::distance::cpu {

/// `cpu direct`: sums differences of coordinates tile by tile; of float32 in float32 over short runs of
/// attributes, then in double. Number: float or double.
template <class Number>
class DirectRun final : public SummingRun {
  public:
    DirectRun(MatrixView<const Number> coordinates, SumTerm term, InstructionSet instructions, int threads);
    Variant variant() const override { return Variant::Direct; }
    PairTimes times() const override { return times_; }
    void sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) override;
    /// PairEngine::hostBytes.
    static double hostBytes(const DiscreteShape& shape, std::size_t tile);

  private:
    void sumPart(const PairTile& tile, const PairTile& part, Range attributes, const Number* rows,
                 const Number* columns, MatrixView<double> sums) const;

    const MatrixView<const Number> coordinates_;
    const SumTerm term_;
    const SumKernel<Number> kernel_;
    const int threads_;
    Matrix<Number> rowStrips_, columnStrips_;
    PairTimes times_;
};

}  // namespace glycine::distance::cpu
