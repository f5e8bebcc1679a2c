#include "engine/crossapen/cpu/partner_tables.hpp"

#include <algorithm>

#include "engine/core/tiling.hpp"

namespace glycine::crossapen::cpu {

RankGridTable::RankGridTable(const PartnerBlock& block, bool isLast)
    : isLast_(isLast), ranks_(block.samples) {
    const std::size_t cells =
        block.samples / RankGrid::kCell + 1;  // an interval may end behind the last sample
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

}  // namespace glycine::crossapen::cpu
