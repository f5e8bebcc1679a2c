#include <fmt/format.h>

#include <algorithm>
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/gl/pairwise/clustal_wavefront.hpp"
#include "engine/gl/pairwise/tile_wavefront.hpp"
#include "engine/gl/pairwise/wavefront_run.hpp"

namespace glycine::pairwise::gl {

namespace {

using glycine::gl::TextureFormat;

/// `antidiagonal` and `packed`: a fragment computes one cell of one pair, or of four
/// (shaders/align/step_diagonal.frag).
class CellWavefront final : public WavefrontRun {
  public:
    static WavefrontShape shapeOf(const PairScoring& scoring, Variant variant, NumberForm form);

    CellWavefront(glycine::gl::GlBackend& backend, const Sequences& sequences, const PairScoring& scoring,
                  Variant variant, const WavefrontPlan& plan)
        : WavefrontRun(backend, sequences, scoring, variant, plan), isPacked_(variant == Variant::Packed) {}

  protected:
    WavefrontShape shape(NumberForm form) const override;
    void load(std::span<const std::size_t> sequences, std::vector<std::int32_t>& scores,
              const LaneNumbers& numbers, NumberForm form) override;
    void describe(const SidePair& pair, std::int32_t* first, std::int32_t* second) const override;
    void align(const PairBatch& batch, States& states, const LaneNumbers& numbers, NumberForm form,
               TileProgress& progress) override;
    std::pair<Slot, Slot> slotsOfResult(NumberForm form) const override;

