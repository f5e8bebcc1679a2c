// The cuda backend: every variant and number format of bound smoothing against the chapter's loops, which are
// written out once more here. Skips itself where there is no NVIDIA driver.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/algorithms/bounds/number_format.hpp"
#include "engine/algorithms/bounds/smoother.hpp"
#include "engine/core/error.hpp"
#include "kernels_cuda/bounds/device_smoothing.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"

namespace glycine::bounds::cuda {
namespace {

using glycine::cuda::CudaBackend;

template <class T>
struct Bounds {
    Matrix<T> upper;
    Matrix<T> lower;
    Bounds clone() const { return {upper.clone(), lower.clone()}; }
    BoundMatrices<T> view() { return {upper.view(), lower.view()}; }
};

enum class Kind {
    Molecule,       ///< a chain of atoms 1.5 Å apart, some distances known, others the diameter
    Disconnected,   ///< as Molecule, but unknown upper bounds, and groups of atoms that nothing connects
    Contradictory,  ///< as Molecule, but some lower bounds exceed what the upper ones allow
};

template <class T>
Bounds<T> makeBounds(std::size_t n, Kind kind, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    std::normal_distribution<double> normal;
    std::vector<std::array<double, 3>> atoms(n);
    for (std::size_t i = 1; i < n; ++i) {
        std::array<double, 3> step{normal(random), normal(random), normal(random)};
        const double length = std::hypot(step[0], step[1], step[2]);
        for (int axis = 0; axis < 3; ++axis)
            atoms[i][axis] = 0.98 * atoms[i - 1][axis] + 1.5 * step[axis] / length;
    }
    const auto distance = [&](std::size_t i, std::size_t j) {
        return std::hypot(atoms[i][0] - atoms[j][0], atoms[i][1] - atoms[j][1], atoms[i][2] - atoms[j][2]);
    };
    double diameter = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) diameter = std::max(diameter, distance(i, j));

    Bounds<T> bounds{Matrix<T>(n, n, T(0)), Matrix<T>(n, n, T(0))};
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const bool known = i - j <= 2 || unit(random) < 0.05;
            const bool separate = kind == Kind::Disconnected && (i % 7 == 0) != (j % 7 == 0);
            double upper = kind == Kind::Disconnected ? INFINITY : diameter;
            double lower = 0.5;
            if (known && !separate) {
                upper = distance(i, j) + 0.05;
                lower = std::max(0.5, distance(i, j) - 0.05);
            }
            lower = std::min(lower, upper);
            if (kind == Kind::Contradictory && unit(random) < 0.001 + 1.0 / double(n * n))
                lower = 2 * diameter + 1;
            bounds.upper(i, j) = bounds.upper(j, i) = upperFromAngstrom<T>(upper);
            bounds.lower(i, j) = bounds.lower(j, i) = lowerFromAngstrom<T>(lower);
        }
    }
    return bounds;
}

/// GPU Gems 2, algorithm 43-2: every pair for every k, first the upper bounds, then the lower ones.
template <class T>
void smoothPlainly(Bounds<T>& bounds) {
    const std::size_t n = bounds.upper.rows();
    Matrix<T>& u = bounds.upper;
    Matrix<T>& l = bounds.lower;
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) u(i, j) = std::min<T>(u(i, j), u(i, k) + u(k, j));
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (i != j) l(i, j) = std::max<T>({l(i, j), l(i, k) - u(k, j), l(k, j) - u(i, k)});
}

/// Largest difference in Å of two elements off the diagonal; also checks that `actual` is symmetric.
template <class T>
double largestDifference(const Matrix<T>& expected, const Matrix<T>& actual) {
    double largest = 0;
    for (std::size_t i = 0; i < expected.rows(); ++i) {
        for (std::size_t j = 0; j < expected.rows(); ++j) {
            if (i == j) continue;
            EXPECT_EQ(actual(i, j), actual(j, i)) << "at " << i << ", " << j;
            largest = std::max(largest, std::abs(toAngstrom(expected(i, j)) - toAngstrom(actual(i, j))));
        }
    }
    return largest;
}

/// Largest finite upper or lower bound in Å.
template <class T>
double largestBound(const Bounds<T>& bounds) {
    double largest = 0;
    for (std::size_t i = 0; i < bounds.upper.rows(); ++i)
        for (std::size_t j = 0; j < bounds.upper.rows(); ++j)
            for (const T bound : {bounds.upper(i, j), bounds.lower(i, j)})
                if (!isUnknownUpper(bound)) largest = std::max(largest, toAngstrom(bound));
    return largest;
}

template <class T>
NumberFormat formatOf() {
    return numberFormat(AnyBoundMatrices(BoundMatrices<T>{}));
}

