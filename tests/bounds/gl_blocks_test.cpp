// The blocks of gl's smoothing: how large those of a device are, and which of them matter. What they come to:
// tests/backends/bounds_backends_test.cpp.

#include "engine/gl/bounds/blocked_smoothing.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "tests/bounds/bounds_fixtures.hpp"
#include "tests/gl/gl_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::bounds::gl {
namespace {

TEST(GlTiles, FitIntoTheTexture) {
    BackendOptions options;
    options.maxTextureSize = 256;
    const OwnedBackend owned(options);
    if (!owned.backend) GTEST_SKIP() << owned.reason;
    EXPECT_EQ(largestTile(*owned.backend), 512U);
    const auto smoother = gl::smoother().create(*owned.backend);
    EXPECT_THAT(smoother->supports({Variant::Packed, NumberFormat::Float32, 257}).reason(),
                HasSubstr("257 atoms exceed the texture limit of 256"));
}

TEST(GlTiles, FitIntoTheMemory) {
    BackendOptions options;
    options.maxDeviceBytes = std::size_t{1} << 20;
    const OwnedBackend owned(options);
    if (!owned.backend) GTEST_SKIP() << owned.reason;
    EXPECT_LT(largestTile(*owned.backend), 300U);
    const auto smoother = gl::smoother().create(*owned.backend);
    // The context has taken a few texels itself.
    EXPECT_THAT(smoother->supports({Variant::Packed, NumberFormat::Float32, 512}).reason(),
                MatchesRegex("smoothing 512 atoms needs 4.0 MiB of device memory, and .*iB are free; "
                             "variant 'blocked' works in tiles"));
}

TEST(GlTiles, BlockThatDoesNotFitIsRefusedWithBothFigures) {
    BackendOptions options;
    options.maxDeviceBytes = std::size_t{64} << 10;
    const OwnedBackend owned(options);
    if (!owned.backend) GTEST_SKIP() << owned.reason;
    EXPECT_THAT(gl::smoother().create(*owned.backend)->supports({Variant::Blocked}).reason(),
                MatchesRegex("one block of 64 atoms needs 128.0 KiB of device memory, and .*KiB are free"));
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
    const OwnedBackend& shared = sharedBackend(Dialect::Gl33);
    if (!shared.backend) GTEST_SKIP() << shared.reason;
    // Two clusters whose atoms can tell each other nothing: half of the blocks are left out.
    constexpr std::size_t n = 256;
    FilledBounds<std::int32_t> bounds(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            const bool same = i / 128 == j / 128;
            const double d = 1 + 3.0 * static_cast<double>((i * 7 + j * 13) % 16) / 16;
            bounds.set(i, j, same ? d * 0.9 : 0.5, same ? d * 1.2 : 60);
        }
    const FilledBounds<std::int32_t> expected = smoothedByReference(bounds);
    const SmoothingReport report = smoothWith(*shared.backend, bounds, Variant::Blocked);
    EXPECT_THAT(report.note, HasSubstr("lower pass: 50.0 %"));
    EXPECT_EQ(largestDifference(expected.lower, bounds.lower), 0);
}

}  // namespace
}  // namespace glycine::bounds::gl