  private:
    bool isPacked_;
    LetterTable letters_;
};

WavefrontShape CellWavefront::shapeOf(const PairScoring& scoring, Variant variant, NumberForm form) {
    WavefrontShape shape;
    shape.states = 3;
    shape.tables = {{.isOfRows = true, .texelsPerStep = 1, .format = TextureFormat::R32I}};
    if (variant == Variant::Packed) {
        shape.pairsPerTexel = 4;
        // The best score, both kinds of gaps and, for local alignments, the best of all cells.
        shape.layers = scoring.method == PairMethod::Local ? 4 : 3;
    } else {
        shape.layers = form == NumberForm::Separate ? 2 : 1;
    }
    return shape;
}

WavefrontShape CellWavefront::shape(NumberForm form) const {
    return shapeOf(scoring_, isPacked_ ? Variant::Packed : Variant::Antidiagonal, form);
}

void CellWavefront::load(std::span<const std::size_t> sequences, std::vector<std::int32_t>& scores,
                         const LaneNumbers&, NumberForm) {
    uploadScores(scores);
    letters_.fill(backend_, sequences_, sequences);
}

void CellWavefront::describe(const SidePair& pair, std::int32_t* first, std::int32_t*) const {
    first[0] = glycine::gl::toInt(letters_.begins[pair.rows]);
    first[1] = glycine::gl::toInt(letters_.begins[pair.columns]);
    first[2] = static_cast<std::int32_t>(letters(pair.rows));
    first[3] = static_cast<std::int32_t>(letters(pair.columns));
}

std::pair<CellWavefront::Slot, CellWavefront::Slot> CellWavefront::slotsOfResult(NumberForm form) const {
    const int place = isLocal() ? 3 : 0;
    // In `packed`, the component is that of the pair.
    if (isPacked_) return {{place, 0}, {place, 0}};
    return {{0, place}, {form == NumberForm::Separate ? 1 : 0, place}};
}

void CellWavefront::align(const PairBatch& batch, States& states, const LaneNumbers& numbers, NumberForm form,
                          TileProgress& progress) {
    glycine::gl::ShaderDefines defines;
    if (!isLegacy()) defines.push_back({"FIXED_POINT", ""});
    if (isPacked_) defines.push_back({"PACKED", ""});
    if (form == NumberForm::Separate) defines.push_back({"WIDE", ""});
    const std::size_t layers = shape(form).layers;
    if (layers > 1) defines.push_back({"OUTPUTS", std::to_string(layers)});
    if (isLocal()) defines.push_back({"LOCAL", ""});
    const auto rows = static_cast<int>(batch.rowSteps), columns = static_cast<int>(batch.columnSteps);
    const auto width = static_cast<int>(batch.places);
    const std::size_t pairsAtOnce = shape(form).pairsPerTexel;
    const double perDiagonal = batch.cells / (rows + columns + 1);
    for (int diagonal = 0; diagonal <= rows + columns; ++diagonal) {
        const auto state = [&](int before) -> glycine::gl::RenderTexture& {
            return states[static_cast<std::size_t>(diagonal + 3 - before) % 3];
        };
        const int first = std::max(0, diagonal - columns), last = std::min(diagonal, rows);
        glycine::gl::FragmentPass pass = backend_.pass("align/step_diagonal.frag", defines);
        pass.input("pairs", pairTexture())
            .input("letters", letters_.texture())
            .input("scores", scoreTexture())
            .input("last", state(1).texture())
            .input("beforeLast", state(2).texture())
            .output(state(0).framebuffer())
            .uniform("open", static_cast<int>(numbers.open()))
            .uniform("diagonal", diagonal);
        if (isLegacy())
            pass.uniform("rowTexels", static_cast<float>(1 << letters_.rowBits));
        else
            pass.uniform("rowBits", letters_.rowBits);
        if (isLocal()) pass.uniform("extend", static_cast<int>(numbers.extend()));
        draw(pass, {{0, first}, {width, last - first + 1}}, static_cast<double>(batch.places * pairsAtOnce));
        progress.advance(perDiagonal);
    }
}

const VariantTable<Variant>& variants() {
    static const std::vector<Dialect> modern{Dialect::Gl33, Dialect::Es300};
    static const VariantTable<Variant> table(
        "gl", {"integers"},
        {{Variant::Antidiagonal, "one cell a fragment, an anti-diagonal of a batch of pairs a pass",
          "after W. Liu, B. Schmidt, G. Voss & W. Müller-Wittig, GPU-ClustalW (2006)", allDialects()},
         {Variant::Packed, "the same for four pairs a fragment, through multiple render targets", "", modern},
         {Variant::Blocked,
          "a tile of 8 x 8 or 16 x 16 cells a fragment, an anti-diagonal of tiles of a batch of pairs a pass",
          "", modern, true}},
        {Variant::Antidiagonal});
    return table;
}

class GlEngine final : public PairwiseEngine {
  public:
    explicit GlEngine(glycine::gl::GlBackend& backend) : backend_(backend) {}

    Support supports(const PairwiseRequest& request) const override {
        if (const Support known = variants().supports(request.variant); !known) return known;
        const bool isClustal = request.scoring.method == PairMethod::ClustalW;
        if (isLegacy() && (isClustal || resolve(request.variant) != Variant::Antidiagonal))
            return Support::no(
                isClustal
                    ? "pairs as ClustalW aligns them run in tiles of whole numbers (blocked), which need "
                      "integer textures and bits of integers; OpenGL 2.1 lacks both"
                    : fmt::format("{} needs integer textures, which OpenGL 2.1 lacks; antidiagonal "
                                  "does not",
                                  toString(resolve(request.variant))));
        if (isClustal && variants().resolve(request.variant) != Variant::Blocked)
            return Support::misuse(fmt::format("'gl {}' does not align as ClustalW does; blocked does",
                                               toString(request.variant)));
        const glycine::gl::GlFeatures& features = backend_.gl().features;
        if (isLegacy() ? !features.redTargets : !features.integerTargets)
            return Support::no(
                isLegacy() ? "one-channel float textures (GL_ARB_texture_rg) are missing"
                           : "pairwise needs R32I and RGBA32I render targets, which this driver lacks");
        if (!isLegacy() && !features.multipleTargets)
            return Support::no("pairwise needs four render targets at once, which this driver lacks");
        if (const Support fit = scoresFit(request); !fit) return fit;
        if (isClustal) {
            if (const Support fits = planner(request).supports(request); !fits) return fits;
            // Measured on an H200: docs/results/align.md.
            return Support::slowly(
                "pairs as ClustalW aligns them took forty times as long on a GPU's fragments as on its host");
        }
        if (!LaneNumbers(request.scoring, request.longest, request.longest, false).fit<std::int32_t>())
            return Support::no(fmt::format(
                "scores of {} letters with these penalties need numbers of more than 32 bits on the "
                "way, and textures have no others; reference and cpu take them",
                formatCount(request.longest)));
        if (isLegacy() && !fitTogether(request))
            return Support::no(
                fmt::format("score and identities of {} letters may exceed 2^24, up to which the floats of "
                            "OpenGL 2.1 count; other dialects, reference and cpu take them",
                            formatCount(request.longest)));
        if (request.variant == Variant::Packed && !fitTogether(request))
            return Support::misuse(
                fmt::format("packed keeps score and identities in 32 bits, which those of {} letters may "
                            "exceed; blocked and antidiagonal take them",
                            formatCount(request.longest)));
        return planner(request).supports(request);
    }

