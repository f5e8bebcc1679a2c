#include "engine/gl/alignment/profile_passes.hpp"

#include <omp.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/texture.hpp"
#include "engine/gl/framework/watchdog.hpp"
#include "engine/gl/pairwise/wavefront_plan.hpp"

namespace glycine::align::gl {

namespace {

using clustalw::MatrixPart;
using clustalw::MiddleRows;
using clustalw::PathScheme;
using clustalw::Profile;
using clustalw::ProfilePair;
using clustalw::ProfilePart;
using clustalw::Step;
using glycine::gl::FragmentPass;
using glycine::gl::Rectangle;
using glycine::gl::RenderTexture;
using glycine::gl::TextureFormat;
using glycine::gl::toInt;

/// Below this number of cells, the processor is faster than the draws of their anti-diagonals.
constexpr double kLeastCells = 1'000'000;
/// Texels for a column's values.
constexpr std::size_t kValueTexels = kMaxCodes / 4;
/// Texels for a column's costs.
constexpr std::size_t kCostTexels = 2;
/// Texels that describe a pass.
constexpr std::size_t kLines = 2;
/// Textures used in turn.
constexpr std::size_t kStates = 3;
/// Cells along the side of a tile (step_profiles.frag), layers that it writes, and layers that are collected.
constexpr std::size_t kSideOfTile = 4;
constexpr int kLayersOfTile = 4, kCollected = 2;
/// Target sizes come in steps, so that textures are reused. No size is a power of two, for which software
/// renderers recompile programs.
constexpr std::size_t kSizeStep = 16;
/// Number of simultaneous passes beyond which nothing is gained.
constexpr std::size_t kMaxPasses = 4096;

/// Moves per number, as in step_linear.frag.
constexpr int kMovesOfNumber = 16;
/// Numbers of moves per column, for profiles with `columns` columns in total.
std::size_t numbersOfMoves(std::size_t columns) {
    return columns / kMovesOfNumber + 1;
}

/// How passes are drawn: by cells in the linear scheme, otherwise by tiles.
struct Drawing {
    PathScheme scheme = PathScheme::ClustalW;
    int layers() const { return scheme == PathScheme::ClustalW ? kLayersOfTile : 0; }
    /// Texels along the columns of a pass.
    std::size_t height(std::size_t columns) const {
        return scheme == PathScheme::ClustalW ? (columns + kSideOfTile - 1) / kSideOfTile : columns + 1;
    }
    /// Bytes per texel of all textures.
    std::size_t bytes() const {
        return 16 * (scheme == PathScheme::ClustalW
                         ? kStates * std::size_t{kLayersOfTile} + std::size_t{kCollected}
                         : kStates);
    }
};

std::size_t steppedSize(std::size_t size, std::size_t limit) {
    return std::min(roundUp(size, kSizeStep) + 1, limit);
}

class PassesByFragments final : public clustalw::ProfilePasses {
  public:
    explicit PassesByFragments(glycine::gl::GlBackend& backend) : backend_(backend) {}

    std::size_t load(std::span<const ProfilePair> pairs, PathScheme scheme) override {
        backend_.makeCurrent();
        scores_.reset();
        costs_.reset();
        places_.clear();
        const std::size_t room = backend_.textures().bytesFree() / 2;
        std::size_t count = 0, rows = 0, width = 0, columns = 0;
        for (; count < pairs.size(); ++count) {
            const std::size_t first = pairs[count].first->size, second = pairs[count].second->size;
            const std::size_t nextRows = rows + first, nextWidth = std::max(width, second);
            const std::size_t nextColumns = columns + first + second + 2;
            if (nextWidth + 1 > limit() || nextRows > limit()) break;
            const std::size_t moves = scheme == PathScheme::Linear ? numbersOfMoves(first + second) : 1;
            const Drawing drawing{scheme};
            const std::size_t states = drawing.bytes() * steppedSize(drawing.height(nextWidth), limit());
            std::size_t bytes = states + sizeof(std::int32_t) * moves * (nextWidth + 1);
            bool fits = moves <= limit();
            for (const glycine::gl::TextureShape& shape :
                 {glycine::gl::TextureShape{TextureFormat::R32I, {nextWidth, nextRows}},
                  tableOf(nextColumns * kValueTexels), tableOf(nextColumns * kCostTexels)}) {
                bytes += shape.bytes();
                fits = fits && shape.bytes() <= backend_.gl().limits.maxTextureBytes &&
                       static_cast<std::size_t>(shape.size.y) <= limit();
            }
            if (!fits || bytes > room) break;
            rows = nextRows;
            width = nextWidth;
            columns = nextColumns;
        }
        loaded_ = pairs.first(count);
        if (count > 0)
            upload(rows, width, columns, scheme == PathScheme::ClustalW ? clustalw::kScoreUnit : 1);
        return count;
    }