template <class T>
double allowedDifference(const Bounds<T>& input, Variant variant, Kind kind) {
    if (variant == Variant::Naive && kind != Kind::Contradictory) return 0;
    return pathRoundingBound(formatOf<T>(), input.upper.rows(), largestBound(input));
}

template <class T>
SmootherOutcome runOn(CudaBackend& backend, Bounds<T>& bounds, Variant variant) {
    const auto smoother = cuda::smoother().create(backend);
    EXPECT_TRUE(smoother->supports({variant, formatOf<T>(), bounds.upper.rows()}));
    Progress silent;
    return smoother->smooth(bounds.view(), variant, silent);
}

template <class T>
void expectAgreement(CudaBackend& backend, std::size_t n, Kind kind,
                     std::initializer_list<Variant> variants) {
    const Bounds<T> input = makeBounds<T>(n, kind, unsigned(n));
    Bounds<T> expected = input.clone();
    smoothPlainly(expected);
    for (const Variant variant : variants) {
        SCOPED_TRACE(std::string(toString(variant)) + " " + std::string(toString(formatOf<T>())) + ", " +
                     std::to_string(n) + " atoms");
        Bounds<T> actual = input.clone();
        EXPECT_EQ(runOn(backend, actual, variant).variant, variant);
        const double allowed = allowedDifference(input, variant, kind);
        EXPECT_LE(largestDifference(expected.upper, actual.upper), allowed) << "upper bounds";
        EXPECT_LE(largestDifference(expected.lower, actual.lower), allowed) << "lower bounds";
    }
}

const std::vector<std::size_t> kSizes{1, 2, 3, 5, 31, 64, 65, 127, 128, 129, 257, 400, 513};

template <class T>
class CudaBounds : public testing::Test {};
using Formats = testing::Types<float, double, std::int32_t>;
TYPED_TEST_SUITE(CudaBounds, Formats);

TYPED_TEST(CudaBounds, agreesWithThePlainLoops) {
    REQUIRE_BACKEND(backend);
    for (const std::size_t n : kSizes)
        expectAgreement<TypeParam>(*backend, n, Kind::Molecule, {Variant::Blocked, Variant::Naive});
}

TYPED_TEST(CudaBounds, keepsUnknownUpperBounds) {
    REQUIRE_BACKEND(backend);
    for (const std::size_t n : {2, 40, 130, 300}) {
        expectAgreement<TypeParam>(*backend, n, Kind::Disconnected, {Variant::Blocked, Variant::Naive});
        Bounds<TypeParam> bounds = makeBounds<TypeParam>(n, Kind::Disconnected, unsigned(n));
        runOn(*backend, bounds, Variant::Blocked);
        EXPECT_TRUE(isUnknownUpper(bounds.upper(0, 1)));
    }
}

TYPED_TEST(CudaBounds, smoothsContradictoryInput) {
    REQUIRE_BACKEND(backend);
    for (const std::size_t n : {2, 50, 129, 300})
        expectAgreement<TypeParam>(*backend, n, Kind::Contradictory, {Variant::Blocked, Variant::Naive});
}

// Several panels of 512 rows: the two streams of the blocked variant run ahead of one another.
TYPED_TEST(CudaBounds, severalPanelsAgreeWithTheNaiveVariant) {
    REQUIRE_BACKEND(backend);
    for (const std::size_t n : {1025, 1700, 2304}) {
        const Bounds<TypeParam> input = makeBounds<TypeParam>(n, Kind::Molecule, unsigned(n));
        Bounds<TypeParam> naive = input.clone();
        Bounds<TypeParam> blocked = input.clone();
        runOn(*backend, naive, Variant::Naive);
        runOn(*backend, blocked, Variant::Blocked);
        const double allowed = allowedDifference(input, Variant::Blocked, Kind::Molecule);
        EXPECT_LE(largestDifference(naive.upper, blocked.upper), allowed) << n;
        EXPECT_LE(largestDifference(naive.lower, blocked.lower), allowed) << n;
    }
}

TYPED_TEST(CudaBounds, worksByTilesWhenTheMatricesExceedTheDevice) {
    constexpr std::size_t limit = std::size_t(3) << 20;
    REQUIRE_BACKEND(backend, limit);
    for (const std::size_t n : {513, 700}) {
        ASSERT_GT(glycine::cuda::bytesForSmoothing<TypeParam>(glycine::cuda::BoundsMethod::Blocked, n, true),
                  limit);
        expectAgreement<TypeParam>(*backend, n, Kind::Molecule, {Variant::Blocked});
        expectAgreement<TypeParam>(*backend, n, Kind::Disconnected, {Variant::Blocked});
        expectAgreement<TypeParam>(*backend, n, Kind::Contradictory, {Variant::Blocked});
    }
    const auto smoother = cuda::smoother().create(*backend);
    const Support support = smoother->supports({Variant::Naive, formatOf<TypeParam>(), 700});
    EXPECT_FALSE(support);
    EXPECT_THAT(support.reason(), testing::HasSubstr("device memory"));
}

