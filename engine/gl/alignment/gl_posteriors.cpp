#include "engine/core/variant_table.hpp"
#include "engine/gl/alignment/tile_posteriors.hpp"

namespace glycine::align::gl {

namespace {

const VariantTable<pairwise::Variant>& posteriorVariants() {
    static const VariantTable<pairwise::Variant> table(
        "gl", {"float32"},
        {{pairwise::Variant::Blocked,
          "a tile of 6 x 4 cells a fragment, an anti-diagonal of tiles "
          "of a batch of pairs a pass, a power of "
          "two a tile; consistency and sums of joins on the "
          "host",
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
            return Support::no("align needs integer textures, which OpenGL 2.1 lacks");
        if (!backend_.gl().features.multipleTargets)
            return Support::no("align needs four render targets at once, which this driver lacks");
        if (const Support fits = planner().supports(request); !fits) return fits;
        // docs/results/align.md: on an H200.
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

PosteriorEngineEntry posteriorEngine() {
    return implementWith<PosteriorEngine, GlPosteriors, glycine::gl::GlBackend>(posteriorVariants());
}

}  // namespace glycine::align::gl
