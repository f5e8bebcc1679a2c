#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/algorithms/align/clustal_pair.hpp"
#include "engine/algorithms/align/cpu/clustal_kernel.hpp"
#include "engine/core/matrix.hpp"

namespace glycine::align::cpu {

/// Pairs as ClustalPair aligns them, step by step in the lanes of registers; one thread.
class ClustalBatch {
  public:
    using Codes = ClustalPair::Codes;
    struct Pair {
        Codes a;
        Codes b;
        GapPenalties gaps{};
        PairResult result{};
    };

    /// `matrix` outlives it.
    ClustalBatch(const ClustalKernel& kernel, const SubstitutionMatrix& matrix);
    /// Finds the results. Pairs of about one size beside each other are best. `pause`: called now and then;
    /// may throw.
    void align(std::span<Pair> pairs, const std::function<void()>& pause);

  private:
    /// A part of a pair that is to be aligned from end to end.
    struct Part {
        Pair* pair = nullptr;
        Codes a;
        Codes b;
        std::int32_t openFirst = 0;
        std::int32_t openLast = 0;
    };
    using Lanes = std::array<ClustalLane, kMostClustalLanes>;

    /// Pairs with their local alignments, which become parts.
    void findParts(std::span<Pair> pairs);
    /// Cuts parts; what they fall into goes to next_.
    void cut(std::span<const Part> parts);
    /// A part that is too small for lanes.
    void finish(const Part& part);
    void run(void (*pass)(const ClustalStrip& strip), Lanes& lanes);

    ClustalKernel kernel_;
    ClustalPair scalar_;
    Matrix<std::int32_t> table_;
    Matrix<std::int32_t> scratch_;
    std::vector<std::int32_t> borders_;
    std::vector<Part> parts_, next_;
    const std::function<void()>* pause_ = nullptr;
};

}  // namespace glycine::align::cpu
