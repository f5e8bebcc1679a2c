#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/algorithms/align/posterior/pair_model.hpp"
#include "engine/algorithms/align/posterior/sparse_posterior.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/core/matrix.hpp"

/// The arithmetic core of posteriors on `cpu`: one sequence (rows) with several others (columns), a pair in
/// each lane of a register, in float32. Rows are scaled by powers of two, so that the largest sum of a row is
/// about 2^60: what is 2^180 times smaller is lost.
namespace glycine::align::cpu {

inline constexpr std::size_t kMostPosteriorLanes = 16;

/// A model as the kernel reads it.
struct ModelNumbers {
    explicit ModelNumbers(const PairModel& model, std::size_t longest);

    std::size_t gapKinds;
    float match;
    float open[kMostGapKinds], extend[kMostGapKinds], close[kMostGapKinds];
    std::vector<float> leads, trails;
    Matrix<float> odds;  ///< 32 × 32; the last code stands for what is beyond the end: 0
};

/// What is computed at once.
struct PosteriorBlock {
    const std::uint8_t* query = nullptr;
    std::size_t rows = 0;
    const std::uint8_t* columns = nullptr;   ///< codes, `lanes` a column
    const std::uint32_t* lengths = nullptr;  ///< columns of each lane; 0: none
    std::size_t width = 0;                   ///< the largest of them
    const ModelNumbers* models[2] = {};
    float cutoff = 0;
};

/// Of a lane: its entries, rows and columns descending, and whether both directions of both models found the
/// same sum over all alignments; if not, numbers were lost.
struct LanePosterior {
    std::vector<std::uint32_t> rowOf;
    std::vector<PosteriorEntry> entries;
    bool isSound = true;
};

/// Memory that is kept from block to block.
struct PosteriorMemory {
    Matrix<float> states, rowsOfPairs, kept, posteriors;
    Matrix<std::int32_t> exponents;
    std::vector<LanePosterior> lanes;
};

/// The kernels for one instruction set, which this processor must have.
struct PosteriorKernel {
    struct Width {
        std::size_t lanes = 0;
        void (*compute)(const PosteriorBlock& block, PosteriorMemory& memory) = nullptr;
    };
    std::vector<Width> widths;  ///< lanes ascending

    /// For so many pairs, or as many of them as the widest takes.
    const Width& widthFor(std::size_t pairs) const {
        for (const Width& width : widths)
            if (width.lanes >= pairs) return width;
        return widths.back();
    }
};
PosteriorKernel posteriorKernel(InstructionSet set);

// One a translation unit, each compiled for its instruction set.
PosteriorKernel posteriorKernelGeneric();
PosteriorKernel posteriorKernelAvx2();
PosteriorKernel posteriorKernelAvx512();

}  // namespace glycine::align::cpu
