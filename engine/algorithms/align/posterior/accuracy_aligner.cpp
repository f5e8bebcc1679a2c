#include "engine/algorithms/align/posterior/accuracy_aligner.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "engine/algorithms/align/gap_split.hpp"
#include "engine/algorithms/align/posterior/heaviest_chain.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/random.hpp"

namespace glycine::align {

AccuracyAligner::AccuracyAligner(const Sequences& sequences, const PosteriorSet& posteriors,
                                 std::span<const double> weights)
    : sequences_(sequences), posteriors_(posteriors), weights_(weights) {
    for (const auto& codes : sequences.codes) {
        columns_.emplace_back(codes.size());
        std::iota(columns_.back().begin(), columns_.back().end(), 0U);
    }
}

std::vector<AccuracyAligner::Gain> AccuracyAligner::gainsOf(std::span<const std::size_t> first, Range columns,
                                                            std::span<const std::size_t> second,
                                                            std::size_t secondWidth, Sums& sums) const {
    constexpr std::size_t kBits = 64;
    const std::size_t words = (secondWidth + kBits - 1) / kBits;
    sums.values.resize(columns.size() * secondWidth, 0);
    sums.present.resize(columns.size() * words, 0);
    // Pair by pair, since neighbouring rows of one posterior lie beside each other in memory.
    for (const std::size_t x : first) {
        const auto begin = std::ranges::lower_bound(columns_[x], columns.begin);
        const auto end = std::lower_bound(begin, columns_[x].end(), columns.end);
        if (begin == end) continue;
        for (const std::size_t y : second) {
            const auto weight = static_cast<float>(weights_[x] * weights_[y]);
            const PosteriorView pair = posteriors_.pair(x, y);
            const std::uint32_t* const others = columns_[y].data();
            for (auto place = begin; place != end; ++place) {
                const std::size_t row = *place - columns.begin;
                float* const values = sums.values.data() + row * secondWidth;
                std::uint64_t* const present = sums.present.data() + row * words;
                for (const PosteriorEntry& entry :
                     pair.row(static_cast<std::size_t>(place - columns_[x].begin()))) {
                    const std::uint32_t other = others[entry.column];
                    values[other] += weight * entry.value;
                    present[other / kBits] |= std::uint64_t{1} << other % kBits;
                }
            }
        }
    }
    std::vector<Gain> gains;
    for (std::size_t row = 0; row < columns.size(); ++row)
        for (std::size_t word = 0; word < words; ++word)
            for (std::uint64_t bits = std::exchange(sums.present[row * words + word], 0); bits != 0;
                 bits &= bits - 1) {
                const std::size_t other = word * kBits + static_cast<std::size_t>(std::countr_zero(bits));
                gains.push_back({static_cast<std::uint32_t>(columns.begin + row),
                                 static_cast<std::uint32_t>(other),
                                 std::exchange(sums.values[row * secondWidth + other], 0.0F)});
            }
    return gains;
}

std::size_t AccuracyAligner::join(std::span<const std::size_t> first, std::size_t firstWidth,
                                  std::span<const std::size_t> second, std::size_t secondWidth) {
    // Sums of each column by themselves, in an order that does not depend on the threads.
    constexpr std::size_t kColumnsAtOnce = 16;
    constexpr std::size_t kWorthThreads = 20'000;
    const int threads = firstWidth * first.size() * second.size() < kWorthThreads ? 1 : omp_get_max_threads();
    const std::vector<Range> parts = splitRange(firstWidth, kColumnsAtOnce);
    std::vector<std::vector<Gain>> gains(parts.size());
    std::vector<Sums> sums(static_cast<std::size_t>(threads));
    parallelFor(threads, parts.size(), [&](std::size_t part, std::size_t thread) {
        gains[part] = gainsOf(first, parts[part], second, secondWidth, sums[thread]);
    });
    HeaviestChain chain(secondWidth);
    for (const std::vector<Gain>& part : gains)
        for (std::size_t k = 0; k < part.size(); ++k) {
            chain.offer(part[k].row, part[k].column, static_cast<double>(part[k].sum));
            if (k + 1 == part.size() || part[k + 1].row != part[k].row) chain.endRow();
        }
    // Between pairs of columns, those of the first group stand before those of the second.
    std::vector<std::uint32_t> places[2];
    std::uint32_t place = 0;
    const auto advanceTo = [&](std::size_t i, std::size_t j) {
        while (places[0].size() < i) places[0].push_back(place++);
        while (places[1].size() < j) places[1].push_back(place++);
    };
    for (const auto& [i, j] : chain.best()) {
        advanceTo(i, j);
        places[0].push_back(place);
        places[1].push_back(place++);
    }
    advanceTo(firstWidth, secondWidth);
    for (const std::size_t x : first)
        for (std::uint32_t& column : columns_[x]) column = places[0][column];
    for (const std::size_t y : second)
        for (std::uint32_t& column : columns_[y]) column = places[1][column];
    return place;
}

void AccuracyAligner::alignAlong(const trees::Tree& tree, Progress& progress) {
    struct Group {
        std::vector<std::size_t> sequences;
        std::size_t width = 0;
    };
    std::vector<Group> groups(tree.nodes.size());
    progress.begin("progressive alignment", static_cast<double>(tree.leaves));
    for (const std::size_t node : postorder(tree)) {
        Group& here = groups[node];
        if (tree.isLeaf(node)) {
            here = {{node}, sequences_.codes[node].size()};
            continue;
        }
        const std::vector<std::size_t>& children = tree.nodes[node].children;
        Group &left = groups[children[0]], &right = groups[children[1]];
        here.width = join(left.sequences, left.width, right.sequences, right.width);
        here.sequences = std::move(left.sequences);
        here.sequences.insert(here.sequences.end(), right.sequences.begin(), right.sequences.end());
        progress.advance(1);
    }
    order_ = groups[tree.root].sequences;
    width_ = groups[tree.root].width;
}

std::size_t AccuracyAligner::compact(std::span<const std::size_t> group) {
    std::vector<std::uint32_t> places(width_, 0);
    for (const std::size_t x : group)
        for (const std::uint32_t column : columns_[x]) places[column] = 1;
    std::uint32_t count = 0;
    for (std::uint32_t& place : places) {
        const std::uint32_t here = count;
        count += place;
        place = here;
    }
    for (const std::size_t x : group)
        for (std::uint32_t& column : columns_[x]) column = places[column];
    return count;
}

void AccuracyAligner::refine(std::size_t times, std::uint64_t seed, Progress& progress) {
    progress.begin("refinement", static_cast<double>(times));
    RandomSequence random(seed);
    for (std::size_t turn = 0; turn < times; ++turn) {
        progress.advance(1);
        const GapSplit split = splitAtGap(order_, columns_, width_, random);
        if (split.without.empty()) continue;
        const std::size_t first = compact(split.with), second = compact(split.without);
        width_ = join(split.with, first, split.without, second);
    }
}

std::vector<double> AccuracyAligner::confidences() const {
    std::vector<double> sums(width_, 0), most(width_, 0);
    std::vector<double> weights(width_, 0), squares(width_, 0);
    for (std::size_t x = 0; x < columns_.size(); ++x)
        for (const std::uint32_t column : columns_[x]) {
            weights[column] += weights_[x];
            squares[column] += weights_[x] * weights_[x];
        }
    for (std::size_t column = 0; column < width_; ++column)
        most[column] = (weights[column] * weights[column] - squares[column]) / 2;
    for (std::size_t x = 0; x < columns_.size(); ++x)
        for (std::size_t y = 0; y < x; ++y) {
            const PosteriorView pair = posteriors_.pair(x, y);
            for (std::size_t row = 0; row < pair.rows(); ++row)
                for (const PosteriorEntry& entry : pair.row(row))
                    if (columns_[y][entry.column] == columns_[x][row])
                        sums[columns_[x][row]] +=
                            weights_[x] * weights_[y] * static_cast<double>(entry.value);
        }
    for (std::size_t column = 0; column < width_; ++column)
        sums[column] = most[column] > 0 ? std::min(sums[column] / most[column], 1.0) : 0;
    return sums;
}

}  // namespace glycine::align
