#include "engine/alignment/clustal/thesis_alignment.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::align::thesis {

namespace {

using clustalw::Rows;
/// Steps: both columns, the column of the upper group, or that of the left group.
using clustalw::Step;

/// The score of a letter of a new gap, per row of the other group.
constexpr std::int64_t kGap = -2;
/// The most memory for steps of joins that run in parallel.
constexpr double kMaxParallelBytes = 256 * kMebibyte;

/// Moves, two bits per cell.
class Moves {
  public:
    Moves(std::size_t rows, std::size_t columns) : columns_(columns), bits_((rows * columns + 3) / 4) {}

    void set(std::size_t row, std::size_t column, Step move) {
        const std::size_t cell = row * columns_ + column;
        bits_[cell / 4] |= static_cast<std::uint8_t>(static_cast<unsigned>(move) << (cell % 4 * 2));
    }
    Step at(std::size_t row, std::size_t column) const {
        const std::size_t cell = row * columns_ + column;
        return static_cast<Step>(bits_[cell / 4] >> (cell % 4 * 2) & 3U);
    }

  private:
    std::size_t columns_;
    std::vector<std::uint8_t> bits_;
};

/// The contents of a column.
struct Column {
    std::vector<std::pair<std::uint8_t, std::int64_t>> counts;  ///< letters that occur, with their counts
    std::int64_t letters = 0;
    std::int64_t gaps = 0;
};

std::vector<Column> columnsOf(const Rows& rows, const std::vector<std::size_t>& members) {
    std::vector<Column> columns(rows[members.front()].size());
    for (std::size_t at = 0; at < columns.size(); ++at) {
        std::array<std::int64_t, kMaxCodes> counts{};
        for (const std::size_t member : members) ++counts[rows[member][at]];
        Column& column = columns[at];
        column.gaps = std::exchange(counts[kGapCode], 0);
        for (std::size_t code = 0; code < kMaxCodes; ++code)
            if (counts[code] > 0) {
                column.counts.emplace_back(static_cast<std::uint8_t>(code), counts[code]);
                column.letters += counts[code];
            }
    }
    return columns;
}

/// The steps of the best path, from its start, and its score.
struct Path {
    std::vector<Step> moves;
    std::int64_t score = 0;
};

std::int64_t scoreOf(const Column& a, const Column& b) {
    std::int64_t equal = 0;
    for (const auto& [code, count] : a.counts)
        for (const auto& [other, count2] : b.counts)
            if (code == other) equal += count * count2;
    return 2 * equal - a.letters * b.letters + kGap * (a.letters * b.gaps + a.gaps * b.letters);
}

/// Two groups to be joined.
struct Join {
    std::size_t node = 0;
    std::vector<std::size_t> first, second;  ///< sequences
    std::vector<Column> up{}, left{};