    std::size_t preferredTile(const PairwiseRequest& request) const override {
        return evenTile(request.sequences, planner(request).plan(request).side);
    }

    std::unique_ptr<PairwiseRun> start(const Sequences& sequences, const PairwiseRequest& request) override {
        backend_.makeCurrent();
        if (const Support support = supports(request); !support) throw UnavailableError(support.reason());
        if (request.scoring.method == PairMethod::ClustalW)
            return std::make_unique<ClustalWavefront>(backend_, sequences, planner(request).plan(request),
                                                      targets());
        if (resolve(request.variant) == Variant::Blocked)
            return std::make_unique<TileWavefront>(backend_, sequences, request.scoring,
                                                   planner(request).plan(request),
                                                   TileWavefront::bestStyle(backend_.gl(), request.scoring));
        return std::make_unique<CellWavefront>(backend_, sequences, request.scoring, resolve(request.variant),
                                               planner(request).plan(request));
    }

  private:
    bool isLegacy() const { return backend_.dialect() == Dialect::Gl21; }
    Variant resolve(Variant variant) const {
        return variants().resolve(variant, [this](Variant) { return !isLegacy(); });
    }
    std::size_t targets() const { return static_cast<std::size_t>(backend_.gl().limits.targetsAtOnce()); }

    WavefrontPlanner planner(const PairwiseRequest& request) const {
        if (request.scoring.method == PairMethod::ClustalW)
            return {backend_.gl(), backend_.textures().bytesFree(), ClustalSweeps::shapesFor(targets())};
        const Variant variant = resolve(request.variant);
        const auto shapeOf = [&](NumberForm form) {
            return variant == Variant::Blocked
                       ? TileWavefront::shapeOf(TileWavefront::bestStyle(backend_.gl(), request.scoring),
                                                request.scoring, form)
                       : CellWavefront::shapeOf(request.scoring, variant, form);
        };
        std::vector<WavefrontShape> shapes{shapeOf(NumberForm::Together)};
        if (!fitTogether(request)) shapes.push_back(shapeOf(NumberForm::Separate));
        return {backend_.gl(), backend_.textures().bytesFree(), std::move(shapes)};
    }
    /// Whether score and identities of the longest sequences fit into one integer of the device.
    bool fitTogether(const PairwiseRequest& request) const {
        return LaneNumbers(request.scoring, request.longest, request.longest, true)
            .fitUpTo(static_cast<std::int64_t>(backend_.gl().limits.largestInteger));
    }

    glycine::gl::GlBackend& backend_;
};

}  // namespace

Implementation<PairwiseEngine> pairwiseEngine() {
    return implementWith<PairwiseEngine, GlEngine, glycine::gl::GlBackend>(variants());
}

}  // namespace glycine::pairwise::gl
