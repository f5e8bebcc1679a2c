#include "engine/alignment/posterior/consistency_kernel.hpp"

#include "engine/alignment/posterior/fused_instructions.hpp"

#include <algorithm>

namespace glycine::align {

void BlockedPosterior::assign(const PosteriorView& posterior, std::size_t blockLength, bool hasValues) {
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
    switch (withFusedProducts(set)) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return consistencyKernelAvx512();
        case InstructionSet::Avx2:
            return consistencyKernelAvx2();
#endif
        default:
            return consistencyKernelGeneric();
    }
}

}  // namespace glycine::align
