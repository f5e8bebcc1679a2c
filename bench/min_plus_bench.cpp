// The min-plus kernel of the `cpu` backend alone: one thread, operands in the cache. Prints G relaxations per
// second for each number format and instruction set.
#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "engine/bounds/cpu/min_plus.hpp"
#include "engine/core/matrix.hpp"

namespace {

using namespace glycine;
using namespace glycine::bounds::cpu;

template <class T>
void multiplyTile(benchmark::State& state, InstructionSet set) {
    if (set > detectInstructionSet()) {
        state.SkipWithError("this processor lacks the instruction set");
        return;
    }
    const MinPlusKernel<T> kernel = kernelFor<MinPlusKernel<T>>(set);
    const auto side = static_cast<std::size_t>(state.range(0));
    std::mt19937 generator(1);
    std::uniform_int_distribution<int> bound(1, 1 << 24);
    Matrix<T> a(side, side), b(side, side), c(side, side);
    for (Matrix<T>* matrix : {&a, &b, &c})
        for (std::size_t i = 0; i < matrix->size(); ++i) matrix->data()[i] = static_cast<T>(bound(generator));
    MinPlusProduct<T> product;
    product.a = a.data();
    product.aStripStride = side * kernel.rows;
    product.b = b.data();
    product.bStripStride = side * kernel.columns;
    product.depth = side;
    product.c = c.data();
    product.cRowStride = side;
    product.rows = product.columns = side;
    for (auto iteration : state) {
        kernel.minPlus(product);
        benchmark::ClobberMemory();
    }
    const auto relaxations = static_cast<double>(side * side * side);
    state.counters["relaxations"] = benchmark::Counter(
        relaxations, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

template <class T>
bool registerKernels(const std::string& format) {
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512}) {
        const std::string name = "min-plus/" + format + "/" + std::string(toString(set));
        benchmark::RegisterBenchmark(name.c_str(), multiplyTile<T>, set)
            ->Arg(32)
            ->Arg(64)
            ->Arg(128)
            ->Arg(256);
    }
    return true;
}

const bool kRegistered = registerKernels<float>("float32") && registerKernels<double>("float64") &&
                         registerKernels<std::int32_t>("fixed");

}  // namespace
