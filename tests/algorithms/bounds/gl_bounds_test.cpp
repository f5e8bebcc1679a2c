// Every gl variant × dialect × number format against the reference backend.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <tuple>

#include "bounds_fixtures.hpp"
#include "engine/algorithms/bounds/gl/active_blocks.hpp"
#include "engine/algorithms/bounds/gl/blocked_smoothing.hpp"
#include "engine/core/error.hpp"
#include "engine/gl/debug_log.hpp"
#include "engine/gl/gl_backend.hpp"

namespace glycine::bounds::gl {
namespace {

using fixtures::Kind;
using fixtures::largestBound;
using fixtures::largestDifference;
using fixtures::makeBounds;
using fixtures::OwnedBounds;
using fixtures::smoothedByReference;
using fixtures::smoothWith;

/// A context a dialect for the whole program; null with the reason where there is none.
struct SharedBackend {
    std::unique_ptr<glycine::gl::GlBackend> backend;
    std::string reason;
};

SharedBackend& sharedBackend(Dialect dialect) {
    static std::map<Dialect, SharedBackend> backends;
    const auto [place, isNew] = backends.try_emplace(dialect);
    if (isNew) try {
            BackendOptions options;
            options.dialect = dialect;
            place->second.backend = std::make_unique<glycine::gl::GlBackend>(options);
        } catch (const UnavailableError& error) {
            place->second.reason = error.what();
        }
    return place->second;
}

/// Smooths the same bounds on `backend` and on the reference, and compares them as the variant promises.
template <class T>
void expectAgreement(glycine::gl::GlBackend& backend, Variant variant, std::size_t n, Kind kind,
                     std::uint32_t seed = 1) {
    SCOPED_TRACE(testing::Message() << toString(variant) << ", n = " << n << ", " << kind);
    const OwnedBounds<T> input = makeBounds<T>(n, kind, seed);
    const OwnedBounds<T> expected = smoothedByReference(input);
    OwnedBounds<T> actual = input;
    const SmoothingReport report = smoothWith(backend, actual, variant);
    EXPECT_EQ(report.variant, toString(variant));
    const bool sameOrder = variant != Variant::Blocked && kind != Kind::Contradictory;
    const double bound = std::is_same_v<T, std::int32_t> || sameOrder
                             ? 0
                             : pathRoundingBound(NumberFormat::Float32, n, largestBound(input));
    EXPECT_LE(largestDifference(expected.upper, actual.upper), bound);
    EXPECT_LE(largestDifference(expected.lower, actual.lower), bound);
}

class GlBounds : public testing::TestWithParam<std::tuple<Dialect, Variant>> {
  protected:
    void SetUp() override {
        const SharedBackend& shared = sharedBackend(std::get<0>(GetParam()));
        if (!shared.backend) GTEST_SKIP() << shared.reason;
        backend_ = shared.backend.get();
        glycine::gl::DebugLog::take();
    }
    void TearDown() override { EXPECT_THAT(glycine::gl::DebugLog::take(), testing::IsEmpty()); }

    template <class T>
    void compare() {
        const Variant variant = std::get<1>(GetParam());
        const std::unique_ptr<Smoother> smoother = gl::smoother().create(*backend_);
        if (const Support support = smoother->supports({variant, fixtures::formatOf<T>(), 131}); !support)
            GTEST_SKIP() << support.reason();
        for (const Kind kind : fixtures::kAllKinds)
            for (const std::size_t n : {1, 2, 3, 5, 17, 64, 65, 131})
                expectAgreement<T>(*backend_, variant, n, kind);
    }

