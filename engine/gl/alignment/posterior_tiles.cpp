#include "engine/gl/alignment/posterior_tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/gl/pairwise/wavefront_plan.hpp"

namespace glycine::align::gl {

using glycine::gl::TextureFormat;
using glycine::gl::TextureShape;
using glycine::gl::toInt;

namespace {

constexpr std::size_t kEdgeBytes = 16;  ///< per texel of an edge
/// Number of anti-diagonals of backward sums beyond which nothing is gained.
constexpr std::size_t kUsualStretch = 32;
/// Divisors of the memory: tables of a piece, and listed tiles.
constexpr std::size_t kShareOfTables = 4, kShareOfList = 16;
/// Numbers of listed tiles; each takes its place and one texel per row.
constexpr std::size_t kMaxListed = std::size_t{1} << 16, kLeastListed = 64;

/// Limit on a batch: a larger one does not fit the caches of software renderers.
constexpr std::size_t kMaxBytesOfSoftware = std::size_t{256} << 20;
/// Bytes of the table of odds.
constexpr std::size_t kFixedBytes = kEdgeBytes * kMaxCodes * (kMaxCodes + 1);

/// Software renderers recompile programs for textures with a side that is a power of two.
std::size_t notPowerOfTwo(std::size_t side) {
    return std::has_single_bit(side) ? side + 1 : side;
}

std::size_t listedBytes(const PosteriorTileShape& shape) {
    return 16 * (1 + shape.rows);
}

PosteriorLayout layoutOf(std::size_t rows, std::size_t columns, std::size_t places) {
    PosteriorLayout layout;
    layout.rows = rows;
    layout.columns = columns;
    layout.places = places;
    return layout;
}

/// The memory of a stretch grows with its length, the memory kept before each stretch falls. Returns the
/// length with the smallest sum.
std::size_t shortStretch(std::size_t diagonals) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::sqrt(static_cast<double>(diagonals) / 2)));
}

}  // namespace

std::size_t PosteriorLayout::endsWidth() const {
    return notPowerOfTwo(8 * places);
}

std::size_t PosteriorLayout::endsHeight() const {
    return notPowerOfTwo((diagonals() + 1) / 2);
}

std::size_t borderTexels(std::size_t longest) {
    return longest + 16;
}

PosteriorPlanner::PosteriorPlanner(const glycine::gl::GlCapabilities& capabilities, std::size_t freeBytes,
                                   PosteriorTileShape shape)
    : capabilities_(capabilities), freeBytes_(freeBytes), shape_(shape) {}

std::optional<std::size_t> PosteriorPlanner::tableBytes(std::size_t sequences, std::size_t letters) const {
    const auto bytesOf = [&](TextureFormat format, std::size_t texels,
                             int layers) -> std::optional<std::size_t> {
        TextureShape texture = pairwise::gl::tableWidth(capabilities_.limits, texels).shape(format, texels);
        texture.layers = layers;
        if (texture.size.y > capabilities_.limits.maxTextureSize ||
            texture.bytes() > capabilities_.limits.maxTextureBytes)
            return {};
        return texture.bytes();
    };
    const std::size_t columns = sequences * PosteriorTileShape::columnTiles(letters);
    const auto rows = bytesOf(TextureFormat::R32I, sequences * shape_.rowTiles(letters), 0);
    const auto letterTable = bytesOf(TextureFormat::R32I, columns, 0);
    const auto odds = bytesOf(TextureFormat::RGBA32F, columns * kMaxCodes, static_cast<int>(kModels));
    if (!rows || !letterTable || !odds) return {};
    return *rows + *letterTable + *odds;
}

std::size_t PosteriorPlanner::mostListed() const {
    return std::clamp(
        freeBytes_ / kShareOfList / listedBytes(shape_), kLeastListed,
        std::min(kMaxListed,
                 kLeastListed * (static_cast<std::size_t>(capabilities_.limits.maxTextureSize) - 1)));
}

std::size_t PosteriorPlanner::mostPlaces() const {
    const auto limit = static_cast<std::size_t>(capabilities_.limits.maxTextureSize);
    // The ends of both models lie side by side.
    return std::max<std::size_t>(1, std::min<std::size_t>(capabilities_.isSoftware ? 1024 : 2048, limit / 9));
}

std::size_t PosteriorPlanner::mostBytes() const {
    return capabilities_.isSoftware ? kMaxBytesOfSoftware : freeBytes_;
}

std::size_t PosteriorPlanner::fewPlaces() const {
    return capabilities_.isSoftware ? 16 : 512;
}

std::size_t PosteriorPlanner::side(std::size_t longest) const {
    constexpr std::size_t kLargestSide = 1024;
    return largestFitting(kLargestSide, [&](std::size_t side) {
        const auto bytes = tableBytes(2 * side, longest);
        return side == 1 || (bytes && *bytes <= freeBytes_ / kShareOfTables);
    });
}

std::optional<EdgeRing> PosteriorPlanner::ringOf(std::size_t slots, const PosteriorLayout& layout,
                                                 std::size_t border) const {
    const auto limit = static_cast<std::size_t>(capabilities_.limits.maxTextureSize);
    for (std::size_t columns = 1; columns <= slots; ++columns) {
        EdgeRing ring;
        ring.slots = slots;
        ring.slotsInColumn = (slots + columns - 1) / columns;
        ring.width = notPowerOfTwo(columns * layout.places);
        if (ring.width > limit) return {};
        ring.border = ring.slotsInColumn * layout.rows;
        const std::size_t inRow = std::size_t{1} << ring.borderBits();
        ring.height = notPowerOfTwo(ring.border + (border + inRow - 1) / inRow);
        if (ring.height <= limit) return ring;
    }
    return {};
}

