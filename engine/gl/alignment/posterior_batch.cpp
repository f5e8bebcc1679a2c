#include "engine/gl/alignment/posterior_batch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/watchdog.hpp"
#include "engine/gl/pairwise/wavefront_plan.hpp"

namespace glycine::align::gl {

using glycine::gl::FragmentPass;
using glycine::gl::Rectangle;
using glycine::gl::RenderTexture;
using glycine::gl::ShaderDefines;
using glycine::gl::TextureFormat;
using glycine::gl::TextureShape;
using glycine::gl::toInt;

namespace {

/// Padding letters before the first one, at which an edge may begin (borderPlace).
constexpr std::size_t kBeforeFirst = 8;
/// Edges are scaled so that their largest number is near 2^kTarget (shaders/align/sum_tiles.frag).
constexpr int kTarget = 60;
constexpr std::size_t kListWidth = 64;
constexpr float kLimit = 2 * kSmallestPosterior * kSmallestPosterior;

glm::ivec2 pairOf(std::size_t x, std::size_t y) {
    return {toInt(x), toInt(y)};
}

/// Computes borderPlace of shaders/align/posterior_tile.glsl.
glm::ivec2 borderPlaceOf(const EdgeRing& ring) {
    return pairOf(ring.borderBits(), ring.border);
}

TextureShape textureOf(TextureFormat format, std::size_t width, std::size_t height, std::size_t layers) {
    return {format, {width, height}, toInt(layers)};
}

}  // namespace

PosteriorBatch::PosteriorBatch(glycine::gl::GlBackend& backend, const Sequences& sequences,
                               const std::array<ModelTables, kModels>& models, const LetterTables& letters,
                               const PosteriorTileShape& shape, const PosteriorLayout& layout,
                               std::span<const pairwise::gl::SidePair> pairs, std::size_t mostListed)
    : backend_(backend),
      sequences_(sequences),
      models_(models),
      letters_(letters),
      shape_(shape),
      layout_(layout),
      pairs_(pairs),
      mostListed_(mostListed),
      described_(backend.textures(), textureOf(TextureFormat::RGBA32I, layout.places, 3, 0)),
      forward_(makeRing(layout.forward, false)),
      backward_(makeRing(layout.backward, true)),
      marks_(backend.textures(), textureOf(TextureFormat::R32F, layout.marks.width, layout.marks.height, 0)),
      ends_(backend.textures(),
            textureOf(TextureFormat::RGBA32F, layout.endsWidth(), layout.endsHeight(), 2)) {
    if (!layout.keepsForward)
        for (std::size_t model = 0; model < kModels; ++model)
            kept_[model].emplace(backend.textures(),
                                 textureOf(TextureFormat::RGBA32F, layout.kept.width, layout.kept.height,
                                           shape.layers(kModelKinds[model])));
}

PosteriorBatch::Ring PosteriorBatch::makeRing(const EdgeRing& shape, bool isBackward) {
    Ring ring{.shape = shape, .textures = {}};
    const std::size_t rows = shape.height - shape.border, width = std::size_t{1} << shape.borderBits();
    const std::size_t used = borderTexels(sequences_.longest()), texels = rows * width;
    for (std::size_t model = 0; model < kModels; ++model) {
        const std::size_t kinds = kModelKinds[model], layers = shape_.layers(kinds);
        const std::vector<ScaledNumber>& begins = models_[model].begins(isBackward);
        std::vector<std::vector<float>> edges(layers, std::vector<float>(4 * texels, 0));
        for (std::size_t texel = 0; texel < std::min(used, texels); ++texel) {
            // The weight of `number` leading letters of one sequence. The row's edge holds `kTileColumns`
            // numbers from the texel's own on; the column's edge holds `rows` numbers from the next one on,
            // without the one beyond the corner.
            const auto at = [&](std::size_t offset, bool isOfColumn) -> ScaledNumber {
                const std::size_t number = texel + offset + (isOfColumn ? 1 : 0);
                const std::size_t least = kBeforeFirst + (isOfColumn ? 1 : 0);
                return number < least || number - kBeforeFirst >= begins.size()
                           ? ScaledNumber{}
                           : begins[number - kBeforeFirst];
            };
            int largest = 0;
            bool isNone = true;
            const auto forAll = [&](auto&& take) {
                for (std::size_t c = 0; c < kTileColumns; ++c) take(at(c, false), edges[0][4 * texel + c]);
                for (std::size_t r = 0; r < shape_.rows; ++r)
                    take(at(r, true), edges[kinds + 1 + r / 4][4 * texel + r % 4]);
            };
            forAll([&](const ScaledNumber& value, float&) {
                if (value.mantissa == 0) return;
                const int exponent = value.exponent + std::ilogb(value.mantissa);
                largest = isNone ? exponent : std::max(largest, exponent);
                isNone = false;
            });
            const int exponent = largest - kTarget;
            forAll([&](const ScaledNumber& value, float& target) {
                target = static_cast<float>(value.times2To(-exponent) / models_[model].match());
            });
            const std::size_t slot = (kinds + 1) * shape_.rows;
            edges[kinds + 1 + slot / 4][4 * texel + slot % 4] = static_cast<float>(exponent);
        }
        // Never upload into the ring itself: drivers may keep a host copy of any texture uploaded to, and
        // rings take gigabytes.
        glycine::gl::PooledTexture border(backend_.textures(),
                                          textureOf(TextureFormat::RGBA32F, shape.width, rows, layers));
        for (std::size_t layer = 0; layer < layers; ++layer)
            border->upload(edges[layer].data(), {{0, 0}, {width, rows}}, toInt(width), toInt(layer));
        for (std::optional<RenderTexture>& texture : ring.textures[model]) {
            texture.emplace(backend_.textures(),
                            textureOf(TextureFormat::RGBA32F, shape.width, shape.height, layers));
            copyEdges(*border, *texture, {{0, shape.border}, {width, rows}}, {0, -toInt(shape.border)});
        }
    }
    return ring;
}

void PosteriorBatch::copyEdges(const glycine::gl::Texture& source, const RenderTexture& target,
                               const Rectangle& region, glm::ivec2 shift) {
    backend_.pass("align/copy_edges.frag", {{"OUTPUTS", std::to_string(target.shape().layers)}})
        .input("source", source)
        .output(target.framebuffer())
        .uniform("shift", shift)
        .draw(region);
}

void PosteriorBatch::describePairs() {
    std::vector<std::int32_t> numbers(4 * 2 * layout_.places, 0);
    for (std::size_t k = 0; k < layout_.places; ++k) {
        std::int32_t* const first = numbers.data() + 4 * k;
        std::int32_t* const second = first + 4 * layout_.places;
        const std::size_t rows = shape_.rowTiles(rowsOf(k)),
                          columns = PosteriorTileShape::columnTiles(columnsOf(k));
        first[0] = letters_.rowBegin(pairs_[k].rows);
        first[1] = letters_.columnBegin(pairs_[k].columns);
        first[2] = toInt(rows);
        first[3] = toInt(columns);
        second[0] = toInt(rows * shape_.rows - rowsOf(k));
        second[1] = toInt(columns * kTileColumns - columnsOf(k));
    }
    described_->upload(numbers.data(), {{0, 0}, {layout_.places, 2}}, toInt(layout_.places));
}

void PosteriorBatch::weighPairs() {
    std::vector<std::int32_t> numbers(4 * layout_.places, 0);
    for (std::size_t place = 0; place < layout_.places; ++place)
        for (std::size_t model = 0; model < kModels; ++model) {
            const ScaledNumber& total = totals_[model][place];
            if (!(total.mantissa > 0) || !std::isfinite(total.mantissa)) continue;
            int exponent = 0;
            const auto weight =
                static_cast<float>(std::frexp(models_[model].match() / total.mantissa, &exponent));
            numbers[4 * place + 2 * model] = std::bit_cast<std::int32_t>(weight);
            numbers[4 * place + 2 * model + 1] = exponent - total.exponent;
        }
    described_->upload(numbers.data(), {{0, 2}, {layout_.places, 1}}, toInt(layout_.places));
}

glm::ivec2 PosteriorBatch::originOf(const EdgeRing& ring, std::size_t slot) const {
    return pairOf(slot / ring.slotsInColumn * layout_.places, slot % ring.slotsInColumn * layout_.rows);
}

glm::ivec2 PosteriorBatch::originBefore(const Ring& ring, std::size_t diagonal, bool isBackward) const {
    // Before the first anti-diagonal, and after the last, there are only edges of the border.
    const std::size_t before = isBackward ? diagonal + 1 : diagonal - std::min<std::size_t>(diagonal, 1);
    return originOf(ring.shape, before / 2 % ring.shape.slots);
}

Rectangle PosteriorBatch::regionOf(const EdgeRing& ring, std::size_t slot, std::size_t diagonal) const {
    const std::size_t first = diagonal + 1 > layout_.columns ? diagonal + 1 - layout_.columns : 0;
    const std::size_t last = std::min(diagonal, layout_.rows - 1);
    const glm::ivec2 origin = originOf(ring, slot);
    return {origin + glm::ivec2(0, first), {layout_.places, last - first + 1}};
}

void PosteriorBatch::draw(FragmentPass& pass, const Rectangle& region, double cellsPerRow) {
    glycine::gl::drawInBands(backend_.budget(), region, cellsPerRow,
                             [&](const Rectangle& band) { pass.draw(band); });
}

ShaderDefines PosteriorBatch::definesWith(ShaderDefines others) const {
    others.push_back({"ROWS", std::to_string(shape_.rows)});
    if (shape_.normalised) others.push_back({"NORMALISED", ""});
    return others;
}

double PosteriorBatch::cellsPerRow() const {
    return static_cast<double>(layout_.places * shape_.rows * kTileColumns);
}

void PosteriorBatch::describe(FragmentPass& pass) const {
    pass.input("pairs", *described_)
        .input("rowLetters", letters_.rowLetters())
        .input("odds", letters_.odds())
        .uniform("rowBits", letters_.rowBits())
        .uniform("oddsBits", letters_.oddsBits());
}

void PosteriorBatch::sum(Ring& ring, std::size_t model, std::size_t diagonal, bool isBackward) {
    const std::size_t kinds = kModelKinds[model];
    ShaderDefines defines =
        definesWith({{"KINDS", std::to_string(kinds)}, {"OUTPUTS", std::to_string(shape_.layers(kinds))}});
    if (isBackward) defines.push_back({"BACKWARD", ""});
    FragmentPass pass = backend_.pass("align/sum_tiles.frag", defines);
    describe(pass);
    pass.input("last", ring.textures[model][(diagonal + 1) % 2]->texture())
        .output(ring.textures[model][diagonal % 2]->framebuffer())
        .uniform("border", borderPlaceOf(ring.shape))
        .uniform("gaps", models_[model].gaps())
        .uniform("layer", toInt(model))
        .uniform("diagonal", toInt(diagonal))
        .uniform("firstTexel", originOf(ring.shape, diagonal / 2 % ring.shape.slots))
        .uniform("origin", originBefore(ring, diagonal, isBackward));
    draw(pass, regionOf(ring.shape, diagonal / 2 % ring.shape.slots, diagonal), cellsPerRow());
}

void PosteriorBatch::sumForwards(Range diagonals, const Done& done) {
    for (std::size_t diagonal = diagonals.begin; diagonal < diagonals.end; ++diagonal) {
        for (std::size_t model = 0; model < kModels; ++model) sum(forward_, model, diagonal, false);
        done(0.4 / static_cast<double>(layout_.diagonals()));
    }
}

void PosteriorBatch::copy(Ring& ring, std::size_t diagonal, std::size_t place, bool isBack) {
    const Rectangle there = regionOf(ring.shape, diagonal / 2 % ring.shape.slots, diagonal);
    const Rectangle here = regionOf(layout_.kept, place, diagonal);
    for (std::size_t model = 0; model < kModels; ++model) {
        RenderTexture& inRing = *ring.textures[model][diagonal % 2];
        const Rectangle &from = isBack ? here : there, &to = isBack ? there : here;
        copyEdges(isBack ? kept_[model]->texture() : inRing.texture(), isBack ? inRing : *kept_[model], to,
                  from.origin - to.origin);
    }
}

void PosteriorBatch::drawEnds(Ring& ring, Range diagonals, bool isBackward) {
    for (std::size_t model = 0; model < kModels; ++model)
        for (std::size_t turn = 0; turn < 2; ++turn) {
            // Draw the anti-diagonals 2 y + turn in the range.
            const std::size_t first = (diagonals.begin + 1 - turn) / 2, end = (diagonals.end + 1 - turn) / 2;
            if (first >= end) continue;
            ShaderDefines defines =
                definesWith({{"KINDS", std::to_string(kModelKinds[model])}, {"OUTPUTS", "2"}, {"ENDS", ""}});
            if (isBackward) defines.push_back({"BACKWARD", ""});
            const std::size_t firstPlace = (2 * model + turn) * 2 * layout_.places;
            FragmentPass pass = backend_.pass("align/sum_tiles.frag", defines);
            describe(pass);
            pass.input("last", ring.textures[model][1 - turn]->texture())
                .output(ends_.framebuffer())
                .uniform("ring", pairOf(ring.shape.slots, ring.shape.slotsInColumn))
                .uniform("border", borderPlaceOf(ring.shape))
                .uniform("slot", pairOf(layout_.places, layout_.rows))
                .uniform("layer", toInt(model))
                .uniform("firstPlace", toInt(firstPlace))
                .uniform("turn", toInt(turn));
            if (readsGapsOfCells()) pass.uniform("gaps", models_[model].gaps());
            draw(pass, {{firstPlace, first}, {2 * layout_.places, end - first}}, 2 * cellsPerRow());
        }
}

PosteriorBatch::Totals PosteriorBatch::readEnds(bool isBackward) const {
    const std::size_t width = 8 * layout_.places, height = (layout_.diagonals() + 1) / 2;
    std::array<std::vector<float>, 2> layers;
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        layers[layer].resize(4 * width * height);
        glycine::gl::readPixels(ends_.framebuffer(), toInt(layer), TextureFormat::RGBA32F,
                                {{0, 0}, {width, height}}, layers[layer].data());
    }
    Totals totals;
    for (std::size_t model = 0; model < kModels; ++model) {
        totals[model].resize(pairs_.size());
        const std::vector<ScaledNumber>& ends = models_[model].ends(isBackward);
        for (std::size_t k = 0; k < pairs_.size(); ++k) {
            const std::size_t n = rowsOf(k), m = columnsOf(k);
            const std::size_t rows = shape_.rowTiles(n), columns = PosteriorTileShape::columnTiles(m);
            ScaledNumber& total = totals[model][k];
            // Adds a number that the tile of an anti-diagonal holds at an end.
            const auto add = [&](std::size_t diagonal, bool isOfColumn, std::size_t number,
                                 std::size_t letters) {
                const std::size_t texel = diagonal / 2 * width +
                                          (2 * model + diagonal % 2) * 2 * layout_.places +
                                          (isOfColumn ? layout_.places : 0) + k;
                const float value =
                    number < 4 ? layers[0][4 * texel + number] : layers[1][4 * texel + number - 4];
                total.add(static_cast<double>(value) * ends[letters].mantissa,
                          static_cast<int>(layers[1][4 * texel + 2]) + ends[letters].exponent);
            };
            for (std::size_t j = 0; j < m; ++j) {
                const std::size_t tile = j / kTileColumns, number = j % kTileColumns;
                if (isBackward)
                    add(tile, false, kTileColumns - 1 - number, j);
                else
                    add(rows - 1 + tile, false, number, m - 1 - j);
            }
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t tile = i / shape_.rows, number = i % shape_.rows;
                if (isBackward && i > 0) add(tile, true, shape_.rows - 1 - number, i);
                if (!isBackward && i + 1 < n) add(columns - 1 + tile, true, number, n - 1 - i);
            }
        }
    }
    return totals;
}

