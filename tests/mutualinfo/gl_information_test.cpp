// Tests parts of the gl engine of `mutualinfo`: the choice of variant, the stated limits, and every style of
// its shaders. tests/backends/mutualinfo_backends_test.cpp checks the results for any input.

#include "engine/core/configuration.hpp"
#include "engine/gl/framework/context.hpp"
#include "engine/gl/mutualinfo/blocked_run.hpp"
#include "engine/gl/mutualinfo/stacked_run.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/simulated_expression.hpp"
#include "tests/gl/gl_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

/// Information of all pairs below the diagonal.
Matrix<double> informationBy(InformationRun& run, std::size_t genes) {
    Matrix<double> values(genes, genes, 0.0);
    const MatrixView<double> view = values.view();
    run.compute({{0, genes}, {0, genes}}, {&view, 1}, silentProgress());
    return values;
}

void expectAsReference(InformationRun& run, const Matrix<double>& expression, const SplineOptions& splines) {
    HostBackend backend("reference", 1);
    const std::size_t n = expression.rows();
    const auto reference = createInformationEngine(backend)->start(expression.view(), {.splines = splines});
    const Matrix<double> expected = informationBy(*reference, n);
    const Matrix<double> found = informationBy(run, n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (std::isnan(expected(i, j))) {
                ASSERT_TRUE(std::isnan(found(i, j))) << i << ", " << j;
            } else {
                ASSERT_NEAR(found(i, j), expected(i, j), allowedDifference(WeightPrecision::Float32))
                    << i << ", " << j;
            }
        }
}

InformationRequest requestOf(Variant variant, std::size_t genes, std::size_t samples,
                             const SplineOptions& splines = {}) {
    return {.variant = variant,
            .precision = WeightPrecision::Float32,
            .genes = genes,
            .samples = samples,
            .splines = splines};
}

class GlInformation : public OnDialects {};

TEST_P(GlInformation, TakesPackedWhereBlockedIsNotMadeFor) {
    const Matrix<double> expression = randomExpression({.genes = 9, .samples = 40, .missing = 0.1});
    for (const std::size_t order : {1U, 8U, 9U}) {
        SCOPED_TRACE(order);
        const SplineOptions splines{.bins = 12, .order = order};
        const auto engine = gl::engine().create(*backend_);
        const bool isBlocked = order <= gl::BlockedRun::kLargestOrder;
        EXPECT_EQ(static_cast<bool>(engine->supports(requestOf(Variant::Blocked, 9, 40, splines))),
                  isBlocked);
        const auto run = engine->start(expression.view(), requestOf(Variant::Default, 9, 40, splines));
        EXPECT_EQ(run->variantName(), isBlocked ? "blocked" : "packed");
        expectAsReference(*run, expression, splines);
    }
}

TEST_P(GlInformation, FindsTheSameInAnyStyle) {
    const std::size_t genes = 21;
    const SplineOptions splines{.bins = 10, .order = 4};
    const glycine::gl::GlLimits& limits = backend_->gl().limits;
    const auto expressionOf = [&](std::size_t samples) {
        return randomExpression({.genes = genes, .samples = samples, .missing = 0.1});
    };
    // One run of samples with two or four genes at a time, and several runs of samples.
    const Matrix<double> few = expressionOf(400);
    const Matrix<double> many = expressionOf(700);
    const std::pair<const Matrix<double>&, std::size_t> cases[] = {{few, 2}, {few, 4}, {many, 4}};
    for (const auto& [expression, atOnce] : cases)
        for (const std::size_t mostEntries : {5U, 20U, 50U})
            for (const bool normalised : {false, true}) {
                SCOPED_TRACE(testing::Message()
                             << "blocked " << expression.columns() << mostEntries << normalised << atOnce);
                const gl::BlockedRun::Style style{normalised, atOnce, mostEntries};
                const InformationRequest request =
                    requestOf(Variant::Blocked, genes, expression.columns(), splines);
                gl::BlockedRun run(
                    *backend_, expression.view(), splines,
                    *gl::BlockedRun::plan(style, limits, backend_->textures().bytesFree(), request), style);
                expectAsReference(run, expression, splines);
            }
    for (const std::size_t rowsPerTexel : {1U, 4U, 8U}) {
        SCOPED_TRACE(testing::Message() << "packed " << rowsPerTexel);
        if (rowsPerTexel > static_cast<std::size_t>(limits.targetsAtOnce())) continue;
        const pairs::gl::FloatLayout layout{false, 4, rowsPerTexel};
        // Pieces of three genes, and more than one block of samples.
        gl::StackedRun run(*backend_, many.view(), splines, {32, 512}, layout);
        expectAsReference(run, many, splines);
    }
}

