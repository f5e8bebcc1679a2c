#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/alignment/posterior/device_types.hpp"
#include "engine/alignment/posterior/pair_model.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/core/matrix.hpp"

/// The arithmetic core of posteriors on `cpu`: one sequence (rows) with several others (columns), one pair
/// per register lane. Rows are scaled by powers of two so that the largest sum of a row is about 2^60
/// (float32; 2^500 in float64); sums 2^180 (2^1500) times smaller are lost. The spread within a row grows
/// with the number of columns, so the longer sequences are the rows.
namespace glycine::align::cpu {

inline constexpr std::size_t kMaxPosteriorLanes = 16;

/// A model in the form that the kernel reads.
template <class Number>
struct ModelNumbers {
    ModelNumbers(const PairModel& model, std::size_t longest);

    std::size_t gapKinds;
    Number match;
    Number open[kMaxGapKinds], extend[kMaxGapKinds], close[kMaxGapKinds];
    std::vector<ScaledNumber> leads, trails;
    Matrix<Number> odds;  ///< 32 × 32; the last code stands for positions beyond the end: 0
};

/// The pairs computed at once.
template <class Number>
struct PosteriorBlock {
    const std::uint8_t* query = nullptr;
    std::size_t rows = 0;
    const std::uint8_t* columns = nullptr;   ///< codes, `lanes` per column
    const std::uint32_t* lengths = nullptr;  ///< columns of each lane; 0: none
    std::size_t width = 0;                   ///< the largest length
    const ModelNumbers<Number>* models[2] = {};
    Number cutoff = 0;
};

/// The result of a lane: its entries, rows and columns descending. isSound says whether both directions of
/// both models found the same sum over all alignments; if not, numbers were lost.
struct LanePosterior {
    std::vector<std::uint32_t> rowOf;
    std::vector<PosteriorEntry> entries;
    bool isSound = true;
};

/// Memory reused from block to block.
template <class Number>
struct PosteriorMemory {
    using Integer = std::conditional_t<sizeof(Number) == 4, std::int32_t, std::int64_t>;
    Matrix<Number> states, rowsOfPairs, kept;
    Matrix<Integer> exponents;
    std::vector<LanePosterior> lanes;
};

/// Number: float, double.
template <class Number>
struct PosteriorKernel {
    struct Width {
        std::size_t lanes = 0;
        void (*compute)(const PosteriorBlock<Number>& block, PosteriorMemory<Number>& memory) = nullptr;
    };
    std::vector<Width> widths;  ///< lanes ascending

    /// The narrowest width that takes all the pairs, or else the widest.
    const Width& widthFor(std::size_t pairs) const {
        for (const Width& width : widths)
            if (width.lanes >= pairs) return width;
        return widths.back();
    }

    static constexpr KernelNeeds kNeeds{.fusedProducts = true, .bytesAndWords = true};
    template <InstructionSet set>
    static PosteriorKernel compiled();
};

}  // namespace glycine::align::cpu
