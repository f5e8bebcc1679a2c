// Times variant `blocked` of `pairwise` on the device of the `gl` backend, and compares it with the ceiling
// of its fragment shaders: the same program without lookups and without textures between tiles (CEILING in
// shaders/align/step_tiles.frag). Both are verified.
//
// Cells are those of unordered pairs, with scores and identities. The last two numbers of a line are the
// scheme (0: BLOSUM62, 11 + 1k; 1: 1, −1 and −2; 2: BLOSUM62, local) and the number of render targets per
// pass, which determines the tile size (TileWavefront::Style).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/pairwise/tile_wavefront.hpp"
#include "engine/sequences/random_sequences.hpp"

namespace {

using namespace glycine;
using namespace glycine::pairwise;
using glycine::gl::TextureFormat;
using glycine::pairwise::gl::NumberForm;
using glycine::pairwise::gl::TileWavefront;

constexpr int kTilesOfFragment = 64;
constexpr int kOpen = 11, kExtend = 1, kMatch = 3, kMismatch = 1;

glycine::gl::GlBackend& device() {
    static glycine::gl::GlBackend backend{BackendOptions{}};
    return backend;
}

PairScoring scoringOf(std::int64_t scheme) {
    if (scheme == 1) return thesisScoring(Alphabet::Protein);
    return {.method = scheme == 2 ? PairMethod::Local : PairMethod::Global,
            .matrix = namedMatrix("BLOSUM62", Alphabet::Protein),
            .gaps = {.open = kOpen, .extend = kExtend}};
}

std::int32_t codeOf(std::size_t k) {
    return static_cast<std::int32_t>(k * 7 % 5);
}
/// Score of a column, the same in all rows.
std::int32_t scoreOf(std::size_t column) {
    return static_cast<std::int32_t>(column * 13 % 17) + 3;
}

/// Value that the ceiling leaves at the end of a fragment's last column, or as the best of all cells.
std::int32_t expectedNumber(const PairScoring& scoring, bool isMatch, std::size_t rows, std::size_t columns) {
    const bool isLocal = scoring.method == PairMethod::Local;
    const std::int32_t open = isMatch ? 0 : kOpen, border = isLocal ? -open : -2 * open;
    std::vector<std::int32_t> best(columns, border), gap(columns, -2 * open);
    std::vector<std::int32_t> column(rows, border), columnGap(rows, -2 * open);
    std::int32_t before = -open, highest = 0;
    for (int tile = 0; tile < kTilesOfFragment; ++tile)
        for (std::size_t r = 0; r < rows; ++r) {
            std::int32_t left = column[r], across = columnGap[r];
            for (std::size_t c = 0; c < columns; ++c) {
                const std::int32_t score =
                    isMatch ? (codeOf(r) == codeOf(c + 1) ? kMatch : kMismatch) : scoreOf(c);
                std::int32_t cell = before + score;
                before = best[c];
                if (isMatch) {
                    left = std::max({cell, left, best[c]});
                } else {
                    across = std::max(across, left) - (isLocal ? kExtend : 0);
                    gap[c] = std::max(gap[c], best[c]) - (isLocal ? kExtend : 0);
                    cell = std::max({cell, gap[c], across});
                    if (isLocal) highest = std::max(highest, cell = std::max(cell, 0));
                    left = cell - open;
                }
                best[c] = left;
            }
            before = column[r];
            column[r] = left;
            columnGap[r] = across;
        }
    return isLocal ? highest : column.back();
}

/// Cells per second of fragments that pass tiles on in registers; 0 if the result is wrong.
double measureCeiling(const TileWavefront::Style& style, const PairScoring& scoring) {
    glycine::gl::GlBackend& backend = device();
    const pairwise::gl::WavefrontShape shape = TileWavefront::shapeOf(style, scoring, NumberForm::Together);
    const bool isLocal = scoring.method == PairMethod::Local;
    const int side = backend.isEmulated() ? 64 : 1024, layers = static_cast<int>(shape.layers);
    const int open = style.isMatch ? 0 : kOpen;
    const auto textureOf = [&](int width, int height, const std::vector<std::int32_t>& texels) {
        glycine::gl::PooledTexture texture(backend.textures(), {TextureFormat::RGBA32I, {width, height}});
        texture->upload(texels.data());
        return texture;
    };
    std::vector<std::int32_t> pairs;
    for (int k = 0; k < 2 * side; ++k)
        // Two rows and two columns of tiles each, without padding.
        for (const int number : {0, 0, k < side ? side : 0, k < side ? side : 0}) pairs.push_back(number);
    const auto pairTexture = textureOf(side, 2, pairs);
    std::array<std::vector<std::int32_t>, 2> codes{std::vector<std::int32_t>(4 * 32 * 32, 0),
                                                   std::vector<std::int32_t>(4 * 32 * 32, 0)};
    for (std::size_t tile = 0; tile < 32 * 32; ++tile)
        for (std::size_t k = 0; k < 16; ++k) {
            codes[0][4 * tile + k / 4] |= codeOf(k) << (k % 4 * 8);
            codes[1][4 * tile + k / 4] |= codeOf(k + 1) << (k % 4 * 8);
        }
    const auto rowLetters = textureOf(32, 32, codes[0]), columnLetters = textureOf(32, 32, codes[1]);
    const int parts = static_cast<int>(shape.columns + 3) / 4;
    std::vector<std::int32_t> profile(static_cast<std::size_t>(4 * 32 * parts * 1024));
    for (std::size_t k = 0; k < profile.size(); ++k)
        profile[k] = scoreOf(k / (4 * 32) % static_cast<std::size_t>(parts) * 4 + k % 4);
    const auto profileTexture = textureOf(32, parts * 1024, profile);
    glycine::gl::RenderTexture last(backend.textures(), {TextureFormat::RGBA32I, {side, side + 1}, layers});
    glycine::gl::RenderTexture target(backend.textures(), last.shape());
    const glycine::gl::ShaderDefines defines = TileWavefront::definesOf(style, scoring, NumberForm::Together);
    {
        glycine::gl::FragmentPass pass = backend.pass("align/begin_tiles.frag", defines);
        if (!style.isLinear) pass.uniform("noGap", -2 * open);
        pass.input("pairs", *pairTexture)
            .output(last.framebuffer())
            .uniform("isFirstColumn", 1)
            .uniform("corner", -open)
            .uniform("border", isLocal ? -open : -2 * open)
            .uniform("slope", 0)
            .draw();
    }
    glycine::gl::ShaderDefines ceiling = defines;
    ceiling.push_back({"CEILING", ""});
    if (style.isMatch) ceiling.push_back({"MATCH", ""});
    const auto draw = [&] {
        glycine::gl::FragmentPass pass = backend.pass("align/step_tiles.frag", ceiling);
        pass.input("pairs", *pairTexture)
            .input("rowLetters", *rowLetters)
            .input("last", last.texture())
            .output(target.framebuffer())
            .uniform("rowBits", 5)
            .uniform("diagonal", side - 1)
            .uniform("tiles", kTilesOfFragment);
        if (!style.isLinear) pass.uniform("open", open);
        if (isLocal) pass.uniform("extend", kExtend);
        if (style.isMatch)
            pass.input("columnLetters", *columnLetters)
                .uniform("columnBits", 5)
                .uniform("match", kMatch)
                .uniform("mismatch", kMismatch);
        else
            pass.input("profile", *profileTexture).uniform("profileBits", 0);
        pass.draw({{0, 1}, {side, side}});
        backend.finish();
    };
    draw();
    // The tile next to the corner.
    const std::size_t slot = style.isLinear ? shape.columns + shape.rows - 1
                             : isLocal      ? shape.rows + shape.columns
                                            : 2 * shape.columns + shape.rows - 1;
    for (const int x : {0, side - 1}) {
        std::array<std::int32_t, 4> found{};
        glycine::gl::readPixels(target.framebuffer(), static_cast<int>(slot / 4), TextureFormat::RGBA32I,
                                {{x, 1}, {1, 1}}, found.data());
        if (found[slot % 4] != expectedNumber(scoring, style.isMatch, shape.rows, shape.columns)) return 0;
    }
    double best = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < 5; ++repeat) {
        const Stopwatch watch;
        draw();
        best = std::min(best, watch.seconds());
    }
    return static_cast<double>(shape.rows * shape.columns) * side * side * kTilesOfFragment / best;
}

