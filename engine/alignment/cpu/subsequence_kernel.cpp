#include "engine/alignment/cpu/subsequence_kernel.hpp"

namespace glycine::align::cpu {

namespace {

template <std::size_t kBytes>
struct WordsOf {
    typedef std::uint64_t Values __attribute__((vector_size(kBytes)));
};

/// Advances by one letter of the other sequence. Bit i of `rows` is 0 if the query's letter i lengthens the
/// common subsequence. Bits past the query's end stay 1.
template <class Words>
inline __attribute__((always_inline)) void takeLetter(Words* rows, const Words* masks, std::size_t words) {
    Words carry = {};
#pragma GCC unroll 8
    for (std::size_t word = 0; word < words; ++word) {
        const Words row = rows[word], hits = row & masks[word];
        const Words sum = row + hits, withCarry = sum + carry;
        // Comparisons set all bits, which is −1.
        carry = -(Words)((sum < row) | (withCarry < sum));
        rows[word] = withCarry | (row & ~hits);
    }
}

template <class Words>
void countZeros(const Words* rows, std::size_t words, std::uint32_t* common) {
    constexpr std::size_t kLanes = sizeof(Words) / sizeof(std::uint64_t);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        int count = 0;
        for (std::size_t word = 0; word < words; ++word) count += __builtin_popcountll(~rows[word][lane]);
        common[lane] = static_cast<std::uint32_t>(count);
    }
}

/// For few words: the rows stay in registers.
template <std::size_t kBytes, std::size_t kWords>
void commonInWords(const SubsequenceWork& work) {
    using Words = typename WordsOf<kBytes>::Values;
    const auto* const masks = reinterpret_cast<const Words*>(work.masks);
    Words rows[kWords];
    for (Words& row : rows) row = ~Words{};
    for (const std::uint8_t code : work.codes) takeLetter(rows, masks + code * kWords, kWords);
    countZeros(rows, kWords, work.common);
}

template <std::size_t kBytes>
void commonSubsequences(const SubsequenceWork& work) {
    using Words = typename WordsOf<kBytes>::Values;
    switch (work.words) {
        case 1:
            return commonInWords<kBytes, 1>(work);
        case 2:
            return commonInWords<kBytes, 2>(work);
        case 3:
            return commonInWords<kBytes, 3>(work);
        case 4:
            return commonInWords<kBytes, 4>(work);
        case 5:
            return commonInWords<kBytes, 5>(work);
        case 6:
            return commonInWords<kBytes, 6>(work);
        case 7:
            return commonInWords<kBytes, 7>(work);
        case 8:
            return commonInWords<kBytes, 8>(work);
        default:
            break;
    }
    const auto* const masks = reinterpret_cast<const Words*>(work.masks);
    auto* const rows = reinterpret_cast<Words*>(work.rows);
    for (std::size_t word = 0; word < work.words; ++word) rows[word] = ~Words{};
    for (const std::uint8_t code : work.codes) takeLetter(rows, masks + code * work.words, work.words);
    countZeros(rows, work.words, work.common);
}

}  // namespace

template <>
SubsequenceKernel SubsequenceKernel::compiled<kCompiledSet>() {
    constexpr std::size_t kBytes =
        kCompiledSet == InstructionSet::Generic ? sizeof(std::uint64_t) : kRegisterBytes;
    return {kBytes / sizeof(std::uint64_t), &commonSubsequences<kBytes>};
}

}  // namespace glycine::align::cpu
