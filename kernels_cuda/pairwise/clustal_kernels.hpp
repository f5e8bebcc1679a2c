#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/pairwise/clustal_thread.hpp"

/// Launches of pairs as ClustalW 2.1 aligns them, one in each thread of a warp.
namespace glycine::cuda {

/// A pair: the sequence that comes first in the input has the rows.
struct ClustalTask {
    std::uint32_t first, second;
    std::int32_t open;
};

struct ClustalWork {
    const std::uint8_t* codes;    ///< of all sequences, one behind the other
    const std::uint64_t* begins;  ///< of each sequence, and behind the last one
    /// Neighbours should have about the same lengths: a warp takes 32 of them.
    const ClustalTask* tasks;
    std::uint32_t taskCount;
    std::uint32_t* nextTask;    ///< 0
    const std::int32_t* table;  ///< kAlignCodes² scores, kClustalNever beside the last code
    std::int32_t extend;
    bool hasIdentities;
    std::int32_t* memory;         ///< clustalMemoryBytes(rows, columns) for each block
    std::uint32_t rows, columns;  ///< the longest of each
    std::uint32_t blocks;
    ClustalFound* results;  ///< of each task
};

/// Bytes of ClustalWork::memory for a block.
std::size_t clustalMemoryBytes(std::size_t rows, std::size_t columns);
/// Blocks that a multiprocessor runs at once.
int clustalBlocksAtOnce();
void launchClustal(const Launch& launch, const ClustalWork& work);

}  // namespace glycine::cuda
