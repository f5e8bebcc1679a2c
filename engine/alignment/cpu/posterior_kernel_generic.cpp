#include "engine/alignment/cpu/posterior_rows.hpp"

namespace glycine::align::cpu {

template <class Number>
PosteriorKernel<Number> posteriorKernelGeneric() {
    return makePosteriorKernel<Number, 16>();
}

template PosteriorKernel<float> posteriorKernelGeneric();
template PosteriorKernel<double> posteriorKernelGeneric();

}  // namespace glycine::align::cpu
