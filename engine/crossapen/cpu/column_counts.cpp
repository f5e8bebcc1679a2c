#include "engine/crossapen/cpu/column_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace glycine::crossapen::cpu {

namespace {

/// Bit n of a byte as byte n of a word.
constexpr std::array<std::uint64_t, 256> spreadBits() {
    std::array<std::uint64_t, 256> words{};
    for (std::size_t byte = 0; byte < words.size(); ++byte)
        for (std::size_t bit = 0; bit < 8; ++bit)
            words[byte] |= std::uint64_t{(byte >> bit) & 1} << (8 * bit);
    return words;
}
constexpr std::array<std::uint64_t, 256> kSpread = spreadBits();

}  // namespace

void ColumnCounts::reset(std::size_t words, std::size_t largest) {
    words_ = words;
    count_ = std::max<std::size_t>(kColumnPlanes, static_cast<std::size_t>(std::bit_width(largest)));
    planes_.assign(words_ * count_, 0);
}

void ColumnCounts::store(std::span<std::uint32_t> target) const {
    for (std::size_t word = 0; word < words_; ++word)
        for (std::size_t shift = 0; shift < 64; shift += 8) {
            // Eight numbers at once: the lower eight planes give their lowest bytes, and so on.
            std::array<std::uint64_t, 3> bytes{};
            for (std::size_t k = 0; k < count_; ++k)
                bytes[k / 8] |= kSpread[(planes_[k * words_ + word] >> shift) & 0xff] << (k % 8);
            for (std::size_t bit = 0; bit < 8; ++bit) {
                const std::size_t position = word + words_ * (shift + bit);
                if (position >= target.size()) break;
                std::uint32_t sum = 0;
                for (std::size_t place = 0; place < bytes.size(); ++place)
                    sum |= static_cast<std::uint32_t>((bytes[place] >> (8 * bit)) & 0xff) << (8 * place);
                target[position] = sum;
            }
        }
}

}  // namespace glycine::crossapen::cpu
