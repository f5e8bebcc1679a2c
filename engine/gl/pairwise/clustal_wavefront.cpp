#include "engine/gl/pairwise/clustal_wavefront.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <utility>

#include "engine/core/parallel.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/watchdog.hpp"
#include "engine/pairwise/clustal_pair.hpp"
#include "engine/pairwise/lane_numbers.hpp"

namespace glycine::pairwise::gl {

using glycine::gl::TextureFormat;
using glycine::gl::toInt;

std::vector<WavefrontShape> ClustalSweeps::shapesFor(std::size_t targets) {
    // A tile has a row and a column with two numbers per cell, and one number next to the row. Tiles that
    // find places have three more.
    const std::size_t rows = targets;
    WavefrontShape places;
    // Texels lie one above the other along the columns of cells. The collected numbers take half as many
    // layers as a state.
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
      scores_(backend.textures(), {TextureFormat::R32I, {kTableSide, kTableSide}}),
      parts_(backend.textures(), {TextureFormat::RGBA32I, {plan.width, 2}}),
      clock_(backend) {
    std::vector<std::int32_t> scores(kTableSide * kTableSide);
    fillClustalTable(clustalMatrix(sequences.alphabet), scores.data());
    scores_->upload(scores.data());
}

void ClustalSweeps::load(std::span<const std::size_t> sequences) {
    clock_.restart();
    letters_.fill(backend_, sequences_, sequences);
    clock_.finishStage(uploadSeconds_);
}

/// Calls take(sweeps of a batch, their numbers, results) for all sweeps. Each group of `together` sweeps
/// shares a batch, as do sweeps of similar size.
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
        // Draw in turn what does not fit side by side.
        const std::size_t most = std::max<std::size_t>(
            1, std::min(plan_.width, plan_.stateBytes / shape.bytesPerPlace(batch.columnSteps + 1)));
        std::vector<std::vector<std::int32_t>> found;
        for (const Range& range : splitRange(some.size(), most))
            found.push_back(draw(kind, std::span(some).subspan(range.begin, range.size()), batch, progress));
        take(std::span(order).subspan(begin, end - begin), batch, most, found);
        begin = end;
    }
}