TYPED_TEST(CudaBounds, writesOnlyTheElementsOfStridedViews) {
    for (const std::size_t limit : {std::size_t(0), std::size_t(3) << 20}) {
        REQUIRE_BACKEND(backend, limit);
        for (const std::size_t n : {5, 129, 600}) {
            constexpr std::size_t margin = 3;
            const TypeParam sentinel = TypeParam(-77);
            const Bounds<TypeParam> input = makeBounds<TypeParam>(n, Kind::Molecule, 7);
            Bounds<TypeParam> expected = input.clone();
            runOn(*backend, expected, Variant::Blocked);
            Matrix<TypeParam> upper(n + 2 * margin, n + 2 * margin, sentinel);
            Matrix<TypeParam> lower(n + 2 * margin, n + 2 * margin, sentinel);
            const BoundMatrices<TypeParam> window{upper.view().block(margin, margin, n, n),
                                                  lower.view().block(margin, margin, n, n)};
            for (std::size_t i = 0; i < n; ++i) {
                std::copy_n(input.upper.row(i), n, window.upper.row(i));
                std::copy_n(input.lower.row(i), n, window.lower.row(i));
            }
            Progress silent;
            cuda::smoother().create(*backend)->smooth(window, Variant::Blocked, silent);
            EXPECT_EQ(largestDifference(expected.upper,
                                        Matrix<TypeParam>(MatrixView<const TypeParam>(window.upper))),
                      0);
            EXPECT_EQ(largestDifference(expected.lower,
                                        Matrix<TypeParam>(MatrixView<const TypeParam>(window.lower))),
                      0);
            for (std::size_t i = 0; i < upper.rows(); ++i) {
                for (std::size_t j = 0; j < upper.columns(); ++j) {
                    const bool inside = i >= margin && i < margin + n && j >= margin && j < margin + n;
                    if (inside) continue;
                    ASSERT_EQ(upper(i, j), sentinel) << "stray write at " << i << ", " << j;
                    ASSERT_EQ(lower(i, j), sentinel) << "stray write at " << i << ", " << j;
                }
            }
        }
    }
}

TYPED_TEST(CudaBounds, smoothsUpperBoundsAlone) {
    REQUIRE_BACKEND(backend);
    for (const Variant variant : {Variant::Blocked, Variant::Naive}) {
        const Bounds<TypeParam> input = makeBounds<TypeParam>(200, Kind::Molecule, 3);
        Bounds<TypeParam> expected = input.clone();
        smoothPlainly(expected);
        Bounds<TypeParam> actual = input.clone();
        Progress silent;
        cuda::smoother().create(*backend)->smooth(BoundMatrices<TypeParam>{actual.upper.view(), {}}, variant,
                                                  silent);
        EXPECT_LE(largestDifference(expected.upper, actual.upper),
                  allowedDifference(input, variant, Kind::Molecule));
        EXPECT_EQ(largestDifference(input.lower, actual.lower), 0);
    }
}

TYPED_TEST(CudaBounds, smoothsInPlaceInDeviceMemory) {
    REQUIRE_BACKEND(backend);
    constexpr std::size_t n = 150;
    constexpr std::size_t stride = 157;
    const Bounds<TypeParam> input = makeBounds<TypeParam>(n, Kind::Molecule, 11);
    Bounds<TypeParam> expected = input.clone();
    runOn(*backend, expected, Variant::Blocked);
    const glycine::cuda::DeviceBuffer<TypeParam> upper(backend->memory(), n * stride);
    const glycine::cuda::DeviceBuffer<TypeParam> lower(backend->memory(), n * stride);
    const glycine::cuda::DeviceBuffer<TypeParam> expectedLower(backend->memory(), n * n);
    glycine::cuda::StagedTransfer& transfer = backend->transfer();
    const auto whole = glycine::cuda::StagedTransfer::Part::Whole;
    transfer.upload<TypeParam>(input.upper.data(), n, upper.data(), stride, n, n, whole);
    transfer.upload<TypeParam>(input.lower.data(), n, lower.data(), stride, n, n, whole);
    transfer.upload<TypeParam>(expected.lower.data(), n, expectedLower.data(), n, n, n, whole);
    EXPECT_GT(glycine::cuda::maxAbsDifference<TypeParam>(*backend, lower.data(), stride, expectedLower.data(),
                                                         n, n),
              0);
    glycine::cuda::smoothUpperInPlace<TypeParam>(*backend, upper.data(), n, stride);
    glycine::cuda::smoothLowerInPlace<TypeParam>(*backend, lower.data(), stride, upper.data(), stride, n);
    Matrix<TypeParam> actual(n, n);
    transfer.download<TypeParam>(upper.data(), stride, actual.data(), n, n, n);
    EXPECT_EQ(largestDifference(expected.upper, actual), 0);
    transfer.download<TypeParam>(lower.data(), stride, actual.data(), n, n, n);
    EXPECT_EQ(largestDifference(expected.lower, actual), 0);
    // Off the diagonal all is equal; what the diagonal holds is free, so it is made equal.
    transfer.upload<TypeParam>(actual.data(), n, expectedLower.data(), n, n, n, whole);
    EXPECT_EQ(glycine::cuda::maxAbsDifference<TypeParam>(*backend, lower.data(), stride, expectedLower.data(),
                                                         n, n),
              0);
}

