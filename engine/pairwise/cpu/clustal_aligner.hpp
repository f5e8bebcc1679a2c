#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "engine/core/matrix.hpp"
#include "engine/pairwise/clustal_pair.hpp"
#include "engine/pairwise/cpu/clustal_kernel.hpp"
#include "engine/pairwise/cpu/clustal_paths.hpp"

namespace glycine::pairwise::cpu {

/// Pairs as ClustalPair aligns them, by registers of columns; one thread.
class ClustalAligner {
  public:
    using Codes = ClustalPair::Codes;

    /// `matrix` outlives it.
    ClustalAligner(const ClustalKernel& kernel, const SubstitutionMatrix& matrix)
        : kernel_(kernel), matrix_(matrix), scalar_(matrix) {}
    /// The second sequence of the pairs to come, which outlives them.
    void prepare(Codes b);
    /// The pair of `a` with it. `pause`: called now and then; may throw.
    PairResult align(Codes a, const GapPenalties& gaps, const std::function<void()>& pause);
    /// Identities of a part of that pair alone.
    std::int64_t alignPart(Codes a, const ClustalPart& part, const GapPenalties& gaps,
                           const std::function<void()>& pause);

  private:
    /// Some letters of b.
    struct Columns {
        std::size_t first = 0;
        std::size_t count = 0;
        std::size_t end() const { return first + count; }
    };
    enum class Direction { Forwards, Backwards };
    /// What a kernel takes: rows and columns in this direction.
    ClustalBlock blockOf(Codes a, Columns columns, Direction direction);
    std::int64_t join(Codes a, Columns columns, std::int32_t openFirst, std::int32_t openLast);

    ClustalKernel kernel_;
    const SubstitutionMatrix& matrix_;
    ClustalPair scalar_;
    Codes b_;
    std::size_t stride_ = 0;
    /// Scores of b's letters, forwards and backwards, a row for each letter.
    Matrix<std::int32_t> forwards_, backwards_;
    Matrix<std::int32_t> borders_;
    GapPenalties gaps_{};
    const std::function<void()>* pause_ = nullptr;
};

}  // namespace glycine::pairwise::cpu