    glycine::gl::GlBackend* backend_ = nullptr;
};

TEST_P(GlBounds, Float32AgreesWithReference) {
    compare<float>();
}
TEST_P(GlBounds, FixedPointEqualsReference) {
    compare<std::int32_t>();
}

INSTANTIATE_TEST_SUITE_P(All, GlBounds,
                         testing::Combine(testing::ValuesIn(allDialects()),
                                          testing::Values(Variant::Scalar, Variant::ScalarShaderCoords,
                                                          Variant::Copy, Variant::Triangle, Variant::Packed,
                                                          Variant::PackedBranch, Variant::Blocked)),
                         [](const auto& parameters) {
                             std::string name(toString(std::get<0>(parameters.param)));
                             name += "_" + std::string(toString(std::get<1>(parameters.param)));
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

glycine::gl::GlBackend* backendOrSkip(std::unique_ptr<glycine::gl::GlBackend>& owner,
                                      const BackendOptions& options, std::string& reason) {
    try {
        owner = std::make_unique<glycine::gl::GlBackend>(options);
    } catch (const UnavailableError& error) {
        reason = error.what();
    }
    return owner.get();
}

TEST(GlBoundsTiled, MatrixPastTheTextureLimitIsWorkedInTiles) {
    BackendOptions options;
    options.maxTextureSize = 256;
    std::unique_ptr<glycine::gl::GlBackend> owner;
    std::string reason;
    if (backendOrSkip(owner, options, reason) == nullptr) GTEST_SKIP() << reason;
    const std::size_t tile = largestTile(owner->gl(), rowsPerStrip(owner->gl()));
    ASSERT_EQ(tile, 512U);
    expectAgreement<std::int32_t>(*owner, Variant::Blocked, tile + 1, Kind::Sparse);
    expectAgreement<float>(*owner, Variant::Blocked, tile + 130, Kind::Unknown);
}

TEST(GlBoundsTiled, MatrixPastTheMemoryIsWorkedInTiles) {
    BackendOptions options;
    options.maxDeviceBytes = std::size_t{1} << 20;
    std::unique_ptr<glycine::gl::GlBackend> owner;
    std::string reason;
    if (backendOrSkip(owner, options, reason) == nullptr) GTEST_SKIP() << reason;
    ASSERT_LT(largestTile(owner->gl(), 8), 300U);
    expectAgreement<std::int32_t>(*owner, Variant::Blocked, 500, Kind::Sparse);
    expectAgreement<std::int32_t>(*owner, Variant::Blocked, 300, Kind::Contradictory);
}

TEST(GlBoundsTiled, PassesPerKRefuseWhatDoesNotFit) {
    BackendOptions options;
    options.maxTextureSize = 256;
    std::unique_ptr<glycine::gl::GlBackend> owner;
    std::string reason;
    if (backendOrSkip(owner, options, reason) == nullptr) GTEST_SKIP() << reason;
    const Support support =
        gl::smoother().create(*owner)->supports({Variant::Packed, NumberFormat::Float32, 257});
    EXPECT_FALSE(support);
    EXPECT_THAT(support.reason(), testing::HasSubstr("257 atoms exceed the texture limit of 256"));
    EXPECT_FALSE(gl::smoother().create(*owner)->supports({Variant::Default, NumberFormat::Float64, 10}));
}

TEST(GlBoundsSentinels, StridedViewsKeepWhatLiesBetween) {
    SharedBackend& shared = sharedBackend(Dialect::Gl33);
    if (!shared.backend) GTEST_SKIP() << shared.reason;
    constexpr std::size_t n = 70;
    constexpr std::size_t stride = 83;
    constexpr float kSentinel = -12345.0F;
    const OwnedBounds<float> input = makeBounds<float>(n, Kind::Sparse);
    for (const Variant variant : {Variant::Scalar, Variant::Triangle, Variant::Packed, Variant::Blocked}) {
        Matrix<float> upper(n + 2, stride, kSentinel);
        Matrix<float> lower(n + 2, stride, kSentinel);
        const auto upperWindow = upper.view().block(1, 5, n, n);
        const auto lowerWindow = lower.view().block(1, 5, n, n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                upperWindow(i, j) = input.upper(i, j);
                lowerWindow(i, j) = input.lower(i, j);
            }
        SmoothingOptions options;
        options.variant = variant;
        Progress progress;
        smooth(*shared.backend, BoundMatrices<float>{upperWindow, lowerWindow}, options, progress);
        for (std::size_t i = 0; i < n + 2; ++i)
            for (std::size_t j = 0; j < stride; ++j)
                if (i < 1 || i > n || j < 5 || j >= 5 + n) {
                    ASSERT_EQ(upper(i, j), kSentinel) << toString(variant) << " at " << i << ", " << j;
                    ASSERT_EQ(lower(i, j), kSentinel) << toString(variant) << " at " << i << ", " << j;
                }
    }
}

TEST(GlBoundsCancellation, StopsBetweenPasses) {
    SharedBackend& shared = sharedBackend(Dialect::Gl33);
    if (!shared.backend) GTEST_SKIP() << shared.reason;
    for (const Variant variant : {Variant::Packed, Variant::Blocked}) {
        OwnedBounds<float> bounds = makeBounds<float>(300, Kind::Sparse);
        int checks = 0;
        Progress progress({}, [&] { return ++checks > 3; });
        SmoothingOptions options;
        options.variant = variant;
        EXPECT_THROW(smooth(*shared.backend, bounds.view(), options, progress), CancelledError);
        // The device is fit for the next call.
        expectAgreement<float>(*shared.backend, variant, 17, Kind::Dense);
    }
}

TEST(ActiveBlocks, KeepExactlyWhatCanRaiseABound) {
    // Two atoms far apart, each beside a third one: lower bound 9 of (0, 1) reaches row 2 through atom 0 or 1
    // only if U is below the threshold 9 − min l = 8.5.
    Matrix<float> upper(3, 3, 0.0F);
    Matrix<float> lower(3, 3, 0.0F);
    const auto set = [](Matrix<float>& m, std::size_t i, std::size_t j, float value) {
        m(i, j) = m(j, i) = value;
    };
    set(lower, 0, 1, 9.0F);
    set(lower, 0, 2, 0.5F);
    set(lower, 1, 2, 0.5F);
    const std::vector<float> thresholds = pruningThresholds(MatrixView<const float>(lower.view()));
    EXPECT_GT(thresholds[0], 8.5F);
    EXPECT_LT(thresholds[0], 8.51F);
    EXPECT_EQ(thresholds[2], 0.0F);
    set(upper, 0, 1, 10.0F);
    set(upper, 0, 2, 20.0F);
    set(upper, 1, 2, 20.0F);
    const float none[3] = {0, 0, 0};
    EXPECT_EQ(findActiveBlocks(MatrixView<const float>(upper.view()), none, 8).share(), 0);
    EXPECT_TRUE(findActiveBlocks(MatrixView<const float>(upper.view()), thresholds.data(), 8)(0, 0));
}

TEST(ActiveBlocks, PruningChangesNothing) {
    SharedBackend& shared = sharedBackend(Dialect::Gl33);
    if (!shared.backend) GTEST_SKIP() << shared.reason;
    // Two clusters whose atoms can tell each other nothing: half of the blocks are left out.
    constexpr std::size_t n = 256;
    OwnedBounds<std::int32_t> bounds(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            const bool same = i / 128 == j / 128;
            const double d = 1 + 3.0 * static_cast<double>((i * 7 + j * 13) % 16) / 16;
            bounds.set(i, j, same ? d * 0.9 : 0.5, same ? d * 1.2 : 60);
        }
    const OwnedBounds<std::int32_t> expected = smoothedByReference(bounds);
    const SmoothingReport report = smoothWith(*shared.backend, bounds, Variant::Blocked);
    EXPECT_THAT(report.note, testing::HasSubstr("lower pass: 50.0 %"));
    EXPECT_EQ(largestDifference(expected.lower, bounds.lower), 0);
}

}  // namespace
}  // namespace glycine::bounds::gl