void PosteriorBatch::describeBoth(FragmentPass& pass, std::size_t parity) const {
    describe(pass);
    pass.input("forwardOne", forward_.textures[0][1 - parity]->texture())
        .input("forwardOther", forward_.textures[1][1 - parity]->texture())
        .input("backwardOne", backward_.textures[0][1 - parity]->texture())
        .input("backwardOther", backward_.textures[1][1 - parity]->texture())
        .uniform("forwardBorder", borderPlaceOf(forward_.shape))
        .uniform("backwardBorder", borderPlaceOf(backward_.shape));
    if (readsGapsOfCells())
        pass.uniform("gapsOne", models_[0].gaps()).uniform("gapsOther", models_[1].gaps());
}

void PosteriorBatch::mark(std::size_t diagonal, std::size_t slot) {
    FragmentPass pass = backend_.pass("align/merge_posteriors.frag", definesWith({}));
    describeBoth(pass, diagonal % 2);
    pass.output(marks_.framebuffer())
        .uniform("diagonal", toInt(diagonal))
        .uniform("firstTexel", originOf(layout_.marks, slot))
        .uniform("before", originBefore(forward_, diagonal, false))
        .uniform("behind", originBefore(backward_, diagonal, true))
        .uniform("limit", kLimit);
    draw(pass, regionOf(layout_.marks, slot, diagonal), 2 * cellsPerRow());
}