    void findMiddleRows(std::span<const ProfilePart> parts, MiddleRows& rows, Progress& progress) override {
        backend_.makeCurrent();
        std::vector<Pass> passes;
        for (std::size_t k = 0; k < parts.size(); ++k)
            for (const bool isBackward : {false, true})
                passes.push_back(passOf(parts[k], k, isBackward, PathScheme::ClustalW));
        inBatches(passes, {PathScheme::ClustalW},
                  [&](std::span<const Pass> some) { findRows(some, parts, rows, progress); });
        backend_.canary().check("aligning profiles");
    }

    std::vector<std::vector<Step>> findSteps(Progress& progress) override {
        backend_.makeCurrent();
        std::vector<Pass> passes;
        for (std::size_t k = 0; k < loaded_.size(); ++k) {
            Pass pass = passOf({k, {0, 0, loaded_[k].first->size, loaded_[k].second->size}}, k, false,
                               PathScheme::Linear);
            pass.numbers[2] = pass.lastRow = static_cast<int>(loaded_[k].first->size);
            pass.carried = kMovesOfNumber - 1;
            passes.push_back(pass);
        }
        std::vector<std::vector<Step>> steps(passes.size());
        inBatches(passes, {PathScheme::Linear},
                  [&](std::span<const Pass> some) { findSteps(some, steps, progress); });
        backend_.canary().check("aligning profiles");
        return steps;
    }

  private:
    /// A sweep over a part's cells in one direction.
    struct Pass {
        std::size_t part = 0;
        bool isBackward = false;
        std::int32_t numbers[4 * kLines] = {};
        int carried = 0;                  ///< anti-diagonals over which each column's last cell is passed on
        int lastRow = 0, lastColumn = 0;  ///< of tiles or cells, from 0
        int rows() const { return numbers[2]; }
        int columns() const { return numbers[3]; }
        int diagonals() const { return (lastRow + lastColumn) / (carried + 1) * (carried + 1) + carried + 1; }
    };
    /// Position of a loaded pair in the tables.
    struct Place {
        std::int32_t firstCosts = 0, secondCosts = 0, first = 0, second = 0, scores = 0;
    };

    std::size_t limit() const { return static_cast<std::size_t>(backend_.gl().limits.maxTextureSize); }
    glycine::gl::TextureShape tableOf(std::size_t texels) const {
        return pairwise::gl::tableWidth(backend_.gl().limits, texels).shape(TextureFormat::RGBA32I, texels);
    }

    /// Column k of a profile that begins at b has its costs (profile_costs.glsl) and values at column b + k.
    /// Column 0 has no values.
    void upload(std::size_t rows, std::size_t width, std::size_t columns, int unit) {
        const auto& limits = backend_.gl().limits;
        const glycine::gl::TableWidth valueWidth = pairwise::gl::tableWidth(limits, columns * kValueTexels);
        costWidth_ = pairwise::gl::tableWidth(limits, columns * kCostTexels);
        glycine::gl::TableTexture<std::int32_t> values(backend_.textures(), TextureFormat::RGBA32I,
                                                       valueWidth, columns * kValueTexels);
        costs_.emplace(backend_.textures(), TextureFormat::RGBA32I, costWidth_, columns * kCostTexels);
        std::size_t next = 0;
        const auto put = [&](const Profile& profile) {
            std::int32_t sum = 0;
            for (std::size_t column = 0; column <= profile.size; ++column) {
                if (column > 0) {
                    sum += profile.extend[column];
                    for (std::size_t code = 0; code < kMaxCodes; ++code)
                        values.texel((next + column) * kValueTexels + code / 4)[code % 4] =
                            profile.column(column)[code];
                }
                const std::int32_t isInside = column > 0 && column < profile.size ? 1 : 0;
                const std::size_t one = std::min(column + 1, profile.size);
                const std::size_t two = std::min(column + 2, profile.size);
                const std::int32_t numbers[4 * kCostTexels] = {profile.open[column],
                                                               2 * profile.extend[column] + isInside,
                                                               sum,
                                                               0,
                                                               profile.open[column],
                                                               profile.open[one],
                                                               2 * profile.extend[one] + isInside,
                                                               profile.open[two]};
                for (std::size_t k = 0; k < kCostTexels; ++k)
                    std::copy_n(numbers + 4 * k, 4, costs_->texel((next + column) * kCostTexels + k));
            }
            const std::size_t begin = next;
            next += profile.size + 1;
            return static_cast<std::int32_t>(begin);
        };
        std::int32_t row = 0;
        for (const ProfilePair& pair : loaded_) {
            const auto first = static_cast<std::int32_t>(pair.first->size);
            const std::int32_t firstCosts = put(*pair.first), secondCosts = put(*pair.second);
            places_.push_back(
                {firstCosts, secondCosts, first, static_cast<std::int32_t>(pair.second->size), row});
            row += first;
        }
        values.upload(columns * kValueTexels);
        costs_->upload(columns * kCostTexels);
        scores_.emplace(backend_.textures(), glycine::gl::TextureShape{TextureFormat::R32I, {width, rows}});
        backend_.budget().restart("align/score_profiles.frag");
        for (const Place& place : places_) {
            FragmentPass pass = backend_.pass("align/score_profiles.frag", {{"FIXED_POINT", ""}});
            pass.input("values", values.texture())
                .output(scores_->framebuffer())
                .uniform("begins", glm::ivec2(place.firstCosts + 1, place.secondCosts + 1))
                .uniform("firstRow", place.scores)
                .uniform("rowBits", valueWidth.rowBits)
                .uniform("unit", unit);
            drawInPieces(backend_.budget(), Rectangle{{0, place.scores}, {place.second, place.first}},
                         kMaxCodes, [&](const Rectangle& piece) { pass.draw(piece); });
        }
    }

