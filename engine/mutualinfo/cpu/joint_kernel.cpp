#include "engine/mutualinfo/cpu/joint_kernel.hpp"

#include "engine/core/tiling.hpp"

namespace glycine::mutualinfo::cpu {

template <class Number>
JointKernel<Number> jointKernel(InstructionSet set) {
    switch (set) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return jointKernelAvx512<Number>();
        case InstructionSet::Avx2:
            return jointKernelAvx2<Number>();
#endif
        default:
            return jointKernelGeneric<Number>();
    }
}

template <class Number>
PanelShape panelShape(const JointKernel<Number>& kernel, std::size_t bins) {
    // A block of samples of a wider panel would leave no room in the second-level cache.
    constexpr std::size_t kRowBytes = 1152;
    const auto shapeOf = [&](std::size_t genes) {
        // Passes that fill the registers, but for a gene that does not fit into some of them.
        const std::size_t columns = genes * bins;
        const std::size_t step =
            columns * sizeof(Number) <= kRowBytes ? kernel.columnsAtOnce : kernel.columnStep;
        return PanelShape{genes, roundUp(columns, step)};
    };
    PanelShape best = shapeOf(1);
    for (std::size_t genes = 2; genes * bins * sizeof(Number) <= kRowBytes; ++genes)
        if (const PanelShape shape = shapeOf(genes); shape.width * best.genes < best.width * genes)
            best = shape;
    return best;
}

template JointKernel<float> jointKernel(InstructionSet);
template JointKernel<double> jointKernel(InstructionSet);
template PanelShape panelShape(const JointKernel<float>&, std::size_t);
template PanelShape panelShape(const JointKernel<double>&, std::size_t);

}  // namespace glycine::mutualinfo::cpu