/// Runs all passes of a batch. Returns the texels of all resulting layers, layer by layer, row by row.
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
            return toInt(letters_.begins[sequence] + (sweep.isBackwards ? letters.end - 1 : letters.begin));
        };
        const std::int32_t first[] = {place(part.a, sweep.rows), place(part.b, part.columns),
                                      toInt(sweep.rows.size()), toInt(part.columns.size())};
        const std::int32_t second[] = {sweep.isBackwards ? -1 : 1, part.open, sweep.borderOpen, 0};
        std::ranges::copy(first, described.begin() + static_cast<std::ptrdiff_t>(4 * k));
        std::ranges::copy(second, described.begin() + static_cast<std::ptrdiff_t>(4 * (width + k)));
    }
    parts_->upload(described.data(), {{0, 0}, {width, 2}}, toInt(width));
    clock_.finishStage(uploadSeconds_);

    const StateSize size = stateSize(plan_, shape, backend_.gl().limits, width, batch.columnSteps);
    const auto room = [&](int height, std::size_t layers) {
        return glycine::gl::RenderTexture(backend_.textures(),
                                          {TextureFormat::RGBA32I, {size.places, height}, toInt(layers)});
    };
    glycine::gl::RenderTexture states[] = {room(size.height, targets_), room(size.height, targets_)};
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
            .input("letters", letters_.table->texture())
            .input("scores", *scores_)
            .input("last", states[(diagonal + 1) % 2].texture())
            .output(states[diagonal % 2].framebuffer())
            .uniform("rowBits", letters_.rowBits)
            .uniform("diagonal", diagonal)
            .uniform("extend", extend_);
        if (!isBorder)
            pass.uniform("outside", kind == Kind::End ? 0 : kClustalNever)
                .uniform("least", kind == Kind::End ? 0 : 2 * kClustalNever);
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
    glycine::gl::RenderTexture found = room(isBorder ? size.height : 1, layers);
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
                       // There is no local alignment, hence no place.
                       if (kind == Kind::End && texel[1] == 0) continue;
                       const SweptPart& part = parts[numbers[k]];
                       const auto required = [&](std::int32_t letters, const Range& range) {
                           return requireBelow(static_cast<std::size_t>(letters), range.size() + 1, [&] {
                               return fmt::format(
                                   "number of letters that the local alignment of sequences {} and {} takes",
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
                           // The first layers of a texel hold the cell next to the tile, its last row, and
                           // its gaps.
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

namespace {

/// The processor joins parts of fewer cells: they cost less than starting passes.
constexpr std::size_t kFewCells = 1024;
/// Pairs whose parts are processed at once: some tens of megabytes.
constexpr std::size_t kPairsAtOnce = 65536;
/// Shares of the work per pair: the forward pass and the backward pass. The division takes the rest.
constexpr double kEndShare = 0.25, kBeginShare = 0.25;

}  // namespace

pairs::PairTimes ClustalWavefront::times() const {
    pairs::PairTimes times = times_;
    times.upload += sweeps_.uploadSeconds();
    times.compute += sweeps_.computeSeconds();
    times.download += sweeps_.downloadSeconds();
    return times;
}

double ClustalWavefront::cells(std::span<const SweptPart> parts) const {
    double cells = 0;
    for (const SweptPart& part : parts)
        cells += static_cast<double>(sequences_.codes[part.a].size()) *
                 static_cast<double>(sequences_.codes[part.b].size());
    return cells;
}

void ClustalWavefront::compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                               Progress& progress) {
    backend_.makeCurrent();
    backend_.budget().restart("align/step_clustal.frag");
    TileProgress reported(sequences_, tile, progress);
    for (const pairs::PairTile& piece : pairs::cutTile(tile, plan_.side)) {
        Stopwatch watch;
        std::vector<SweptPart> whole;
        for (std::size_t a = piece.columns.begin; a < piece.columns.end; ++a)
            for (std::size_t b = std::max(piece.rows.begin, a + 1); b < piece.rows.end; ++b) {
                const std::size_t rows = sequences_.codes[a].size(), columns = sequences_.codes[b].size();
                whole.push_back({.a = a,
                                 .b = b,
                                 .rows = {0, rows},
                                 .columns = {0, columns},
                                 .open = clustalPenalties(sequences_.alphabet, rows, columns).open});
            }
        if (whole.empty()) continue;
        const std::vector<std::size_t> sequences =
            sequencesIn(sequences_.size(), std::span<const SweptPart>(whole), &SweptPart::a, &SweptPart::b);
        times_.pack += watch.seconds();
        sweeps_.load(sequences);
        std::vector<PairResult> found(whole.size());
        for (std::size_t begin = 0; begin < whole.size(); begin += kPairsAtOnce) {
            const std::size_t count = std::min(kPairsAtOnce, whole.size() - begin);
            alignPairs(std::span(whole).subspan(begin, count), std::span(found).subspan(begin, count),
                       !results[1].empty(), progress, reported);
        }
        for (std::size_t k = 0; k < whole.size(); ++k) {
            const std::size_t row = whole[k].b - tile.rows.begin, column = whole[k].a - tile.columns.begin;
            putResult(results, row, column, found[k]);
        }
    }
    backend_.canary().check("aligning pairs");
}

void ClustalWavefront::alignPairs(std::span<const SweptPart> pairs, std::span<PairResult> found,
                                  bool hasIdentities, Progress& progress, TileProgress& reported) {
    const double all = cells(pairs);
    const std::vector<SweptPlace> ends = sweeps_.findEnds(pairs, progress);
    reported.advance(hasIdentities ? kEndShare * all : all);
    std::vector<OpenPart> open;
    std::vector<SweptPart> upToEnds;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        found[k].score = ends[k].score;
        if (!hasIdentities || ends[k].score == 0) continue;
        SweptPart part = pairs[k];
        part.rows.end = ends[k].rows;
        part.columns.end = ends[k].columns;
        upToEnds.push_back(part);
        open.push_back({k, part});
    }
    if (!hasIdentities) return;
    const std::vector<SweptPlace> begins = sweeps_.findBegins(upToEnds, progress);
    reported.advance(kBeginShare * all);
    for (std::size_t k = 0; k < open.size(); ++k) {
        SweptPart& part = open[k].part;
        part.rows.begin = part.rows.end - begins[k].rows;
        part.columns.begin = part.columns.end - begins[k].columns;
    }
    std::vector<OpenPart> few, halves;
    std::vector<SweptPart> divided;
    for (;;) {
        std::erase_if(open, [&](const OpenPart& one) {
            const std::size_t rows = one.part.rows.size(), columns = one.part.columns.size();
            const bool isSmall = rows < 2 || columns == 0 || rows * columns < kFewCells;
            if (isSmall && rows > 0 && columns > 0) few.push_back(one);
            return isSmall;
        });
        if (open.empty()) break;
        divided.clear();
        for (const OpenPart& one : open) divided.push_back(one.part);
        const std::vector<ClustalCut> cuts = sweeps_.findCuts(divided, progress);
        halves.clear();
        for (std::size_t k = 0; k < open.size(); ++k) {
            const std::size_t inGap = cuts[k].isWithinGap ? 1 : 0;
            SweptPart first = open[k].part, second = first;
            const std::size_t half = first.rows.begin + first.rows.size() / 2;
            first.rows.end = half - inGap;
            second.rows.begin = half + inGap;
            first.columns.end = second.columns.begin = first.columns.begin + cuts[k].column;
            first.openLast = second.openFirst = cuts[k].isWithinGap ? 0 : first.open;
            halves.push_back({open[k].pair, first});
            halves.push_back({open[k].pair, second});
        }
        std::swap(open, halves);
    }
    Stopwatch watch;
    joinOnHost(few, found);
    times_.compute += watch.seconds();
    reported.advance((1 - kEndShare - kBeginShare) * all);
}

void ClustalWavefront::joinOnHost(std::span<const OpenPart> parts, std::span<PairResult> found) const {
    const SubstitutionMatrix& matrix = clustalMatrix(sequences_.alphabet);
    std::vector<std::atomic<std::int64_t>> identities(found.size());
    const std::vector<Range> portions = splitRange(parts.size(), 256);
    parallelFor(omp_get_max_threads(), portions.size(), [&](std::size_t index, std::size_t) {
        ClustalPair pair(matrix);
        for (std::size_t k = portions[index].begin; k < portions[index].end; ++k) {
            const SweptPart& part = parts[k].part;
            const auto letters = [&](std::size_t sequence, const Range& range) {
                return std::span(sequences_.codes[sequence]).subspan(range.begin, range.size());
            };
            const GapPenalties gaps{part.open, clustalPenalties(sequences_.alphabet, 1, 1).extend};
            identities[parts[k].pair] += pair.join(letters(part.a, part.rows), letters(part.b, part.columns),
                                                   gaps, part.openFirst, part.openLast);
        }
    });
    for (std::size_t k = 0; k < found.size(); ++k) found[k].identities = identities[k];
}

}  // namespace glycine::pairwise::gl
