#include "engine/gl/mutualinfo/stacked_run.hpp"

#include <omp.h>

#include <algorithm>

#include "engine/core/parallel.hpp"
#include "engine/gl/pairs/pair_regions.hpp"

namespace glycine::mutualinfo::gl {

using glycine::gl::TextureFormat;

using glycine::gl::toInt;

namespace {

/// Entries per side of the tables of a piece, beyond which nothing is gained.
constexpr std::size_t kMaxEntries = 2048;
constexpr pairs::gl::PairTexels kOnePair{1, 1};

/// Includes the memory besides tables and panels: two textures of sums, which are smaller than the tables,
/// and the places of samples, one number (on gl21 two) per two or more of a panel.
pairs::gl::PanelLayout panelsOf(const pairs::gl::FloatLayout& layout, const SplineOptions& splines) {
    pairs::gl::PanelLayout panels = layout.panels();
    // A piece must hold at least one gene.
    panels.leastSide = roundUp(splines.bins, 8);
    panels.targets = 4;
    panels.bytesPerTexel += panels.bytesPerTexel / 2;
    return panels;
}

}  // namespace

pairs::gl::FloatLayout StackedRun::layout(const glycine::gl::GlCapabilities& capabilities, Variant variant) {
    if (variant == Variant::Scalar) return {true, 1, 1};
    return pairs::gl::packedLayout(capabilities);
}

std::optional<pairs::gl::PanelPlan> StackedRun::plan(const pairs::gl::FloatLayout& layout,
                                                     const glycine::gl::GlLimits& limits,
                                                     std::size_t freeBytes,
                                                     const InformationRequest& request) {
    pairs::gl::PanelLayout panels = panelsOf(layout, request.splines);
    // The places of samples lie side by side, one per texel.
    panels.mostAttributes = static_cast<std::size_t>(limits.maxTextureSize) / 4 * 4;
    return pairs::gl::planPanels(panels, limits, freeBytes, kMaxEntries, request.genes * request.splines.bins,
                                 request.samples);
}

std::size_t StackedRun::leastBytes(const pairs::gl::FloatLayout& layout, const SplineOptions& splines) {
    return pairs::gl::bytesForSmallestPieces(panelsOf(layout, splines));
}

StackedRun::StackedRun(glycine::gl::GlBackend& backend, ExpressionView expression,
                       const SplineOptions& splines, const pairs::gl::PanelPlan& plan,
                       const pairs::gl::FloatLayout& layout)
    : backend_(backend),
      samples_(expression, splines),
      isScalar_(layout.isScalar),
      bins_(splines.bins),
      side_(plan.side / splines.bins),
      passes_(backend, layout, plan, "mutualinfo/add_products.frag", {},
              [this](const Range& stacked, const Range& samples, glycine::gl::Texture& target) {
                  drawWeights(stacked, samples, target);
              }),
      isLegacy_(backend.dialect() == Dialect::Gl21),
      places_(backend.textures(), {isLegacy_ ? TextureFormat::R32F : TextureFormat::R32I,
                                   {plan.attributes, side_ * (isLegacy_ ? 2 : 1)}}),
      rowSums_(backend.textures(), {TextureFormat::RGBA32F, {side_, side_ * bins_}}),
      columnSums_(backend.textures(), {TextureFormat::RGBA32F, {side_ * bins_, side_}}),
      values_(backend.textures(), kOnePair.shape(TextureFormat::R32F, side_)),
      clock_(backend) {}

std::string_view StackedRun::variantName() const {
    return toString(isScalar_ ? Variant::Scalar : Variant::Packed);
}

pairs::PairTimes StackedRun::times() const {
    pairs::PairTimes all = times_;
    return all += passes_.times();
}

void StackedRun::drawWeights(Range stacked, Range samples, glycine::gl::Texture& target) {
    clock_.restart();
    const Range genes{stacked.begin / bins_, stacked.end / bins_};
    const auto width = static_cast<std::size_t>(places_->shape().size.x);
    const auto upload = [&](auto missing, std::size_t rowsPerGene, const auto& copy) {
        Matrix<decltype(missing)> places(rowsPerGene * genes.size(), width, missing);
        parallelFor(omp_get_max_threads(), genes.size(), [&](std::size_t g, std::size_t) {
            const std::vector<std::int32_t> codes = samples_.find(genes.begin + g);
            copy(std::span(codes).subspan(samples.begin, samples.size()), places.row(rowsPerGene * g));
        });
        clock_.finishStage(times_.pack);
        places_->upload(places.data(), {{0, 0}, {width, places.rows()}}, toInt(width));
    };
    if (isLegacy_)
        upload(-1.0F, 2, [&](std::span<const std::int32_t> codes, float* intervals) {
            for (std::size_t s = 0; s < codes.size(); ++s) {
                if (codes[s] < 0) continue;
                intervals[s] = static_cast<float>(SamplePlaces::intervalOf(codes[s]));
                intervals[width + s] = static_cast<float>(SamplePlaces::placeOf(codes[s]));
            }
        });
    else
        upload(SamplePlaces::kMissing, 1, [](std::span<const std::int32_t> codes, std::int32_t* places) {
            std::copy(codes.begin(), codes.end(), places);
        });
    glycine::gl::ShaderDefines defines{{"SPLINE_ORDER", std::to_string(samples_.basis().order())}};
    if (isScalar_) defines.push_back({"SCALAR", ""});
    const glycine::gl::Framebuffer framebuffer(target);
    glycine::gl::FragmentPass pass = backend_.pass("mutualinfo/stack_weights.frag", defines);
    samples_.describe(pass);
    pass.input("places", *places_)
        .output(framebuffer)
        .uniform("bins", toInt(bins_))
        .uniform("samples", toInt(samples.size()))
        .draw();
    clock_.finishStage(times_.upload);
}

void StackedRun::reduce(const pairs::PairTile& piece, const glycine::gl::Texture& tables) {
    const int rows = toInt(piece.rows.size());
    const int columns = toInt(piece.columns.size());
    const auto scale = static_cast<float>(1 / static_cast<double>(samples_.samples()));
    for (const bool alongRows : {true, false}) {
        glycine::gl::ShaderDefines defines{{"LAYERS", std::to_string(passes_.texels().rowsPerTexel)}};
        if (isScalar_) defines.push_back({"SCALAR", ""});
        if (alongRows) defines.push_back({"ALONG_ROWS", ""});
        backend_.pass("mutualinfo/sum_tables.frag", defines)
            .input("joint", tables)
            .output((alongRows ? rowSums_ : columnSums_).framebuffer())
            .uniform("bins", toInt(bins_))
            .uniform("scale", scale)
            .draw(alongRows ? glycine::gl::Rectangle{{0, 0}, {columns, rows * toInt(bins_)}}
                            : glycine::gl::Rectangle{{0, 0}, {columns * toInt(bins_), rows}});
    }
    backend_.pass("mutualinfo/finish_tables.frag")
        .input("rowSums", rowSums_.texture())
        .input("columnSums", columnSums_.texture())
        .output(values_.framebuffer())
        .uniform("bins", toInt(bins_))
        .draw({{0, 0}, {columns, rows}});
}

void StackedRun::compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                         Progress& progress) {
    passes_.begin();
    for (const pairs::PairTile& piece : pairs::cutTile(tile, side_)) {
        if (piece.pairs() == 0) continue;
        const pairs::PairTile stacked{{piece.rows.begin * bins_, piece.rows.end * bins_},
                                      {piece.columns.begin * bins_, piece.columns.end * bins_}};
        const double work = static_cast<double>(piece.pairs()) * static_cast<double>(samples_.samples());
        const glycine::gl::Texture& tables = passes_.sum(stacked, {0, samples_.samples()}, work, progress);
        clock_.restart();
        reduce(piece, tables);
        clock_.finishStage(times_.compute);
        readInformation(values_, piece, kOnePair, samples_, pairs::partOf(results.front(), tile, piece));
        clock_.finishStage(times_.download);
    }
    passes_.end();
}

}  // namespace glycine::mutualinfo::gl
