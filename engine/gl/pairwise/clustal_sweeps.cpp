#include "engine/gl/pairwise/clustal_sweeps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "engine/core/stage_recount.hpp"
#include "engine/gl/framework/pass_budget.hpp"
#include "engine/gl/framework/readback.hpp"
#include "engine/pairwise/clustal_scoring.hpp"
#include "engine/pairwise/lane_numbers.hpp"

namespace glycine::pairwise::gl {

using glycine::gl::TextureFormat;
using glycine::gl::toInt;

namespace {

/// Heights and widths of states come in steps, so that textures are used again.
constexpr std::size_t kStateStep = 16;
/// Far enough below every score, and far enough above the end of 32 bits.
constexpr int kNever = -(1 << 29);

}  // namespace

std::vector<WavefrontShape> ClustalSweeps::shapesFor(std::size_t targets) {
    // A row and a column with two numbers a cell, and one beside the row; of places three more.
    const std::size_t rows = targets;
    WavefrontShape places;
    // Texels lie one above the other along the columns of cells. What is collected takes half as many layers
    // as a state.
    places.layers = targets + targets / 4;
    places.columns = rows;
    places.rows = (4 * targets - 2 * rows - 4) / 2;
    places.tables = {{.isOfRows = true, .texelsPerStep = places.rows, .format = TextureFormat::R32I}};
    WavefrontShape borders = places;
    borders.rows = places.rows + 1;
    borders.tables.front().texelsPerStep = borders.rows;
    return {places, borders};
}

ClustalSweeps::ClustalSweeps(glycine::gl::GlBackend& backend, const Sequences& sequences,
                             const WavefrontPlan& plan, std::size_t targets)
    : backend_(backend),
      sequences_(sequences),
      plan_(plan),
      targets_(targets),
      shapes_(shapesFor(targets)),
      extend_(clustalPenalties(sequences.alphabet, 1, 1).extend),
      begins_(sequences.size()),
      scores_(backend.textures(), {TextureFormat::R32I, {kTableSide, kTableSide}}),
      parts_(backend.textures(), {TextureFormat::RGBA32I, {plan.width, 2}}),
      clock_(backend) {
    const SubstitutionMatrix& matrix = clustalMatrix(sequences.alphabet);
    std::vector<std::int32_t> scores;
    for (std::size_t a = 0; a < kTableSide; ++a)
        for (std::size_t b = 0; b < kTableSide; ++b)
            scores.push_back(a < matrix.size && b < matrix.size ? matrix.scores[a][b] : kNever);
    scores_->upload(scores.data());
}

void ClustalSweeps::load(std::span<const std::size_t> sequences) {
    clock_.restart();
    std::size_t total = 0;
    for (const std::size_t sequence : sequences) total += sequences_.codes[sequence].size();
    const glycine::gl::TableWidth width = tableWidth(backend_.gl().limits, total);
    rowBits_ = width.rowBits;
    letters_.reset();
    letters_.emplace(backend_.textures(), TextureFormat::R32I, width, total);
    std::size_t next = 0;
    for (const std::size_t sequence : sequences) {
        begins_[sequence] = next;
        for (const std::uint8_t code : sequences_.codes[sequence]) *letters_->texel(next++) = code;
    }
    letters_->upload(total);
    clock_.finishStage(uploadSeconds_);
}

/// Calls take(sweeps of a batch, their numbers, what was found) for all sweeps, `together` of which always
/// share a batch. Those of about one size do.
template <class Take>
void ClustalSweeps::forBatches(Kind kind, std::size_t together, const std::vector<Sweep>& sweeps,
                               Progress& progress, Take&& take) {
    const WavefrontShape& shape = shapeOf(kind);
    const auto rowSteps = [&](const Sweep& sweep) { return shape.columnSteps(sweep.rows.size()); };
    const auto columnSteps = [&](const Sweep& sweep) { return shape.rowSteps(sweep.part->columns.size()); };
    std::vector<std::size_t> order(sweeps.size() / together);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t k) {
        return rowSteps(sweeps[k * together]) + columnSteps(sweeps[k * together]);
    });
    std::vector<Sweep> some;
    for (std::size_t begin = 0; begin < order.size();) {
        Batch batch;
        some.clear();
        std::size_t end = begin;
        for (; end < order.size(); ++end) {
            const std::span<const Sweep> next = std::span(sweeps).subspan(order[end] * together, together);
            const std::size_t columns = std::max(batch.columnSteps, columnSteps(next.front()));
            const std::size_t places = some.size() + together;
            if (end > begin &&
                (places > plan_.width || places * shape.bytesPerPlace(columns + 1) > plan_.stateBytes))
                break;
            for (const Sweep& sweep : next) {
                batch.rowSteps = std::max(batch.rowSteps, rowSteps(sweep));
                some.push_back(sweep);
            }
            batch.columnSteps = columns;
        }
        // What does not fit side by side goes one after the other.
        const std::size_t most = std::max<std::size_t>(
            1, std::min(plan_.width, plan_.stateBytes / shape.bytesPerPlace(batch.columnSteps + 1)));
        std::vector<std::vector<std::int32_t>> found;
        for (const Range& range : splitRange(some.size(), most))
            found.push_back(draw(kind, std::span(some).subspan(range.begin, range.size()), batch, progress));
        take(std::span(order).subspan(begin, end - begin), batch, most, found);
        begin = end;
    }
}

