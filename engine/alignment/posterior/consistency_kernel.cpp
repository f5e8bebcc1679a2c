#include "engine/alignment/posterior/consistency_kernel.hpp"

namespace glycine::align {

namespace {

template <std::size_t kBytes>
struct BlockOf {
    typedef float Values __attribute__((vector_size(kBytes)));
};

template <std::size_t kBytes>
void addProduct(const PosteriorView& first, const BlockedPosterior& second, float weight,
                BlockedPosterior& sums) {
    using Block = typename BlockOf<kBytes>::Values;
    const BlockRow* const steps = second.rows().data();
    const auto* const values = reinterpret_cast<const Block*>(second.values());
    auto* const targets = reinterpret_cast<Block*>(sums.values());
    for (std::size_t row = 0; row < sums.rows().size(); ++row) {
        const BlockRow target = sums.rows()[row];
        if (target.blocks == 0) continue;
        const std::uint32_t end = target.first + target.blocks;
        Block* const blocks = targets + target.begin;
        for (const PosteriorEntry& entry : first.row(row)) {
            const BlockRow source = steps[entry.column];
            const std::uint32_t sourceEnd = source.first + source.blocks;
            const std::uint32_t low = target.first > source.first ? target.first : source.first;
            const std::uint32_t high = end < sourceEnd ? end : sourceEnd;
            const Block share = weight * entry.value - Block{};
            for (std::uint32_t block = low; block < high; ++block)
                blocks[block - target.first] += share * values[source.begin + block - source.first];
        }
    }
}

}  // namespace

template <>
ConsistencyKernel ConsistencyKernel::compiled<kCompiledSet>() {
    return {kRegisterBytes / sizeof(float), &addProduct<kRegisterBytes>};
}

}  // namespace glycine::align
