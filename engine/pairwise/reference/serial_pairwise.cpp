#include "engine/core/host_backends.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/pairwise/clustal_pair.hpp"
#include "engine/pairwise/clustal_scoring.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/pairwise/reference/serial_pair.hpp"

namespace glycine::pairwise::reference {

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
        // Told in portions: a row of a pair is too little.
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
                const PairResult found = align(j, i, advance);
                const std::size_t row = i - tile.rows.begin, column = j - tile.columns.begin;
                if (!results[0].empty()) results[0](row, column) = static_cast<std::int32_t>(found.score);
                if (!results[1].empty())
                    results[1](row, column) = static_cast<std::int32_t>(found.identities);
            }
        work.advance(open);
        times_.compute += watch.seconds();
    }

  private:
    PairResult align(std::size_t first, std::size_t second, const CellProgress& advance) const {
        const Codes a = sequences_.codes[first], b = sequences_.codes[second];
        switch (scoring_.method) {
            case PairMethod::ClustalW:
                return ClustalPair(clustalMatrix(sequences_.alphabet))
                    .align(a, b, clustalPenalties(sequences_.alphabet, a.size(), b.size()), advance);
            case PairMethod::Local:
                return alignLocal(a, b, scoring_, advance);
            case PairMethod::Global:
                break;
        }
        return scoring_.gaps.open == 0 ? alignGlobalLinear(a, b, scoring_, advance)
                                       : alignGlobalAffine(a, b, scoring_, advance);
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

PairwiseEngineEntry pairwiseEngine() {
    return implementWith<PairwiseEngine, ReferenceEngine, HostBackend>(variants());
}

}  // namespace glycine::pairwise::reference
