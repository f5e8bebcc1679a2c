#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "engine/algorithms/align/cpu/consistency_run.hpp"
#include "engine/algorithms/align/gl/posterior_batch.hpp"
#include "engine/algorithms/align/reference/serial_posterior.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/variant_table.hpp"

namespace glycine::align::gl {

namespace {

const VariantTable<Variant>& posteriorVariants() {
    static const VariantTable<Variant> table(
        "gl", {"float32"},
        {{Variant::Blocked,
          "a tile of 6 x 4 cells a fragment, an anti-diagonal of tiles of a batch of pairs a pass, a power of "
          "two a tile; consistency on the host",
          "",
          {Dialect::Gl33, Dialect::Es300},
          true}});
    return table;
}

TileShape shapeFor(glycine::gl::GlBackend& backend) {
    return TileShape::forTargets(backend.gl().limits.targetsAtOnce());
}

class TilePosteriors final : public PosteriorRun {
  public:
    TilePosteriors(glycine::gl::GlBackend& backend, const Sequences& sequences)
        : backend_(backend),
          sequences_(sequences),
          planner_(backend.gl(), backend.textures().bytesFree(), shapeFor(backend)),
          models_{ModelTables(hiddenMarkovModel(sequences.alphabet), sequences.longest()),
                  ModelTables(partitionModel(sequences.alphabet), sequences.longest())} {}
    std::string_view variantName() const override { return toString(Variant::Blocked); }
    std::string note() const override {
        if (unsound_.empty()) return {};
        return fmt::format("{} in double precision on the host, whose sums float32 does not hold",
                           formatCount(unsound_.size(), "pair"));
    }
    PosteriorSet posteriors(Progress& progress) override {
        backend_.makeCurrent();
        backend_.budget().restart();
        unsound_.clear();
        const std::size_t n = sequences_.size();
        PosteriorSet result(n);
        progress.begin("posteriors", cellsOfPairs(sequences_));
        for (const pairs::PairTile& piece :
             pairs::cutTile({{0, n}, {0, n}}, planner_.side(sequences_.longest())))
            computePiece(piece, result, progress);
        backend_.canary().check("finding posteriors");
        computeOnHost(result, progress);
        return result;
    }
    PosteriorSet madeConsistent(const PosteriorSet& posteriors, const ConsistencyRound& round,
                                Progress& progress) override {
        return cpu::madeConsistent(posteriors, round, detectInstructionSet(), omp_get_max_threads(), progress);
    }

  private:
    double cellsOf(const SidePair& pair) const {
        return static_cast<double>(sequences_.codes[pair.rows].size()) *
               static_cast<double>(sequences_.codes[pair.columns].size());
    }

    void computePiece(const pairs::PairTile& piece, PosteriorSet& result, Progress& progress) {
        std::vector<SidePair> pairs;
        forPairsByLength(sequences_, piece, [&](const SidePair& pair) { pairs.push_back(pair); });
        if (pairs.empty()) return;
        std::vector<char> isThere(sequences_.size());
        for (const SidePair& pair : pairs) isThere[pair.rows] = isThere[pair.columns] = 1;
        std::vector<std::size_t> some;
        for (std::size_t k = 0; k < isThere.size(); ++k)
            if (isThere[k] != 0) some.push_back(k);
        const LetterTables letters(backend_, sequences_, some, planner_.shape(), models_);
        for (std::size_t begin = 0; begin < pairs.size();) {
            const auto [layout, count] = nextBatch(std::span(pairs).subspan(begin));
            computeBatch(letters, layout, std::span(pairs).subspan(begin, count), result, progress);
            begin += count;
        }
    }

    /// As many of the pairs as a batch takes, from the first one on.
    std::pair<PosteriorLayout, std::size_t> nextBatch(std::span<const SidePair> pairs) const {
        PosteriorLayout best;
        std::size_t rows = 0, columns = 0, count = 0;
        for (; count < std::min(pairs.size(), planner_.mostPlaces()); ++count) {
            const SidePair& pair = pairs[count];
            rows = std::max(rows, planner_.shape().rowTiles(sequences_.codes[pair.rows].size()));
            columns = std::max(columns, TileShape::columnTiles(sequences_.codes[pair.columns].size()));
            const auto layout = planner_.layout(rows, columns, count + 1, sequences_.longest());
            if (!layout || (!layout->keepsForward && count >= planner_.fewPlaces())) break;
            best = *layout;
        }
        if (count == 0) throw UnavailableError("the device has no room for the posteriors of a single pair");
        return {best, count};
    }

    void computeBatch(const LetterTables& letters, const PosteriorLayout& layout,
                      std::span<const SidePair> pairs, PosteriorSet& result, Progress& progress) {
        double cells = 0;
        for (const SidePair& pair : pairs) cells += cellsOf(pair);
        PosteriorBatch batch(backend_, sequences_, models_, letters, planner_.shape(), layout, pairs,
                             planner_.mostListed(), seconds_);
        batch.compute([&](double share) { progress.advance(share * cells); });
        parallelFor(omp_get_max_threads(), pairs.size(), [&](std::size_t k, std::size_t) {
            if (batch.isSound(k))
                result.setPair(pairs[k].rows, pairs[k].columns, batch.posterior(k),
                               sequences_.codes[pairs[k].columns].size());
        });
        for (std::size_t k = 0; k < pairs.size(); ++k)
            if (!batch.isSound(k)) unsound_.push_back(pairs[k]);
    }

    void computeOnHost(PosteriorSet& result, Progress& progress) {
        parallelFor(omp_get_max_threads(), unsound_.size(), [&](std::size_t k, std::size_t) {
            progress.throwIfCancelled();
            const std::vector<std::uint8_t>&rows = sequences_.codes[unsound_[k].rows],
                       &columns = sequences_.codes[unsound_[k].columns];
            result.setPair(unsound_[k].rows, unsound_[k].columns,
                           reference::mergedPosterior(hiddenMarkovModel(sequences_.alphabet),
                                                      partitionModel(sequences_.alphabet), rows, columns),
                           columns.size());
        });
    }

    glycine::gl::GlBackend& backend_;
    const Sequences& sequences_;
    PosteriorPlanner planner_;
    std::array<ModelTables, kModels> models_;
    std::vector<SidePair> unsound_;  ///< sums that float32 does not hold
    PosteriorSeconds seconds_;
};

class GlPosteriors final : public PosteriorEngine {
  public:
    explicit GlPosteriors(glycine::gl::GlBackend& backend) : backend_(backend) {}

    Support supports(const PosteriorRequest& request) const override {
        if (const Support known = posteriorVariants().supports(request.variant); !known) return known;
        if (backend_.dialect() == Dialect::Gl21)
            return Support::no("align needs integer textures, which OpenGL 2.1 lacks");
        if (!backend_.gl().features.multipleTargets)
            return Support::no("align needs four render targets at once, which this driver lacks");
        return PosteriorPlanner(backend_.gl(), backend_.textures().bytesFree(), shapeFor(backend_))
            .supports(request);
    }
    std::unique_ptr<PosteriorRun> start(const Sequences& sequences) override {
        backend_.makeCurrent();
        return std::make_unique<TilePosteriors>(backend_, sequences);
    }

  private:
    glycine::gl::GlBackend& backend_;
};

}  // namespace

PosteriorEngineEntry posteriorEngine() {
    return implementWith<PosteriorEngine, GlPosteriors, glycine::gl::GlBackend>(posteriorVariants());
}

}  // namespace glycine::align::gl