    std::int64_t upRows() const { return static_cast<std::int64_t>(first.size()); }
    std::int64_t leftRows() const { return static_cast<std::int64_t>(second.size()); }
};

Path bestPath(const Join& join, Progress& progress) {
    const std::vector<Column>&up = join.up, &left = join.left;
    const std::int64_t upRows = join.upRows(), leftRows = join.leftRows();
    requireHostMemory(fmt::format("the steps of {} × {} columns", up.size(), left.size()),
                      bytesOfSteps(up.size(), left.size()));
    Moves moves(up.size() + 1, left.size() + 1);
    std::vector<std::int64_t> scores(left.size() + 1);
    for (std::size_t j = 1; j < scores.size(); ++j) {
        scores[j] = scores[j - 1] + kGap * left[j - 1].letters * upRows;
        moves.set(0, j, Step::Second);
    }
    for (std::size_t i = 1; i <= up.size(); ++i) {
        const Column& a = up[i - 1];
        std::array<std::int64_t, kMaxCodes> counts{};
        for (const auto& [code, count] : a.counts) counts[code] = count;
        const std::int64_t upGap = kGap * a.letters * leftRows;
        std::int64_t diagonal = std::exchange(scores[0], scores[0] + upGap);
        moves.set(i, 0, Step::First);
        for (std::size_t j = 1; j < scores.size(); ++j) {
            const Column& b = left[j - 1];
            std::int64_t equal = 0;
            for (const auto& [code, count] : b.counts) equal += counts[code] * count;
            const std::int64_t pairs = a.letters * b.letters;
            const std::int64_t beside = a.letters * b.gaps + a.gaps * b.letters;
            const std::int64_t both = diagonal + 2 * equal - pairs + kGap * beside;
            const std::int64_t fromUp = scores[j] + upGap;
            const std::int64_t fromLeft = scores[j - 1] + kGap * b.letters * upRows;
            const std::int64_t best = std::max({both, fromUp, fromLeft});
            moves.set(i, j, best == both ? Step::Both : best == fromUp ? Step::First : Step::Second);
            diagonal = std::exchange(scores[j], best);
        }
        progress.throwIfCancelled();
    }
    return {clustalw::stepsBack(up.size(), left.size(),
                                [&](std::size_t i, std::size_t j) { return moves.at(i, j); }),
            scores.back()};
}

/// The cost of a gap over a column: each of its letters against all rows of the other group.
std::int64_t gapOver(const Column& column, std::int64_t otherRows) {
    return -kGap * column.letters * otherRows;
}

/// Whether the scores of all paths are below 2³⁰. Two columns never score more in absolute value than the
/// gaps over both cost.
bool fits32Bits(const Join& join) {
    std::int64_t sum = 0;
    for (const Column& column : join.up) sum += gapOver(column, join.leftRows());
    for (const Column& column : join.left) sum += gapOver(column, join.upRows());
    return sum < std::int64_t{1} << 30;
}

/// Values whose products with the other group's columns add up to the scores. kGapCode and kNoCode, which no
/// letter has, hold the terms for gaps and for all letters.
clustalw::Profile profileOf(const std::vector<Column>& columns, std::int64_t otherRows, bool isFirst) {
    clustalw::Profile profile;
    profile.size = columns.size();
    profile.open.assign(profile.size + 1, 0);
    profile.extend.assign(1, 0);
    profile.values.assign(profile.size * kMaxCodes, 0);
    for (std::size_t at = 0; at < columns.size(); ++at) {
        const Column& column = columns[at];
        const auto put = [&](std::size_t code, std::int64_t value) {
            profile.values[at * kMaxCodes + code] = static_cast<int>(value);
        };
        for (const auto& [code, count] : column.counts) put(code, isFirst ? count : 2 * count);
        put(kGapCode, isFirst ? column.gaps : kGap * column.letters);
        put(kNoCode, isFirst ? column.letters : kGap * column.gaps - column.letters);
        profile.extend.push_back(static_cast<int>(gapOver(column, otherRows)));
    }
    return profile;
}

/// Paths that the device cannot take have no moves.
std::vector<Path> pathsOnDevice(const std::vector<Join>& joins, clustalw::ProfilePaths& device,
                                Progress& progress) {
    std::vector<std::size_t> taken;
    for (std::size_t k = 0; k < joins.size(); ++k)
        if (fits32Bits(joins[k])) taken.push_back(k);
    device.decline(joins.size() - taken.size());
    std::vector<clustalw::Profile> profiles(2 * taken.size());
    const int threads = omp_get_max_threads();
    parallelFor(threads, taken.size(), [&](std::size_t k, std::size_t) {
        const Join& join = joins[taken[k]];
        profiles[2 * k] = profileOf(join.up, join.leftRows(), true);
        profiles[2 * k + 1] = profileOf(join.left, join.upRows(), false);
    });
    std::vector<clustalw::ProfilePair> pairs;
    for (std::size_t k = 0; k < taken.size(); ++k) pairs.push_back({&profiles[2 * k], &profiles[2 * k + 1]});
    auto found = device.alignLinearly(pairs, progress);
    std::vector<Path> paths(joins.size());
    parallelFor(threads, taken.size(), [&](std::size_t k, std::size_t) {
        if (!found[k]) return;
        const Join& join = joins[taken[k]];
        Path& path = paths[taken[k]];
        path.moves = std::move(*found[k]);
        std::size_t i = 0, j = 0;
        for (const Step step : path.moves) {
            if (step == Step::Both)
                path.score += scoreOf(join.up[i++], join.left[j++]);
            else if (step == Step::First)
                path.score -= gapOver(join.up[i++], join.leftRows());
            else
                path.score -= gapOver(join.left[j++], join.upRows());
        }
    });
    if (device.recount() == nullptr) return paths;
    const Stopwatch watch;
    StageRecount& recount = *device.recount();
    recount.enter(clustalw::kProgressiveStage, "profile path", clustalw::kProfileVariant);
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < taken.size(); ++k) {
        const double each = clustalw::kSecondsPerCell * pairs[k].cells() / threads;
        if (!found[k] || recount.affordable(1, each, device.secondsOnDevice()) == 0) continue;
        chosen.push_back(k);
    }
    std::vector<Path> expected(chosen.size());
    parallelFor(threads, chosen.size(), [&](std::size_t n, std::size_t) {
        expected[n] = bestPath(joins[taken[chosen[n]]], progress);
    });
    for (std::size_t n = 0; n < chosen.size(); ++n) {
        const clustalw::ProfilePair& pair = pairs[chosen[n]];
        const Path& path = paths[taken[chosen[n]]];
        recount.compare(static_cast<double>(path.score), static_cast<double>(expected[n].score), 0, [&] {
            return fmt::format("score of the path through groups of {} and {} columns", pair.first->size,
                               pair.second->size);
        });
        compareSteps(recount, pair, path.moves, expected[n].moves);
    }
    recount.add(chosen.size(), watch.seconds());
    return paths;
}

}  // namespace

