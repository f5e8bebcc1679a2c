#include "engine/alignment/cpu/posterior_kernel.hpp"

#include "engine/alignment/posterior/fused_instructions.hpp"

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
    switch (withFusedProducts(set)) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return posteriorKernelAvx512<Number>();
        case InstructionSet::Avx2:
            return posteriorKernelAvx2<Number>();
#endif
        default:
            return posteriorKernelGeneric<Number>();
    }
}

template PosteriorKernel<float> posteriorKernel(InstructionSet);
template PosteriorKernel<double> posteriorKernel(InstructionSet);

}  // namespace glycine::align::cpu
