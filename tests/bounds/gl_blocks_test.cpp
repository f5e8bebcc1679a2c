// Blocks of gl's smoothing: their size per device, and pruning. Results of whole runs:
// tests/backends/bounds_backends_test.cpp.

#include "engine/bounds/exact_row.hpp"
#include "engine/bounds/worker_rates.hpp"
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
    const auto engine = gl::smoothingEngine().create(*owned.backend);
    EXPECT_THAT(engine->supports({Variant::Packed, NumberFormat::Float32, 257}).reason(),
                HasSubstr("257 atoms exceed the texture limit of 256"));
}

TEST(GlTiles, OpenGl21HasNone) {
    BackendOptions options;
    options.maxTextureSize = 256;
    options.dialect = Dialect::Gl21;
    const OwnedBackend owned(options);
    if (!owned.backend) GTEST_SKIP() << owned.reason;
    EXPECT_EQ(
        gl::smoothingEngine()
            .create(*owned.backend)
            ->supports({Variant::Default, NumberFormat::Float32, 1231})
            .reason(),
        "1231 atoms exceed the texture limit of 256; OpenGL 2.1 has no variant that works in tiles; gl33 "
        "and es300 have 'blocked'");
}

TEST(GlTiles, FitIntoTheMemory) {
    BackendOptions options;
    options.maxDeviceBytes = std::size_t{1} << 20;
    const OwnedBackend owned(options);
    if (!owned.backend) GTEST_SKIP() << owned.reason;
    EXPECT_LT(largestTile(*owned.backend), 300U);
    const auto engine = gl::smoothingEngine().create(*owned.backend);
    // The context has taken a few texels itself.
    EXPECT_THAT(engine->supports({Variant::Packed, NumberFormat::Float32, 512}).reason(),
                MatchesRegex("smoothing 512 atoms needs 4.0 MiB of device memory, and .*iB are free; "
                             "variant 'blocked' works in tiles"));
}

TEST(GlTiles, BlockThatDoesNotFitIsRefusedWithBothFigures) {
    BackendOptions options;
    options.maxDeviceBytes = std::size_t{64} << 10;
    const OwnedBackend owned(options);
    if (!owned.backend) GTEST_SKIP() << owned.reason;
    EXPECT_THAT(gl::smoothingEngine().create(*owned.backend)->supports({Variant::Blocked}).reason(),
                MatchesRegex("one block of 64 atoms needs 128.0 KiB of device memory, and .*KiB are free"));
}

/// Uploads a matrix that is part of a larger one, and expects layout `Strips` of it, padded by 5.
template <class T>
void expectStrips(glycine::gl::GlBackend& backend, std::size_t rows, std::size_t columns,
                  std::size_t stride) {
    SCOPED_TRACE(testing::Message() << rows << " x " << columns << " of " << stride);
    Matrix<T> whole(rows + 1, stride, T(-3));
    const MatrixView<T> matrix = whole.view().block(1, 0, rows, columns);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            matrix(i, j) = (i + j) % 7 == 0 ? -T(0) : static_cast<T>(i * 1000 + j);
    StripProducts products(backend, std::is_same_v<T, std::int32_t>);
    const StripMatrix strips = products.upload(MatrixView<const T>(matrix), T(5));
    const layout::StripShape& shape = strips.shape();
    ASSERT_EQ(shape.rows, rows);
    ASSERT_EQ(shape.columns, columns);
    std::vector<T> texels(shape.layerElements());
    for (std::size_t layer = 0; layer < shape.rowsPerStrip; ++layer) {
        glycine::gl::readPixels(strips.framebuffer(), static_cast<int>(layer), products.format(),
                                strips.texture().extent(), texels.data());
        for (std::size_t i = layer; i < shape.paddedRows(); i += shape.rowsPerStrip)
            for (std::size_t j = 0; j < shape.paddedColumns(); ++j) {
                const std::size_t y = 4 * (i / shape.rowsPerStrip) + j / 4 % 4;
                const T texel = texels[(y * shape.width() + j / 16) * 4 + j % 4];
                ASSERT_EQ(texel, i < rows && j < columns ? matrix(i, j) : T(5)) << i << ", " << j;
                ASSERT_FALSE(std::signbit(static_cast<double>(texel))) << i << ", " << j;
            }
    }
    Matrix<T> back(rows, columns, T(-1));
    downloadStrips(strips, back.view());
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) ASSERT_EQ(back(i, j), matrix(i, j));
}

TEST(GlStrips, AreLaidOutByTheDevice) {
    for (const Dialect dialect : {Dialect::Gl33, Dialect::Es300})
        for (const std::size_t side : {std::size_t{0}, std::size_t{36}}) {
            BackendOptions options;
            options.dialect = dialect;
            options.maxTextureSize = side;  // pieces of 36 / 4 * 16 = 144 columns and 32 rows
            const OwnedBackend owned(options);
            if (!owned.backend) GTEST_SKIP() << owned.reason;
            if (!owned.backend->gl().features.multipleTargets) GTEST_SKIP() << "one render target";
            for (const std::size_t columns : {1, 4, 63, 64, 65, 140, 146, 160})
                expectStrips<float>(*owned.backend, columns / 2 + 1, columns, columns);
            expectStrips<float>(*owned.backend, 70, 148, 152);
            expectStrips<float>(*owned.backend, 70, 148, 151);
            if (owned.backend->gl().features.integerTargets)
                expectStrips<std::int32_t>(*owned.backend, 33, 147, 148);
        }
}