double bytesOfSteps(std::size_t up, std::size_t left) {
    return static_cast<double>(up + 1) * static_cast<double>(left + 1) / 4;
}

ThesisAlignment alignByThesis(const Sequences& sequences, const trees::Tree& rooted,
                              clustalw::ProfilePaths* device, Progress& progress) {
    const trees::Tree tree = resolved(rooted);
    ThesisAlignment result{.rows = sequences.codes, .order = {}, .scores = {}};
    progress.begin("progressive alignment", static_cast<double>(sequences.size() - 1));
    std::vector<std::vector<std::size_t>> below(tree.nodes.size());
    std::vector<std::size_t> place(tree.nodes.size());
    for (const std::size_t node : postorder(tree)) {
        if (tree.isLeaf(node)) {
            below[node] = {node};
        } else {
            place[node] = result.scores.size();
            result.scores.push_back(0);
        }
    }
    const int threads = omp_get_max_threads();
    for (const std::vector<std::size_t>& nodes : trees::innerNodesByRounds(tree)) {
        std::vector<Join> joins;
        double bytes = 0;
        for (const std::size_t node : nodes) {
            const std::vector<std::size_t>& children = tree.nodes[node].children;
            joins.push_back({node, std::move(below[children[0]]), std::move(below[children[1]])});
            below[node] = joins.back().first;
            below[node].insert(below[node].end(), joins.back().second.begin(), joins.back().second.end());
        }
        parallelFor(threads, joins.size(), [&](std::size_t k, std::size_t) {
            joins[k].up = columnsOf(result.rows, joins[k].first);
            joins[k].left = columnsOf(result.rows, joins[k].second);
        });
        std::vector<Path> paths(joins.size());
        if (device != nullptr) paths = pathsOnDevice(joins, *device, progress);
        for (const Join& join : joins) bytes += bytesOfSteps(join.up.size(), join.left.size());
        // If the steps need much memory, join one pair after another.
        parallelFor(bytes < kMaxParallelBytes ? threads : 1, joins.size(), [&](std::size_t k, std::size_t) {
            const Join& join = joins[k];
            if (paths[k].moves.empty()) paths[k] = bestPath(join, progress);
            insertGaps(result.rows, join.first, paths[k].moves, Step::Second);
            insertGaps(result.rows, join.second, paths[k].moves, Step::First);
            result.scores[place[join.node]] = paths[k].score;
            progress.advance(1);
        });
    }
    result.order = std::move(below[tree.root]);
    return result;
}

}  // namespace glycine::align::thesis
