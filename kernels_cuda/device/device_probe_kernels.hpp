#pragma once

#include <cstddef>

#include "kernels_cuda/device/launch.hpp"

/// Launches behind device_probes.hpp. Each of kProbeThreads · blocks threads does the same with kProbeChains
/// (or kProbeSums) numbers in registers, for kProbeRounds rounds, and leaves their sum in `sums`. So many
/// rounds take some tenths of a millisecond at least: launches and their ends are nothing beside them.
namespace glycine::cuda {

inline constexpr unsigned kProbeThreads = 256;
inline constexpr unsigned kProbeChains = 8;
inline constexpr unsigned kProbeSums = 16;
inline constexpr unsigned kProbeRounds = 1024;

enum class ProbeNumbers { Float32, Float64, Int32, Int16 };

/// Ways to additions with minima; two of each make a step.
enum class MinimaWay {
    Chains,       ///< an addition, a minimum of two or three
    ChainsInOne,  ///< chains, an addition and a minimum by one instruction (Int32, Int16)
    Sums,         ///< sums that have nothing to do with each other
    SumsInOne,
};
/// Chains: c(j) ← min(c(j), c(j + 1) + step, c(j + 2) + step), indices modulo kProbeChains, j ascending, from
/// `start`. Sums: s(j) ← min(s(j), x + w(j), y + w(j + 1)), indices modulo kProbeSums, from 32000, where x
/// begins with `start` and goes on by `step` a round, y begins with `start` − 5 and goes on by 2 · `step`,
/// and w(j) = 7 j mod kProbeSums. Int16 holds two numbers a word, always by one instruction.
void launchProbeMinima(StreamHandle stream, ProbeNumbers numbers, MinimaWay way, unsigned blocks, int start,
                       int step, double* sums);
/// x ← x · factor + summand from 0, fused.
void launchProbeMultiplyAdds(StreamHandle stream, bool isFloat64, unsigned blocks, double factor,
                             double summand, double* sums);
/// x ← log(x) + summand from 1 + j.
void launchProbeLogs(StreamHandle stream, bool isFloat64, unsigned blocks, double summand, double* sums);
/// Ones of words w(j) ^ round · 668265263, w(j) = (j + 1) · `factor` modulo 2³². `carrySave`: of eight words
/// one is counted, after adders of bits.
void launchProbeCounts(StreamHandle stream, bool carrySave, unsigned blocks, unsigned factor, double* sums);
/// One thread, which stores `number` where that is not 0, and does nothing otherwise.
void launchProbeNothing(StreamHandle stream, unsigned number, unsigned* stored);

}  // namespace glycine::cuda