// Sums of equal numbers round in the same direction at each step.
TEST_P(GlInformation, AddsThousandsOfEqualProducts) {
    const std::size_t samples = 12000;
    Matrix<double> expression(4, samples);
    for (std::size_t s = 0; s < samples; ++s) {
        expression(0, s) = s % 100 == 0 ? 1 : 0.37;
        expression(1, s) = s % 77 == 0 ? 0 : s % 100 == 0 ? 1 : 0.37;
        expression(2, s) = static_cast<double>(s % 3) + 0.1 * static_cast<double>(s % 2);
        expression(3, s) = s == 0 ? -50 : static_cast<double>(s % 7) * 0.13;
    }
    const auto engine = gl::engine().create(*backend_);
    for (const Variant variant : {Variant::Scalar, Variant::Packed, Variant::Blocked}) {
        SCOPED_TRACE(toString(variant));
        expectAsReference(*engine->start(expression.view(), requestOf(variant, 4, samples)), expression, {});
    }
}

INSTANTIATE_TEST_SUITE_P(Modern, GlInformation, testing::Values(Dialect::Gl33, Dialect::Es300),
                         [](const auto& one) { return std::string(toString(one.param)); });

TEST(GlInformationLimits, BlockedKeepsAllSamplesInATexture) {
    BackendOptions options;
    options.maxTextureSize = 64;
    const OwnedBackend owned(options);
    if (!owned.backend) GTEST_SKIP() << owned.reason;
    const auto engine = gl::engine().create(*owned.backend);
    // A row holds the samples and ten bins. From order 5 on, each sample takes two texels.
    for (const auto& [order, most] : {std::pair<std::size_t, std::size_t>{3, 54}, {8, 27}})
        for (const std::size_t samples : {most, most + 1}) {
            SCOPED_TRACE(testing::Message() << order << ' ' << samples);
            const SplineOptions splines{.bins = 10, .order = order};
            const Matrix<double> expression = randomExpression({.genes = 20, .samples = samples});
            const Support support = engine->supports(requestOf(Variant::Blocked, 20, samples, splines));
            EXPECT_EQ(static_cast<bool>(support), samples == most);
            if (!support) {
                EXPECT_THAT(support.reason(),
                            AllOf(HasSubstr("textures have up to 64"), HasSubstr("packed takes")));
            }
            const auto run =
                engine->start(expression.view(), requestOf(Variant::Default, 20, samples, splines));
            EXPECT_EQ(run->variantName(), samples == most ? "blocked" : "packed");
            expectAsReference(*run, expression, splines);
        }
    // The other variants must fit the tables of one gene.
    EXPECT_TRUE(engine->supports(requestOf(Variant::Packed, 20, 5000, {.bins = 64, .order = 9})));
    const Support wide = engine->supports(requestOf(Variant::Packed, 20, 5000, {.bins = 65, .order = 9}));
    EXPECT_FALSE(wide);
    EXPECT_THAT(wide.reason(),
                HasSubstr("not even one gene of 65 bins at a time fits into textures of 64 x 64"));
}

// Each position of a sample takes one texel, while `packed` stores four samples per texel.
TEST(GlInformationLimits, StackedTakesAsManySamplesAtOnceAsTexturesAreWide) {
    glycine::gl::GlLimits limits;
    limits.maxTextureSize = 130;
    limits.maxTextureBytes = std::size_t{1} << 30;
    for (const bool isScalar : {false, true}) {
        const auto plan = gl::StackedRun::plan({isScalar, isScalar ? 1U : 4U, 1}, limits,
                                               std::size_t{1} << 30, requestOf(Variant::Packed, 5, 1000));
        ASSERT_TRUE(plan);
        EXPECT_LE(plan->attributes, 130U);
        EXPECT_GE(plan->attributes, 100U);
    }
}

