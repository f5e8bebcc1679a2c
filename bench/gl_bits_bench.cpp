// Times variant `bits` of `distance` on the device of the `gl` backend, and compares it with the ceiling of
// its fragment shaders: the same comparisons, additions and population counts on words in registers, in a
// long loop without texture lookups (shaders/distance/count_bits_ceiling.frag). Both are verified before they
// are timed.
//
// Both count comparisons in full, N² · M, although each pair is compared once.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/stopwatch.hpp"
#include "engine/distance/distance_engine.hpp"
#include "engine/distance/random_data.hpp"
#include "engine/gl/distance/bit_counting.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace {

using namespace glycine;
using namespace glycine::distance;
using distance::gl::BitCounting;

glycine::gl::GlBackend& device() {
    static glycine::gl::GlBackend backend{BackendOptions{}};
    return backend;
}

constexpr std::size_t kColumns = 8;
constexpr int kGroups = 511;  // maximum of a 16-bit counter

constexpr int kFactor = 1664525;

/// Operands of the ceiling; any numbers will do.
std::vector<std::uint32_t> ceilingOperands() {
    std::vector<std::uint32_t> words(32 * 4);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i + 1) * 2654435769U;
    return words;
}

/// Count of one pair in the ceiling's fragment (x, y); see the shader.
std::uint32_t expectedCount(const std::vector<std::uint32_t>& operands, int x, int y, std::size_t row,
                            std::size_t column) {
    const auto place = static_cast<std::uint32_t>(x + 1000 * y);
    std::uint32_t count = 0;
    for (std::size_t component = 0; component < 4; ++component) {
        const auto word = [&](std::size_t texel) { return operands[4 * texel + component]; };
        std::uint32_t first = word(16 + 2 * column) + place;
        std::uint32_t second = word(17 + 2 * column) + place;
        for (int group = 0; group < kGroups; ++group) {
            first = first * kFactor + 1;
            second = second * kFactor + 1;
            count += static_cast<std::uint32_t>(
                std::popcount((word(2 * row) ^ first) | (word(2 * row + 1) ^ second)));
        }
    }
    return count;
}

/// Comparisons per second, counted in full, for fragments of `layers` rows by eight columns; 0 if counts are
/// wrong.
double measureCeiling(int layers) {
    glycine::gl::GlBackend& backend = device();
    const BitCounting::Style style = BitCounting::bestStyle(backend.gl());
    const int side = backend.isEmulated() ? 128 : 512;
    glycine::gl::RenderTexture target(backend.textures(),
                                      {glycine::gl::TextureFormat::RGBA32UI, {side, side}, layers});
    const std::vector<std::uint32_t> words = ceilingOperands();
    glycine::gl::PooledTexture operands(backend.textures(), {glycine::gl::TextureFormat::RGBA32UI, {32, 1}});
    operands->upload(words.data());
    glycine::gl::ShaderDefines defines{{"UNSIGNED", ""}, {"OUTPUTS", std::to_string(layers)}};
    if (style.carrySave) defines.push_back({"CARRY_SAVE", ""});
    if (style.bitCount) defines.push_back({"BIT_COUNT", ""});
    const auto draw = [&] {
        backend.pass("distance/count_bits_ceiling.frag", defines)
            .input("operands", *operands)
            .output(target.framebuffer())
            .uniform("groups", kGroups)
            .uniform("factor", kFactor)
            .draw();
        backend.finish();
    };
    draw();
    for (const int x : {0, 5, side - 1})
        for (int layer = 0; layer < layers; ++layer) {
            std::uint32_t texel[4];
            glycine::gl::readPixels(target.framebuffer(), layer, glycine::gl::TextureFormat::RGBA32UI,
                                    {{x, side - 1}, {1, 1}}, texel);
            for (std::size_t column = 0; column < kColumns; ++column)
                if ((texel[column / 2] >> 16 * (column % 2) & 0xffffU) !=
                    expectedCount(words, x, side - 1, static_cast<std::size_t>(layer), column))
                    return 0;
        }
    double best = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < 5; ++repeat) {
        const Stopwatch watch;
        draw();
        best = std::min(best, watch.seconds());
    }
    const double pairs = static_cast<double>(side) * side * layers * static_cast<double>(kColumns);
    return 2 * pairs * kGroups * 128 / best;
}

