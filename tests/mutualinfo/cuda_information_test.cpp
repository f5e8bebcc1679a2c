// Tests `cuda` cases that the suite of all backends does not reach: enough genes for large panels and
// warpgroups, enough samples to continue sums in the table, and genes whose positions exceed device memory.
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/simulated_expression.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

InformationRequest requestOf(const Matrix<double>& expression, Variant variant, WeightPrecision precision,
                             const SplineOptions& splines = {}) {
    return {.variant = variant,
            .precision = precision,
            .genes = expression.rows(),
            .samples = expression.columns(),
            .splines = splines};
}

Matrix<double> informationOf(InformationRun& run, const pairs::PairTile& tile) {
    Matrix<double> found(tile.rows.size(), tile.columns.size());
    const MatrixView<double> view = found.view();
    run.compute(tile, {&view, 1}, silentProgress());
    return found;
}

void expectNear(const Matrix<double>& found, const Matrix<double>& expected, const pairs::PairTile& tile,
                double allowed) {
    for (std::size_t r = 0; r < tile.rows.size(); ++r)
        for (std::size_t c = 0; c < (tile.isDiagonal() ? r : tile.columns.size()); ++c) {
            if (std::isnan(expected(r, c)))
                ASSERT_TRUE(std::isnan(found(r, c))) << r << ", " << c;
            else
                ASSERT_NEAR(found(r, c), expected(r, c), allowed) << r << ", " << c;
        }
}

/// Compares every variant and precision with `cpu`, for all pairs at once.
void expectAllPairs(glycine::cuda::CudaBackend& backend, const Matrix<double>& expression,
                    const SplineOptions& splines = {}) {
    HostBackend host("cpu", 2);
    const std::size_t n = expression.rows();
    const pairs::PairTile all{{0, n}, {0, n}};
    const Matrix<double> expected = informationOf(
        *cpu::engine().create(host)->start(
            expression.view(), requestOf(expression, Variant::Grouped, WeightPrecision::Float64, splines)),
        all);
    const std::unique_ptr<InformationEngine> engine = cuda::engine().create(backend);
    for (const VariantInfo& info : cuda::engine().variants)
        for (const std::string& format : info.numberFormats) {
            SCOPED_TRACE(info.name + ' ' + format);
            const InformationRequest request = requestOf(expression, fromString<Variant>(info.name),
                                                         fromString<WeightPrecision>(format), splines);
            // tf32 and fp16 need tensor cores.
            if (backend.computeCapability() < 80 && !engine->supports(request)) continue;
            ASSERT_TRUE(engine->supports(request)) << engine->supports(request).reason();
            expectNear(informationOf(*engine->start(expression.view(), request), all), expected, all,
                       allowedDifference(request.precision));
            if (testing::Test::HasFatalFailure()) return;
        }
}

TEST(CudaInformation, ManyGenes) {
    REQUIRE_BACKEND(backend);
    // At least 1,056 blocks on 132 multiprocessors, and an odd number of panels.
    expectAllPairs(*backend, randomExpression({.genes = 700, .samples = 70}));
    // The smallest number of samples whose rounding errors allow the engine to leave out bins.
    expectAllPairs(*backend, randomExpression({.genes = 700, .samples = 512}));
    expectAllPairs(*backend,
                   randomExpression({.genes = 715, .samples = 33, .missing = 0.1, .hasIdleGenes = true}));
}

TEST(CudaInformation, FewAndManyBins) {
    REQUIRE_BACKEND(backend);
    const Matrix<double> expression = randomExpression({.genes = 340, .samples = 50, .seed = 3});
    expectAllPairs(*backend, expression, {.bins = 2, .order = 1});
    expectAllPairs(*backend, expression, {.bins = 5, .order = 2});
    expectAllPairs(*backend, expression, {.bins = 17, .order = 4, .knots = Knots::Uniform});
    expectAllPairs(*backend, expression, {.bins = 32, .order = 3, .transform = Transform::Ranks});
    const Matrix<double> longer = randomExpression({.genes = 400, .samples = 600, .seed = 3});
    expectAllPairs(*backend, longer, {.bins = 17, .order = 4, .knots = Knots::Uniform});
    expectAllPairs(*backend, longer, {.bins = 32, .order = 3, .transform = Transform::Ranks});
}

TEST(CudaInformation, SumsThatGoOnInTheTable) {
    REQUIRE_BACKEND(backend);
    expectAllPairs(*backend, randomExpression({.genes = 30, .samples = 9001}));
    expectAllPairs(*backend, randomExpression({.genes = 560, .samples = 4100, .missing = 0.01}));
}