TEST(ActiveBlocks, KeepExactlyWhatCanRaiseABound) {
    // Two atoms far apart, each close to a third one: lower bound 9 of (0, 1) reaches row 2 through atom 0 or
    // 1 only if U is below the threshold 9 − min l = 8.5.
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
    // Two clusters whose atoms cannot tighten each other's bounds: half of the blocks are skipped.
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

/// Blocks that several contexts of OpenGL share, and the processor with `hostRate` (0: it does not) of a
/// device's rate.
template <class T>
class GlShares : public testing::Test {
  protected:
    /// Smooths copies of the bounds, and compares with the reference.
    void expectShared(Dialect dialect, const FilledBounds<T>& input, int devices, double hostRate) {
        SCOPED_TRACE(testing::Message()
                     << input.atoms() << " atoms, " << devices << " devices, host " << hostRate);
        BackendOptions options;
        options.dialect = dialect;
        OwnedBackend owned(options);
        if (!owned.backend) GTEST_SKIP() << owned.reason;
        if (!owned.backend->gl().features.multipleTargets) GTEST_SKIP() << "one render target";
        if (std::is_integral_v<T> && !owned.backend->gl().features.integerTargets)
            GTEST_SKIP() << "no integer targets";
        std::vector<int> members(static_cast<std::size_t>(devices), 0);
        if (hostRate > 0) members.push_back(DeviceCrew::kHost);
        owned.backend->setCrew({members, [options](int device) -> std::unique_ptr<Backend> {
                                    if (device == DeviceCrew::kHost)
                                        return std::make_unique<HostBackend>("cpu", 1);
                                    return std::make_unique<glycine::gl::GlBackend>(options);
                                }});
        FilledBounds<T> before(input), found(input);
        pretendRates(1, hostRate);
        const SmoothingReport report = smoothWith(*owned.backend, found);
        pretendRates(0, 0);
        EXPECT_EQ(report.variant, "blocked");
        ASSERT_TRUE(report.shared);
        EXPECT_EQ(report.shared->workers, members.size());
        EXPECT_EQ(report.shared->exchangedBytes, report.shared->expectedBytes);
        if (hostRate > 0 && input.atoms() > 200) {
            for (const WorkerShare& share : report.shared->shares) EXPECT_GT(share.blocks, 0U);
        }
        const FilledBounds<T> expected = smoothedByReference(input);
        const double allowed = std::is_integral_v<T> ? 0 : roundingOfAllRows(before.view(), silentProgress());
        EXPECT_LE(largestDifference(expected.upper, found.upper), allowed);
        EXPECT_LE(largestDifference(expected.lower, found.lower), allowed);

        FilledBounds<T> upper(input);
        smooth(*owned.backend, BoundMatrices<T>{upper.upper.view(), {}}, {}, silentProgress());
        EXPECT_LE(largestDifference(expected.upper, upper.upper), allowed);
        EXPECT_EQ(largestDifference(input.lower, upper.lower), 0);
    }
};
using GlFormats = testing::Types<float, std::int32_t>;
TYPED_TEST_SUITE(GlShares, GlFormats);

TYPED_TEST(GlShares, AgreeWithTheReference) {
    for (const Kind kind : kAllKinds) {
        SCOPED_TRACE(kind);
        const FilledBounds<TypeParam> input = makeBounds<TypeParam>(333, kind);
        this->expectShared(Dialect::Gl33, input, kind == Kind::Sparse ? 3 : 2, 0);
        for (const double host : {0.3, 2.5}) this->expectShared(Dialect::Gl33, input, 1, host);
        if (kind == Kind::Unknown) this->expectShared(Dialect::Gl33, input, 2, 0.6);
    }
    for (const std::size_t atoms : {1, 64, 70, 200})
        for (const double host : {0.0, 1.0})
            this->expectShared(Dialect::Gl33, makeBounds<TypeParam>(atoms, Kind::Unknown), 2, host);
    this->expectShared(Dialect::Es300, makeBounds<TypeParam>(150, Kind::Sparse), 2, 1);
}

TEST(GlSharesAre, RefusedWhereTheyDoNotFit) {
    BackendOptions options;
    options.maxTextureSize = 32;
    const OwnedBackend owned(options);
    if (!owned.backend) GTEST_SKIP() << owned.reason;
    owned.backend->setCrew({{0, 0}, [options](int) -> std::unique_ptr<Backend> {
                                return std::make_unique<glycine::gl::GlBackend>(options);
                            }});
    FilledBounds<float> bounds = makeBounds<float>(300, Kind::Sparse);
    EXPECT_THAT([&] { smoothWith(*owned.backend, bounds); },
                ThrowsMessage<UnavailableError>(HasSubstr("exceed textures of 32 x 32 texels")));
    FilledBounds<float> few = makeBounds<float>(20, Kind::Sparse);
    EXPECT_THAT([&] { smoothWith(*owned.backend, few, Variant::Packed); },
                ThrowsMessage<UnavailableError>(HasSubstr("'blocked' shares its blocks")));
}

}  // namespace
}  // namespace glycine::bounds::gl
