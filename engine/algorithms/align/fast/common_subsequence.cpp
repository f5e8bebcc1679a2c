#include "engine/algorithms/align/fast/common_subsequence.hpp"

#include <array>
#include <bit>

namespace glycine::align {

namespace {

/// One letter more of the other sequence; bit i of `rows` is 0 where a letter more of the query adds one to
/// the common subsequence. Bits beyond the query's end stay 1.
inline void takeLetter(std::uint64_t* rows, const std::uint64_t* mask, std::size_t words) {
    std::uint64_t carry = 0;
    for (std::size_t word = 0; word < words; ++word) {
        const std::uint64_t row = rows[word], hits = row & mask[word];
        const std::uint64_t sum = row + hits, withCarry = sum + carry;
        carry = static_cast<std::uint64_t>(sum < row) | static_cast<std::uint64_t>(withCarry < sum);
        rows[word] = withCarry | (row & ~hits);
    }
}

std::size_t zeros(const std::uint64_t* rows, std::size_t words) {
    std::size_t count = 0;
    for (std::size_t word = 0; word < words; ++word)
        count += static_cast<std::size_t>(std::popcount(~rows[word]));
    return count;
}

}  // namespace

SubsequenceQuery::SubsequenceQuery(std::span<const std::uint8_t> codes)
    : words_((codes.size() + 63) / 64), masks_(kMostCodes * words_, 0) {
    for (std::size_t i = 0; i < codes.size(); ++i)
        masks_[codes[i] * words_ + i / 64] |= std::uint64_t{1} << (i % 64);
}

template <std::size_t kWords>
std::size_t SubsequenceQuery::commonInWords(std::span<const std::uint8_t> codes) const {
    std::array<std::uint64_t, kWords> rows;
    rows.fill(~std::uint64_t{0});
    for (const std::uint8_t code : codes) takeLetter(rows.data(), masks_.data() + code * kWords, kWords);
    return zeros(rows.data(), kWords);
}

std::size_t SubsequenceQuery::commonWith(std::span<const std::uint8_t> codes,
                                         std::vector<std::uint64_t>& memory) const {
    // Few words stay in registers.
    switch (words_) {
        case 1:
            return commonInWords<1>(codes);
        case 2:
            return commonInWords<2>(codes);
        case 3:
            return commonInWords<3>(codes);
        case 4:
            return commonInWords<4>(codes);
        case 5:
            return commonInWords<5>(codes);
        case 6:
            return commonInWords<6>(codes);
        case 7:
            return commonInWords<7>(codes);
        case 8:
            return commonInWords<8>(codes);
        default:
            break;
    }
    memory.assign(words_, ~std::uint64_t{0});
    for (const std::uint8_t code : codes) takeLetter(memory.data(), masks_.data() + code * words_, words_);
    return zeros(memory.data(), words_);
}

}  // namespace glycine::align