TEST(CudaInformation, ElevenBitsOfManySamples) {
    REQUIRE_BACKEND(backend);
    constexpr double kStated = 5e-5;
    HostBackend host("cpu", 2);
    // Enough genes for blocks of warpgroups; two genes are equal.
    Matrix<double> expression = randomExpression({.genes = 640, .samples = 4000});
    std::copy_n(expression.row(17), 4000, expression.row(600));
    const pairs::PairTile all{{0, 640}, {0, 640}};
    const Matrix<double> expected = informationOf(
        *cpu::engine().create(host)->start(expression.view(),
                                           requestOf(expression, Variant::Grouped, WeightPrecision::Float64)),
        all);
    const std::unique_ptr<InformationEngine> engine = cuda::engine().create(*backend);
    for (const WeightPrecision precision : {WeightPrecision::Tf32, WeightPrecision::Float16}) {
        const InformationRequest request = requestOf(expression, Variant::Gemm, precision);
        if (!engine->supports(request)) GTEST_SKIP() << engine->supports(request).reason();
        expectNear(informationOf(*engine->start(expression.view(), request), all), expected, all, kStated);
    }
}

TEST(CudaInformation, StreamsGenesThatDoNotFit) {
    constexpr std::size_t kBytes = std::size_t{24} << 20;
    REQUIRE_BACKEND(backend, kBytes);
    // Positions take 40 MiB; the weights of 256 genes take at most 5 MiB.
    const Matrix<double> expression = randomExpression({.genes = 50'000, .samples = 100, .missing = 0.02});
    const SplineOptions splines{.bins = 4, .order = 2};
    HostBackend host("cpu", 2);
    const std::unique_ptr<InformationEngine> onHost = cpu::engine().create(host);
    const std::unique_ptr<InformationEngine> engine = cuda::engine().create(*backend);
    for (const Variant variant : {Variant::Cudami, Variant::CudamiUnscanned, Variant::Gemm}) {
        SCOPED_TRACE(toString(variant));
        const InformationRequest request = requestOf(expression, variant, WeightPrecision::Float64, splines);
        ASSERT_TRUE(engine->supports(request)) << engine->supports(request).reason();
        const auto run = engine->start(expression.view(), request);
        EXPECT_NE(run->note().find("streamed"), std::string::npos) << run->note();
        for (const pairs::PairTile& tile :
             {pairs::PairTile{{49'000, 49'301}, {49'000, 49'301}}, {{40'001, 40'300}, {17, 350}}}) {
            const Matrix<double> expected = informationOf(
                *onHost->start(expression.view(),
                               requestOf(expression, Variant::Grouped, WeightPrecision::Float64, splines)),
                tile);
            expectNear(informationOf(*run, tile), expected, tile,
                       allowedDifference(WeightPrecision::Float64));
        }
    }
}

TEST(CudaInformation, PublishedKernelsReportTheirTimes) {
    REQUIRE_BACKEND(backend);
    const Matrix<double> expression = randomExpression({.genes = 600, .samples = 500});
    const std::unique_ptr<InformationEngine> engine = cuda::engine().create(*backend);
    const pairs::PairTile all{{0, 600}, {0, 600}};
    const auto run =
        engine->start(expression.view(), requestOf(expression, Variant::Cudami, WeightPrecision::Float64));
    informationOf(*run, all);
    const std::vector<pairs::KernelTime> once = run->kernelTimes();
    ASSERT_EQ(once.size(), 4U);
    double sum = 0;
    for (const auto& [name, seconds] : once) {
        EXPECT_GT(seconds, 0) << name;
        sum += seconds;
    }
    EXPECT_EQ(once[1].first, "scan");
    EXPECT_EQ(once[3].first, "joint");
    EXPECT_GT(once[3].second, once[2].second) << "180,000 pairs against 600 genes";
    EXPECT_LE(sum, run->times().compute * 1.05) << "what lies between two marks is counted once";
    informationOf(*run, all);
    for (std::size_t k = 0; k < 4; ++k)
        EXPECT_GT(run->kernelTimes()[k].second, once[k].second) << once[k].first;
    const auto unscanned = engine->start(
        expression.view(), requestOf(expression, Variant::CudamiUnscanned, WeightPrecision::Float64));
    const Matrix<double> found = informationOf(*unscanned, all), expected = informationOf(*run, all);
    for (std::size_t r = 0; r < 600; ++r)
        for (std::size_t c = 0; c < r; ++c) ASSERT_EQ(found(r, c), expected(r, c)) << r << ", " << c;
    EXPECT_EQ(unscanned->kernelTimes()[1].second, 0);
    EXPECT_GT(unscanned->kernelTimes()[3].second, 0);
    const auto other =
        engine->start(expression.view(), requestOf(expression, Variant::Gemm, WeightPrecision::Float64));
    informationOf(*other, all);
    EXPECT_TRUE(other->kernelTimes().empty());
}

TEST(CudaInformation, RefusesWhatNeverFits) {
    constexpr std::size_t kBytes = std::size_t{24} << 20;
    REQUIRE_BACKEND(backend, kBytes);
    const std::unique_ptr<InformationEngine> engine = cuda::engine().create(*backend);
    for (const Variant variant : {Variant::Cudami, Variant::CudamiUnscanned, Variant::Gemm}) {
        const Support support =
            engine->supports({.variant = variant, .genes = 100, .samples = 1'000'000, .splines = {}});
        ASSERT_FALSE(support) << toString(variant);
        EXPECT_NE(support.reason().find("24.0 MiB"), std::string::npos) << support.reason();
    }
}

}  // namespace
}  // namespace glycine::mutualinfo
