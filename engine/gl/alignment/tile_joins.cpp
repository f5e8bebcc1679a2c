#include "engine/gl/alignment/tile_posteriors.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/group_joins.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/tiling.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/pairwise/wavefront_plan.hpp"

namespace glycine::align::gl {

namespace {

using glycine::gl::TextureFormat;
using glycine::gl::TextureShape;
using glycine::gl::toInt;

/// Constants of shaders/align/join_tiles.frag: cells along a tile's side, texels of its gains and of its
/// output, textures used in turn, lanes stacked in a texel column, anti-diagonals before the first tile, and
/// bits of a number.
constexpr std::size_t kSide = 4;
constexpr std::size_t kGainTexels = 8;
constexpr std::size_t kLayers = 4;
constexpr std::size_t kTurns = 3;
constexpr std::size_t kStack = 4;
constexpr std::size_t kBlankDiagonals = 2;
constexpr int kLowerBits = 30;
constexpr int kBits = 2 * kLowerBits;

std::size_t tilesOf(std::size_t columns) {
    return (columns + kSide - 1) / kSide;
}

/// Includes one more lane, above the first row of tiles.
std::size_t lanesOf(std::size_t rows) {
    return roundUp(rows + 1, kStack);
}

std::size_t diagonalsOf(std::size_t rows, std::size_t columns) {
    return rows + columns - 1 + kBlankDiagonals;
}

/// Size of a batch.
struct Extent {
    std::size_t lanes = 0;  ///< a multiple of kStack
    std::size_t diagonals = 0;
    std::size_t tiles = 0;  ///< tiles with gains

    Extent plus(const Extent& other) const {
        return {lanes + other.lanes, std::max(diagonals, other.diagonals), tiles + other.tiles};
    }
    bool holds(const Extent& other) const {
        return lanes >= other.lanes && diagonals >= other.diagonals && tiles >= other.tiles;
    }
    Extent larger(const Extent& other) const {
        return {std::max(lanes, other.lanes), std::max(diagonals, other.diagonals),
                std::max(tiles, other.tiles)};
    }
    std::size_t width() const { return lanes / kStack; }
    /// Shape of one state texture, which holds every kTurns-th anti-diagonal.
    TextureShape stateShape() const {
        return {TextureFormat::RGBA32I,
                {width(), heightOf(kStack * ((diagonals + kTurns - 1) / kTurns))},
                toInt(kLayers)};
    }
    TextureShape placesShape() const { return {TextureFormat::R32I, {lanes, heightOf(diagonals)}, 0}; }

  private:
    /// Software renderers recompile a program for heights that are a power of two.
    static int heightOf(std::size_t rows) { return toInt(rows + (std::has_single_bit(rows) ? 1 : 0)); }
};

/// A join with its gains.
struct TiledJoin {
    JoinGains gains{};
    Extent extent{};
    int exponent = 0;  ///< sums are integer multiples of two to this power
};

/// Textures for batches up to some extent.
struct Room {
    Extent extent;
    glycine::gl::TableWidth gainsWidth;
    glycine::gl::RenderTexture states[kTurns];
    glycine::gl::PooledTexture places;
    glycine::gl::TableTexture<std::int32_t> gains;

    Room(glycine::gl::GlBackend& backend, const Extent& wanted)
        : extent(wanted),
          gainsWidth(pairwise::gl::tableWidth(backend.gl().limits, kGainTexels * wanted.tiles)),
          states{{backend.textures(), wanted.stateShape()},
                 {backend.textures(), wanted.stateShape()},
                 {backend.textures(), wanted.stateShape()}},
          places(backend.textures(), wanted.placesShape()),
          gains(backend.textures(), TextureFormat::RGBA32I, gainsWidth, kGainTexels * wanted.tiles) {}

