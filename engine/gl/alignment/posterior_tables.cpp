#include "engine/gl/alignment/posterior_tables.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "engine/gl/pairwise/wavefront_plan.hpp"

namespace glycine::align::gl {

using glycine::gl::TextureFormat;
using glycine::gl::TextureShape;
using glycine::gl::toInt;

namespace {

/// Bits of a letter in a table.
constexpr std::size_t kLetterBits = 5;

/// Tiles of `side` letters of all sequences, kLetterBits each; what fills up the last tile is no letter.
std::vector<std::int32_t> packedTiles(const Sequences& sequences, std::span<const std::size_t> some,
                                      std::size_t side, std::vector<std::int32_t>& begins) {
    std::vector<std::int32_t> tiles;
    begins.assign(sequences.size(), 0);
    for (const std::size_t sequence : some) {
        const std::vector<std::uint8_t>& codes = sequences.codes[sequence];
        begins[sequence] = static_cast<std::int32_t>(tiles.size());
        for (std::size_t first = 0; first < codes.size(); first += side) {
            std::int32_t packed = 0;
            for (std::size_t k = 0; k < side; ++k) {
                const std::size_t place = first + k;
                packed |= static_cast<std::int32_t>(place < codes.size() ? codes[place] : kNoCode)
                          << (kLetterBits * k);
            }
            tiles.push_back(packed);
        }
    }
    return tiles;
}

/// A table of one number a texel.
struct FilledTable {
    glycine::gl::TableTexture<std::int32_t> texture;
    int rowBits;
};
FilledTable tableOf(glycine::gl::GlBackend& backend, const std::vector<std::int32_t>& numbers) {
    const glycine::gl::TableWidth width = pairwise::gl::tableWidth(backend.gl().limits, numbers.size());
    FilledTable table{{backend.textures(), TextureFormat::R32I, width, numbers.size()}, width.rowBits};
    std::copy(numbers.begin(), numbers.end(), table.texture.texel(0));
    table.texture.upload(numbers.size());
    return table;
}

}  // namespace

ModelTables::ModelTables(const PairModel& model, std::size_t longest)
    : model_(model),
      match_(model.match),
      leads_(model.leads(longest + 2)),
      trails_(model.trails(longest + 2)) {
    for (std::size_t kind = 0; kind < model.gapKinds; ++kind) {
        const auto place = static_cast<glm::length_t>(2 * kind);
        gaps_[place] = static_cast<float>(model.extend[kind]);
        gaps_[place + 1] = static_cast<float>(model.open[kind] * model.close[kind] / match_);
    }
}

LetterTables::LetterTables(glycine::gl::GlBackend& backend, const Sequences& sequences,
                           std::span<const std::size_t> some, const PosteriorTileShape& shape,
                           const std::array<ModelTables, kModels>& models) {
    FilledTable rows = tableOf(backend, packedTiles(sequences, some, shape.rows, rowBegins_));
    rowBits_ = rows.rowBits;
    rowLetters_.emplace(std::move(rows.texture));
    const std::vector<std::int32_t> columnTiles = packedTiles(sequences, some, kTileColumns, columnBegins_);
    const FilledTable columns = tableOf(backend, columnTiles);

    std::vector<float> numbers(4 * kMostCodes * kMostCodes, 0);
    for (std::size_t a = 0; a < kMostCodes; ++a)
        for (std::size_t b = 0; b < kMostCodes; ++b)
            for (std::size_t model = 0; model < kModels; ++model)
                numbers[4 * (a * kMostCodes + b) + model] = models[model].odds(a, b);
    glycine::gl::PooledTexture table(backend.textures(),
                                     {TextureFormat::RGBA32F, {kMostCodes, kMostCodes}, 0});
    table->upload(numbers.data());

    const std::size_t texels = columnTiles.size() * kMostCodes;
    const glycine::gl::TableWidth width = pairwise::gl::tableWidth(backend.gl().limits, texels);
    oddsBits_ = width.rowBits - std::countr_zero(kMostCodes);
    TextureShape odds = width.shape(TextureFormat::RGBA32F, texels);
    odds.layers = toInt(kModels);
    odds_.emplace(backend.textures(), odds);
    backend.pass("align/fill_odds.frag", {{"OUTPUTS", std::to_string(kModels)}})
        .input("letters", columns.texture.texture())
        .input("odds", *table)
        .output(odds_->framebuffer())
        .uniform("oddsBits", oddsBits_)
        .uniform("letterBits", columns.rowBits)
        .draw({{0, 0}, {odds.size.x, width.rows(texels)}});
}

}  // namespace glycine::align::gl
