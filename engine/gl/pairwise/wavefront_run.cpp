#include "engine/gl/pairwise/wavefront_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/watchdog.hpp"

namespace glycine::pairwise::gl {

using glycine::gl::TextureFormat;
using glycine::gl::toInt;

WavefrontRun::WavefrontRun(glycine::gl::GlBackend& backend, const Sequences& sequences,
                           const PairScoring& scoring, Variant variant, const WavefrontPlan& plan)
    : backend_(backend),
      sequences_(sequences),
      scoring_(scoring),
      variant_(variant),
      plan_(plan),
      pairsPerTexel_(variant == Variant::Packed ? 4 : 1),
      scores_(backend.textures(), {format(), {kTableSide, kTableSide}}),
      pairs_(backend.textures(), {format(), {plan.width * pairsPerTexel_, 2}}),
      found_(backend.textures(), {format(), {plan.width * pairsPerTexel_, 1}}),
      clock_(backend) {}

std::string WavefrontRun::note() const {
    return isWide_ ? "identities apart from the scores for the longest sequences" : "";
}

void WavefrontRun::upload(glycine::gl::Texture& texture, const std::vector<std::int32_t>& numbers,
                          const glycine::gl::Rectangle& region) {
    if (!isLegacy()) return texture.upload(numbers.data(), region, region.size.x);
    const std::vector<float> floats(numbers.begin(), numbers.end());
    texture.upload(floats.data(), region, region.size.x);
}

void WavefrontRun::draw(glycine::gl::FragmentPass& pass, const glycine::gl::Rectangle& region,
                        double cellsPerRow) {
    glycine::gl::drawInBands(backend_.budget(), region, cellsPerRow,
                             [&](const glycine::gl::Rectangle& band) { pass.draw(band); });
}

void WavefrontRun::compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                           Progress& progress) {
    backend_.makeCurrent();
    backend_.budget().restart(fmt::format("align wavefront {}", toString(variant_)));
    const bool hasIdentities = !results[1].empty();
    const std::size_t longest = sequences_.longest();
    const std::size_t together = mostLetters<std::int32_t>(scoring_, hasIdentities, longest);
    results_ = results;
    TileProgress reported(sequences_, tile, progress);
    for (const pairs::PairTile& piece : pairs::cutTile(tile, plan_.side)) {
        clock_.restart();
        PairClass classes[] = {{NumberForm::Together, together}, {NumberForm::Separate, longest}};
        forPairsByLength(sequences_, piece, [&](const SidePair& pair) {
            classes[letters(pair.columns) <= together ? 0 : 1].pairs.push_back(pair);
        });
        clock_.finishHostStage(times_.pack);
        for (const PairClass& some : classes)
            if (!some.pairs.empty()) alignClass(some, tile, reported);
    }
    backend_.canary().check("aligning pairs");
}

void WavefrontRun::alignClass(const PairClass& some, const pairs::PairTile& tile, TileProgress& progress) {
    const bool areSeparate = some.form == NumberForm::Separate;
    isWide_ = isWide_ || areSeparate;
    const LaneNumbers numbers(scoring_, some.longest, some.longest, !results_[1].empty() && !areSeparate);
    std::vector<std::int32_t> table(kTableSide * kTableSide);
    numbers.fill(table.data());
    std::vector<std::int32_t> scores(4 * table.size(), 0);
    for (std::size_t a = 0; a < kTableSide; ++a)
        for (std::size_t b = 0; b < kTableSide; ++b) {
            scores[4 * (a * kTableSide + b)] = table[a * kTableSide + b];
            scores[4 * (a * kTableSide + b) + 1] = a == b && a < scoring_.matrix.size ? 1 : 0;
        }
    const std::vector<std::size_t> sequences = sequencesIn(
        sequences_.size(), std::span<const SidePair>(some.pairs), &SidePair::rows, &SidePair::columns);
    clock_.restart();
    load(sequences, scores, numbers, some.form);
    clock_.finishStage(times_.upload);

    const WavefrontShape form = shape(some.form);
    for (std::size_t begin = 0; begin < some.pairs.size();) {
        PairBatch batch;
        std::size_t end = begin;
        for (; end < some.pairs.size(); ++end) {
            const SidePair& pair = some.pairs[end];
            const std::size_t rows = std::max(batch.rowSteps, form.rowSteps(letters(pair.rows)));
            const std::size_t places = (end - begin) / form.pairsPerTexel + 1;
            if (end > begin &&
                (places > plan_.width || places * form.bytesPerPlace(rows + 1) > plan_.stateBytes))
                break;
            batch.rowSteps = rows;
            batch.columnSteps = std::max(batch.columnSteps, form.columnSteps(letters(pair.columns)));
            batch.places = places;
            batch.cells +=
                static_cast<double>(letters(pair.rows)) * static_cast<double>(letters(pair.columns));
        }
        batch.pairs = std::span(some.pairs).subspan(begin, end - begin);
        alignBatch(batch, tile, numbers, some.form, progress);
        begin = end;
    }
}

