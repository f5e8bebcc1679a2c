// The counting kernels of `cpu bitplane` alone: one thread, strips in the caches. Prints G comparisons per
// second (each pair once) for each kind of data and instruction set.
#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "engine/core/matrix.hpp"
#include "engine/distance/cpu/count_kernel.hpp"

namespace {

using namespace glycine;
using namespace glycine::distance;
using namespace glycine::distance::cpu;

/// Compares 64 instances with 64 others, over as many units of 512 attributes as the argument says.
void countStrips(benchmark::State& state, InstructionSet set, CountKind kind) {
    if (set > detectInstructionSet()) {
        state.SkipWithError("this processor lacks the instruction set");
        return;
    }
    if (set != usableSet(set, CountKernel::kNeeds)) {
        state.SkipWithError("this processor lacks VPOPCNTDQ");
        return;
    }
    constexpr std::size_t kInstances = 64;
    const auto units = static_cast<std::size_t>(state.range(0));
    const std::size_t words = kInstances / kStripInstances * kind.stripWords(units);
    std::mt19937_64 generator(1);
    Matrix<std::uint64_t> strips(2, words);
    for (std::size_t i = 0; i < strips.size(); ++i) strips.data()[i] = generator();
    Matrix<std::uint32_t> counts(3 * kInstances, kInstances, 0);
    const auto third = [&](std::size_t n) {
        return counts.view().block(n * kInstances, 0, kInstances, kInstances);
    };
    const CountBlock block{.kind = kind,
                           .rowStrips = strips.row(0),
                           .columnStrips = strips.row(1),
                           .units = units,
                           .isDiagonal = false,
                           .counts = {third(0), third(1), third(2)}};
    const CountKernel kernel = kernelFor<CountKernel>(set, kind);
    for (auto iteration : state) {
        kernel.count(block);
        benchmark::ClobberMemory();
    }
    state.counters["comparisons"] =
        benchmark::Counter(static_cast<double>(kInstances * kInstances * units * kUnitAttributes),
                           benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

bool registerKernels() {
    const std::pair<const char*, CountKind> kinds[] = {
        {"2 planes", {2, false, {}}},
        {"2 planes, opposite", {2, false, {true, false}}},
        {"2 planes, missing", {2, true, {}}},
        {"2 planes, missing, opposite", {2, true, {true, false}}},
        {"2 planes, missing, valid", {2, true, {false, true}}},
        {"2 planes, missing, opposite, valid", {2, true, {true, true}}},
        {"5 planes", {5, false, {}}},
        {"5 planes, missing, valid", {5, true, {false, true}}},
    };
    for (const auto& [name, kind] : kinds)
        for (const InstructionSet set :
             {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512})
            benchmark::RegisterBenchmark(
                (std::string("count/") + name + "/" + std::string(toString(set))).c_str(), countStrips, set,
                kind)
                ->Arg(8)
                ->Arg(16)
                ->Arg(32);
    return true;
}

const bool kRegistered = registerKernels();

}  // namespace