// Tables of plain bins are counts of samples in float32, on every dialect. Beyond 2^24 one would be lost.
TEST(GlInformationLimits, SamplesOnBothSidesOf24Bits) {
    constexpr std::size_t kExact = std::size_t{1} << 24;
    for (const Dialect dialect : {Dialect::Gl33, Dialect::Gl21}) {
        const OwnedBackend& shared = sharedBackend(dialect);
        if (!shared.backend) continue;
        SCOPED_TRACE(toString(dialect));
        shared.backend->makeCurrent();
        const auto engine = gl::engine().create(*shared.backend);
        for (const Variant variant : {Variant::Scalar, Variant::Packed, Variant::Default})
            for (const std::size_t samples : {kExact, kExact + 1}) {
                const Support support = engine->supports(requestOf(variant, 2, samples, {.order = 1}));
                EXPECT_EQ(static_cast<bool>(support), samples == kExact) << toString(variant);
                if (!support) {
                    EXPECT_THAT(support.reason(), HasSubstr("16,777,217 samples may exceed 2^24"));
                }
            }
        // Sums of the same size in fewer steps: 65,535 products of 256, then products of 1.
        constexpr std::size_t kLarge = 65'535;
        const auto fill = [](const Range& /*stacked*/, const Range& terms, MatrixView<float> target) {
            for (std::size_t i = 0; i < target.rows(); ++i)
                for (std::size_t k = 0; k < target.columns(); ++k)
                    target(i, k) = terms.begin + k < kLarge ? 16.0F : 1.0F;
        };
        for (const Variant variant : {Variant::Scalar, Variant::Packed})
            for (const std::size_t total : {kExact - 1, kExact, kExact + 1}) {
                pairs::gl::FloatPasses passes(*shared.backend,
                                              gl::StackedRun::layout(shared.backend->gl(), variant),
                                              {32, 4096}, "mutualinfo/add_products.frag", {}, fill, 0);
                float sum = 0;
                const std::size_t terms = kLarge + total - 256 * kLarge;
                passes.sumTile(
                    {{1, 2}, {0, 1}}, terms, terms, silentProgress(), [&](const pairs::PairTile&, bool) {
                        return [&](std::size_t, std::size_t, const float* texels) { sum = texels[0]; };
                    });
                EXPECT_EQ(static_cast<std::size_t>(sum), std::min(total, kExact)) << toString(variant);
            }
    }
}

TEST(GlInformationLimits, LittleMemoryIsEnoughOrRefused) {
    const Matrix<double> expression = randomExpression({.genes = 11, .samples = 150, .missing = 0.1});
    const OwnedBackend plenty(BackendOptions{});
    if (!plenty.backend) GTEST_SKIP() << plenty.reason;
    for (const Variant variant : {Variant::Scalar, Variant::Packed, Variant::Blocked})
        for (const std::size_t bins : {49U, 73U}) {
            const SplineOptions splines{.bins = bins};
            const InformationRequest request = requestOf(variant, 11, 150, splines);
            const glycine::gl::GlCapabilities& capabilities = plenty.backend->gl();
            const std::size_t least =
                variant == Variant::Blocked
                    ? gl::BlockedRun::leastBytes(gl::BlockedRun::bestStyle(capabilities), request)
                    : gl::StackedRun::leastBytes(gl::StackedRun::layout(capabilities, variant), splines);
            for (const std::size_t bytes : {least, least - 1}) {
                SCOPED_TRACE(testing::Message() << toString(variant) << ' ' << bins << ' ' << bytes);
                BackendOptions options;
                options.maxDeviceBytes = plenty.backend->textures().bytesLent() + bytes;
                const OwnedBackend owned(options);
                ASSERT_TRUE(owned.backend) << owned.reason;
                const auto engine = gl::engine().create(*owned.backend);
                const Support support = engine->supports(request);
                ASSERT_EQ(static_cast<bool>(support), bytes == least) << support.reason();
                if (support)
                    expectAsReference(*engine->start(expression.view(), request), expression, splines);
                else
                    EXPECT_THAT(support.reason(), HasSubstr("of device memory"));
            }
        }
}

TEST(GlInformationLimits, NeedsIntegerTexturesAndFloat32) {
    const OwnedBackend& modern = sharedBackend(Dialect::Gl33);
    if (!modern.backend) GTEST_SKIP() << modern.reason;
    modern.backend->makeCurrent();
    InformationRequest request = requestOf(Variant::Default, 5, 5);
    request.precision = WeightPrecision::Float64;
    EXPECT_THAT(gl::engine().create(*modern.backend)->supports(request).reason(),
                HasSubstr("computes in float32"));
    EXPECT_EQ(defaultPrecision(*modern.backend), WeightPrecision::Float32);
    // Without a named format, every variant is supported.
    for (const char* variant : {"blocked", "packed", "scalar"})
        EXPECT_TRUE(algorithm().supports(*modern.backend, {"gl", variant, Dialect::Gl33, ""}, {})) << variant;
    EXPECT_EQ(defaultPrecision(HostBackend("cpu", 1)), WeightPrecision::Float64);
    const OwnedBackend& old = sharedBackend(Dialect::Gl21);
    if (!old.backend) GTEST_SKIP() << old.reason;
    old.backend->makeCurrent();
    EXPECT_THAT(gl::engine().create(*old.backend)->supports(requestOf(Variant::Blocked, 5, 5)).reason(),
                HasSubstr("OpenGL 2.1 lacks"));
    EXPECT_TRUE(gl::engine().create(*old.backend)->supports(requestOf(Variant::Default, 5, 5)));
}

}  // namespace
}  // namespace glycine::mutualinfo
