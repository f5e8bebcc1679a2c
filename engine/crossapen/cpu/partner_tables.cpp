#include "engine/crossapen/cpu/partner_tables.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/core/tiling.hpp"

namespace glycine::crossapen::cpu {

namespace {

/// For each byte, a word whose byte n is the byte's bit n.
constexpr std::array<std::uint64_t, 256> spreadBits() {
    std::array<std::uint64_t, 256> words{};
    for (std::size_t byte = 0; byte < words.size(); ++byte)
        for (std::size_t bit = 0; bit < 8; ++bit)
            words[byte] |= std::uint64_t{(byte >> bit) & 1} << (8 * bit);
    return words;
}
constexpr std::array<std::uint64_t, 256> kSpread = spreadBits();

}  // namespace

std::vector<PartnerBlock> splitPartner(std::size_t samples, std::size_t m, std::size_t unit,
                                       std::size_t maximum) {
    const std::size_t longTotal = samples - m;
    const std::size_t count = (longTotal + maximum - m - 1) / (maximum - m);
    const std::size_t share = (longTotal + count - 1) / count + m;
    const std::size_t size = std::min(maximum, roundUp(share, unit));
    std::vector<PartnerBlock> blocks;
    std::size_t first = 0;
    // Blocks overlap by m samples: the long templates of one block end where the next block begins.
    for (; samples - first > size; first += size - m) blocks.push_back({first, size, size - m});
    blocks.push_back({first, samples - first, samples - first - m + 1});
    return blocks;
}

RankGridTable::RankGridTable(const PartnerBlock& block, bool isLast)
    : isLast_(isLast), ranks_(block.samples) {
    const std::size_t cells =
        block.samples / RankGrid::kCell + 1;  // an interval may end after the last sample
    successors_ = Matrix<std::uint16_t>(1, cells * RankGrid::kCell);
    predecessors_ = Matrix<std::uint16_t>(1, cells * RankGrid::kCell);
    counts_ = Matrix<std::uint16_t>(cells + 1, cells + 1);
}

void RankGridTable::fill(std::span<const std::uint32_t> order) {
    constexpr std::size_t kCell = RankGrid::kCell;
    std::fill_n(successors_.data(), successors_.size(), RankGrid::kNone);
    std::fill_n(predecessors_.data(), predecessors_.size(), RankGrid::kNone);
    std::fill_n(counts_.data(), counts_.size(), 0);
    for (std::size_t k = 0; k < order.size(); ++k) ranks_[order[k]] = static_cast<std::uint16_t>(k);
    for (std::size_t j = 0; j + 1 < order.size(); ++j) {
        const std::uint16_t first = ranks_[j];
        const std::uint16_t second = ranks_[j + 1];
        successors_(0, first) = second;
        predecessors_(0, second) = first;
        ++counts_(first / kCell + 1, second / kCell + 1);
    }
    if (!isLast_) excluded_ = ranks_.back();

    for (std::size_t p = 1; p < counts_.rows(); ++p) {
        std::uint16_t sum = 0;
        for (std::size_t q = 1; q < counts_.columns(); ++q) {
            sum = static_cast<std::uint16_t>(sum + counts_(p, q));
            counts_(p, q) = static_cast<std::uint16_t>(counts_(p - 1, q) + sum);
        }
    }
}

RankGrid RankGridTable::view() const {
    return {successors_.data(), predecessors_.data(), counts_.data(), counts_.columns(), excluded_};
}

std::size_t bitRowWords(std::size_t samples, std::size_t wordMultiple) {
    return roundUp((samples + 63) / 64, wordMultiple);
}

std::vector<std::uint64_t> positionMask(std::size_t positions, std::size_t words) {
    std::vector<std::uint64_t> mask(words, 0);
    for (std::size_t j = 0; j < positions; ++j) mask[j % words] |= std::uint64_t{1} << (j / words);
    return mask;
}

PrefixBitSets::PrefixBitSets(const PartnerBlock& block, std::size_t m, std::size_t wordMultiple)
    : m_(m),
      words_(bitRowWords(block.samples, wordMultiple)),
      rows_(block.samples + 1, roundUp(words_ + m, wordMultiple)),
      positions_(positionMask(block.positions, words_)) {
    std::fill_n(rows_.row(0), stride(), 0);
}

void PrefixBitSets::fill(std::span<const std::uint32_t> order) {
    for (std::size_t k = 0; k < order.size(); ++k) {
        std::uint64_t* row = rows_.row(k + 1);
        std::copy_n(rows_.row(k), stride(), row);
        // Position w + W·t is bit t of word w, bit t − 1 of word w + W, and so on.
        std::size_t word = order[k] % words_;
        for (std::size_t bit = order[k] / words_ + 1; bit-- > 0 && word < words_ + m_; word += words_)
            row[word] |= std::uint64_t{1} << bit;
    }
}

void ColumnCounts::reset(std::size_t words, std::size_t largest) {
    words_ = words;
    count_ = std::max<std::size_t>(kColumnPlanes, static_cast<std::size_t>(std::bit_width(largest)));
    planes_.assign(words_ * count_, 0);
}

void ColumnCounts::store(std::span<std::uint32_t> target) const {
    for (std::size_t word = 0; word < words_; ++word)
        for (std::size_t shift = 0; shift < 64; shift += 8) {
            // Transposes eight numbers at once: the lowest eight planes give their lowest bytes, and so on.
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
