#include "engine/gl/alignment/tile_posteriors.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <stdexcept>

#include "engine/alignment/posterior/scaled_posterior.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/variant_table.hpp"

namespace glycine::align::gl {

TilePosteriors::TilePosteriors(glycine::gl::GlBackend& backend, const Sequences& sequences,
                               const PosteriorPlanner& planner, const ConsistencySettings& consistency)
    : PosteriorRun(sequences.size()),
      backend_(backend),
      sequences_(sequences),
      planner_(planner),
      consistency_(backend, consistency),
      models_{ModelTables(hiddenMarkovModel(sequences.alphabet), sequences.longest()),
              ModelTables(partitionModel(sequences.alphabet), sequences.longest())} {
    if (hiddenMarkovModel(sequences.alphabet).gapKinds > kModelKinds[0] ||
        partitionModel(sequences.alphabet).gapKinds > kModelKinds[1])
        throw std::logic_error("shaders have fewer kinds of gaps than the models");
}

std::string TilePosteriors::note() const {
    if (unsound_.empty()) return {};
    return fmt::format("{} in double precision on the host, whose sums float32 does not hold",
                       formatCount(unsound_.size(), "pair"));
}

void TilePosteriors::complete(PosteriorSet& posteriors, Progress& progress) {
    backend_.makeCurrent();
    backend_.budget().restart("align/sum_tiles.frag");
    unsound_.clear();
    recomputedBatches_ = 0;
    const std::size_t n = sequences_.size();
    progress.begin("posteriors", cellsOfPairs(sequences_, posteriors));
    for (const pairs::PairTile& piece : pairs::cutTile({{0, n}, {0, n}}, planner_.side(sequences_.longest())))
        computePiece(piece, posteriors, progress);
    backend_.canary().check("finding posteriors");
    computeOnHost(posteriors, progress);
}

PosteriorSet TilePosteriors::applyConsistency(const PosteriorSet& posteriors, const ConsistencyRound& round,
                                              Progress& progress) {
    if (std::optional<PosteriorSet> found = consistency_.apply(posteriors, round, progress))
        return std::move(*found);
    return align::applyConsistency(posteriors, round, detectInstructionSet(), omp_get_max_threads(),
                                   progress);
}

std::unique_ptr<GroupJoins> TilePosteriors::joins(const PosteriorSet& posteriors,
                                                  std::span<const double> weights) {
    return backend_.gl().features.integerTargets ? joinsByTiles(backend_, posteriors, weights)
                                                 : PosteriorRun::joins(posteriors, weights);
}

void TilePosteriors::computePiece(const pairs::PairTile& piece, PosteriorSet& result, Progress& progress) {
    using pairwise::gl::SidePair;
    std::vector<SidePair> pairs;
    pairwise::gl::forPairsByLength(sequences_, piece, [&](const SidePair& pair) {
        if (!result.has(pair.rows, pair.columns)) pairs.push_back(pair);
    });
    if (pairs.empty()) return;
    const std::vector<std::size_t> some = pairwise::gl::sequencesIn(
        sequences_.size(), std::span<const SidePair>(pairs), &SidePair::rows, &SidePair::columns);
    const LetterTables tables(backend_, sequences_, some, planner_.shape(), models_);
    for (std::size_t begin = 0; begin < pairs.size();) {
        const auto [layout, count] = nextBatch(std::span(pairs).subspan(begin));
        computeBatch(tables, layout, std::span(pairs).subspan(begin, count), result, progress);
        begin += count;
    }
}

/// Returns as many of the pairs as a batch takes, starting with the first.
std::pair<PosteriorLayout, std::size_t> TilePosteriors::nextBatch(
    std::span<const pairwise::gl::SidePair> pairs) const {
    PosteriorLayout best;
    std::size_t rows = 0, columns = 0, count = 0;
    for (; count < std::min(pairs.size(), planner_.mostPlaces()); ++count) {
        rows = std::max(rows, planner_.shape().rowTiles(letters(pairs[count].rows)));
        columns = std::max(columns, PosteriorTileShape::columnTiles(letters(pairs[count].columns)));
        const auto layout = planner_.layout(rows, columns, count + 1, sequences_.longest());
        if (!layout || ((!layout->keepsForward || layout->bytes > planner_.mostBytes()) &&
                        count >= planner_.fewPlaces()))
            break;
        best = *layout;
    }
    if (count == 0) throw UnavailableError("the device has no room for the posteriors of a single pair");
    return {best, count};
}

void TilePosteriors::computeBatch(const LetterTables& tables, const PosteriorLayout& layout,
                                  std::span<const pairwise::gl::SidePair> pairs, PosteriorSet& result,
                                  Progress& progress) {
    double cells = 0;
    for (const pairwise::gl::SidePair& pair : pairs)
        cells += static_cast<double>(letters(pair.rows)) * static_cast<double>(letters(pair.columns));
    PosteriorBatch batch(backend_, sequences_, models_, tables, planner_.shape(), layout, pairs,
                         planner_.mostListed());
    batch.compute([&](double share) { progress.advance(share * cells); });
    if (!layout.keepsForward) ++recomputedBatches_;
    parallelFor(omp_get_max_threads(), pairs.size(), [&](std::size_t k, std::size_t) {
        if (batch.isSound(k))
            result.setPair(pairs[k].rows, pairs[k].columns, batch.posterior(k), letters(pairs[k].columns));
    });
    for (std::size_t k = 0; k < pairs.size(); ++k)
        if (!batch.isSound(k)) unsound_.push_back(pairs[k]);
}

void TilePosteriors::computeOnHost(PosteriorSet& result, Progress& progress) {
    parallelFor(omp_get_max_threads(), unsound_.size(), [&](std::size_t k, std::size_t) {
        progress.throwIfCancelled();
        const pairwise::gl::SidePair& pair = unsound_[k];
        result.setPair(pair.rows, pair.columns, scaledPosterior(sequences_, pair.rows, pair.columns),
                       letters(pair.columns));
    });
}

// ---- the engine

namespace {

const VariantTable<pairwise::Variant>& posteriorVariants() {
    static const VariantTable<pairwise::Variant> table(
        "gl", {"float32"},
        {{pairwise::Variant::Blocked,
          "a tile of 6 x 4 cells a fragment, an anti-diagonal of tiles of a batch of pairs a pass, a power "
          "of two a tile; sums of joins on the host",
          "",
          {Dialect::Gl33, Dialect::Es300},
          true}});
    return table;
}

class GlPosteriors final : public PosteriorEngine {
  public:
    explicit GlPosteriors(glycine::gl::GlBackend& backend) : backend_(backend) {}