void PosteriorBatch::listTiles(Range diagonals, std::array<std::vector<FoundTile>, 2>& tiles) const {
    const auto width = static_cast<std::size_t>(marks_.shape().size.x);
    std::vector<float> marks(width * static_cast<std::size_t>(marks_.shape().size.y));
    glycine::gl::readPixels(marks_.framebuffer(), 0, TextureFormat::R32F, {{0, 0}, marks_.shape().size},
                            marks.data());
    for (std::size_t diagonal = diagonals.begin; diagonal < diagonals.end; ++diagonal) {
        const std::size_t slot = diagonal - diagonals.begin;
        const Rectangle region = regionOf(layout_.marks, slot, diagonal);
        const std::size_t firstRow =
            static_cast<std::size_t>(region.origin.y) - slot % layout_.marks.slotsInColumn * layout_.rows;
        for (std::size_t y = 0; y < static_cast<std::size_t>(region.size.y); ++y) {
            const float* const row =
                marks.data() + (static_cast<std::size_t>(region.origin.y) + y) * width + region.origin.x;
            const std::size_t tileRow = firstRow + y, tileColumn = diagonal - tileRow;
            for (std::size_t k = 0; k < pairs_.size(); ++k)
                if (row[k] != 0 && tileRow < shape_.rowTiles(rowsOf(k)) &&
                    tileColumn < PosteriorTileShape::columnTiles(columnsOf(k)))
                    tiles[diagonal % 2].push_back({static_cast<std::uint32_t>(k),
                                                   static_cast<std::uint32_t>(tileRow),
                                                   static_cast<std::uint32_t>(tileColumn)});
        }
    }
}

