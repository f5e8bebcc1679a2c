#include "engine/algorithms/align/posterior/accuracy_aligner.hpp"

#include <algorithm>
#include <numeric>

#include "engine/core/matrix.hpp"
#include "engine/core/random.hpp"

namespace glycine::align {

namespace {

constexpr std::uint8_t Both = 0, First = 1, Second = 2;

}  // namespace

AccuracyAligner::AccuracyAligner(const Sequences& sequences, const PosteriorSet& posteriors,
                                 std::span<const double> weights)
    : sequences_(sequences), posteriors_(posteriors), weights_(weights) {
    for (const auto& codes : sequences.codes) {
        columns_.emplace_back(codes.size());
        std::iota(columns_.back().begin(), columns_.back().end(), 0U);
    }
}

std::size_t AccuracyAligner::join(std::span<const std::size_t> first, std::size_t firstWidth,
                                  std::span<const std::size_t> second, std::size_t secondWidth) {
    // The best sum of the first columns of both, a row a column of the first group.
    std::vector<float> best(secondWidth + 1, 0), gains(secondWidth, 0);
    Matrix<std::uint8_t> steps(firstWidth, secondWidth);
    std::vector<std::size_t> residue(first.size(), 0);
    for (std::size_t column = 0; column < firstWidth; ++column) {
        std::ranges::fill(gains, 0.0F);
        for (std::size_t k = 0; k < first.size(); ++k) {
            const std::size_t x = first[k];
            if (residue[k] >= columns_[x].size() || columns_[x][residue[k]] != column) continue;
            for (const std::size_t y : second) {
                const auto weight = static_cast<float>(weights_[x] * weights_[y]);
                for (const PosteriorEntry& entry : posteriors_.pair(x, y).row(residue[k]))
                    gains[columns_[y][entry.column]] += weight * entry.value;
            }
            ++residue[k];
        }
        std::uint8_t* const row = steps.row(column);
        float diagonal = 0;
        for (std::size_t j = 0; j < secondWidth; ++j) {
            const float both = diagonal + gains[j];
            diagonal = best[j + 1];
            // Nothing is gained by a pair without probability.
            const float larger = std::max(best[j + 1], best[j]);
            const bool isPair = gains[j] > 0 && both >= larger;
            row[j] = isPair ? Both : best[j + 1] >= best[j] ? First : Second;
            best[j + 1] = isPair ? both : larger;
        }
    }
    // Backwards: where the columns of both groups come to stand.
    std::vector<std::uint8_t> path;
    std::size_t i = firstWidth, j = secondWidth;
    while (i > 0 || j > 0) {
        const std::uint8_t step = i == 0 ? Second : j == 0 ? First : steps(i - 1, j - 1);
        path.push_back(step);
        if (step != Second) --i;
        if (step != First) --j;
    }
    std::vector<std::uint32_t> places[2] = {std::vector<std::uint32_t>(firstWidth),
                                            std::vector<std::uint32_t>(secondWidth)};
    std::uint32_t place = 0;
    for (auto step = path.rbegin(); step != path.rend(); ++step, ++place) {
        if (*step != Second) places[0][i++] = place;
        if (*step != First) places[1][j++] = place;
    }
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
        // Columns are tried until one has a gap.
        std::vector<std::size_t> parts[2];
        for (int attempt = 0; attempt < 50; ++attempt) {
            const auto column = static_cast<std::uint32_t>(random.below(width_));
            parts[0].clear();
            parts[1].clear();
            for (const std::size_t x : order_)
                parts[std::ranges::binary_search(columns_[x], column) ? 0 : 1].push_back(x);
            if (!parts[1].empty()) break;
        }
        if (parts[0].empty() || parts[1].empty()) continue;
        const std::size_t first = compact(parts[0]), second = compact(parts[1]);
        width_ = join(parts[0], first, parts[1], second);
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
            const SparsePosterior& pair = posteriors_.pair(x, y);
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