    Pass passOf(const ProfilePart& one, std::size_t number, bool isBackward, PathScheme scheme) const {
        const MatrixPart& part = one.part;
        const Place& place = places_[one.pair];
        const std::int32_t before = toInt(part.rows / 2), columns = toInt(part.columns);
        std::int32_t i = toInt(part.row), j = toInt(part.column);
        Pass pass{number, isBackward};
        if (isBackward) {
            i += toInt(part.rows);
            j += columns;
        }
        const int rows = isBackward ? toInt(part.rows) - before : before;
        const bool opens = isBackward ? part.opensAfter : part.opensBefore;
        // The corner's score is that of the columns at the corner; forwards, of the columns before it.
        const int back = isBackward ? 0 : 1;
        const std::int32_t numbers[] = {
            place.firstCosts + i, place.secondCosts + j, rows, columns, place.scores + i - back, j - back,
            isBackward ? 1 : 0,   opens ? 1 : 0};
        std::ranges::copy(numbers, pass.numbers);
        pass.lastRow = scheme == PathScheme::ClustalW ? (rows - 1) / static_cast<int>(kSideOfTile) : rows;
        pass.lastColumn =
            scheme == PathScheme::ClustalW ? (columns - 1) / static_cast<int>(kSideOfTile) : columns;
        return pass;
    }

    /// Passes drawn side by side, and their textures.
    struct Batch {
        std::span<const Pass> passes;
        glm::ivec2 size{0, 0};  ///< size of the drawn area
        glycine::gl::TextureShape shape;
        std::vector<RenderTexture> states;
        glycine::gl::PooledTexture described;
    };

    /// Processes as many passes at once as the textures have room for; one always fits.
    template <class Compute>
    void inBatches(std::vector<Pass>& passes, const Drawing& drawing, const Compute& compute) const {
        // Sort so that passes that end earlier come after the others.
        std::ranges::stable_sort(passes, std::ranges::greater{}, &Pass::diagonals);
        for (std::size_t begin = 0; begin < passes.size();) {
            const std::span<const Pass> rest = std::span(passes).subspan(begin);
            const std::size_t moves =
                rest.front().carried > 0 ? static_cast<std::size_t>(rest.front().diagonals() / kMovesOfNumber)
                                         : 0;
            std::size_t count = 0, height = 0;
            for (; count < std::min({rest.size(), limit(), kMaxPasses}); ++count) {
                height = std::max(height, drawing.height(static_cast<std::size_t>(rest[count].columns())));
                const std::size_t bytes = (drawing.bytes() * steppedSize(count + 1, limit()) +
                                           sizeof(std::int32_t) * moves * (count + 1)) *
                                          steppedSize(height, limit());
                if (count > 0 &&
                    (bytes > backend_.textures().bytesFree() / 2 || moves * (count + 1) > limit()))
                    break;
            }
            compute(rest.first(count));
            begin += count;
        }
    }

