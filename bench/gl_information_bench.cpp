// Times variant `blocked` of `mutualinfo` on the device of the `gl` backend, and compares it with the ceiling
// of its fragment shaders: the same program without lookups in its loop over samples (CEILING in
// shaders/mutualinfo/blocked_information.frag). Both are verified.
//
// Rates are samples of unordered pairs, with 10 bins and order 3. The last number of a line is the number of
// column genes that a fragment processes at a time (BlockedRun::Style).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/core/host_backends.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/mutualinfo/blocked_run.hpp"
#include "engine/mutualinfo/simulated_expression.hpp"

namespace {

using namespace glycine;
using namespace glycine::mutualinfo;
using glycine::gl::TextureFormat;
using glycine::mutualinfo::gl::BlockedRun;

constexpr std::size_t kBins = 10;
constexpr std::size_t kOrder = 3;
constexpr std::size_t kGroups = kBins - kOrder + 1;
constexpr int kEntries = 512;
constexpr std::uint32_t kFactor = 1664525;
constexpr std::uint32_t kCodes = 0x3ffffff;
constexpr unsigned kPlaceBits = 23;
constexpr std::array<float, 4> kFirstEntry{0, 0.3F, 0.6F, 0.1F};

glycine::gl::GlBackend& device() {
    static glycine::gl::GlBackend backend{BackendOptions{}};
    return backend;
}

std::uint32_t firstCode(std::size_t gene) {
    return static_cast<std::uint32_t>(gene + 1) * 2654435769U & kCodes;
}

/// The ceiling's result for a column gene.
double expectedInformation(std::size_t gene) {
    const SplineBasis basis({.bins = kBins, .order = kOrder});
    std::array<std::array<double, kBins>, kBins> table{};
    std::uint32_t code = firstCode(gene);
    for (int t = 0; t < kEntries; ++t) {
        code = (code * kFactor + 1) & kCodes;
        double weights[kOrder];
        const std::uint32_t interval = code >> kPlaceBits;
        const double place = (code & ((1U << kPlaceBits) - 1)) / static_cast<double>((1U << kPlaceBits) - 1);
        const std::size_t first = basis.evaluate(interval + std::min(place, 1 - 1e-12), weights);
        const std::size_t row = static_cast<std::size_t>(t) * kGroups / kEntries;
        for (std::size_t i = 0; i < kOrder; ++i)
            for (std::size_t j = 0; j < kOrder; ++j)
                table[row + i][first + j] += static_cast<double>(kFirstEntry[i + 1]) * weights[j] / kEntries;
    }
    std::array<double, kBins> rows{}, columns{};
    for (std::size_t i = 0; i < kBins; ++i)
        for (std::size_t j = 0; j < kBins; ++j) {
            rows[i] += table[i][j];
            columns[j] += table[i][j];
        }
    double information = 0;
    for (std::size_t i = 0; i < kBins; ++i)
        for (std::size_t j = 0; j < kBins; ++j)
            if (table[i][j] > 0) information += table[i][j] * std::log2(table[i][j] / (rows[i] * columns[j]));
    return information;
}

/// Samples of pairs per second without lookups, `genes` column genes at a time; 0 if the result is wrong.
double measureCeiling(int genes) {
    glycine::gl::GlBackend& backend = device();
    const int side = backend.isEmulated() ? 64 : 1024;  // row genes, and a quarter of the column genes
    // One entry with the ends of groups; places of column genes.
    glycine::gl::PooledTexture list(backend.textures(),
                                    {TextureFormat::RGBA32F, {side, kEntries + static_cast<int>(kBins)}});
    for (int row = 0; row < kEntries + static_cast<int>(kBins); ++row) {
        std::array<float, 4> texel = kFirstEntry;
        if (row >= kEntries) {
            const std::size_t ended =
                std::min<std::size_t>(kGroups, static_cast<std::size_t>(row - kEntries) + 1);
            texel.fill(static_cast<float>(kEntries / kGroups * ended));
        }
        std::vector<float> texels;
        for (int x = 0; x < side; ++x) texels.insert(texels.end(), texel.begin(), texel.end());
        list->upload(texels.data(), {{0, row}, {side, 1}}, side);
    }
    glycine::gl::PooledTexture places(backend.textures(), {TextureFormat::RGBA32I, {side, 1}});
    std::vector<std::int32_t> codes;
    for (std::size_t g = 0; g < 4 * static_cast<std::size_t>(side); ++g)
        codes.push_back(static_cast<std::int32_t>(firstCode(g)));
    places->upload(codes.data());
    glycine::gl::RenderTexture target(backend.textures(), {TextureFormat::RGBA32F, {side / 4, 4 * side}});
    const auto draw = [&] {
        backend
            .pass("mutualinfo/blocked_information.frag", {{"SPLINE_ORDER", "3"},
                                                          {"COLUMNS", "10"},
                                                          {"TEXELS", "1"},
                                                          {"GENES", std::to_string(genes)},
                                                          {"WHOLE", ""},
                                                          {"CEILING", ""}})
            .input("rowList", *list)
            .input("columnPlaces", *places)
            .output(target.framebuffer())
            .uniform("entries", kEntries)
            .uniform("bins", static_cast<int>(kBins))
            .uniform("scale", 1.0F / kEntries)
            .uniform("knotRange", glm::vec2(0, kGroups))
            .uniform("factor", static_cast<int>(kFactor))
            .draw();
        backend.finish();
    };
    draw();
    for (const int y : {0, 2, 4 * side - 1}) {
        std::array<float, 4> found{};
        glycine::gl::readPixels(target.framebuffer(), 0, TextureFormat::RGBA32F, {{side / 4 - 1, y}, {1, 1}},
                                found.data());
        for (std::size_t g = 0; g < 4; ++g) {
            const auto gene = 4 * static_cast<std::size_t>(4 * (side / 4 - 1) + y % 4) + g;
            if (!(std::abs(found[g] - expectedInformation(gene)) < 1e-5)) return 0;
        }
    }
    double best = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < 5; ++repeat) {
        const Stopwatch watch;
        draw();
        best = std::min(best, watch.seconds());
    }
    return 4.0 * side * side * kEntries / best;
}

