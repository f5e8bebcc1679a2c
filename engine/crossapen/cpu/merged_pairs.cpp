#include "engine/crossapen/cpu/merged_pairs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/crossapen/cpu/partner_tables.hpp"

namespace glycine::crossapen::cpu {

namespace {

/// Samples of a partner that stay in the first-level cache beside the bit rows.
constexpr std::size_t kBlockSamples = 2048;

/// Kernels put the bits of a word in the order that their instructions give. One look at each place tells it.
template <class T>
std::array<std::uint8_t, 64> findBitOrder(const MatchKernels<T>& kernels) {
    std::array<std::uint8_t, 64> bits{};
    for (std::size_t place = 0; place < 64; ++place) {
        Matrix<T> partners(1, 64, std::numeric_limits<T>::infinity());
        partners(0, place) = 0;
        const T sample = 0;
        std::uint64_t word = 0;
        kernels.compareRows({&sample, 1, partners.data(), 0, {&word, 1, 1, 0}});
        bits[place] = static_cast<std::uint8_t>(std::countr_zero(word));
    }
    return bits;
}

}  // namespace

template <class T>
MergedPairs<T>::MergedPairs(const MatchKernels<T>& kernels, std::size_t samples, std::size_t m)
    : kernels_(kernels),
      samples_(samples),
      m_(m),
      bitOfPlace_(findBitOrder(kernels)),
      shortByRow_(samples - m + 1),
      longByRow_(samples - m + 1),
      shortByColumn_(samples - m + 1),
      longByColumn_(samples - m + 1) {
    std::size_t stride = 0;
    for (const PartnerBlock& range : splitPartner(samples, m, 64 * kernels.words, kBlockSamples)) {
        Block block;
        block.range = range;
        block.words = bitRowWords(range.samples, kernels.words);
        block.positions = positionMask(range.positions, block.words);
        block.partners = Matrix<T>(1, 64 * block.words);
        stride = std::max(stride, block.words + m);
        blocks_.push_back(std::move(block));
    }
    rows_.resize((kColumnRows + m) * stride);
}

template <class T>
void MergedPairs<T>::setPartner(std::span<const T> partner) {
    partner_ = partner;
    for (Block& block : blocks_) {
        T* target = block.partners.data();
        for (std::size_t word = 0; word < block.words; ++word)
            for (std::size_t place = 0; place < 64; ++place) {
                const std::size_t position = word + block.words * bitOfPlace_[place];
                target[64 * word + place] = position < block.range.samples
                                                ? partner[block.range.first + position]
                                                : std::numeric_limits<T>::infinity();
            }
    }
}

template <class T>
void MergedPairs<T>::match(std::span<const T> templates, T tolerance, const LogTable& logs,
                           MatchStatistics& forward, MatchStatistics* backward) {
    std::fill(shortByRow_.begin(), shortByRow_.end(), 0);
    std::fill(longByRow_.begin(), longByRow_.end(), 0);
    for (const Block& block : blocks_) matchBlock(block, templates.data(), tolerance, backward != nullptr);

    const std::size_t longTotal = samples_ - m_;
    bool isCornerMatch = true;
    for (std::size_t k = longTotal; k < samples_; ++k)
        isCornerMatch = isCornerMatch && std::abs(templates[k] - partner_[k]) <= tolerance;
    // The matrix of a channel with itself is symmetric: its columns are its rows.
    const std::uint32_t lastColumn = backward != nullptr ? shortByColumn_.back() : shortByRow_.back();
    const std::uint64_t outside = std::uint64_t{shortByRow_.back()} + lastColumn - isCornerMatch;
    forward = summarise({shortByRow_, std::span(longByRow_).first(longTotal), outside}, logs);
    if (backward != nullptr)
        *backward = summarise({shortByColumn_, std::span(longByColumn_).first(longTotal), outside}, logs);
}

template <class T>
void MergedPairs<T>::matchBlock(const Block& block, const T* templates, T tolerance, bool wantsColumns) {
    if (wantsColumns) {
        shortColumns_.reset(block.words, shortByRow_.size());
        longColumns_.reset(block.words, shortByRow_.size());
    }
    BitRows rows{rows_.data(), block.words + m_, block.words, m_};
    for (std::size_t first = 0; first < shortByRow_.size(); first += kColumnRows) {
        const std::size_t count = std::min(kColumnRows, shortByRow_.size() - first);
        const std::size_t compared = std::min(count + m_, samples_ - first);
        kernels_.compareRows({templates + first, compared, block.partners.data(), tolerance, rows});
        // The last template has no sample m + 1, which then matches nothing.
        std::fill(rows.row(compared), rows.row(count + m_), 0);
        const WindowCounting windows{rows, count, block.positions.data()};
        kernels_.countWindows(windows, shortByRow_.data() + first, longByRow_.data() + first);
        if (wantsColumns) kernels_.addColumns(windows, shortColumns_.planes(), longColumns_.planes());
    }
    if (wantsColumns) {
        shortColumns_.store(std::span(shortByColumn_).subspan(block.range.first, block.range.positions));
        longColumns_.store(std::span(longByColumn_).subspan(block.range.first, block.range.positions));
    }
}

template class MergedPairs<float>;
template class MergedPairs<double>;

}  // namespace glycine::crossapen::cpu