    Batch batchOf(std::span<const Pass> passes, const Drawing& drawing) const {
        const std::size_t count = passes.size();
        std::size_t height = 0;
        for (const Pass& pass : passes)
            height = std::max(height, drawing.height(static_cast<std::size_t>(pass.columns())));
        // A single pass is exactly as wide as planned.
        const std::size_t width = count == 1 ? 1 : steppedSize(count, limit());
        const glycine::gl::TextureShape shape{
            TextureFormat::RGBA32I, {width, steppedSize(height, limit())}, drawing.layers()};
        Batch batch{passes,
                    {count, height},
                    shape,
                    {},
                    {backend_.textures(), {TextureFormat::RGBA32I, {width, kLines}}}};
        for (std::size_t k = 0; k < kStates; ++k) batch.states.emplace_back(backend_.textures(), shape);
        std::vector<std::int32_t> numbers(4 * kLines * count);
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t line = 0; line < kLines; ++line)
                std::copy_n(passes[k].numbers + 4 * line, 4, numbers.data() + 4 * (line * count + k));
        batch.described->upload(numbers.data(), {{0, 0}, {batch.size.x, kLines}}, batch.size.x);
        return batch;
    }

    /// Draws all anti-diagonals and calls `finish(diagonal, state)` after each.
    template <class Finish>
    void draw(Batch& batch, const char* shader, const glycine::gl::ShaderDefines& defines, Progress& progress,
              const Finish& finish) const {
        backend_.budget().restart(shader);
        std::size_t active = batch.passes.size();
        for (int diagonal = 0; diagonal < batch.passes.front().diagonals(); ++diagonal) {
            progress.throwIfCancelled();
            while (batch.passes[active - 1].diagonals() <= diagonal) --active;
            const auto state = [&](int before) -> const RenderTexture& {
                return batch.states[static_cast<std::size_t>(diagonal + 3 - before) % kStates];
            };
            FragmentPass pass = backend_.pass(shader, defines);
            pass.input("passes", *batch.described)
                .input("costs", costs_->texture())
                .input("scores", scores_->texture())
                .input("last", state(1).texture())
                .input("beforeLast", state(2).texture())
                .output(state(0).framebuffer())
                .uniform("diagonal", diagonal)
                .uniform("rowBits", costWidth_.rowBits);
            const int end = std::min(diagonal + 1, batch.size.y);
            // Start at the first column whose last cells or tiles are unfinished or still passed on.
            int begin = end;
            for (const Pass& one : batch.passes.first(active))
                begin = std::min(begin, diagonal - one.lastRow - one.carried);
            begin = std::max(begin, 0);
            glycine::gl::drawInBands(backend_.budget(), {{0, begin}, {active, end - begin}},
                                     static_cast<double>(active),
                                     [&](const Rectangle& band) { pass.draw(band); });
            finish(diagonal, state(0));
        }
    }

    /// Score of the edge in the last row of a pass; forwards, every row costs the first extension.
    static int edgeOf(const ProfilePair& pair, const MatrixPart& part, bool isBackward) {
        const Profile &first = *pair.first, &second = *pair.second;
        const std::size_t column = isBackward ? part.column + part.columns : part.column;
        if (column == 0 || column == second.size) return 0;
        const std::size_t middle = part.middle();
        int cost = 0;
        for (std::size_t row = isBackward ? middle : part.row;
             row < (isBackward ? part.row + part.rows : middle); ++row)
            cost += first.extend[isBackward ? row + 1 : part.row + 1];
        const bool opens = isBackward ? part.opensAfter : part.opensBefore;
        return -cost - (opens ? first.open[(isBackward ? middle : part.row) + 1] + second.open[column] : 0);
    }