    Support supports(const PosteriorRequest& request) const override {
        if (const Support known = posteriorVariants().supports(request.variant); !known) return known;
        if (backend_.dialect() == Dialect::Gl21)
            // Measured: docs/variants.md.
            return Support::no(
                "OpenGL 2.1 lacks what posteriors need: bits of floating-point numbers, layers of array "
                "textures and integers; without them, a cell a fragment took seven times as long as tiles, "
                "measured on pairs; gl33 and es300 have them");
        if (!backend_.gl().features.multipleTargets)
            return Support::no("align needs four render targets at once, which this driver lacks");
        if (const Support fits = planner().supports(request); !fits) return fits;
        // Measured on an H200: docs/results/align.md.
        return Support::slowly("posteriors took seven times as long on a GPU's fragments as on its host");
    }
    std::unique_ptr<PosteriorRun> start(const Sequences& sequences) override {
        backend_.makeCurrent();
        return std::make_unique<TilePosteriors>(backend_, sequences, planner());
    }

  private:
    PosteriorPlanner planner() const {
        return {backend_.gl(), backend_.textures().bytesFree(), PosteriorTileShape::bestFor(backend_.gl())};
    }

    glycine::gl::GlBackend& backend_;
};

}  // namespace

Implementation<PosteriorEngine> posteriorEngine() {
    return implementWith<PosteriorEngine, GlPosteriors, glycine::gl::GlBackend>(posteriorVariants());
}

}  // namespace glycine::align::gl