    static std::size_t bytes(const glycine::gl::GlLimits& limits, const Extent& extent) {
        return kTurns * extent.stateShape().bytes() + extent.placesShape().bytes() +
               gainsShape(limits, extent).bytes();
    }
    static bool fits(const glycine::gl::GlLimits& limits, const Extent& extent, std::size_t bytesFree) {
        const auto side = static_cast<std::size_t>(limits.maxTextureSize);
        // Check before computing shapes, whose numbers are int.
        if (extent.lanes > side || extent.diagonals >= side || extent.tiles > side * side) return false;
        for (const TextureShape& shape :
             {extent.stateShape(), extent.placesShape(), gainsShape(limits, extent)})
            if (shape.size.y > limits.maxTextureSize || shape.bytes() > limits.maxTextureBytes) return false;
        return bytes(limits, extent) <= bytesFree;
    }

  private:
    static TextureShape gainsShape(const glycine::gl::GlLimits& limits, const Extent& extent) {
        const std::size_t texels = kGainTexels * extent.tiles;
        return pairwise::gl::tableWidth(limits, texels).shape(TextureFormat::RGBA32I, texels);
    }
};

TiledJoin tiled(const GroupJoin& join, JoinGains&& gains) {
    TiledJoin result{.gains = std::move(gains)};
    const std::size_t rows = tilesOf(join.firstWidth), columns = tilesOf(join.secondWidth);
    result.extent = {lanesOf(rows), diagonalsOf(rows, columns), 0};
    std::vector<std::size_t> lastRow(columns, rows);
    double most = 0, mostOfRow = 0;
    int smallest = std::numeric_limits<int>::max();
    std::uint32_t row = 0;
    for (const std::vector<JoinGain>& part : result.gains)
        for (const JoinGain& gain : part) {
            if (std::exchange(row, gain.row) != gain.row) most += std::exchange(mostOfRow, 0);
            mostOfRow = std::max(mostOfRow, static_cast<double>(gain.sum));
            if (gain.sum > 0)
                smallest = std::min(smallest, std::ilogb(gain.sum) + 1 - std::numeric_limits<float>::digits);
            if (std::exchange(lastRow[gain.column / kSide], gain.row / kSide) != gain.row / kSide)
                ++result.extent.tiles;
        }
    most += mostOfRow;
    if (!(most > 0)) return {};
    // Exact if the bits suffice; otherwise the rounding is far below that of doubles.
    result.exponent = std::max(smallest, std::ilogb(most) + 1 - kBits);
    return result;
}

class TileJoins final : public GroupJoins {
  public:
    TileJoins(glycine::gl::GlBackend& backend, const PosteriorSet& posteriors,
              std::span<const double> weights)
        : backend_(backend), sums_(posteriors, weights), onHost_(joinsOnHost(posteriors, weights)) {}

    std::vector<ColumnChain> heaviestChains(std::span<const GroupJoin> joins, const PlacedResidues& residues,
                                            Progress& progress) override {
        std::vector<TiledJoin> all(joins.size());
        sums_.find(joins, residues, progress,
                   [&](std::size_t k, JoinGains&& gains) { all[k] = tiled(joins[k], std::move(gains)); });
        backend_.makeCurrent();
        backend_.budget().restart("align/join_tiles.frag");
        std::vector<ColumnChain> chains(joins.size());
        std::vector<std::size_t> batch;
        Extent extent;
        const auto flush = [&] {
            if (!batch.empty()) computeBatch(joins, all, batch, extent, chains, progress);
            batch.clear();
            extent = {};
        };
        for (std::size_t k = 0; k < joins.size(); ++k) {
            // Nothing gains anything, so the chain is empty.
            if (all[k].extent.tiles == 0) continue;
            if (!fits(all[k].extent)) {
                chains[k] = heaviestChainOf(all[k].gains, joins[k].secondWidth);
                ++declined_;
                continue;
            }
            if (!fits(extent.plus(all[k].extent))) flush();
            batch.push_back(k);
            extent = extent.plus(all[k].extent);
        }
        flush();
        return chains;
    }

    ResidueValues sumsWithin(const PlacedResidues& residues, Progress& progress) override {
        return onHost_->sumsWithin(residues, progress);
    }

    std::string note() const override {
        return declined_ == 0 ? std::string()
                              : fmt::format("{} on the host, for which textures have no room",
                                            formatCount(declined_, "join"));
    }