/// All passes of a batch. Returns texels of all layers that were found, layer by layer, row by row.
std::vector<std::int32_t> ClustalSweeps::draw(Kind kind, std::span<const Sweep> sweeps, const Batch& batch,
                                              Progress& progress) {
    const WavefrontShape& shape = shapeOf(kind);
    const bool isBorder = kind == Kind::Border;
    const std::size_t width = sweeps.size();
    clock_.restart();
    std::vector<std::int32_t> described(2 * 4 * width);
    for (std::size_t k = 0; k < width; ++k) {
        const Sweep& sweep = sweeps[k];
        const SweptPart& part = *sweep.part;
        const auto place = [&](std::size_t sequence, const Range& letters) {
            return toInt(begins_[sequence] + (sweep.isBackwards ? letters.end - 1 : letters.begin));
        };
        const std::int32_t first[] = {place(part.a, sweep.rows), place(part.b, part.columns),
                                      toInt(sweep.rows.size()), toInt(part.columns.size())};
        const std::int32_t second[] = {sweep.isBackwards ? -1 : 1, part.open, sweep.borderOpen, 0};
        std::ranges::copy(first, described.begin() + static_cast<std::ptrdiff_t>(4 * k));
        std::ranges::copy(second, described.begin() + static_cast<std::ptrdiff_t>(4 * (width + k)));
    }
    parts_->upload(described.data(), {{0, 0}, {width, 2}}, toInt(width));
    clock_.finishStage(uploadSeconds_);

    // No height is a power of two, for which software renderers compile programs anew.
    const auto limit = static_cast<std::size_t>(backend_.gl().limits.maxTextureSize);
    std::size_t height = std::min(roundUp(batch.columnSteps, kStateStep) + 1, limit);
    if (width * shape.bytesPerPlace(height) > plan_.stateBytes) height = batch.columnSteps;
    std::size_t places = std::min(roundUp(width, kStateStep), plan_.width);
    if (places * shape.bytesPerPlace(height) > plan_.stateBytes) places = width;
    const auto room = [&](std::size_t rows, std::size_t layers) {
        return glycine::gl::RenderTexture(backend_.textures(),
                                          {TextureFormat::RGBA32I, {places, rows}, toInt(layers)});
    };
    glycine::gl::RenderTexture states[] = {room(height, targets_), room(height, targets_)};
    glycine::gl::ShaderDefines defines{{"FIXED_POINT", ""},
                                       {"CLUSTAL", ""},
                                       {"OUTPUTS", std::to_string(targets_)},
                                       {"ROWS", std::to_string(shape.columns)},
                                       {"COLUMNS", std::to_string(shape.rows)}};
    if (!isBorder) defines.push_back({"LOCAL", ""});
    const int rows = toInt(batch.rowSteps), columns = toInt(batch.columnSteps);
    const double cellsPerRow = static_cast<double>(width * shape.rows * shape.columns);
    for (int diagonal = 0; diagonal < rows + columns - 1; ++diagonal) {
        const int first = std::max(0, diagonal - rows + 1), last = std::min(diagonal, columns - 1);
        glycine::gl::FragmentPass pass = backend_.pass("align/step_clustal.frag", defines);
        pass.input("parts", *parts_)
            .input("letters", letters_->texture())
            .input("scores", *scores_)
            .input("last", states[(diagonal + 1) % 2].texture())
            .output(states[diagonal % 2].framebuffer())
            .uniform("rowBits", rowBits_)
            .uniform("diagonal", diagonal)
            .uniform("extend", extend_);
        if (!isBorder)
            pass.uniform("outside", kind == Kind::End ? 0 : kNever)
                .uniform("least", kind == Kind::End ? 0 : 2 * kNever);
        glycine::gl::drawInBands(backend_.budget(), {{0, first}, {width, last - first + 1}}, cellsPerRow,
                                 [&](const glycine::gl::Rectangle& band) { pass.draw(band); });
        progress.throwIfCancelled();
    }

    glycine::gl::ShaderDefines collected{{"FIXED_POINT", ""},
                                         {"ROWS", std::to_string(shape.columns)},
                                         {"COLUMNS", std::to_string(shape.rows)}};
    const std::size_t layers = layersFound(kind);
    if (isBorder) {
        collected.push_back({"OUTPUTS", std::to_string(layers)});
    } else {
        collected.push_back({"LOCAL", ""});
        collected.push_back({"LAYER", std::to_string(targets_ / 2 - 1)});
    }
    const int heightFound = isBorder ? columns : 1;
    glycine::gl::RenderTexture found = room(isBorder ? height : 1, layers);
    const glycine::gl::Rectangle region{{0, 0}, {width, heightFound}};
    backend_.pass("align/collect_clustal.frag", collected)
        .input("parts", *parts_)
        .input("state0", states[0].texture())
        .input("state1", states[1].texture())
        .output(found.framebuffer())
        .draw(region);
    clock_.finishStage(computeSeconds_);
    const std::size_t perLayer = 4 * width * static_cast<std::size_t>(heightFound);
    std::vector<std::int32_t> texels(layers * perLayer);
    for (std::size_t layer = 0; layer < layers; ++layer)
        glycine::gl::readPixels(found.framebuffer(), toInt(layer), TextureFormat::RGBA32I, region,
                                texels.data() + layer * perLayer);
    clock_.finishStage(downloadSeconds_);
    return texels;
}

