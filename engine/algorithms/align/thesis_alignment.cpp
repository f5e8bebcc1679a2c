#include "engine/algorithms/align/thesis_alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/core/host_memory.hpp"

namespace glycine::align::thesis {

namespace {

using Rows = std::vector<std::vector<std::uint8_t>>;

enum class Move : std::uint8_t { Both, Up, Left };

/// Two bits a cell.
class Moves {
  public:
    Moves(std::size_t rows, std::size_t columns) : columns_(columns), bits_((rows * columns + 3) / 4) {}

    void set(std::size_t row, std::size_t column, Move move) {
        const std::size_t cell = row * columns_ + column;
        bits_[cell / 4] |= static_cast<std::uint8_t>(static_cast<unsigned>(move) << (cell % 4 * 2));
    }
    Move at(std::size_t row, std::size_t column) const {
        const std::size_t cell = row * columns_ + column;
        return static_cast<Move>(bits_[cell / 4] >> (cell % 4 * 2) & 3U);
    }

  private:
    std::size_t columns_;
    std::vector<std::uint8_t> bits_;
};

/// What a column holds.
struct Column {
    std::vector<std::pair<std::uint8_t, std::int64_t>> counts;  ///< letters that occur, and how often
    std::int64_t letters = 0;
    std::int64_t gaps = 0;
};

std::vector<Column> columnsOf(const Rows& rows, const std::vector<std::size_t>& members) {
    std::vector<Column> columns(rows[members.front()].size());
    for (std::size_t at = 0; at < columns.size(); ++at) {
        std::array<std::int64_t, kMostCodes> counts{};
        for (const std::size_t member : members) ++counts[rows[member][at]];
        Column& column = columns[at];
        column.gaps = std::exchange(counts[kGapCode], 0);
        for (std::size_t code = 0; code < kMostCodes; ++code)
            if (counts[code] > 0) {
                column.counts.emplace_back(static_cast<std::uint8_t>(code), counts[code]);
                column.letters += counts[code];
            }
    }
    return columns;
}

/// The steps of the best path, from its beginning, and its score.
struct Path {
    std::vector<Move> moves;
    std::int64_t score = 0;
};

Path bestPath(const std::vector<Column>& up, const std::vector<Column>& left, std::int64_t upRows,
              std::int64_t leftRows, Progress& progress) {
    constexpr std::int64_t kGap = -2;
    requireHostMemory(fmt::format("the steps of {} × {} columns", up.size(), left.size()),
                      bytesOfSteps(up.size(), left.size()));
    Moves moves(up.size() + 1, left.size() + 1);
    std::vector<std::int64_t> scores(left.size() + 1);
    for (std::size_t j = 1; j < scores.size(); ++j) {
        scores[j] = scores[j - 1] + kGap * left[j - 1].letters * upRows;
        moves.set(0, j, Move::Left);
    }
    for (std::size_t i = 1; i <= up.size(); ++i) {
        const Column& a = up[i - 1];
        std::array<std::int64_t, kMostCodes> counts{};
        for (const auto& [code, count] : a.counts) counts[code] = count;
        const std::int64_t upGap = kGap * a.letters * leftRows;
        std::int64_t diagonal = std::exchange(scores[0], scores[0] + upGap);
        moves.set(i, 0, Move::Up);
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
            moves.set(i, j, best == both ? Move::Both : best == fromUp ? Move::Up : Move::Left);
            diagonal = std::exchange(scores[j], best);
        }
        progress.throwIfCancelled();
    }
    Path path{.moves = {}, .score = scores.back()};
    for (std::size_t i = up.size(), j = left.size(); i > 0 || j > 0;) {
        const Move move = moves.at(i, j);
        path.moves.push_back(move);
        if (move != Move::Left) --i;
        if (move != Move::Up) --j;
    }
    std::ranges::reverse(path.moves);
    return path;
}

void insertGaps(Rows& rows, const std::vector<std::size_t>& members, const std::vector<Move>& moves,
                Move gap) {
    for (const std::size_t member : members) {
        std::vector<std::uint8_t> row;
        row.reserve(moves.size());
        std::size_t next = 0;
        for (const Move move : moves) row.push_back(move == gap ? kGapCode : rows[member][next++]);
        rows[member] = std::move(row);
    }
}

}  // namespace

double bytesOfSteps(std::size_t up, std::size_t left) {
    return static_cast<double>(up + 1) * static_cast<double>(left + 1) / 4;
}

ThesisAlignment alignByThesis(const Sequences& sequences, const trees::Tree& rooted, Progress& progress) {
    const trees::Tree tree = resolved(rooted);
    ThesisAlignment result{.rows = sequences.codes, .order = {}, .scores = {}};
    progress.begin("progressive alignment", static_cast<double>(sequences.size() - 1));
    std::vector<std::vector<std::size_t>> below(tree.nodes.size());
    for (const std::size_t node : postorder(tree)) {
        if (tree.isLeaf(node)) {
            below[node] = {node};
            continue;
        }
        std::vector<std::size_t>& first = below[tree.nodes[node].children[0]];
        std::vector<std::size_t>& second = below[tree.nodes[node].children[1]];
        const Path path = bestPath(columnsOf(result.rows, first), columnsOf(result.rows, second),
                                   static_cast<std::int64_t>(first.size()),
                                   static_cast<std::int64_t>(second.size()), progress);
        insertGaps(result.rows, first, path.moves, Move::Left);
        insertGaps(result.rows, second, path.moves, Move::Up);
        result.scores.push_back(path.score);
        below[node] = std::move(first);
        below[node].insert(below[node].end(), second.begin(), second.end());
        second.clear();
        progress.advance(1);
    }
    result.order = std::move(below[tree.root]);
    return result;
}

}  // namespace glycine::align::thesis
