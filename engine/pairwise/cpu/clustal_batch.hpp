#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/matrix.hpp"
#include "engine/pairwise/cpu/clustal_kernel.hpp"
#include "engine/pairwise/cpu/clustal_paths.hpp"

namespace glycine::pairwise::cpu {

/// One sequence beside as many others as registers have lanes, as ClustalPair aligns them; one thread.
class ClustalBatch {
  public:
    using Codes = ClustalPaths::Codes;

    /// `kernel` and `matrix` outlive it.
    ClustalBatch(const ClustalKernel& kernel, const SubstitutionMatrix& matrix);
    /// What the cells of a batch take of memory that is kept.
    static std::size_t bytesOf(const ClustalKernel& kernel, std::size_t rows, std::size_t columns);

    /// The best local alignments of `a` with each of `others`, at most `lanes`, which outlive the next calls.
    void align(Codes a, std::span<const Codes> others, Alphabet alphabet);
    std::int64_t score(std::size_t lane) const { return block_.score[lane]; }
    /// Of that lane's pair, and what is to be added to them (ClustalPaths).
    std::int64_t identities(std::size_t lane);
    std::span<const ClustalPart> parts() const { return paths_.parts(); }

  private:
    const ClustalKernel& kernel_;
    std::size_t letters_;
    ClustalPaths paths_;
    ClustalLanes block_;
    Codes a_;
    std::span<const Codes> others_;
    Alphabet alphabet_{};
    Matrix<std::int32_t> table_, perLane_, state_, profile_;
    Matrix<std::uint8_t> columns_, marks_;
};

}  // namespace glycine::pairwise::cpu
