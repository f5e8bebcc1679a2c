#include "engine/algorithms/align/gl/profile_passes.hpp"

#include <omp.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "engine/algorithms/align/gl/wavefront_plan.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/gl/pass_budget.hpp"
#include "engine/gl/ping_pong.hpp"
#include "engine/gl/readback.hpp"
#include "engine/gl/table_texture.hpp"

namespace glycine::align::gl {

namespace {

using clustalw::MiddleRows;
using clustalw::PairPart;
using clustalw::Part;
using clustalw::PathScheme;
using clustalw::Profile;
using clustalw::ProfilePair;
using clustalw::Step;
using glycine::gl::FragmentPass;
using glycine::gl::Rect;
using glycine::gl::RenderTexture;
using glycine::gl::TextureFormat;
using glycine::gl::toInt;

/// Of fewer cells the processor is done before the draws of their anti-diagonals are.
constexpr double kLeastCells = 1'000'000;
/// Texels of a column's values.
constexpr std::size_t kValueTexels = kMostCodes / 4;
/// Of a column's costs.
constexpr std::size_t kCostTexels = 2;
/// Of a pass.
constexpr std::size_t kLines = 2;
/// Textures that take turns, and the one that collects.
constexpr std::size_t kStates = 3, kTargets = kStates + 1;
/// Sizes of targets come in steps, so that textures are used again, and are no powers of two, for which
/// software renderers compile programs anew.
constexpr std::size_t kStep = 16;
/// Of passes at once, beyond which nothing is gained.
constexpr std::size_t kMostPasses = 4096;

/// Of one texel, as step_linear.frag has it.
constexpr int kMovesOfNumber = 16;
/// Texels of a column, for profiles of so many columns together.
std::size_t numbersOfMoves(std::size_t columns) {
    return columns / kMovesOfNumber + 1;
}

std::size_t steppedSize(std::size_t size, std::size_t limit) {
    return std::min(roundUp(size, kStep) + 1, limit);
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
            const std::size_t states = 16 * kTargets * steppedSize(nextWidth + 1, limit());
            std::size_t bytes = states + sizeof(std::int32_t) * moves * (nextWidth + 1);
            bool fits = moves <= limit();
            for (const glycine::gl::TextureShape& shape :
                 {glycine::gl::TextureShape{TextureFormat::R32I, toInt(nextWidth), toInt(nextRows)},
                  tableOf(nextColumns * kValueTexels), tableOf(nextColumns * kCostTexels)}) {
                bytes += shape.bytes();
                fits = fits && shape.bytes() <= backend_.gl().limits.maxTextureBytes &&
                       static_cast<std::size_t>(shape.height) <= limit();
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

    void findMiddleRows(std::span<const PairPart> parts, MiddleRows& rows, Progress& progress) override {
        backend_.makeCurrent();
        std::vector<Pass> passes;
        for (std::size_t k = 0; k < parts.size(); ++k)
            for (const bool isBackward : {false, true}) passes.push_back(passOf(parts[k], k, isBackward));
        inBatches(passes, [&](std::span<const Pass> some) { findRows(some, rows, progress); });
        backend_.canary().check("aligning profiles");
    }

    std::vector<std::vector<Step>> findSteps(Progress& progress) override {
        backend_.makeCurrent();
        std::vector<Pass> passes;
        for (std::size_t k = 0; k < loaded_.size(); ++k) {
            Pass pass = passOf({k, {0, 0, loaded_[k].first->size, loaded_[k].second->size}}, k, false);
            pass.numbers[2] = static_cast<std::int32_t>(loaded_[k].first->size);
            pass.carried = kMovesOfNumber - 1;
            passes.push_back(pass);
        }
        std::vector<std::vector<Step>> steps(passes.size());
        inBatches(passes, [&](std::span<const Pass> some) { findSteps(some, steps, progress); });
        backend_.canary().check("aligning profiles");
        return steps;
    }

  private:
    /// Over a part's cells in one direction.
    struct Pass {
        std::size_t part = 0;
        bool isBackward = false;
        std::int32_t numbers[4 * kLines] = {};
        int carried = 0;  ///< anti-diagonals over which each column's last cell is handed on
        int rows() const { return numbers[2]; }
        int columns() const { return numbers[3]; }
        int diagonals() const { return (rows() + columns()) / (carried + 1) * (carried + 1) + carried + 1; }
    };
    /// Where a loaded pair lies.
    struct Place {
        std::int32_t firstCosts = 0, secondCosts = 0, first = 0, second = 0, scores = 0;
    };

    std::size_t limit() const { return static_cast<std::size_t>(backend_.gl().limits.maxTextureSize); }
    glycine::gl::TextureShape tableOf(std::size_t texels) const {
        return tableWidth(backend_.gl().limits, texels).shape(TextureFormat::RGBA32I, texels);
    }

    /// Costs (profile_costs.glsl) and values of column k of a profile that begins at b are those of column b
    /// + k; there are no values of column 0.
    void upload(std::size_t rows, std::size_t width, std::size_t columns, int unit) {
        const auto& limits = backend_.gl().limits;
        const glycine::gl::TableWidth valueWidth = tableWidth(limits, columns * kValueTexels);
        costWidth_ = tableWidth(limits, columns * kCostTexels);
        glycine::gl::TableTexture<std::int32_t> values(backend_.textures(), TextureFormat::RGBA32I,
                                                       valueWidth, columns * kValueTexels);
        costs_.emplace(backend_.textures(), TextureFormat::RGBA32I, costWidth_, columns * kCostTexels);
        std::size_t next = 0;
        const auto put = [&](const Profile& profile) {
            std::int32_t sum = 0;
            for (std::size_t column = 0; column <= profile.size; ++column) {
                if (column > 0) {
                    sum += profile.extend[column];
                    for (std::size_t code = 0; code < kMostCodes; ++code)
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
        scores_.emplace(backend_.textures(),
                        glycine::gl::TextureShape{TextureFormat::R32I, toInt(width), toInt(rows)});
        backend_.budget().restart();
        for (const Place& place : places_) {
            FragmentPass pass = backend_.pass("align/score_profiles.frag", {{"FIXED_POINT", ""}});
            pass.input("values", values.texture())
                .output(scores_->framebuffer())
                .uniform("begins", glm::ivec2(place.firstCosts + 1, place.secondCosts + 1))
                .uniform("firstRow", place.scores)
                .uniform("rowBits", valueWidth.rowBits)
                .uniform("unit", unit);
            drawInPieces(backend_.budget(), Rect{0, place.scores, place.second, place.first}, kMostCodes,
                         [&](const Rect& piece) { pass.draw(piece); });
        }
    }

    Pass passOf(const PairPart& one, std::size_t number, bool isBackward) const {
        const Part& part = one.part;
        const Place& place = places_[one.pair];
        const auto asInt = [](std::size_t value) { return static_cast<std::int32_t>(value); };
        const std::int32_t rows = asInt(part.rows / 2);
        std::int32_t i = asInt(part.row), j = asInt(part.column);
        if (!isBackward)
            return {number,
                    false,
                    {place.firstCosts + i, place.secondCosts + j, rows, asInt(part.columns),
                     place.scores + i - 1, j - 1, 0, part.opensBefore ? 1 : 0}};
        i += asInt(part.rows);
        j += asInt(part.columns);
        return {number,
                true,
                {place.firstCosts + i, place.secondCosts + j, asInt(part.rows) - rows, asInt(part.columns),
                 place.scores + i, j, 1, part.opensBehind ? 1 : 0}};
    }

    /// Passes that are drawn side by side, and textures that take turns.
    struct Batch {
        std::span<const Pass> passes;
        int width = 0, height = 0;  ///< that are drawn
        glycine::gl::TextureShape shape;
        std::vector<RenderTexture> states;
        glycine::gl::PooledTexture described;
    };

    /// As many of the passes at once as textures have room for; one always has.
    template <class Compute>
    void inBatches(std::vector<Pass>& passes, const Compute& compute) const {
        // So that those that end earlier lie behind the others.
        std::ranges::stable_sort(passes, std::ranges::greater{}, &Pass::diagonals);
        for (std::size_t begin = 0; begin < passes.size();) {
            const std::span<const Pass> rest = std::span(passes).subspan(begin);
            const std::size_t moves =
                rest.front().carried > 0 ? static_cast<std::size_t>(rest.front().diagonals() / kMovesOfNumber)
                                         : 0;
            std::size_t count = 0, height = 0;
            for (; count < std::min({rest.size(), limit(), kMostPasses}); ++count) {
                height = std::max(height, static_cast<std::size_t>(rest[count].columns()) + 1);
                const std::size_t bytes = (16 * kTargets * steppedSize(count + 1, limit()) +
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

    Batch batchOf(std::span<const Pass> passes) const {
        const std::size_t count = passes.size();
        int mostColumns = 0;
        for (const Pass& pass : passes) mostColumns = std::max(mostColumns, pass.columns());
        const int height = mostColumns + 1;
        // One pass alone is as wide as planned for.
        const std::size_t width = count == 1 ? 1 : steppedSize(count, limit());
        const glycine::gl::TextureShape shape{TextureFormat::RGBA32I, toInt(width),
                                              toInt(steppedSize(static_cast<std::size_t>(height), limit()))};
        Batch batch{passes, toInt(count),
                    height, shape,
                    {},     {backend_.textures(), {TextureFormat::RGBA32I, toInt(width), toInt(kLines)}}};
        for (std::size_t k = 0; k < kStates; ++k) batch.states.emplace_back(backend_.textures(), shape);
        std::vector<std::int32_t> numbers(4 * kLines * count);
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t line = 0; line < kLines; ++line)
                std::copy_n(passes[k].numbers + 4 * line, 4, numbers.data() + 4 * (line * count + k));
        batch.described->upload(numbers.data(), {0, 0, batch.width, toInt(kLines)}, batch.width);
        return batch;
    }

    /// Draws all anti-diagonals; `finish(diagonal, state)` behind each.
    template <class Finish>
    void draw(Batch& batch, const char* shader, Progress& progress, const Finish& finish) const {
        backend_.budget().restart();
        std::size_t active = batch.passes.size();
        for (int diagonal = 0; diagonal < batch.passes.front().diagonals(); ++diagonal) {
            progress.throwIfCancelled();
            while (batch.passes[active - 1].diagonals() <= diagonal) --active;
            const auto state = [&](int before) -> const RenderTexture& {
                return batch.states[static_cast<std::size_t>(diagonal + 3 - before) % kStates];
            };
            FragmentPass pass = backend_.pass(shader, {{"FIXED_POINT", ""}});
            pass.input("passes", *batch.described)
                .input("costs", costs_->texture())
                .input("scores", scores_->texture())
                .input("last", state(1).texture())
                .input("beforeLast", state(2).texture())
                .output(state(0).framebuffer())
                .uniform("diagonal", diagonal)
                .uniform("rowBits", costWidth_.rowBits);
            const int end = std::min(diagonal + 1, batch.height);
            // Columns whose last cells are not done, nor handed on.
            int begin = end;
            for (const Pass& one : batch.passes.first(active))
                begin = std::min(begin, diagonal - one.rows() - one.carried);
            begin = std::max(begin, 0);
            glycine::gl::drawInBands(backend_.budget(), {0, begin, toInt(active), end - begin},
                                     static_cast<double>(active), [&](const Rect& band) { pass.draw(band); });
            finish(diagonal, state(0));
        }
    }

    void findRows(std::span<const Pass> passes, MiddleRows& rows, Progress& progress) const {
        Batch batch = batchOf(passes);
        draw(batch, "align/step_profiles.frag", progress, [](int, const RenderTexture&) {});
        const RenderTexture found(backend_.textures(), batch.shape);
        const Rect whole{0, 0, batch.width, batch.height};
        FragmentPass collect = backend_.pass("align/collect_rows.frag", {{"FIXED_POINT", ""}});
        collect.input("passes", *batch.described);
        for (std::size_t k = 0; k < kStates; ++k)
            collect.input("state" + std::to_string(k), batch.states[k].texture());
        collect.output(found.framebuffer()).draw(whole);
        const auto width = static_cast<std::size_t>(batch.width);
        std::vector<std::int32_t> pixels(4 * width * static_cast<std::size_t>(batch.height));
        glycine::gl::readPixels(found.framebuffer(), 0, TextureFormat::RGBA32I, whole, pixels.data());
        for (std::size_t k = 0; k < width; ++k) {
            const Pass& pass = passes[k];
            const auto placeOf = [&](MiddleRows::Kind forwards, MiddleRows::Kind backwards) {
                return rows.numbers().data() +
                       rows.placeOf(pass.part, pass.isBackward ? backwards : forwards);
            };
            int* const best = placeOf(MiddleRows::Best, MiddleRows::ReverseBest);
            int* const inRowGap = placeOf(MiddleRows::InRowGap, MiddleRows::ReverseInRowGap);
            for (int column = 0; column <= pass.columns(); ++column) {
                const std::int32_t* const cell =
                    pixels.data() + 4 * (static_cast<std::size_t>(column) * width + k);
                const int place = pass.isBackward ? pass.columns() - column : column;
                best[place] = cell[0];
                inRowGap[place] = cell[2];
            }
        }
    }

    void findSteps(std::span<const Pass> passes, std::vector<std::vector<Step>>& steps,
                   Progress& progress) const {
        Batch batch = batchOf(passes);
        const int numbers = passes.front().diagonals() / kMovesOfNumber;
        const RenderTexture kept(backend_.textures(),
                                 {TextureFormat::R32I, numbers * batch.width, batch.height});
        draw(batch, "align/step_linear.frag", progress, [&](int diagonal, const RenderTexture& state) {
            if (diagonal % kMovesOfNumber < kMovesOfNumber - 1) return;
            const int begin = diagonal / kMovesOfNumber * batch.width;
            backend_.pass("align/keep_moves.frag", {{"FIXED_POINT", ""}})
                .input("state", state.texture())
                .output(kept.framebuffer())
                .uniform("begin", begin)
                .draw({begin, 0, batch.width, batch.height});
        });
        const auto width = static_cast<std::size_t>(numbers * batch.width);
        std::vector<std::int32_t> pixels(width * static_cast<std::size_t>(batch.height));
        glycine::gl::readPixels(kept.framebuffer(), 0, TextureFormat::R32I,
                                {0, 0, toInt(width), batch.height}, pixels.data());
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

ProfilePathsEntry profilePaths() {
    return {"gl", {}, [](Backend& backend) -> std::unique_ptr<clustalw::ProfilePaths> {
                auto& device = backendAs<glycine::gl::GlBackend>(backend);
                if (device.dialect() == Dialect::Gl21 || !device.gl().features.integerTargets) return nullptr;
                return std::make_unique<clustalw::ProfilePaths>(profilePassesOn(device), kLeastCells);
            }};
}

}  // namespace glycine::align::gl
