#include "engine/pairwise/reference/serial_pair.hpp"

#include <algorithm>
#include <vector>

namespace glycine::pairwise::reference {

namespace {

/// Below everything that an alignment can score, with room to subtract from it.
constexpr PairResult kNone{-(std::int64_t{1} << 60), 0};

PairResult minus(const PairResult& cell, std::int64_t penalty) {
    return {cell.score - penalty, cell.identities};
}

/// A pair of letters behind `cell`.
PairResult withPair(const PairResult& cell, std::uint8_t a, std::uint8_t b,
                    const SubstitutionMatrix& matrix) {
    return {cell.score + matrix.score(a, b), cell.identities + (a == b ? 1 : 0)};
}

}  // namespace

PairResult alignGlobalLinear(Codes a, Codes b, const PairScoring& scoring, const CellProgress& advance) {
    const std::int64_t gap = scoring.gaps.extend;
    std::vector<PairResult> above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 1; j <= b.size(); ++j) row[j] = minus(row[j - 1], gap);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(above, row);
        row[0] = minus(above[0], gap);
        for (std::size_t j = 1; j <= b.size(); ++j)
            row[j] = std::max({withPair(above[j - 1], a[i - 1], b[j - 1], scoring.matrix),
                               minus(above[j], gap), minus(row[j - 1], gap)});
        advance(static_cast<double>(b.size()));
    }
    return row.back();
}

PairResult alignGlobalAffine(Codes a, Codes b, const PairScoring& scoring, const CellProgress& advance) {
    const std::int64_t open = scoring.gaps.open, extend = scoring.gaps.extend;
    std::vector<PairResult> above(b.size() + 1), row(b.size() + 1), f(b.size() + 1, kNone);
    for (std::size_t j = 1; j <= b.size(); ++j) row[j] = {-open - static_cast<std::int64_t>(j) * extend, 0};
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(above, row);
        row[0] = {-open - static_cast<std::int64_t>(i) * extend, 0};
        PairResult e = kNone;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            e = minus(std::max(e, minus(row[j - 1], open)), extend);
            f[j] = minus(std::max(f[j], minus(above[j], open)), extend);
            row[j] = std::max({withPair(above[j - 1], a[i - 1], b[j - 1], scoring.matrix), e, f[j]});
        }
        advance(static_cast<double>(b.size()));
    }
    return row.back();
}

PairResult alignLocal(Codes a, Codes b, const PairScoring& scoring, const CellProgress& advance) {
    const std::int64_t open = scoring.gaps.open, extend = scoring.gaps.extend;
    constexpr PairResult kEmpty{0, 0};
    std::vector<PairResult> above(b.size() + 1), row(b.size() + 1), f(b.size() + 1, kNone);
    PairResult best = kEmpty;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(above, row);
        PairResult e = kNone;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            e = minus(std::max(e, minus(row[j - 1], open)), extend);
            f[j] = minus(std::max(f[j], minus(above[j], open)), extend);
            row[j] = std::max({withPair(above[j - 1], a[i - 1], b[j - 1], scoring.matrix), e, f[j], kEmpty});
            best = std::max(best, row[j]);
        }
        advance(static_cast<double>(b.size()));
    }
    return best;
}

}  // namespace glycine::pairwise::reference
