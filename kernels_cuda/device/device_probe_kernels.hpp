#pragma once

#include <string_view>
#include <vector>

#include "engine/core/device_probe.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Kernels of device_probes.hpp. Each of kProbeThreads · blocks threads works on kProbeChains (or kProbeSums)
/// numbers in registers for kProbeRounds rounds, and writes their sum to `sums`. The rounds take at least
/// some tenths of a millisecond, so the overhead of launches is negligible.
///
/// Additions with minima, two of each per step, in two forms. Chains: c(j) ← min(c(j), c(j + 1) + step, c(j +
/// 2) + step), indices modulo kProbeChains, j ascending. Independent sums: s(j) ← min(s(j), x + w(j), y + w(j
/// + 1)), indices modulo kProbeSums, starting from 32000. There x begins with start and grows by step per
/// round, y begins with start − 5 and grows by 2 · step, and w(j) = 7 j mod kProbeSums.
namespace glycine::cuda {

inline constexpr unsigned kProbeThreads = 256;
inline constexpr unsigned kProbeChains = 8;
inline constexpr unsigned kProbeSums = 16;
inline constexpr unsigned kProbeRounds = 1024;

/// One kernel for a kind of work in registers. Among kernels with the same kind and format, the fastest
/// counts.
struct RegisterKernel {
    std::string_view kind;
    std::string_view format;
    void (*launch)(StreamHandle stream, unsigned blocks, double* sums);
    double amount;         ///< operations per thread
    double expected;       ///< expected sum of a thread
    double tolerance = 0;  ///< tolerance of this sum
};
std::vector<RegisterKernel> registerKernels();

/// Runs one thread, which stores `number` if it is not 0 and does nothing otherwise.
void launchProbeNothing(StreamHandle stream, unsigned number, unsigned* stored);

}  // namespace glycine::cuda