std::optional<PosteriorLayout> PosteriorPlanner::layoutWith(PosteriorLayout layout,
                                                            std::size_t longest) const {
    const std::size_t diagonals = layout.diagonals(), border = borderTexels(longest);
    // A stretch of one direction, and the anti-diagonal from which it starts.
    const std::size_t slots = (layout.stretch + 2) / 2;
    const auto forward = ringOf(layout.keepsForward ? (diagonals + 1) / 2 : slots, layout, border);
    const auto backward = ringOf(slots, layout, border);
    const auto marks = ringOf(layout.stretch, layout, 0);
    const auto kept = ringOf(layout.keepsForward ? 1 : layout.stretches(), layout, 0);
    if (!forward || !backward || !marks || !kept) return {};
    layout.forward = *forward;
    layout.backward = *backward;
    layout.marks = *marks;
    layout.kept = *kept;
    layout.bytes = 4 * marks->width * marks->height;
    std::size_t mostUploaded = 0;  // edges before the first tiles, per model and direction
    for (const std::size_t kinds : kModelKinds) {
        const std::size_t texel = kEdgeBytes * shape_.layers(kinds);
        for (const EdgeRing* ring : {&layout.forward, &layout.backward}) {
            if (texel * ring->width * ring->height > capabilities_.limits.maxTextureBytes) return {};
            layout.bytes += 2 * texel * ring->width * ring->height;
            mostUploaded = std::max(mostUploaded, texel * ring->width * (ring->height - ring->border));
        }
        if (!layout.keepsForward) layout.bytes += texel * kept->width * kept->height;
    }
    // Totals of pairs at the ends, and the descriptions of pairs.
    layout.bytes += mostUploaded + 2 * kEdgeBytes * layout.endsWidth() * layout.endsHeight() +
                    3 * kEdgeBytes * layout.places;
    return layout;
}

std::size_t PosteriorPlanner::bytesForBatches() const {
    const std::size_t others = freeBytes_ / kShareOfTables + mostListed() * listedBytes(shape_) + kFixedBytes;
    return freeBytes_ > others ? freeBytes_ - others : 0;
}

std::optional<PosteriorLayout> PosteriorPlanner::layout(std::size_t rows, std::size_t columns,
                                                        std::size_t places, std::size_t longest) const {
    const auto limit = static_cast<std::size_t>(capabilities_.limits.maxTextureSize);
    PosteriorLayout wanted = layoutOf(rows, columns, places);
    if (wanted.endsWidth() > limit || wanted.endsHeight() > limit) return {};
    const std::size_t bytes = bytesForBatches();
    const auto fits = [&](std::size_t stretch, bool keepsForward) {
        wanted.stretch = stretch;
        wanted.keepsForward = keepsForward;
        const auto found = layoutWith(wanted, longest);
        return found && found->bytes <= bytes ? found : std::nullopt;
    };
    if (auto whole = fits(std::min(kUsualStretch, wanted.diagonals()), true)) return whole;
    return fits(shortStretch(wanted.diagonals()), false);
}

Support PosteriorPlanner::supports(const PosteriorRequest& request) const {
    const auto limit = static_cast<std::size_t>(capabilities_.limits.maxTextureSize);
    if (limit < kMaxCodes)
        return Support::no(
            fmt::format("posteriors need textures of {} texels, and these have up to {}", kMaxCodes, limit));
    const std::size_t longest = std::max<std::size_t>(request.longest, 1);
    const auto tables = tableBytes(2, longest);
    PosteriorLayout least = layoutOf(shape_.rowTiles(longest), PosteriorTileShape::columnTiles(longest), 1);
    least.stretch = shortStretch(least.diagonals());
    least.keepsForward = false;
    const auto smallest = layoutWith(least, longest);
    if (!tables || !smallest || least.endsWidth() > limit || least.endsHeight() > limit)
        return Support::no(
            fmt::format("posteriors of sequences of {} letters do not fit into textures of {} x {} "
                        "texels; reference and cpu take any length",
                        formatCount(longest), limit, limit));
    if (*tables <= freeBytes_ / kShareOfTables && layout(least.rows, least.columns, 1, longest).has_value())
        return Support::yes();
    const double left = 1 - 1.0 / kShareOfTables - 1.0 / kShareOfList;
    const auto batch =
        static_cast<double>(smallest->bytes + kFixedBytes + kLeastListed * listedBytes(shape_));
    return Support::no(lackOfDeviceMemory(
        "posteriors of pairs", std::max(static_cast<double>(kShareOfTables * *tables), batch / left),
        freeBytes_));
}

// ---- tables

namespace {

/// Bits per letter in a table.
constexpr std::size_t kLetterBits = 5;

/// Tiles of `side` letters of all sequences, kLetterBits per letter. The padding of the last tile is no
/// letter.
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

/// A table with one number per texel.
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

    std::vector<float> numbers(4 * kMaxCodes * kMaxCodes, 0);
    for (std::size_t a = 0; a < kMaxCodes; ++a)
        for (std::size_t b = 0; b < kMaxCodes; ++b)
            for (std::size_t model = 0; model < kModels; ++model)
                numbers[4 * (a * kMaxCodes + b) + model] = models[model].odds(a, b);
    glycine::gl::PooledTexture table(backend.textures(), {TextureFormat::RGBA32F, {kMaxCodes, kMaxCodes}, 0});
    table->upload(numbers.data());

    const std::size_t texels = columnTiles.size() * kMaxCodes;
    const glycine::gl::TableWidth width = pairwise::gl::tableWidth(backend.gl().limits, texels);
    oddsBits_ = width.rowBits - std::countr_zero(kMaxCodes);
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
