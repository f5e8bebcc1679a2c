#pragma once

#include <cstdint>

/// What hosts and CUDA kernels know alike: C++17, and nothing that needs more.
namespace glycine::pairwise {

/// How the cells of a pair follow from those before them.
enum class Recurrence {
    Linear,  ///< global, gaps without an opening
    Affine,  ///< global
    Local,   ///< affine gaps
};

/// What a pass over the cells of a pair is for, as ClustalW aligns it (clustal_pair.hpp): where the best
/// local alignment ends, where it begins, and the row in the middle of a part between.
enum class ClustalPass { End, Begin, Border };

/// Of ClustalW's pairs: far enough below every score, and far enough above the end of 32 bits.
inline constexpr std::int32_t kClustalNever = -(std::int32_t{1} << 29);

}  // namespace glycine::pairwise