void WavefrontRun::alignBatch(const PairBatch& batch, const pairs::PairTile& tile, const LaneNumbers& numbers,
                              NumberForm form, TileProgress& progress) {
    clock_.restart();
    const WavefrontShape units = shape(form);
    const std::size_t width = batch.places * pairsPerTexel_;
    std::vector<std::int32_t> described(2 * 4 * width);
    for (std::size_t k = 0; k < width; ++k)
        // The last place is filled up with the last pair.
        describe(batch.pairs[std::min(k, batch.pairs.size() - 1)], described.data() + 4 * k,
                 described.data() + 4 * (width + k));
    upload(*pairs_, described, {{0, 0}, {width, 2}});
    clock_.finishStage(times_.upload);

    const StateSize size = stateSize(plan_, units, backend_.gl().limits, batch.places, batch.rowSteps + 1);
    States states;
    for (std::size_t k = 0; k < units.states; ++k)
        states.emplace_back(backend_.textures(),
                            glycine::gl::TextureShape{
                                format(), {size.places, size.height}, isLegacy() ? 0 : toInt(units.layers)});
    align(batch, states, numbers, form, progress);

    glycine::gl::ShaderDefines defines{{"STATES", std::to_string(units.states)}};
    if (!isLegacy()) defines.push_back({"FIXED_POINT", ""});
    if (pairsPerTexel_ > 1) defines.push_back({"PACKED", ""});
    const auto [number, identities] = slotsOfResult(form);
    glycine::gl::FragmentPass pass = backend_.pass("align/collect_results.frag", defines);
    pass.input("pairs", *pairs_);
    for (std::size_t k = 0; k < units.states; ++k)
        pass.input("state" + std::to_string(k), states[k].texture());
    pass.output(found_.framebuffer())
        .uniform("number", glm::ivec2(number.layer, number.component))
        .uniform("identities", glm::ivec2(identities.layer, identities.component))
        .draw({{0, 0}, {width, 1}});
    clock_.finishStage(times_.compute);

    std::vector<std::int32_t> found(4 * width);
    const glycine::gl::Rectangle region{{0, 0}, {width, 1}};
    if (isLegacy()) {
        std::vector<float> floats(found.size());
        glycine::gl::readPixels(found_.framebuffer(), 0, format(), region, floats.data());
        std::ranges::transform(floats, found.begin(), [](float x) { return static_cast<std::int32_t>(x); });
    } else {
        glycine::gl::readPixels(found_.framebuffer(), 0, format(), region, found.data());
    }
    for (std::size_t k = 0; k < batch.pairs.size(); ++k) {
        const SidePair& pair = batch.pairs[k];
        PairResult result = numbers.resultOf(found[4 * k], letters(pair.rows), letters(pair.columns));
        if (form == NumberForm::Separate) result.identities = found[4 * k + 1];
        const std::size_t i = std::max(pair.rows, pair.columns) - tile.rows.begin;
        const std::size_t j = std::min(pair.rows, pair.columns) - tile.columns.begin;
        putResult(results_, i, j, result);
    }
    clock_.finishStage(times_.download);
}

}  // namespace glycine::pairwise::gl