/// Whether some values of the first genes agree with the reference.
bool isRight(const Matrix<double>& expression, MatrixView<const double> found) {
    HostBackend backend("reference", 1);
    const auto run = createInformationEngine(backend)->start(expression.view(), {});
    Progress progress;
    for (std::size_t i = 1; i < found.rows(); i += found.rows() / 5 + 1) {
        double value = 0;
        const MatrixView<double> view(&value, 1, 1);
        run->compute({{i, i + 1}, {i / 2, i / 2 + 1}}, {&view, 1}, progress);
        if (!(std::abs(found(i, i / 2) - value) <= allowedDifference(WeightPrecision::Float32))) return false;
    }
    return true;
}

void findInformation(benchmark::State& state) {
    static const double ceiling = std::min(measureCeiling(2), measureCeiling(4)) > 0
                                      ? std::max(measureCeiling(2), measureCeiling(4))
                                      : 0;
    if (ceiling == 0) {
        state.SkipWithError("the ceiling's values are wrong");
        return;
    }
    const auto genes = static_cast<std::size_t>(state.range(0));
    const auto samples = static_cast<std::size_t>(state.range(1));
    const Matrix<double> expression = randomExpression({.genes = genes, .samples = samples});
    BlockedRun::Style style = BlockedRun::bestStyle(device().gl());
    style.genes = static_cast<std::size_t>(state.range(2));
    const InformationRequest request{.variant = Variant::Blocked,
                                     .precision = WeightPrecision::Float32,
                                     .genes = genes,
                                     .samples = samples};
    const auto plan = BlockedRun::plan(style, device().gl().limits, device().textures().bytesFree(), request);
    if (!plan) {
        state.SkipWithError("this does not fit into the device");
        return;
    }
    const std::size_t side = std::min(plan->side, genes);
    Matrix<double> values(side, side);
    Progress progress;
    bool isVerified = true;
    const auto findAll = [&] {
        BlockedRun run(device(), expression.view(), request.splines, *plan, style);
        for (const pairs::PairTile& tile : pairs::tilesBelowDiagonal(genes, side)) {
            const MatrixView<double> view = values.view().block(0, 0, tile.rows.size(), tile.columns.size());
            run.compute(tile, {&view, 1}, progress);
            if (tile.rows.begin == 0) isVerified = isVerified && isRight(expression, view);
        }
        return run.times();
    };
    // The first run compiles the shader and is not timed.
    pairs::PairTimes times = findAll();
    double seconds = 0;
    for (auto iteration : state) {
        times = findAll();
        state.SetIterationTime(times.compute);
        seconds += times.compute;
    }
    if (!isVerified) state.SkipWithError("values are wrong");
    const double work =
        static_cast<double>(genes) * static_cast<double>(genes - 1) / 2 * static_cast<double>(samples);
    state.counters["pairSamples"] =
        benchmark::Counter(work, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
    state.counters["ceiling"] = ceiling;
    state.counters["share"] = work * static_cast<double>(state.iterations()) / seconds / ceiling;
    state.counters["pack_s"] = times.pack;
    state.counters["upload_s"] = times.upload;
    state.counters["download_s"] = times.download;
    state.SetLabel(device().device());
}

BENCHMARK(findInformation)
    ->ArgsProduct({{200, 1000, 4000}, {500}, {2, 4}})
    ->Args({4000, 1000, 4})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
