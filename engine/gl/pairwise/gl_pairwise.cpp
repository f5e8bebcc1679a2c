#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/gl/pairwise/cell_wavefront.hpp"
#include "engine/gl/pairwise/clustal_wavefront.hpp"
#include "engine/gl/pairwise/tile_wavefront.hpp"

namespace glycine::pairwise::gl {

namespace {

const VariantTable<Variant>& variants() {
    static const std::vector<Dialect> modern{Dialect::Gl33, Dialect::Es300};
    static const VariantTable<Variant> table(
        "gl", {"integers"},
        {{Variant::Antidiagonal, "one cell a fragment, an anti-diagonal of a batch of pairs a pass",
          "after W. Liu, B. Schmidt, G. Voss & W. Müller-Wittig, GPU-ClustalW (2006)", modern},
         {Variant::Packed, "the same for four pairs a fragment, through multiple render targets", "", modern},
         {Variant::Blocked,
          "a tile of 8 x 8 or 16 x 16 cells a fragment, an anti-diagonal of tiles of a batch of pairs a pass",
          "", modern, true}});
    return table;
}

class GlEngine final : public PairwiseEngine {
  public:
    explicit GlEngine(glycine::gl::GlBackend& backend) : backend_(backend) {}

    Support supports(const PairwiseRequest& request) const override {
        if (const Support known = variants().supports(request.variant); !known) return known;
        const bool isClustal = request.scoring.method == PairMethod::ClustalW;
        if (isClustal && resolve(request) != Variant::Blocked)
            return Support::misuse(fmt::format("'gl {}' does not align as ClustalW does; blocked does",
                                               toString(request.variant)));
        if (backend_.dialect() == Dialect::Gl21)
            return Support::no("pairwise needs integer textures, which OpenGL 2.1 lacks");
        if (!backend_.gl().features.integerTargets)
            return Support::no("pairwise needs R32I and RGBA32I render targets, which this driver lacks");
        if (!backend_.gl().features.multipleTargets)
            return Support::no("pairwise needs four render targets at once, which this driver lacks");
        if (const Support fit = scoresFit(request); !fit) return fit;
        if (isClustal) {
            if (const Support fits = planner(request).supports(request); !fits) return fits;
            // docs/results/align.md: on an H200.
            return Support::slowly(
                "pairs as ClustalW aligns them took forty times as long on a GPU's fragments as on its host");
        }
        if (!LaneNumbers(request.scoring, request.longest, request.longest, false).fit<std::int32_t>())
            return Support::no(fmt::format(
                "scores of {} letters with these penalties need numbers of more than 32 bits on the "
                "way, and textures have no others; reference and cpu take them",
                formatCount(request.longest)));
        if (request.variant == Variant::Packed && !fitTogether(request))
            return Support::misuse(
                fmt::format("packed keeps score and identities in 32 bits, which those of {} letters may "
                            "exceed; blocked and antidiagonal take them",
                            formatCount(request.longest)));
        return planner(request).supports(request);
    }

    std::size_t preferredTile(const PairwiseRequest& request) const override {
        const std::size_t side = planner(request).plan(request).side;
        if (request.sequences == 0) return side;
        const std::size_t tiles = (request.sequences + side - 1) / side;
        return (request.sequences + tiles - 1) / tiles;
    }

    std::unique_ptr<PairwiseRun> start(const Sequences& sequences, const PairwiseRequest& request) override {
        backend_.makeCurrent();
        if (const Support support = supports(request); !support) throw UnavailableError(support.reason());
        if (request.scoring.method == PairMethod::ClustalW)
            return std::make_unique<ClustalWavefront>(backend_, sequences, planner(request).plan(request),
                                                      targets());
        if (resolve(request) == Variant::Blocked)
            return std::make_unique<TileWavefront>(backend_, sequences, request.scoring,
                                                   planner(request).plan(request),
                                                   TileWavefront::bestStyle(backend_.gl(), request.scoring));
        return std::make_unique<CellWavefront>(backend_, sequences, request.scoring, resolve(request),
                                               planner(request).plan(request));
    }

  private:
    static Variant resolve(const PairwiseRequest& request) {
        return request.variant == Variant::Default ? Variant::Blocked : request.variant;
    }

    std::size_t targets() const { return static_cast<std::size_t>(backend_.gl().limits.targetsAtOnce()); }

    WavefrontPlanner planner(const PairwiseRequest& request) const {
        if (request.scoring.method == PairMethod::ClustalW)
            return {backend_.gl(), backend_.textures().bytesFree(), ClustalSweeps::shapesFor(targets())};
        const Variant variant = resolve(request);
        const auto shapeOf = [&](NumberForm form) {
            return variant == Variant::Blocked
                       ? TileWavefront::shapeOf(TileWavefront::bestStyle(backend_.gl(), request.scoring),
                                                request.scoring, form)
                       : CellWavefront::shapeOf(request.scoring, variant, form);
        };
        std::vector<WavefrontShape> shapes{shapeOf(NumberForm::Together)};
        if (!fitTogether(request)) shapes.push_back(shapeOf(NumberForm::Beside));
        return {backend_.gl(), backend_.textures().bytesFree(), std::move(shapes)};
    }
    /// Whether scores and identities of the longest sequences fit 32 bits together.
    static bool fitTogether(const PairwiseRequest& request) {
        return LaneNumbers(request.scoring, request.longest, request.longest, true).fit<std::int32_t>();
    }

    glycine::gl::GlBackend& backend_;
};

}  // namespace

PairwiseEngineEntry pairwiseEngine() {
    return implementWith<PairwiseEngine, GlEngine, glycine::gl::GlBackend>(variants());
}

}  // namespace glycine::pairwise::gl