/// Whether some pairs of the tile agree with the reference.
bool isRight(const Sequences& sequences, const PairScoring& scoring, MatrixView<const std::int32_t> scores,
             MatrixView<const std::int32_t> identities) {
    HostBackend backend("reference", 1);
    const auto run = createImplementation<PairwiseEngine>(backend)->start(
        sequences, requestFor(sequences, {.scoring = scoring}));
    Progress progress;
    for (std::size_t i = 1; i < scores.rows(); i += scores.rows() / 5 + 1) {
        std::int32_t score = 0, equal = 0;
        const MatrixView<std::int32_t> views[] = {{&score, 1, 1}, {&equal, 1, 1}};
        run->compute({{i, i + 1}, {i / 2, i / 2 + 1}}, views, progress);
        if (scores(i, i / 2) != score || identities(i, i / 2) != equal) return false;
    }
    return true;
}

void alignPairs(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0));
    const PairScoring scoring = scoringOf(state.range(2));
    TileWavefront::Style style = TileWavefront::bestStyle(device().gl(), scoring);
    style.targets = static_cast<std::size_t>(state.range(3));
    static std::map<std::pair<std::int64_t, std::int64_t>, double> ceilings;
    double& ceiling = ceilings[{state.range(2), state.range(3)}];
    if (ceiling == 0) ceiling = measureCeiling(style, scoring);
    if (ceiling == 0) {
        state.SkipWithError("the ceiling's numbers are wrong");
        return;
    }
    const Sequences sequences = randomSequences(
        {.count = count, .length = static_cast<std::size_t>(state.range(1)), .shortest = 0.9});
    const PairwiseRequest request = requestFor(sequences, {.scoring = scoring, .variant = Variant::Blocked});
    const pairwise::gl::WavefrontPlanner planner(
        device().gl(), device().textures().bytesFree(),
        {TileWavefront::shapeOf(style, scoring, NumberForm::Together)});
    if (const Support support = planner.supports(request); !support) {
        state.SkipWithError(support.reason().c_str());
        return;
    }
    const pairwise::gl::WavefrontPlan plan = planner.plan(request);
    Matrix<std::int32_t> scores(count, count), identities(count, count);
    const MatrixView<std::int32_t> views[] = {scores.view(), identities.view()};
    const pairs::PairTile tile{{0, count}, {0, count}};
    Progress progress;
    bool isVerified = true;
    const auto alignAll = [&] {
        TileWavefront run(device(), sequences, scoring, plan, style);
        run.compute(tile, views, progress);
        isVerified = isVerified && isRight(sequences, scoring, scores.view(), identities.view());
        return run.times();
    };
    // The first run compiles the shaders and is not timed.
    pairs::PairTimes times = alignAll();
    double seconds = 0;
    for (auto iteration : state) {
        times = alignAll();
        state.SetIterationTime(times.compute);
        seconds += times.compute;
    }
    if (!isVerified) state.SkipWithError("scores or identities are wrong");
    const double cells = cellsOf(sequences, tile);
    state.counters["cells"] =
        benchmark::Counter(cells, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
    state.counters["ceiling"] = ceiling;
    state.counters["share"] = cells * static_cast<double>(state.iterations()) / seconds / ceiling;
    state.counters["pack_s"] = times.pack;
    state.counters["upload_s"] = times.upload;
    state.counters["download_s"] = times.download;
    state.SetLabel(device().device());
}

BENCHMARK(alignPairs)
    ->ArgsProduct({{60, 1000, 2000}, {400}, {0, 1, 2}, {4, 8}})
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
