#include "engine/gl/mutualinfo/blocked_run.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "engine/core/parallel.hpp"
#include "engine/gl/pairs/pair_regions.hpp"

namespace glycine::mutualinfo::gl {

using glycine::gl::TextureFormat;

using glycine::gl::toInt;

namespace {

/// Side of tiles beyond which nothing is gained.
constexpr std::size_t kLargestSide = 1024;
/// Rows of texels per row gene, as in shaders/mutualinfo/blocked_information.frag.
constexpr std::size_t kTexelRows = 4;
/// Most bins of column genes that the shader is written for.
constexpr std::size_t kMaxColumns = 12;
/// Column genes per fragment.
constexpr std::size_t kGenes = 4;
/// More than kMaxFloat32Products products are summed in runs of this length. The sum of the runs then has
/// about as many terms as each run.
constexpr std::size_t kShortRun = 128;

/// Texels per list entry: the sample, and three or seven weights.
std::size_t texelsPerEntry(const SplineOptions& splines) {
    return splines.order <= 4 ? 1 : 2;
}

/// Samples, plus the numbers that follow them in a list.
std::size_t entriesOfList(std::size_t samples, const SplineOptions& splines) {
    const std::size_t texels = texelsPerEntry(splines);
    return samples + roundUp(splines.bins, texels) / texels;
}

/// Bins of the column genes per pass: equal parts that fit a fragment's table.
std::size_t columnsOf(const BlockedRun::Style& style, const SplineOptions& splines) {
    const std::size_t most = std::clamp<std::size_t>(style.mostEntries / (splines.order + 1), 1, kMaxColumns);
    const std::size_t passes = roundUp(splines.bins, most) / most;
    return (splines.bins + passes - 1) / passes;
}

pairs::gl::PanelLayout panelsOf(const BlockedRun::Style& style, const InformationRequest& request) {
    const SplineOptions& splines = request.splines;
    const bool hasEarlierSums = columnsOf(style, splines) < splines.bins;
    pairs::gl::PanelLayout panels;
    panels.texelsPerUnit = texelsPerEntry(splines);
    // Include the numbers from which a list is made, two per sample.
    panels.bytesPerTexel = 16 + 4;
    panels.columnsPerTexel = kGenes;
    panels.targets = hasEarlierSums ? 3 : 1;
    panels.leastAttributes = entriesOfList(request.samples, splines);
    return panels;
}

}  // namespace

BlockedRun::Style BlockedRun::bestStyle(const glycine::gl::GlCapabilities& capabilities) {
    // On graphics processors, two genes need fewer registers, so more fragments hide the latency of lookups.
    // A processor needs no other fragments, so it takes four genes and looks up half as often.
    return {.normalised = capabilities.bugs.slowTexelFetch, .genes = capabilities.isSoftware ? 4U : 2U};
}

std::size_t BlockedRun::texelsOfGene(const InformationRequest& request) {
    return entriesOfList(request.samples, request.splines) * texelsPerEntry(request.splines);
}

std::size_t BlockedRun::rounds(const InformationRequest& request) {
    return request.samples + request.samples / kShortRun + 2 * request.splines.bins;
}

std::optional<pairs::gl::PanelPlan> BlockedRun::plan(const Style& style, const glycine::gl::GlLimits& limits,
                                                     std::size_t freeBytes,
                                                     const InformationRequest& request) {
    // A row gene is four rows of texels.
    const std::size_t side =
        std::min(kLargestSide, static_cast<std::size_t>(limits.maxTextureSize) / kTexelRows);
    return pairs::gl::planPanels(panelsOf(style, request), limits, freeBytes, side, request.genes,
                                 entriesOfList(request.samples, request.splines));
}

std::size_t BlockedRun::leastBytes(const Style& style, const InformationRequest& request) {
    return pairs::gl::bytesForSmallestPieces(panelsOf(style, request));
}

BlockedRun::BlockedRun(glycine::gl::GlBackend& backend, ExpressionView expression,
                       const SplineOptions& splines, const pairs::gl::PanelPlan& plan, const Style& style)
    : backend_(backend),
      samples_(expression, splines),
      plan_(plan),
      style_(style),
      columns_(columnsOf(style, splines)),
      texels_{1, kGenes, kTexelRows},
      values_(backend.textures(), texels_.shape(TextureFormat::RGBA32F, plan.side)),
      panels_(backend.textures()),
      places_(backend.textures(),
              {TextureFormat::R32I, {std::max<std::size_t>(1, expression.columns()), plan.side}}),
      order_(backend.textures(), places_->shape()),
      ends_(backend.textures(), {TextureFormat::R32I, {splines.bins, plan.side}}),
      clock_(backend) {
    if (columns_ < splines.bins) earlier_.emplace(backend.textures(), values_.shape());
}

void BlockedRun::fillList(Range genes, glycine::gl::Texture& target) {
    clock_.restart();
    const SplineBasis& basis = samples_.basis();
    const std::size_t samples = samples_.samples();
    Matrix<std::int32_t> places(genes.size(), samples, SamplePlaces::kMissing);
    Matrix<std::int32_t> order(genes.size(), samples, 0);
    Matrix<std::int32_t> ends(genes.size(), basis.bins(), 0);
    parallelFor(omp_get_max_threads(), genes.size(), [&](std::size_t g, std::size_t) {
        const std::vector<std::int32_t> codes = samples_.find(genes.begin + g);
        std::int32_t* const next = ends.row(g);
        for (const std::int32_t code : codes)
            if (code >= 0) ++next[SamplePlaces::intervalOf(code)];
        std::int32_t listed = 0;
        for (std::size_t b = 0; b < basis.bins(); ++b) listed += std::exchange(next[b], listed);
        for (std::size_t s = 0; s < samples; ++s) {
            if (codes[s] < 0) continue;
            const auto entry = static_cast<std::size_t>(next[SamplePlaces::intervalOf(codes[s])]++);
            places(g, entry) = codes[s];
            order(g, entry) = static_cast<std::int32_t>(s);
        }
    });
    clock_.finishStage(times_.pack);
    const auto upload = [&](glycine::gl::PooledTexture& texture, const Matrix<std::int32_t>& numbers) {
        const int width = toInt(numbers.columns());
        texture->upload(numbers.data(), {{0, 0}, {width, numbers.rows()}}, width);
    };
    upload(places_, places);
    upload(order_, order);
    upload(ends_, ends);
    const glycine::gl::Framebuffer framebuffer(target);
    glycine::gl::FragmentPass pass = backend_.pass(
        "mutualinfo/list_weights.frag", {{"SPLINE_ORDER", std::to_string(basis.order())},
                                         {"TEXELS", std::to_string(texelsPerEntry(samples_.splines()))}});
    samples_.describe(pass);
    // With order 1, the single weight is always 1.
    if (basis.order() > 1) pass.input("places", *places_);
    pass.input("order", *order_)
        .input("ends", *ends_)
        .output(framebuffer)
        .uniform("entries", toInt(samples))
        .draw({{0, 0}, {genes.size(), target.shape().size.y}});
    clock_.finishStage(times_.upload);
}

const glycine::gl::Texture& BlockedRun::list(Range genes) {
    const std::size_t entries = entriesOfList(samples_.samples(), samples_.splines());
    return panels_.get(genes, {0, entries},
                       {TextureFormat::RGBA32F, {genes.size(), entries * texelsPerEntry(samples_.splines())}},
                       [&](glycine::gl::Texture& target) { fillList(genes, target); });
}

void BlockedRun::fillPanel(Range genes, glycine::gl::Texture& target) {
    clock_.restart();
    const std::size_t samples = samples_.samples();
    const auto width = static_cast<std::size_t>(target.shape().size.x) * kGenes;
    Matrix<std::int32_t> places(samples, width, SamplePlaces::kMissing);
    parallelFor(omp_get_max_threads(), genes.size(), [&](std::size_t g, std::size_t) {
        const std::vector<std::int32_t> codes = samples_.find(genes.begin + g);
        for (std::size_t s = 0; s < samples; ++s) places(s, g) = codes[s];
    });
    clock_.finishStage(times_.pack);
    target.upload(places.data());
    clock_.finishStage(times_.upload);
}

const glycine::gl::Texture& BlockedRun::panel(Range genes) {
    // Fragments process whole texels of the target.
    const std::size_t width = roundUp(genes.size(), kTexelRows * kGenes) / kGenes;
    return panels_.get(genes, {0, samples_.samples()}, {TextureFormat::RGBA32I, {width, samples_.samples()}},
                       [&](glycine::gl::Texture& target) { fillPanel(genes, target); });
}

void BlockedRun::draw(const pairs::PairTile& piece, Progress& progress) {
    const glycine::gl::Texture& rows = list(piece.rows);
    const glycine::gl::Texture& columns = panel(piece.columns);
    const std::size_t samples = samples_.samples();
    const std::size_t bins = samples_.basis().bins();
    const std::size_t texels = texelsPerEntry(samples_.splines());
    const bool isWhole = columns_ == bins;
    const bool hasRuns = samples > kMaxFloat32Products;
    // With the sums of runs besides, two genes leave no more room for fragments than four, and look up twice.
    const std::size_t genesAtOnce = hasRuns ? kGenes : style_.genes;
    glycine::gl::ShaderDefines defines{{"SPLINE_ORDER", std::to_string(samples_.basis().order())},
                                       {"COLUMNS", std::to_string(columns_)},
                                       {"TEXELS", std::to_string(texels)},
                                       {"GENES", std::to_string(genesAtOnce)}};
    if (isWhole) defines.push_back({"WHOLE", ""});
    if (hasRuns) defines.push_back({"RUNS", ""});
    if (style_.normalised) defines.push_back({"NORMALISED", ""});
    const std::vector<Range> parts = splitRange(bins, columns_);
    // The sums of earlier parts and of this part alternate textures; the last part writes the values.
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const bool isLast = part + 1 == parts.size();
        if (part > 0)
            earlier_->swap();
        else if (earlier_)
            earlier_->source().framebuffer().clear();
        glycine::gl::FragmentPass pass = backend_.pass("mutualinfo/blocked_information.frag", defines);
        samples_.describe(pass);
        pass.input("rowList", rows)
            .input("columnPlaces", columns)
            .output((isLast ? values_ : earlier_->target()).framebuffer())
            .uniform("entries", toInt(samples))
            .uniform("bins", toInt(bins))
            .uniform("scale", static_cast<float>(1 / static_cast<double>(samples)));
        if (style_.normalised)
            pass.uniform("rowTexel", glycine::gl::texelSize(rows))
                .uniform("columnTexel", glycine::gl::texelSize(columns));
        if (!isWhole)
            pass.input("sums", earlier_->source().texture())
                .uniform("firstColumn", static_cast<float>(parts[part].begin))
                .uniform("isLast", isLast ? 1 : 0);
        const double work = static_cast<double>(piece.pairs()) * static_cast<double>(samples);
        pairs::gl::drawPairs(backend_.budget(), piece, texels_, static_cast<double>(samples),
                             work / static_cast<double>(parts.size()), progress,
                             [&](const glycine::gl::Rectangle& rect) { pass.draw(rect); });
    }
    clock_.finishStage(times_.compute);
}

void BlockedRun::compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                         Progress& progress) {
    backend_.makeCurrent();
    backend_.budget().restart(glycine::gl::nameOf(
        "mutualinfo/blocked_information.frag",
        {{"SPLINE_ORDER", std::to_string(samples_.basis().order())}, {"COLUMNS", std::to_string(columns_)}}));
    for (const pairs::PairTile& piece : pairs::cutTile(tile, plan_.side)) {
        if (piece.pairs() == 0) continue;
        clock_.restart();
        draw(piece, progress);
        readInformation(values_, piece, texels_, samples_, pairs::partOf(results.front(), tile, piece));
        clock_.finishStage(times_.download);
    }
    backend_.canary().check("finding mutual information");
}

}  // namespace glycine::mutualinfo::gl
