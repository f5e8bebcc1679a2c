#pragma once

#include <cstddef>

#include "kernels_cuda/device/launch.hpp"

/// Launches behind device_probes.hpp. Each of kProbeThreads · blocks threads does the same with kProbeChains
/// numbers in registers, for kProbeRounds rounds, and leaves their sum in `sums`.
namespace glycine::cuda {

inline constexpr unsigned kProbeThreads = 256;
inline constexpr unsigned kProbeChains = 8;
inline constexpr unsigned kProbeRounds = 64;

enum class ProbeNumbers { Float32, Float64, Int32, Int16 };

/// c(j) ← min(c(j), c(j + 1) + step, c(j + 2) + step), indices modulo kProbeChains, j ascending, with all
/// chains at `start`: two additions with their minima. `inOne`: additions and minima by one instruction where
/// the device has it (Int32; Int16 always so, two numbers a word).
void launchProbeMinima(StreamHandle stream, ProbeNumbers numbers, bool inOne, unsigned blocks, int start,
                       int step, double* sums);
/// x ← x · factor + summand from 0, fused.
void launchProbeMultiplyAdds(StreamHandle stream, bool isFloat64, unsigned blocks, double factor,
                             double summand, double* sums);
/// x ← log(x) + summand from 1 + j.
void launchProbeLogs(StreamHandle stream, bool isFloat64, unsigned blocks, double summand, double* sums);
/// Ones of words w(j) ^ round · 668265263, w(j) = (j + 1) · `factor` modulo 2³². `carrySave`: of eight words
/// one is counted, after adders of bits.
void launchProbeCounts(StreamHandle stream, bool carrySave, unsigned blocks, unsigned factor, double* sums);
/// One thread adds one.
void launchProbeCounter(StreamHandle stream, unsigned* counter);

}  // namespace glycine::cuda
