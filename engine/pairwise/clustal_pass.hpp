#pragma once

/// What hosts and CUDA kernels know alike: C++17, and nothing that needs more.
namespace glycine::pairwise {

/// What a pass over the cells of a pair is for, as ClustalW aligns it (clustal_pair.hpp): where the best
/// local alignment ends, where it begins, and the row in the middle of a part between.
enum class ClustalPass { End, Begin, Border };

}  // namespace glycine::pairwise
