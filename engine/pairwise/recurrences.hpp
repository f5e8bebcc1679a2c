#pragma once

#include <cstdint>

/// Types shared by the host and CUDA kernels. C++17 only.
namespace glycine::pairwise {

/// How a pair's cells depend on earlier cells.
enum class Recurrence {
    Linear,  ///< global, gaps without an opening
    Affine,  ///< global
    Local,   ///< affine gaps
};

/// The purpose of a pass over the cells of a pair aligned as by ClustalW (clustal_pair.hpp): find where the
/// best local alignment ends, where it begins, or the scores of the middle row of a part in between.
enum class ClustalPass { End, Begin, Border };

/// For ClustalW's pairs: below every score, and far enough from the end of the 32-bit range.
inline constexpr std::int32_t kClustalNever = -(std::int32_t{1} << 29);

}  // namespace glycine::pairwise
