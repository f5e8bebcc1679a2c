#include "engine/algorithms/align/cpu/posterior_kernel.hpp"

#include <algorithm>

namespace glycine::align::cpu {

ModelNumbers::ModelNumbers(const PairModel& model, std::size_t longest)
    : gapKinds(model.gapKinds), match(static_cast<float>(model.match)), odds(32, 32, 0.0F) {
    for (std::size_t kind = 0; kind < kMostGapKinds; ++kind) {
        open[kind] = static_cast<float>(model.open[kind]);
        extend[kind] = static_cast<float>(model.extend[kind]);
        close[kind] = static_cast<float>(model.close[kind]);
    }
    for (const double weight : model.leads(longest)) leads.push_back(static_cast<float>(weight));
    for (const double weight : model.trails(longest)) trails.push_back(static_cast<float>(weight));
    for (std::size_t a = 0; a < model.codes; ++a)
        for (std::size_t b = 0; b < model.codes; ++b) odds(a, b) = static_cast<float>(model.odds[a][b]);
}

PosteriorKernel posteriorKernel(InstructionSet set) {
#if defined(__x86_64__)
    // Fused multiply-adds came with AVX2 on all but a few processors.
    const bool hasFma = __builtin_cpu_supports("fma");
    const bool hasAll = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (set == InstructionSet::Avx512 && hasAll) return posteriorKernelAvx512();
    if (set != InstructionSet::Generic && hasFma) return posteriorKernelAvx2();
#endif
    static_cast<void>(set);
    return posteriorKernelGeneric();
}

}  // namespace glycine::align::cpu