void PosteriorBatch::readTiles(const std::vector<FoundTile>& tiles, std::size_t parity) {
    if (tiles.empty()) return;
    const std::size_t most = mostListed_ / kListWidth * kListWidth, cells = shape_.rows * kTileColumns;
    // One more row, so that no height is a power of two.
    const std::size_t height = most / kListWidth + 1;
    glycine::gl::PooledTexture list(backend_.textures(),
                                    textureOf(TextureFormat::RGBA32I, kListWidth, height, 0));
    RenderTexture values(backend_.textures(),
                         textureOf(TextureFormat::RGBA32F, kListWidth, height, shape_.rows));
    for (std::size_t begin = 0; begin < tiles.size(); begin += most) {
        const std::size_t count = std::min(most, tiles.size() - begin);
        const std::size_t rows = (count + kListWidth - 1) / kListWidth;
        std::vector<std::int32_t> listed(4 * rows * kListWidth, 0);
        for (std::size_t k = 0; k < rows * kListWidth; ++k) {
            // The last row is filled up with its last tile.
            const FoundTile& tile = tiles[begin + std::min(k, count - 1)];
            listed[4 * k] = static_cast<std::int32_t>(tile.place);
            listed[4 * k + 1] = static_cast<std::int32_t>(tile.row);
            listed[4 * k + 2] = static_cast<std::int32_t>(tile.column);
        }
        const Rectangle region{{0, 0}, {kListWidth, rows}};
        list->upload(listed.data(), region, toInt(kListWidth));
        FragmentPass pass =
            backend_.pass("align/merge_posteriors.frag",
                          definesWith({{"OUTPUTS", std::to_string(shape_.rows)}, {"LISTED", ""}}));
        describeBoth(pass, parity);
        pass.input("tiles", *list)
            .output(values.framebuffer())
            .uniform("slot", pairOf(layout_.places, layout_.rows))
            .uniform("forwardRing", pairOf(forward_.shape.slots, forward_.shape.slotsInColumn))
            .uniform("backwardRing", pairOf(backward_.shape.slots, backward_.shape.slotsInColumn));
        draw(pass, region, static_cast<double>(2 * kListWidth * cells));
        const std::size_t before = squares_.size();
        squares_.resize(before + count * cells);
        std::vector<float> layer(4 * rows * kListWidth);
        for (std::size_t row = 0; row < shape_.rows; ++row) {
            glycine::gl::readPixels(values.framebuffer(), toInt(row), TextureFormat::RGBA32F, region,
                                    layer.data());
            for (std::size_t k = 0; k < count; ++k)
                std::copy_n(layer.data() + 4 * k, 4, squares_.data() + before + k * cells + 4 * row);
        }
        tiles_.insert(tiles_.end(), tiles.begin() + static_cast<std::ptrdiff_t>(begin),
                      tiles.begin() + static_cast<std::ptrdiff_t>(begin + count));
    }
}

