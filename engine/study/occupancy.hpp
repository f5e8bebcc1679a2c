#pragma once

#include <cstddef>

/// Occupancy of a multiprocessor of an NVIDIA GPU, as NVIDIA's occupancy calculator computes it.
namespace glycine::study {

/// Limits of a multiprocessor, from the table of compute capabilities in that calculator.
struct MultiprocessorLimits {
    int warps = 0;      ///< of 32 threads
    int blocks = 0;     ///< blocks at a time
    int threads = 0;    ///< threads a block
    int registers = 0;  ///< 32-bit registers
    int registersPerThread = 0;
    int registerUnit = 0;                 ///< registers are given out in multiples of this
    bool givesRegistersToBlocks = false;  ///< compute capability 1: a block gets them, otherwise a warp
    int warpUnit = 1;                     ///< warps get registers in multiples of this
    int sharedBytes = 0;                  ///< shared memory
    int sharedBlockBytes = 0;             ///< most of a block
    int sharedUnit = 0;                   ///< shared memory is given out in multiples of this
    int sharedReserved = 0;               ///< bytes of each block that the system keeps
};

/// What a kernel takes.
struct KernelShape {
    int threads = 0;      ///< of a block
    int registers = 0;    ///< of a thread
    int sharedBytes = 0;  ///< of a block
};

/// Active warps over the multiprocessor's limit, 0 … 1; 0 if not even one block fits.
double occupancyOf(const MultiprocessorLimits& limits, const KernelShape& kernel);

}  // namespace glycine::study