    void findRows(std::span<const Pass> passes, std::span<const ProfilePart> parts, MiddleRows& rows,
                  Progress& progress) const {
        Batch batch = batchOf(passes, {PathScheme::ClustalW});
        draw(batch, "align/step_profiles.frag",
             {{"FIXED_POINT", ""}, {"OUTPUTS", std::to_string(kLayersOfTile)}}, progress,
             [](int, const RenderTexture&) {});
        glycine::gl::TextureShape shape = batch.shape;
        shape.layers = kCollected;
        const RenderTexture found(backend_.textures(), shape);
        const Rectangle whole{{0, 0}, batch.size};
        FragmentPass collect = backend_.pass("align/collect_rows.frag",
                                             {{"FIXED_POINT", ""}, {"OUTPUTS", std::to_string(kCollected)}});
        collect.input("passes", *batch.described);
        for (std::size_t k = 0; k < kStates; ++k)
            collect.input("state" + std::to_string(k), batch.states[k].texture());
        collect.output(found.framebuffer()).draw(whole);
        const auto width = static_cast<std::size_t>(batch.size.x);
        std::vector<std::int32_t> pixels(4 * width * static_cast<std::size_t>(batch.size.y));
        for (int layer = 0; layer < kCollected; ++layer) {
            glycine::gl::readPixels(found.framebuffer(), layer, TextureFormat::RGBA32I, whole, pixels.data());
            for (std::size_t k = 0; k < width; ++k) {
                const Pass& pass = passes[k];
                const ProfilePart& one = parts[pass.part];
                const auto kind = pass.isBackward
                                      ? (layer == 0 ? MiddleRows::ReverseBest : MiddleRows::ReverseInRowGap)
                                      : (layer == 0 ? MiddleRows::Best : MiddleRows::InRowGap);
                int* const target = rows.numbers().data() + rows.placeOf(pass.part, kind);
                const std::size_t columns = one.part.columns;
                target[pass.isBackward ? columns : 0] = edgeOf(loaded_[one.pair], one.part, pass.isBackward);
                for (std::size_t column = 1; column <= columns; ++column)
                    target[pass.isBackward ? columns - column : column] =
                        pixels[4 * ((column - 1) / kSideOfTile * width + k) + (column - 1) % kSideOfTile];
            }
        }
    }

    void findSteps(std::span<const Pass> passes, std::vector<std::vector<Step>>& steps,
                   Progress& progress) const {
        Batch batch = batchOf(passes, {PathScheme::Linear});
        const int numbers = passes.front().diagonals() / kMovesOfNumber;
        const RenderTexture kept(backend_.textures(),
                                 {TextureFormat::R32I, {numbers * batch.size.x, batch.size.y}});
        draw(batch, "align/step_linear.frag", {{"FIXED_POINT", ""}}, progress,
             [&](int diagonal, const RenderTexture& state) {
                 if (diagonal % kMovesOfNumber < kMovesOfNumber - 1) return;
                 const int begin = diagonal / kMovesOfNumber * batch.size.x;
                 backend_.pass("align/keep_moves.frag", {{"FIXED_POINT", ""}})
                     .input("state", state.texture())
                     .output(kept.framebuffer())
                     .uniform("begin", begin)
                     .draw({{begin, 0}, batch.size});
             });
        const auto width = static_cast<std::size_t>(numbers * batch.size.x);
        std::vector<std::int32_t> pixels(width * static_cast<std::size_t>(batch.size.y));
        glycine::gl::readPixels(kept.framebuffer(), 0, TextureFormat::R32I, {{0, 0}, {width, batch.size.y}},
                                pixels.data());
        parallelFor(omp_get_max_threads(), passes.size(), [&](std::size_t k, std::size_t) {
            const Pass& pass = passes[k];
            const auto move = [&](std::size_t i, std::size_t j) {
                const std::size_t diagonal = i + j;
                const std::size_t number = diagonal / kMovesOfNumber * passes.size() + k;
                return static_cast<std::uint32_t>(pixels[j * width + number]) >>
                           (2 * (diagonal % kMovesOfNumber)) &
                       3U;
            };
            steps[pass.part] = clustalw::stepsBack(static_cast<std::size_t>(pass.rows()),
                                                   static_cast<std::size_t>(pass.columns()), move);
        });
    }

    glycine::gl::GlBackend& backend_;
    std::span<const ProfilePair> loaded_;
    std::vector<Place> places_;
    glycine::gl::TableWidth costWidth_;
    std::optional<glycine::gl::TableTexture<std::int32_t>> costs_;
    std::optional<RenderTexture> scores_;
};

}  // namespace

std::unique_ptr<clustalw::ProfilePasses> profilePassesOn(glycine::gl::GlBackend& backend) {
    return std::make_unique<PassesByFragments>(backend);
}

Implementation<clustalw::ProfilePaths> profilePaths() {
    return {"gl", {}, [](Backend& backend) -> std::unique_ptr<clustalw::ProfilePaths> {
                auto& device = backendAs<glycine::gl::GlBackend>(backend);
                if (device.dialect() == Dialect::Gl21 || !device.gl().features.integerTargets ||
                    !device.gl().features.multipleTargets)
                    return nullptr;
                return std::make_unique<clustalw::ProfilePaths>(profilePassesOn(device), kLeastCells);
            }};
}

}  // namespace glycine::align::gl
