#include "engine/pairwise/reference/serial_pair.hpp"

#include <algorithm>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/pairwise/clustal_pair.hpp"
#include "engine/pairwise/pairwise_engine.hpp"

namespace glycine::pairwise::reference {

namespace {

/// Lower than any score of an alignment, with room for subtractions.
constexpr PairResult kNone{-(std::int64_t{1} << 60), 0};

PairResult minus(const PairResult& cell, std::int64_t penalty) {
    return {cell.score - penalty, cell.identities};
}

/// The cell extended by a pair of letters.
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

// ---- the engine

namespace {

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "reference", {"integers"},
        {{Variant::Serial,
          "one cell after another, score and identities side by side",
          "S. B. Needleman & C. D. Wunsch (1970), T. F. Smith & M. S. Waterman (1981), O. Gotoh (1982)",
          {},
          true}});
    return table;
}

class SerialRun final : public PairwiseRun {
  public:
    SerialRun(const Sequences& sequences, const PairScoring& scoring)
        : sequences_(sequences), scoring_(scoring) {}
    std::string_view variantName() const override { return toString(Variant::Serial); }
    pairs::PairTimes times() const override { return times_; }

    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override {
        const Stopwatch watch;
        TileProgress work(sequences_, tile, progress);
        // Reported in portions: a single row of a pair is too little.
        constexpr double kPortion = 1e6;
        double open = 0;
        const CellProgress advance = [&](double cells) {
            open += cells;
            if (open < kPortion) return;
            work.advance(open);
            open = 0;
        };
        for (std::size_t i = tile.rows.begin; i < tile.rows.end; ++i)
            for (std::size_t j = tile.columns.begin; j < (tile.isDiagonal() ? i : tile.columns.end); ++j) {
                const std::size_t row = i - tile.rows.begin, column = j - tile.columns.begin;
                putResult(results, row, column, align(j, i, advance));
            }
        work.advance(open);
        times_.compute += watch.seconds();
    }

  private:
    PairResult align(std::size_t first, std::size_t second, const CellProgress& advance) const {
        const Codes a = sequences_.codes[first], b = sequences_.codes[second];
        if (scoring_.method == PairMethod::ClustalW)
            return ClustalPair(clustalMatrix(sequences_.alphabet))
                .align(a, b, clustalPenalties(sequences_.alphabet, a.size(), b.size()), advance);
        switch (recurrenceOf(scoring_)) {
            case Recurrence::Linear:
                return alignGlobalLinear(a, b, scoring_, advance);
            case Recurrence::Affine:
                return alignGlobalAffine(a, b, scoring_, advance);
            case Recurrence::Local:
                break;
        }
        return alignLocal(a, b, scoring_, advance);
    }

    const Sequences& sequences_;
    PairScoring scoring_;
    pairs::PairTimes times_;
};

class ReferenceEngine final : public PairwiseEngine {
  public:
    Support supports(const PairwiseRequest& request) const override {
        if (const Support known = variants().supports(request.variant); !known) return known;
        return scoresFit(request);
    }
    std::size_t preferredTile(const PairwiseRequest&) const override { return 64; }
    std::unique_ptr<PairwiseRun> start(const Sequences& sequences, const PairwiseRequest& request) override {
        return std::make_unique<SerialRun>(sequences, request.scoring);
    }
};

}  // namespace

Implementation<PairwiseEngine> pairwiseEngine() {
    return implementWith<PairwiseEngine, ReferenceEngine, HostBackend>(variants());
}

}  // namespace glycine::pairwise::reference