std::vector<SweptPlace> ClustalSweeps::findPlaces(Kind kind, std::span<const SweptPart> parts,
                                                  Progress& progress) {
    std::vector<Sweep> sweeps;
    for (const SweptPart& part : parts)
        sweeps.push_back({.part = &part, .rows = part.rows, .isBackwards = kind == Kind::Begin});
    std::vector<SweptPlace> places(parts.size());
    forBatches(kind, 1, sweeps, progress,
               [&](std::span<const std::size_t> numbers, const Batch&, std::size_t most,
                   const std::vector<std::vector<std::int32_t>>& found) {
                   for (std::size_t k = 0; k < numbers.size(); ++k) {
                       const std::int32_t* const texel = found[k / most].data() + 4 * (k % most);
                       // There is no alignment, and no place.
                       if (kind == Kind::End && texel[1] == 0) continue;
                       const SweptPart& part = parts[numbers[k]];
                       const auto required = [&](std::int32_t letters, const Range& range) {
                           return requireBelow(static_cast<std::size_t>(letters), range.size() + 1, [&] {
                               return fmt::format(
                                   "number of letters that the local alignment of sequences {} "
                                   "and {} takes",
                                   part.a + 1, part.b + 1);
                           });
                       };
                       places[numbers[k]] = {texel[1], required(texel[2], part.rows),
                                             required(texel[3], part.columns)};
                   }
               });
    return places;
}

std::vector<SweptPlace> ClustalSweeps::findEnds(std::span<const SweptPart> parts, Progress& progress) {
    return findPlaces(Kind::End, parts, progress);
}

std::vector<SweptPlace> ClustalSweeps::findBegins(std::span<const SweptPart> parts, Progress& progress) {
    return findPlaces(Kind::Begin, parts, progress);
}

std::vector<ClustalCut> ClustalSweeps::findCuts(std::span<const SweptPart> parts, Progress& progress) {
    std::vector<Sweep> sweeps;
    for (const SweptPart& part : parts) {
        const std::size_t half = part.rows.begin + part.rows.size() / 2;
        sweeps.push_back({&part, {part.rows.begin, half}, false, part.openFirst});
        sweeps.push_back({&part, {half, part.rows.end}, true, part.openLast});
    }
    const std::size_t step = shapeOf(Kind::Border).rows;
    std::vector<ClustalCut> cuts(parts.size());
    std::vector<std::int32_t> numbers[4];
    forBatches(Kind::Border, 2, sweeps, progress,
               [&](std::span<const std::size_t> places, const Batch& batch, std::size_t most,
                   const std::vector<std::vector<std::int32_t>>& found) {
                   for (std::size_t k = 0; k < places.size(); ++k) {
                       const std::size_t columns = parts[places[k]].columns.size();
                       for (std::size_t direction = 0; direction < 2; ++direction) {
                           const std::size_t sweep = 2 * k + direction, piece = sweep / most;
                           const std::size_t width = std::min(most, 2 * places.size() - piece * most);
                           const Sweep& what = sweeps[2 * places[k] + direction];
                           std::vector<std::int32_t>&best = numbers[2 * direction],
                           &gap = numbers[2 * direction + 1];
                           best.assign(columns + 1, -what.borderOpen - extend_ * toInt(what.rows.size()));
                           gap.assign(columns + 1, best.front());
                           // In the first layers of a texel: the cell beside the tile, its last row, and its
                           // gaps.
                           const auto slot = [&](std::size_t tile, std::size_t number) {
                               const std::size_t texel =
                                   (number / 4 * batch.columnSteps + tile) * width + sweep % most;
                               return found[piece][4 * texel + number % 4];
                           };
                           for (std::size_t j = 0; j < columns; ++j) {
                               best[j + 1] = slot(j / step, 1 + j % step);
                               gap[j + 1] = slot(j / step, 1 + step + j % step);
                           }
                       }
                       cuts[places[k]] =
                           findCut(numbers[0], numbers[1], numbers[2], numbers[3], parts[places[k]].open);
                   }
               });
    return cuts;
}

}  // namespace glycine::pairwise::gl
