#include "engine/algorithms/align/cpu/posterior_kernel.hpp"

namespace glycine::align::cpu {

template <class Number>
ModelNumbers<Number>::ModelNumbers(const PairModel& model, std::size_t longest)
    : gapKinds(model.gapKinds),
      match(static_cast<Number>(model.match)),
      leads(model.leads(longest)),
      trails(model.trails(longest)),
      odds(32, 32, 0) {
    for (std::size_t kind = 0; kind < kMostGapKinds; ++kind) {
        open[kind] = static_cast<Number>(model.open[kind]);
        extend[kind] = static_cast<Number>(model.extend[kind]);
        close[kind] = static_cast<Number>(model.close[kind]);
    }
    for (std::size_t a = 0; a < model.codes; ++a)
        for (std::size_t b = 0; b < model.codes; ++b) odds(a, b) = static_cast<Number>(model.odds[a][b]);
}

template struct ModelNumbers<float>;
template struct ModelNumbers<double>;

template <class Number>
PosteriorKernel<Number> posteriorKernel(InstructionSet set) {
#if defined(__x86_64__)
    // Fused multiply-adds came with AVX2 on all but a few processors.
    const bool hasFma = __builtin_cpu_supports("fma");
    const bool hasAll = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (set == InstructionSet::Avx512 && hasAll) return posteriorKernelAvx512<Number>();
    if (set != InstructionSet::Generic && hasFma) return posteriorKernelAvx2<Number>();
#endif
    static_cast<void>(set);
    return posteriorKernelGeneric<Number>();
}

template PosteriorKernel<float> posteriorKernel(InstructionSet);
template PosteriorKernel<double> posteriorKernel(InstructionSet);

}  // namespace glycine::align::cpu
