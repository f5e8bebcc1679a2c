#include "engine/algorithms/align/cpu/consistency_kernel.hpp"

#include <algorithm>

namespace glycine::align::cpu {

void BlockedPosterior::assign(const SparsePosterior& posterior, std::size_t blockLength, bool hasValues) {
    rows_.assign(posterior.rows(), {});
    std::size_t begin = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        const auto entries = posterior.row(row);
        rows_[row].begin = begin;
        if (entries.empty()) continue;
        rows_[row].first = static_cast<std::uint32_t>(entries.front().column / blockLength);
        rows_[row].blocks =
            static_cast<std::uint32_t>(entries.back().column / blockLength) - rows_[row].first + 1;
        begin += rows_[row].blocks;
    }
    if (values_.size() < begin * blockLength) values_ = Matrix<float>(1, begin * blockLength);
    std::fill_n(values_.data(), begin * blockLength, 0.0F);
    if (!hasValues) return;
    for (std::size_t row = 0; row < rows_.size(); ++row)
        for (const PosteriorEntry& entry : posterior.row(row))
            values_.data()[rows_[row].begin * blockLength + entry.column - rows_[row].first * blockLength] =
                entry.value;
}

ConsistencyKernel consistencyKernel(InstructionSet set) {
#if defined(__x86_64__)
    // Fused multiply-adds came with AVX2 on all but a few processors.
    const bool hasFma = __builtin_cpu_supports("fma");
    const bool hasAll = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (set == InstructionSet::Avx512 && hasAll) return consistencyKernelAvx512();
    if (set != InstructionSet::Generic && hasFma) return consistencyKernelAvx2();
#endif
    static_cast<void>(set);
    return consistencyKernelGeneric();
}

}  // namespace glycine::align::cpu