  private:
    bool fits(const Extent& extent) const {
        const glycine::gl::GlLimits& limits = backend_.gl().limits;
        const std::size_t here = room_ ? Room::bytes(limits, room_->extent) : 0;
        return Room::fits(limits, extent, backend_.textures().bytesFree() + here);
    }
    /// Reuses the present room, because all joins of a refinement have about the same size.
    void makeRoom(const Extent& extent) {
        if (room_ && room_->extent.holds(extent)) return;
        const Extent larger = room_ ? room_->extent.larger(extent) : extent;
        const bool isEnough = fits(larger);
        room_.reset();
        room_.emplace(backend_, isEnough ? larger : extent);
    }

    void computeBatch(std::span<const GroupJoin> joins, const std::vector<TiledJoin>& all,
                      const std::vector<std::size_t>& batch, const Extent& extent,
                      std::vector<ColumnChain>& chains, Progress& progress) {
        progress.throwIfCancelled();
        makeRoom(extent);
        const std::vector<std::size_t> lanes = upload(joins, all, batch, extent);
        draw(joins, batch, lanes, extent, progress);
        const std::array<std::vector<std::int32_t>, kTurns> steps = readSteps(extent);
        backend_.canary().check("joining groups");
        parallelFor(omp_get_max_threads(), batch.size(), [&](std::size_t number, std::size_t) {
            const GroupJoin& join = joins[batch[number]];
            const auto stepAt = [&](std::size_t i, std::size_t j) {
                const std::size_t row = i / kSide, diagonal = row + j / kSide + kBlankDiagonals;
                const std::size_t lane = lanes[number] + row;
                const std::size_t texel =
                    (diagonal / kTurns * kStack + lane % kStack) * extent.width() + lane / kStack;
                const auto ofTile = static_cast<std::uint32_t>(steps[diagonal % kTurns][4 * texel + 2]);
                return ofTile >> (2 * (i % kSide * kSide + j % kSide)) & 3U;
            };
            chains[batch[number]] = chainAlongSteps(join.firstWidth, join.secondWidth, stepAt);
        });
    }

    /// Returns the lane of each join's first row of tiles.
    std::vector<std::size_t> upload(std::span<const GroupJoin> joins, const std::vector<TiledJoin>& all,
                                    const std::vector<std::size_t>& batch, const Extent& extent) {
        std::vector<std::int32_t> places(extent.lanes * extent.diagonals, -1);
        std::vector<std::size_t> lanes;
        std::size_t lane = 0, tiles = 0;
        for (const std::size_t k : batch) {
            const std::size_t rows = tilesOf(joins[k].firstWidth), columns = tilesOf(joins[k].secondWidth);
            lanes.push_back(lane + 1);
            const auto placeOf = [&](std::size_t row, std::size_t column) -> std::int32_t& {
                return places[(row + column + kBlankDiagonals) * extent.lanes + lanes.back() + row];
            };
            for (std::size_t row = 0; row < rows; ++row)
                for (std::size_t column = 0; column < columns; ++column) placeOf(row, column) = 0;
            for (const std::vector<JoinGain>& part : all[k].gains)
                for (const JoinGain& gain : part) {
                    std::int32_t& place = placeOf(gain.row / kSide, gain.column / kSide);
                    if (place == 0) {
                        std::fill_n(room_->gains.texel(kGainTexels * tiles), 4 * kGainTexels, 0);
                        place = static_cast<std::int32_t>(++tiles);
                    }
                    const long long sum =
                        std::llrint(std::ldexp(static_cast<double>(gain.sum), -all[k].exponent));
                    const std::size_t cell = gain.row % kSide * kSide + gain.column % kSide;
                    std::int32_t* const number =
                        room_->gains.texel(kGainTexels * (static_cast<std::size_t>(place) - 1) + cell / 2) +
                        2 * (cell % 2);
                    number[0] = static_cast<std::int32_t>(sum >> kLowerBits);
                    number[1] = static_cast<std::int32_t>(sum & ((1LL << kLowerBits) - 1));
                }
            lane += lanesOf(rows);
        }
        room_->places->upload(places.data(), {{0, 0}, {extent.lanes, extent.diagonals}}, toInt(extent.lanes));
        room_->gains.upload(kGainTexels * tiles);
        return lanes;
    }

