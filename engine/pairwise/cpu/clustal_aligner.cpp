#include "engine/pairwise/cpu/clustal_aligner.hpp"

#include <algorithm>

#include "engine/core/tiling.hpp"

namespace glycine::pairwise::cpu {

void ClustalAligner::prepare(Codes b) {
    b_ = b;
    // Behind the last letter a register of what nothing is.
    stride_ = roundUp(b.size(), kMostClustalLanes) + kMostClustalLanes;
    const std::size_t needed = matrix_.size * stride_;
    for (Matrix<std::int32_t>* profile : {&forwards_, &backwards_})
        if (profile->size() < needed) *profile = Matrix<std::int32_t>(1, needed);
    // Best scores and gaps of both directions, each from one before a boundary on: column 1 lies there. And
    // the row with the highest score.
    if (borders_.size() < 5 * (stride_ + kMostClustalLanes))
        borders_ = Matrix<std::int32_t>(1, 5 * (stride_ + kMostClustalLanes));
    for (std::size_t letter = 0; letter < matrix_.size; ++letter) {
        const auto& scores = matrix_.scores[letter];
        std::int32_t* const forwards = forwards_.data() + letter * stride_;
        std::int32_t* const backwards = backwards_.data() + letter * stride_;
        for (std::size_t j = 0; j < b.size(); ++j) forwards[j] = backwards[b.size() - 1 - j] = scores[b[j]];
        std::fill(forwards + b.size(), forwards + stride_, kNever);
        std::fill(backwards + b.size(), backwards + stride_, kNever);
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
    const std::size_t length = stride_ + kMostClustalLanes;
    block.best = borders_.data() + (isForwards ? 0 : 2) * length + kMostClustalLanes - 1;
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

/// As ClustalPair::join.
std::int64_t ClustalAligner::join(Codes a, Columns columns, std::int32_t openFirst, std::int32_t openLast) {
    // Cells below which registers do not pay.
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
