#include "engine/alignment/fast/common_subsequence.hpp"

#include <algorithm>

#include "engine/alignment/cpu/subsequence_kernel.hpp"

namespace glycine::align {

namespace {

std::size_t wordsOf(const Sequences& sequences, std::span<const std::size_t> queried) {
    std::size_t longest = 1;
    for (const std::size_t query : queried) longest = std::max(longest, sequences.codes[query].size());
    return (longest + 63) / 64;
}

}  // namespace

std::size_t SubsequenceQueries::lanes(InstructionSet instructions) {
    static_assert(kMostLanes == cpu::kMostSubsequenceLanes);
    return kernelFor<cpu::SubsequenceKernel>(instructions).lanes;
}

SubsequenceQueries::SubsequenceQueries(const Sequences& sequences, std::span<const std::size_t> queried,
                                       InstructionSet instructions)
    : instructions_(instructions),
      words_(wordsOf(sequences, queried)),
      masks_(kMostCodes, words_ * lanes(instructions), 0) {
    const std::size_t count = lanes(instructions);
    for (std::size_t lane = 0; lane < queried.size(); ++lane) {
        const std::vector<std::uint8_t>& codes = sequences.codes[queried[lane]];
        for (std::size_t i = 0; i < codes.size(); ++i)
            masks_(codes[i], i / 64 * count + lane) |= std::uint64_t{1} << (i % 64);
    }
}

void SubsequenceQueries::commonWith(std::span<const std::uint8_t> codes, Memory& memory,
                                    std::span<std::uint32_t, kMostLanes> common) const {
    const cpu::SubsequenceKernel kernel = kernelFor<cpu::SubsequenceKernel>(instructions_);
    if (memory.size() < masks_.columns()) memory = Memory(1, masks_.columns());
    kernel.compute({.masks = masks_.data(),
                    .words = words_,
                    .codes = codes,
                    .rows = memory.data(),
                    .common = common.data()});
}

}  // namespace glycine::align
