#include "engine/pairwise/cpu/clustal_aligner.hpp"

#include <algorithm>
#include <utility>

#include "engine/core/tiling.hpp"
#include "engine/pairwise/clustal_pair.hpp"
#include "engine/pairwise/lane_table.hpp"

namespace glycine::pairwise::cpu {

class ClustalPaths::Cell {
  public:
    Cell(const std::uint8_t* marks, std::size_t markBytes, unsigned bit)
        : marks_(marks), markBytes_(markBytes), bit_(bit) {}
    bool has(ClustalMark mark) const {
        return ((marks_[static_cast<std::size_t>(mark) * markBytes_] >> bit_) & 1U) != 0;
    }

  private:
    const std::uint8_t* marks_;
    std::size_t markBytes_;
    unsigned bit_;
};

ClustalPaths::Cell ClustalPaths::cell(Place place) const {
    const std::size_t columns = kernel_.columnsAtOnce;
    const std::size_t column = place.column - 1;
    const std::size_t within = column & (columns - 1);
    const std::size_t index = (column - within) * rows_ + (place.row - 1) * columns + within;
    return {marks_ + index * kClustalMarks * kernel_.markBytes, kernel_.markBytes, bit_};
}

std::int64_t ClustalPaths::follow(const ClustalLanes& block, std::size_t lane, Codes a, Codes b,
                                  const GapPenalties& gaps) {
    // The first byte of a mark holds the first eight lanes.
    marks_ = block.marks + lane / 8;
    bit_ = static_cast<unsigned>(lane % 8);
    rows_ = block.rows;
    a_ = a;
    b_ = b;
    gaps_ = gaps;
    place_ = {static_cast<std::size_t>(block.row[lane]), static_cast<std::size_t>(block.column[lane])};
    score_ = block.score[lane];
    identities_ = 0;
    columns_.resize(std::max(columns_.size(), a.size() + 1));
    behind_.resize(std::max(behind_.size(), a.size() + 1));
    undecided_.clear();
    last_ = Step::Pair;
    hasNeighbours_ = false;
    parts_.clear();
    const Place end = place_;
    columns_[end.row] = end.column;
    behind_[end.row] = 0;
    while (!followOne() && !followAll()) {
    }
    if (undecided_.empty()) return identities_;
    if (!hasNeighbours_) return divide(place_, end, 0, 0);
    addPart(place_, end, 0, 0);
    return 0;
}

bool ClustalPaths::followOne() {
    std::size_t row = place_.row, column = place_.column;
    for (;;) {
        const Cell here = cell({row, column});
        const bool pair = here.has(ClustalMark::Pair), across = here.has(ClustalMark::Across),
                   down = here.has(ClustalMark::Down);
        if (pair + across + down != 1) return false;
        if (pair) {
            --row;
            --column;
            score_ -= matrix_.scores[a_[row]][b_[column]];
            if (a_[row] == b_[column]) ++identities_;
            columns_[row] = column;
            behind_[row] = identities_;
            place_ = {row, column};
            last_ = Step::Pair;
            if (score_ == 0) return true;
            continue;
        }
        const ClustalMark opens = across ? ClustalMark::AcrossOpens : ClustalMark::DownOpens;
        const ClustalMark goes = across ? ClustalMark::AcrossExtends : ClustalMark::DownExtends;
        std::size_t letters = 0;
        for (bool isOpen = true; isOpen; ++letters) {
            const Cell within = cell(across ? Place{row, column - letters} : Place{row - letters, column});
            isOpen = !within.has(opens);
            if (isOpen && !within.has(goes)) return false;
        }
        score_ += gaps_.open + gaps_.extend * static_cast<std::int32_t>(letters);
        if (across) {
            column -= letters;
            columns_[row] = column;
        } else {
            for (std::size_t k = 0; k < letters; ++k) {
                --row;
                columns_[row] = column;
                behind_[row] = identities_;
            }
            if (letters > 1) undecided_.push_back({row, letters, column});
        }
        hasNeighbours_ = hasNeighbours_ || last_ != Step::Pair;
        last_ = Step::Gap;
        place_ = {row, column};
    }
}

/// Merges paths that meet in this cell.
void ClustalPaths::Node::join(const Node& other) {
    if (!isPresent) {
        *this = other;
        return;
    }
    fewest = std::min(fewest, other.fewest);
    most = std::max(most, other.most);
}

/// Adds a node; nodes are added from right to left.
void ClustalPaths::put(Nodes& nodes, const Node& node) {
    if (nodes.empty() || nodes.back().column != node.column)
        nodes.push_back(node);
    else
        nodes.back().join(node);
}

/// Follows all paths from `place_`, row by row, up to a cell that all of them go through, or to the cell in
/// which the first one begins. `cells_` are cells that paths reach in any way; `downs_` are those reached
/// within a gap over letters of a.
bool ClustalPaths::followAll() {
    const std::size_t from = place_.row;
    bool hasLongGap = false;
    const auto meet = [&](std::size_t row, const Node& node) {
        const bool isDecided = node.fewest == node.most && !hasLongGap;
        if (!isDecided) undecided_.push_back({row, from - row, kUnknown});
        std::fill(columns_.begin() + static_cast<std::ptrdiff_t>(row) + 1,
                  columns_.begin() + static_cast<std::ptrdiff_t>(from) + 1, kUnknown);
        identities_ += node.most;
        place_ = {row, node.column};
        score_ = node.score;
        columns_[row] = node.column;
        behind_[row] = identities_;
        hasNeighbours_ = hasNeighbours_ || last_ != Step::Pair;
        last_ = Step::Gap;  // there may be one in some of the paths
    };
    cells_.assign(1, {.isPresent = true, .column = place_.column, .score = score_});
    downs_.clear();
    for (std::size_t row = from;; --row) {
        cellsAbove_.clear();
        downsAbove_.clear();
        std::size_t nextCell = 0, nextDown = 0;
        Node across,
            opened;  // a gap over letters of b that comes from the right, and a cell where one has opened
        for (;;) {
            std::size_t column = 0;
            if (nextCell < cells_.size()) column = cells_[nextCell].column;
            if (nextDown < downs_.size()) column = std::max(column, downs_[nextDown].column);
            for (const Node& node : {across, opened})
                if (node.isPresent) column = std::max(column, node.column);
            if (column == 0) break;
            Node through, down, gap;
            const auto take = [column](Node& node, Node& into) {
                if (!node.isPresent || node.column != column) return;
                into.join(node);
                node = {};
            };
            take(opened, through);
            take(across, gap);
            if (nextCell < cells_.size() && cells_[nextCell].column == column)
                through.join(cells_[nextCell++]);
            if (nextDown < downs_.size() && downs_[nextDown].column == column) down.join(downs_[nextDown++]);
            const Cell here = cell({row, column});
            if (through.isPresent && here.has(ClustalMark::Across)) gap.join(through);
            if (through.isPresent && here.has(ClustalMark::Down)) down.join(through);
            if (down.isPresent) {
                down.score += gaps_.extend;
                if (!here.has(ClustalMark::DownOpens)) {
                    put(downsAbove_, down);
                    hasLongGap = true;
                }
                down.score += gaps_.open;
                if (!here.has(ClustalMark::DownExtends)) put(cellsAbove_, down);
            }
            if (through.isPresent && here.has(ClustalMark::Pair)) {
                const std::uint8_t a = a_[row - 1], b = b_[column - 1];
                --through.column;
                through.score -= matrix_.scores[a][b];
                through.fewest += a == b ? 1 : 0;
                through.most += a == b ? 1 : 0;
                if (through.score == 0) {
                    meet(row - 1, through);
                    return true;
                }
                put(cellsAbove_, through);
            }
            if (gap.isPresent) {
                --gap.column;
                gap.score += gaps_.extend;
                if (!here.has(ClustalMark::AcrossOpens)) across = gap;
                gap.score += gaps_.open;
                if (!here.has(ClustalMark::AcrossExtends)) opened = gap;
            }
        }
        if (cellsAbove_.size() == 1 && downsAbove_.empty()) {
            meet(row - 1, cellsAbove_.front());
            return false;
        }
        std::swap(cells_, cellsAbove_);
        std::swap(downs_, downsAbove_);
    }
}

/// Divides the stretch between two cells that all paths go through, as ClustalPair does.
std::int64_t ClustalPaths::divide(Place first, Place last, std::int32_t openFirst, std::int32_t openLast) {
    const auto isWithin = [&](const Undecided& part) {
        return part.row >= first.row && part.row + part.letters <= last.row;
    };
    if (first.column == last.column) return 0;
    if (std::ranges::none_of(undecided_, isWithin)) return behind_[first.row] - behind_[last.row];
    const std::size_t half = first.row + (last.row - first.row) / 2;
    const auto cut = std::ranges::find_if(undecided_, [&](const Undecided& part) {
        return isWithin(part) && part.column != kUnknown && part.row < half && half < part.row + part.letters;
    });
    if (cut != undecided_.end()) {
        addPart(first, {half - 1, cut->column}, openFirst, 0);
        addPart({half + 1, cut->column}, last, 0, openLast);
        return 0;
    }
    if (half == first.row || columns_[half] == kUnknown) {
        addPart(first, last, openFirst, openLast);
        return 0;
    }
    const Place middle{half, columns_[half]};
    return divide(first, middle, openFirst, gaps_.open) + divide(middle, last, gaps_.open, openLast);
}

void ClustalPaths::addPart(Place first, Place last, std::int32_t openFirst, std::int32_t openLast) {
    if (first.row == last.row || first.column == last.column) return;
    parts_.push_back(
        {first.row, last.row - first.row, first.column, last.column - first.column, openFirst, openLast});
}

// ---- many pairs, one in each lane

namespace {

template <class Number>
Number* room(Matrix<Number>& memory, std::size_t numbers) {
    if (memory.size() < numbers) memory = Matrix<Number>(1, numbers);
    return memory.data();
}

}  // namespace

ClustalBatch::ClustalBatch(const ClustalKernel& kernel, const SubstitutionMatrix& matrix)
    : kernel_(kernel), letters_(matrix.size), paths_(kernel, matrix) {
    fillClustalTable(matrix, room(table_, kTableSide * kTableSide));
}

std::size_t ClustalBatch::bytesOf(const ClustalKernel& kernel, std::size_t rows, std::size_t columns) {
    return rows * roundUp(columns, kernel.columnsAtOnce) * kClustalMarks * kernel.markBytes;
}

void ClustalBatch::align(Codes a, std::span<const Codes> others, Alphabet alphabet) {
    const std::size_t lanes = kernel_.lanes;
    a_ = a;
    others_ = others;
    alphabet_ = alphabet;
    std::size_t longest = 0;
    for (const Codes other : others) longest = std::max(longest, other.size());
    block_.query = a.data();
    block_.rows = a.size();
    block_.columnCount = roundUp(longest, kernel_.columnsAtOnce);
    block_.letters = letters_;
    block_.table = table_.data();
    block_.state = room(state_, 2 * a.size() * lanes);
    block_.profile = room(profile_, kTableSide * kernel_.columnsAtOnce * lanes);
    block_.marks = room(marks_, bytesOf(kernel_, a.size(), longest));
    std::int32_t* const perLane = room(perLane_, 4 * lanes);
    block_.open = perLane;
    block_.score = perLane + lanes;
    block_.row = perLane + 2 * lanes;
    block_.column = perLane + 3 * lanes;
    std::uint8_t* const columns = room(columns_, block_.columnCount * lanes);
    std::fill_n(columns, block_.columnCount * lanes, kPaddingCode);
    block_.columns = columns;
    std::fill_n(perLane, lanes, 1);
    for (std::size_t lane = 0; lane < others.size(); ++lane) {
        const Codes b = others[lane];
        const GapPenalties gaps = clustalPenalties(alphabet, a.size(), b.size());
        perLane[lane] = gaps.open;
        block_.extend = gaps.extend;
        for (std::size_t j = 0; j < b.size(); ++j) columns[j * lanes + lane] = b[j];
    }
    kernel_.findPaths(block_);
}

std::int64_t ClustalBatch::identities(std::size_t lane) {
    if (block_.score[lane] == 0) {
        paths_.clear();
        return 0;
    }
    return paths_.follow(block_, lane, a_, others_[lane],
                         clustalPenalties(alphabet_, a_.size(), others_[lane].size()));
}

// ---- one pair, by registers of columns

void ClustalAligner::prepare(Codes b) {
    b_ = b;
    // A register of kClustalNever follows the last letter.
    stride_ = roundUp(b.size(), kMaxClustalLanes) + kMaxClustalLanes;
    const std::size_t needed = matrix_.size * stride_;
    for (Matrix<std::int32_t>* profile : {&forwards_, &backwards_})
        if (profile->size() < needed) *profile = Matrix<std::int32_t>(1, needed);
    // Best scores and gaps in both directions. Each array begins one element before a boundary, so that
    // column 1 is aligned. One more array holds the row with the highest score.
    if (borders_.size() < 5 * (stride_ + kMaxClustalLanes))
        borders_ = Matrix<std::int32_t>(1, 5 * (stride_ + kMaxClustalLanes));
    for (std::size_t letter = 0; letter < matrix_.size; ++letter) {
        const auto& scores = matrix_.scores[letter];
        std::int32_t* const forwards = forwards_.data() + letter * stride_;
        std::int32_t* const backwards = backwards_.data() + letter * stride_;
        for (std::size_t j = 0; j < b.size(); ++j) forwards[j] = backwards[b.size() - 1 - j] = scores[b[j]];
        std::fill(forwards + b.size(), forwards + stride_, kClustalNever);
        std::fill(backwards + b.size(), backwards + stride_, kClustalNever);
    }
}

ClustalBlock ClustalAligner::blockOf(Codes a, Columns columns, Direction direction) {
    const bool isForwards = direction == Direction::Forwards;
    ClustalBlock block;
    block.rows = isForwards ? a.data() : a.data() + a.size() - 1;
    block.step = isForwards ? 1 : -1;
    block.rowCount = a.size();
    block.profile =
        isForwards ? forwards_.data() + columns.first : backwards_.data() + (b_.size() - columns.end());
    block.stride = stride_;
    block.columns = columns.count;
    block.open = gaps_.open;
    block.extend = gaps_.extend;
    const std::size_t length = stride_ + kMaxClustalLanes;
    block.best = borders_.data() + (isForwards ? 0 : 2) * length + kMaxClustalLanes - 1;
    block.gap = block.best + length;
    block.highest = borders_.data() + 4 * length;
    block.pause = [](void* pause) { (*static_cast<const std::function<void()>*>(pause))(); };
    block.context = const_cast<std::function<void()>*>(pause_);
    return block;
}

PairResult ClustalAligner::align(Codes a, const GapPenalties& gaps, const std::function<void()>& pause) {
    gaps_ = gaps;
    pause_ = &pause;
    ClustalBlock end = blockOf(a, {0, b_.size()}, Direction::Forwards);
    kernel_.findEnd(end);
    if (end.score == 0) return {};
    const Codes aEnd = a.first(end.rowsToScore);
    ClustalBlock begin = blockOf(aEnd, {0, end.columnsToScore}, Direction::Backwards);
    begin.enough = end.score;
    kernel_.findBegin(begin);
    return {end.score, join(aEnd.last(begin.rowsToScore),
                            {end.columnsToScore - begin.columnsToScore, begin.columnsToScore}, 0, 0)};
}

std::int64_t ClustalAligner::alignPart(Codes a, const ClustalPart& part, const GapPenalties& gaps,
                                       const std::function<void()>& pause) {
    gaps_ = gaps;
    pause_ = &pause;
    return join(a.subspan(part.firstRow, part.rows), {part.firstColumn, part.columns}, part.openFirst,
                part.openLast);
}

/// See ClustalPair::join.
std::int64_t ClustalAligner::join(Codes a, Columns columns, std::int32_t openFirst, std::int32_t openLast) {
    // With fewer rows or columns, registers do not pay off.
    constexpr std::size_t kFewRows = 4, kFewColumns = 4;
    if (a.size() < kFewRows || columns.count < kFewColumns)
        return scalar_.join(a, b_.subspan(columns.first, columns.count), gaps_, openFirst, openLast);
    const std::size_t half = a.size() / 2;
    ClustalBlock forwards = blockOf(a.first(half), columns, Direction::Forwards);
    ClustalBlock backwards = blockOf(a.subspan(half), columns, Direction::Backwards);
    forwards.borderOpen = openFirst;
    backwards.borderOpen = openLast;
    kernel_.findBorder(forwards);
    kernel_.findBorder(backwards);
    const std::size_t length = columns.count + 1;
    const ClustalCut cut = findCut({forwards.best, length}, {forwards.gap, length}, {backwards.best, length},
                                   {backwards.gap, length}, gaps_.open);
    const std::size_t inGap = cut.isWithinGap ? 1 : 0;
    const std::int32_t openAtCut = cut.isWithinGap ? 0 : gaps_.open;
    return join(a.first(half - inGap), {columns.first, cut.column}, openFirst, openAtCut) +
           join(a.subspan(half + inGap), {columns.first + cut.column, columns.count - cut.column}, openAtCut,
                openLast);
}

}  // namespace glycine::pairwise::cpu