void PosteriorBatch::compute(const Done& done) {
    describePairs();
    const std::size_t diagonals = layout_.diagonals(), stretches = layout_.stretches();
    const auto rangeOf = [&](std::size_t stretch) {
        return Range{stretch * layout_.stretch, std::min((stretch + 1) * layout_.stretch, diagonals)};
    };
    for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
        const Range range = rangeOf(stretch);
        sumForwards(range, done);
        drawEnds(forward_, range, false);
        if (!layout_.keepsForward && stretch + 1 < stretches) copy(forward_, range.end - 1, stretch, false);
    }
    totals_ = readEnds(false);
    weighPairs();
    for (std::size_t stretch = stretches; stretch-- > 0;) {
        const Range range = rangeOf(stretch);
        if (!layout_.keepsForward && stretch + 1 < stretches) {
            if (stretch > 0) copy(forward_, range.begin - 1, stretch - 1, true);
            sumForwards(range, [&](double) { done(0); });
        }
        for (std::size_t diagonal = range.end; diagonal-- > range.begin;) {
            // Mark first, because it reads the same edges.
            mark(diagonal, diagonal - range.begin);
            for (std::size_t model = 0; model < kModels; ++model) sum(backward_, model, diagonal, true);
            done(0.6 / static_cast<double>(diagonals));
        }
        drawEnds(backward_, range, true);
        std::array<std::vector<FoundTile>, 2> tiles;
        listTiles(range, tiles);
        for (std::size_t parity = 0; parity < 2; ++parity) readTiles(tiles[parity], parity);
    }
    backwardTotals_ = readEnds(true);
    tilesOfPairs_.assign(pairs_.size(), {});
    for (std::size_t k = 0; k < tiles_.size(); ++k)
        tilesOfPairs_[tiles_[k].place].push_back(static_cast<std::uint32_t>(k));
}