    /// The columns of texels that an anti-diagonal draws. They contain all tiles of joins, and the borders
    /// that the next tiles read: in the lane above the first tile, and before the last tile.
    static Range drawnColumns(std::span<const GroupJoin> joins, const std::vector<std::size_t>& batch,
                              const std::vector<std::size_t>& lanes, std::size_t diagonal) {
        Range drawn{std::numeric_limits<std::size_t>::max(), 0};
        for (std::size_t number = 0; number < batch.size(); ++number) {
            const std::size_t rows = tilesOf(joins[batch[number]].firstWidth);
            const std::size_t columns = tilesOf(joins[batch[number]].secondWidth);
            if (diagonal >= diagonalsOf(rows, columns)) continue;
            // The first tile of a row of tiles lies two anti-diagonals after the row's own number.
            const std::size_t done =
                diagonal - std::min(diagonal, columns + kBlankDiagonals - 1);  // finished rows of tiles
            drawn.begin = std::min(drawn.begin, lanes[number] + done - 1);
            drawn.end = std::max(drawn.end, lanes[number] + std::min(diagonal, rows));
        }
        return {drawn.begin / kStack, (drawn.end + kStack - 1) / kStack};
    }

    void draw(std::span<const GroupJoin> joins, const std::vector<std::size_t>& batch,
              const std::vector<std::size_t>& lanes, const Extent& extent, Progress& progress) {
        const auto state = [&](std::size_t diagonal) -> glycine::gl::RenderTexture& {
            return room_->states[diagonal % kTurns];
        };
        for (std::size_t diagonal = 0; diagonal < extent.diagonals; ++diagonal) {
            const Range columns = drawnColumns(joins, batch, lanes, diagonal);
            backend_.budget().begin();
            backend_
                .pass("align/join_tiles.frag", {{"FIXED_POINT", ""}, {"OUTPUTS", std::to_string(kLayers)}})
                .input("places", *room_->places)
                .input("gains", room_->gains.texture())
                .input("last", state(diagonal + kTurns - 1).texture())
                .input("beforeLast", state(diagonal + kTurns - 2).texture())
                .output(state(diagonal).framebuffer())
                .uniform("diagonal", toInt(diagonal))
                .uniform("rowBits", room_->gainsWidth.rowBits)
                .draw({{columns.begin, diagonal / kTurns * kStack}, {columns.size(), kStack}});
            const auto texels = static_cast<double>(columns.size() * kStack);
            if (backend_.budget().note(texels * kSide * kSide)) progress.throwIfCancelled();
        }
    }

    std::array<std::vector<std::int32_t>, kTurns> readSteps(const Extent& extent) const {
        std::array<std::vector<std::int32_t>, kTurns> steps;
        for (std::size_t turn = 0; turn < kTurns; ++turn) {
            const std::size_t rows = (extent.diagonals + kTurns - 1 - turn) / kTurns * kStack;
            steps[turn].resize(4 * extent.width() * rows);
            glycine::gl::readPixels(room_->states[turn].framebuffer(), toInt(kLayers - 1),
                                    TextureFormat::RGBA32I, {{0, 0}, {extent.width(), rows}},
                                    steps[turn].data());
        }
        return steps;
    }

    glycine::gl::GlBackend& backend_;
    JoinSums sums_;
    std::unique_ptr<GroupJoins> onHost_;
    std::optional<Room> room_;
    std::size_t declined_ = 0;
};

}  // namespace

std::unique_ptr<GroupJoins> joinsByTiles(glycine::gl::GlBackend& backend, const PosteriorSet& posteriors,
                                         std::span<const double> weights) {
    return std::make_unique<TileJoins>(backend, posteriors, weights);
}

}  // namespace glycine::align::gl