TEST(CudaSmoother, prunesTheLowerPassOfAMolecule) {
    REQUIRE_BACKEND(backend);
    Bounds<float> bounds = makeBounds<float>(2000, Kind::Molecule, 5);
    const SmootherOutcome outcome = runOn(*backend, bounds, Variant::Blocked);
    EXPECT_THAT(outcome.note, testing::HasSubstr("pruning left"));
    const double percent = std::stod(outcome.note.substr(outcome.note.find("left") + 5));
    EXPECT_GT(percent, 0);
    EXPECT_LE(percent, 100);
}

TEST(CudaSmoother, stopsWhenCancelled) {
    REQUIRE_BACKEND(backend);
    for (const Variant variant : {Variant::Blocked, Variant::Naive}) {
        int looks = 0;
        Progress cancelled({}, [&] { return ++looks > 2; });
        Bounds<float> bounds = makeBounds<float>(1100, Kind::Molecule, 5);
        EXPECT_THROW(cuda::smoother().create(*backend)->smooth(bounds.view(), variant, cancelled),
                     CancelledError);
    }
    Bounds<float> bounds = makeBounds<float>(100, Kind::Molecule, 5);
    EXPECT_NO_THROW(runOn(*backend, bounds, Variant::Blocked)) << "the device is usable afterwards";
    EXPECT_EQ(backend->memory().used(), 0u);
}

TEST(CudaSmoother, refusesVariantsOfOtherBackends) {
    REQUIRE_BACKEND(backend);
    const Support support =
        cuda::smoother().create(*backend)->supports({Variant::Packed, NumberFormat::Float32, 10});
    EXPECT_FALSE(support);
    EXPECT_THAT(support.reason(), testing::HasSubstr("packed"));
}

TEST(CudaBackend, describesItsDevice) {
    REQUIRE_BACKEND(backend);
    EXPECT_EQ(backend->name(), "cuda");
    EXPECT_FALSE(backend->device().empty());
    EXPECT_THAT(backend->driver(), testing::HasSubstr("CUDA driver"));
    std::vector<std::string> names;
    for (const Capability& limit : backend->capabilities().limits) names.push_back(limit.name);
    EXPECT_THAT(names, testing::IsSupersetOf(
                           {"compute capability", "multiprocessors", "memory", "clock", "L2 cache"}));
}

TEST(CudaBackend, refusesAnUnknownDevice) {
    REQUIRE_BACKEND(backend);
    BackendOptions options;
    options.device = 1000;
    EXPECT_THROW(CudaBackend{options}, UsageError);
}

TEST(CudaBackend, keepsToTheMemoryLimit) {
    REQUIRE_BACKEND(backend, 1 << 20);
    EXPECT_EQ(backend->memory().available(), std::size_t(1) << 20);
    const glycine::cuda::DeviceBuffer<float> half(backend->memory(), 1 << 17);
    EXPECT_EQ(backend->memory().available(), std::size_t(1) << 19);
    EXPECT_THROW(glycine::cuda::DeviceBuffer<float>(backend->memory(), (1 << 17) + 1), DeviceError);
}

TEST(CudaBackend, saysWhyItIsNotThere) {
    glycine::cuda::registerCudaBackend();
    const BackendRegistry::Entry& entry = BackendRegistry::instance().find("cuda");
    std::string reason;
    if (test::makeBackend(reason)) {
        EXPECT_FALSE(entry.listDevices().empty());
        GTEST_SKIP() << "there is an NVIDIA driver";
    }
    EXPECT_THAT(reason, testing::HasSubstr("NVIDIA driver"));
    EXPECT_THROW(entry.create({}), UnavailableError);
    EXPECT_THROW(entry.listDevices(), UnavailableError);
}

}  // namespace
}  // namespace glycine::bounds::cuda