bool PosteriorBatch::isSound(std::size_t pair) const {
    constexpr double kTolerance = 1e-3;
    for (std::size_t model = 0; model < kModels; ++model) {
        const ScaledNumber &forward = totals_[model][pair], &backward = backwardTotals_[model][pair];
        if (!(forward.mantissa > 0)) return false;
        const double ratio =
            std::ldexp(backward.mantissa / forward.mantissa, backward.exponent - forward.exponent);
        if (!(std::abs(ratio - 1) <= kTolerance)) return false;
    }
    return true;
}

SparsePosterior PosteriorBatch::posterior(std::size_t pair) const {
    std::vector<std::uint32_t> order = tilesOfPairs_[pair];
    std::ranges::sort(order, {}, [&](std::uint32_t k) { return std::pair(tiles_[k].row, tiles_[k].column); });
    const std::size_t rows = rowsOf(pair);
    std::vector<std::uint32_t> begins{0};
    std::vector<PosteriorEntry> entries;
    begins.reserve(rows + 1);
    auto first = order.begin();
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t tileRow = row / shape_.rows, part = row % shape_.rows * kTileColumns;
        if (part == 0)
            while (first != order.end() && tiles_[*first].row < tileRow) ++first;
        for (auto k = first; k != order.end() && tiles_[*k].row == tileRow; ++k) {
            const float* const squares = squares_.data() + *k * shape_.rows * kTileColumns + part;
            for (std::size_t c = 0; c < kTileColumns; ++c)
                if (squares[c] >= kLimit)
                    entries.push_back({static_cast<std::uint32_t>(tiles_[*k].column * kTileColumns + c),
                                       std::sqrt(squares[c] / 2)});
        }
        begins.push_back(static_cast<std::uint32_t>(entries.size()));
    }
    return {std::move(begins), std::move(entries)};
}

}  // namespace glycine::align::gl
