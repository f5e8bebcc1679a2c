#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/core/matrix.hpp"

/// Sparse products of posteriors, several columns per register.
namespace glycine::align {

/// The columns of a row from its first to its last entry, in blocks that begin at multiples of their length;
/// no blocks if the row has no entries.
struct BlockRow {
    std::uint32_t first = 0, blocks = 0;
    std::size_t begin = 0;  ///< offset of its values, in blocks
};

/// A posterior in such rows. The values are aligned to 64 bytes.
class BlockedPosterior {
  public:
    /// Takes the rows of a posterior, and its values if `hasValues`; otherwise all values are 0.
    void assign(const PosteriorView& posterior, std::size_t blockLength, bool hasValues);

    const std::vector<BlockRow>& rows() const { return rows_; }
    float* values() { return values_.data(); }
    const float* values() const { return values_.data(); }

  private:
    std::vector<BlockRow> rows_;
    Matrix<float> values_;
};

struct ConsistencyKernel {
    std::size_t blockLength = 0;
    /// Adds weight · first · second to the blocks of `sums`.
    void (*add)(const PosteriorView& first, const BlockedPosterior& second, float weight,
                BlockedPosterior& sums) = nullptr;

    static constexpr KernelNeeds kNeeds{.fusedProducts = true, .bytesAndWords = true};
    template <InstructionSet set>
    static ConsistencyKernel compiled();
};

}  // namespace glycine::align
