#include "engine/algorithms/align/cpu/clustal_batch.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace glycine::align::cpu {

namespace {

/// The lane reads both sequences forwards, or backwards from their ends.
ClustalLane laneOf(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, bool isBackwards) {
    ClustalLane lane;
    lane.rowCount = a.size();
    lane.columnCount = b.size();
    lane.step = isBackwards ? -1 : 1;
    lane.rows = isBackwards ? a.data() + a.size() - 1 : a.data();
    lane.columns = isBackwards ? b.data() + b.size() - 1 : b.data();
    return lane;
}

}  // namespace

ClustalBatch::ClustalBatch(const ClustalKernel& kernel, const SubstitutionMatrix& matrix)
    : kernel_(kernel), scalar_(matrix), table_(kClustalTableSide, kClustalTableSide) {
    // Far enough below everything, and far enough above the end of 32 bits.
    constexpr std::int32_t kNever = -(std::int32_t{1} << 29);
    for (std::size_t a = 0; a < kClustalTableSide; ++a)
        for (std::size_t b = 0; b < kClustalTableSide; ++b)
            table_(a, b) = a < matrix.size && b < matrix.size ? matrix.scores[a][b] : kNever;
}

void ClustalBatch::run(void (*pass)(const ClustalStrip& strip), Lanes& lanes) {
    std::size_t columns = 0;
    for (const ClustalLane& lane : lanes) columns = std::max(columns, lane.columnCount);
    const std::size_t needed = 3 * kernel_.lanes * (columns + 1);
    if (scratch_.size() < needed) scratch_ = Matrix<std::int32_t>(1, needed);
    pass({.lanes = lanes.data(),
          .table = table_.data(),
          .extend = lanes.front().gapExtend,
          .scratch = scratch_.data(),
          .pause = [](void* pause) { (*static_cast<const std::function<void()>*>(pause))(); },
          .context = const_cast<std::function<void()>*>(pause_)});
}

void ClustalBatch::findParts(std::span<Pair> pairs) {
    Lanes lanes{};
    const auto prepare = [&](std::size_t k, Codes a, Codes b, bool isBackwards) {
        lanes[k] = laneOf(a, b, isBackwards);
        lanes[k].gapOpen = pairs[k].gaps.open;
        lanes[k].gapExtend = pairs[k].gaps.extend;
    };
    for (std::size_t k = 0; k < pairs.size(); ++k) prepare(k, pairs[k].a, pairs[k].b, false);
    run(kernel_.findEnd, lanes);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        Pair& pair = pairs[k];
        pair.result = {lanes[k].score, 0};
        pair.a = pair.a.first(lanes[k].rowsToScore);
        pair.b = pair.b.first(lanes[k].columnsToScore);
        // Where nothing scores above 0, there are no letters, and nothing to read.
        prepare(k, pair.a, pair.b, true);
    }
    run(kernel_.findBegin, lanes);
    for (std::size_t k = 0; k < pairs.size(); ++k)
        if (pairs[k].result.score > 0)
            parts_.push_back({&pairs[k], pairs[k].a.last(lanes[k].rowsToScore),
                              pairs[k].b.last(lanes[k].columnsToScore), 0, 0});
}

void ClustalBatch::cut(std::span<const Part> parts) {
    std::size_t numbers = 0;
    for (const Part& part : parts) numbers += 4 * (part.b.size() + 1);
    if (borders_.size() < numbers) borders_.resize(numbers);
    Lanes forwards{}, backwards{};
    std::int32_t* next = borders_.data();
    const auto prepare = [&next](ClustalLane& lane, const Part& part, std::int32_t borderOpen) {
        lane.gapOpen = part.pair->gaps.open;
        lane.gapExtend = part.pair->gaps.extend;
        lane.borderOpen = borderOpen;
        lane.best = std::exchange(next, next + part.b.size() + 1);
        lane.gap = std::exchange(next, next + part.b.size() + 1);
    };
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const Part& part = parts[k];
        const std::size_t half = part.a.size() / 2;
        forwards[k] = laneOf(part.a.first(half), part.b, false);
        backwards[k] = laneOf(part.a.subspan(half), part.b, true);
        prepare(forwards[k], part, part.openFirst);
        prepare(backwards[k], part, part.openLast);
    }
    run(kernel_.findBorder, forwards);
    run(kernel_.findBorder, backwards);
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const Part& part = parts[k];
        const std::size_t half = part.a.size() / 2, columns = part.b.size() + 1;
        const ClustalCut cut =
            findCut({forwards[k].best, columns}, {forwards[k].gap, columns}, {backwards[k].best, columns},
                    {backwards[k].gap, columns}, part.pair->gaps.open);
        const std::size_t inGap = cut.isWithinGap ? 1 : 0;
        const std::int32_t openAtCut = cut.isWithinGap ? 0 : part.pair->gaps.open;
        next_.push_back(
            {part.pair, part.a.first(half - inGap), part.b.first(cut.column), part.openFirst, openAtCut});
        next_.push_back(
            {part.pair, part.a.subspan(half + inGap), part.b.subspan(cut.column), openAtCut, part.openLast});
    }
}

void ClustalBatch::finish(const Part& part) {
    part.pair->result.identities +=
        scalar_.join(part.a, part.b, part.pair->gaps, part.openFirst, part.openLast);
}

void ClustalBatch::align(std::span<Pair> pairs, const std::function<void()>& pause) {
    // Rows of a part below which lanes do not pay.
    constexpr std::size_t kFewRows = 4;
    pause_ = &pause;
    parts_.clear();
    for (std::size_t begin = 0; begin < pairs.size(); begin += kernel_.lanes)
        findParts(pairs.subspan(begin, std::min(kernel_.lanes, pairs.size() - begin)));
    while (!parts_.empty()) {
        std::erase_if(parts_, [this](const Part& part) {
            if (part.a.size() >= kFewRows && !part.b.empty()) return false;
            finish(part);
            return true;
        });
        std::sort(parts_.begin(), parts_.end(), [](const Part& x, const Part& y) {
            return std::tuple(x.a.size(), x.b.size()) < std::tuple(y.a.size(), y.b.size());
        });
        next_.clear();
        for (std::size_t begin = 0; begin < parts_.size(); begin += kernel_.lanes)
            cut(std::span(parts_).subspan(begin, std::min(kernel_.lanes, parts_.size() - begin)));
        std::swap(parts_, next_);
    }
}

}  // namespace glycine::align::cpu
