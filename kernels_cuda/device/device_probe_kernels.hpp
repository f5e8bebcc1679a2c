#pragma once

#include <string_view>
#include <vector>

#include "engine/core/device_probe.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Kernels behind device_probes.hpp. Each of kProbeThreads · blocks threads does the same with kProbeChains
/// (or kProbeSums) numbers in registers, for kProbeRounds rounds, and leaves their sum in `sums`. So many
/// rounds take some tenths of a millisecond at least: launches and their ends are nothing beside them.
///
/// Additions with minima, two of each a step: chains c(j) ← min(c(j), c(j + 1) + step, c(j + 2) + step),
/// indices modulo kProbeChains, j ascending; or sums that have nothing to do with each other, s(j) ←
/// min(s(j), x + w(j), y + w(j + 1)), indices modulo kProbeSums, from 32000, where x begins with start and
/// goes on by step a round, y begins with start − 5 and goes on by 2 · step, and w(j) = 7 j mod kProbeSums.
namespace glycine::cuda {

inline constexpr unsigned kProbeThreads = 256;
inline constexpr unsigned kProbeChains = 8;
inline constexpr unsigned kProbeSums = 16;
inline constexpr unsigned kProbeRounds = 1024;

/// A row of the table of what a device does in registers. Of rows with the same kind and format the fastest
/// counts.
struct RegisterKernel {
    std::string_view kind;
    std::string_view format;
    void (*launch)(StreamHandle stream, unsigned blocks, double* sums);
    double amount;         ///< operations of a thread
    double expected;       ///< sum of a thread
    double tolerance = 0;  ///< of it
};
std::vector<RegisterKernel> registerKernels();

/// One thread, which stores `number` where that is not 0, and does nothing otherwise.
void launchProbeNothing(StreamHandle stream, unsigned number, unsigned* stored);

}  // namespace glycine::cuda