/// The faster of the two fragment shapes.
double measureCeiling() {
    const double four = measureCeiling(4);
    return device().gl().limits.targetsAtOnce() < 8 ? four : std::max(four, measureCeiling(8));
}

/// Whether some counts of a tile agree with a plain loop.
bool isRight(const DiscreteSource& source, const PairTile& tile, MatrixView<const std::uint32_t> counts) {
    const std::size_t attributes = source.shape().attributes;
    Matrix<std::uint8_t> symbols(2, attributes);
    for (std::size_t i = 1; i < tile.rows.size(); i += tile.rows.size() / 7 + 1) {
        const std::size_t j = i / 2 % tile.columns.size();
        const std::size_t row = tile.rows.begin + i;
        const std::size_t column = tile.columns.begin + j;
        source.readSymbols({row, row + 1}, {0, attributes}, symbols.view().block(0, 0, 1, attributes));
        source.readSymbols({column, column + 1}, {0, attributes}, symbols.view().block(1, 0, 1, attributes));
        std::uint32_t expected = 0;
        for (std::size_t k = 0; k < attributes; ++k) expected += symbols(0, k) != symbols(1, k) ? 1 : 0;
        if (counts(i, j) != expected) return false;
    }
    return true;
}

/// Counts the differences of all pairs, tile by tile, and verifies each tile; nothing if a count is wrong.
std::optional<PairTimes> countAllPairs(DistanceEngine& engine, const DiscreteSource& source,
                                       MatrixView<std::uint32_t> counts) {
    const std::vector<Range> ranges = splitRange(source.shape().instances, counts.rows());
    const auto run = engine.startCounting(source, {}, Variant::Bits);
    Progress progress;
    for (const Range& rows : ranges)
        for (const Range& columns : ranges) {
            if (columns.begin > rows.begin) continue;
            const PairTile tile{rows, columns};
            const auto view = counts.block(0, 0, rows.size(), columns.size());
            run->count(tile, {view, {}, {}}, progress);
            if (!isRight(source, tile, view)) return std::nullopt;
        }
    return run->times();
}

void countGenotypes(benchmark::State& state) {
    static const double ceiling = measureCeiling();
    if (ceiling == 0) {
        state.SkipWithError("the ceiling's counts are wrong");
        return;
    }
    const auto instances = static_cast<std::size_t>(state.range(0));
    const auto attributes = static_cast<std::size_t>(state.range(1));
    const auto source = randomGenotypes(
        {.instances = instances, .attributes = attributes, .seed = 1, .missing = 0, .uniform = true});
    const auto engine = distance::gl::engine().create(device());
    const PairRequest request{.variant = Variant::Bits, .shape = source->shape()};
    if (const Support support = engine->supports(request); !support) {
        state.SkipWithError(support.reason().c_str());
        return;
    }
    const std::size_t side = std::min(engine->preferredTile(request), instances);
    Matrix<std::uint32_t> counts(side, side);
    // The first run compiles the shader and is not timed.
    bool verified = countAllPairs(*engine, *source, counts.view()).has_value();
    double seconds = 0;
    PairTimes times;
    for (auto iteration : state) {
        const std::optional<PairTimes> run = countAllPairs(*engine, *source, counts.view());
        verified = verified && run;
        times = run.value_or(times);
        state.SetIterationTime(times.compute);
        seconds += times.compute;
    }
    if (!verified) state.SkipWithError("counts are wrong");
    const double comparisons =
        static_cast<double>(instances) * static_cast<double>(instances) * static_cast<double>(attributes);
    state.counters["comparisons"] = benchmark::Counter(
        comparisons, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
    state.counters["ceiling"] = ceiling;
    state.counters["share"] = comparisons * static_cast<double>(state.iterations()) / seconds / ceiling;
    state.counters["pack_s"] = times.pack;
    state.counters["upload_s"] = times.upload;
    state.counters["download_s"] = times.download;
    state.SetLabel(device().device());
}

BENCHMARK(countGenotypes)
    ->Args({112, 512})
    ->Args({1024, 16384})
    ->Args({2048, 32768})
    ->Args({8192, 65536})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
