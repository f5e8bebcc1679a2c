// Particulars of the cuda backend's smoothing: panels, device memory, pruning, work in place. Results of
// whole runs: tests/backends/bounds_backends_test.cpp. Skipped without an NVIDIA driver.

#include "engine/bounds/exact_row.hpp"
#include "engine/bounds/input/run_input.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/bounds/worker_rates.hpp"
#include "kernels_cuda/bounds/device_smoothing.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "tests/bounds/bounds_fixtures.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::bounds::cuda {
namespace {

using glycine::cuda::CudaBackend;

/// Largest difference in Å of two elements off the diagonal; also checks that `actual` is symmetric.
template <class T>
double differenceOffDiagonal(const Matrix<T>& expected, const Matrix<T>& actual) {
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

template <class T>
SmoothingOutcome runOn(CudaBackend& backend, FilledBounds<T>& bounds, Variant variant) {
    const auto engine = cuda::smoothingEngine().create(backend);
    EXPECT_TRUE(engine->supports({variant, formatOf<T>(), bounds.atoms()}));
    Progress silent;
    return engine->smooth(bounds.view(), variant, silent);
}

template <class T>
class CudaBounds : public testing::Test {};
using Formats = testing::Types<float, double, std::int32_t>;
TYPED_TEST_SUITE(CudaBounds, Formats);

// Several panels of 512 rows: the two streams of the blocked variant run ahead of one another.
TYPED_TEST(CudaBounds, severalPanelsAgreeWithTheNaiveVariant) {
    REQUIRE_BACKEND(backend);
    for (const std::size_t n : {1025, 1700, 2304}) {
        const FilledBounds<TypeParam> input = makeBounds<TypeParam>(n, Kind::Sparse, unsigned(n));
        FilledBounds<TypeParam> naive(input);
        FilledBounds<TypeParam> blocked(input);
        // A chain of known neighbours and a tenth of the pairs: paths of some ten steps.
        constexpr std::size_t sums = 40;
        runOn(*backend, naive, Variant::Naive);
        runOn(*backend, blocked, Variant::Blocked);
        const double allowed = pathRoundingBound(formatOf<TypeParam>(), sums, largestBound(input));
        EXPECT_LE(differenceOffDiagonal(naive.upper, blocked.upper), allowed) << n;
        EXPECT_LE(differenceOffDiagonal(naive.lower, blocked.lower), allowed) << n;
    }
}

TYPED_TEST(CudaBounds, needsBlocksWhereTheMatricesExceedTheDevice) {
    constexpr std::size_t limit = std::size_t(3) << 20;
    REQUIRE_BACKEND(backend, limit);
    for (const std::size_t n : {513, 700})
        EXPECT_GT(glycine::cuda::bytesForSmoothing<TypeParam>(Variant::Blocked, n, true), limit);
    const auto engine = cuda::smoothingEngine().create(*backend);
    const Support support = engine->supports({Variant::Naive, formatOf<TypeParam>(), 700});
    EXPECT_THAT(support.reason(), HasSubstr("device memory"));
}

TYPED_TEST(CudaBounds, smoothsInPlaceInDeviceMemory) {
    REQUIRE_BACKEND(backend);
    constexpr std::size_t n = 150;
    constexpr std::size_t stride = 157;
    const FilledBounds<TypeParam> input = makeBounds<TypeParam>(n, Kind::Sparse, 11);
    FilledBounds<TypeParam> expected(input);
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
    EXPECT_EQ(differenceOffDiagonal(expected.upper, actual), 0);
    transfer.download<TypeParam>(lower.data(), stride, actual.data(), n, n, n);
    EXPECT_EQ(differenceOffDiagonal(expected.lower, actual), 0);
    // Off the diagonal all is equal; what the diagonal holds is free, so it is made equal.
    transfer.upload<TypeParam>(actual.data(), n, expectedLower.data(), n, n, n, whole);
    EXPECT_EQ(glycine::cuda::maxAbsDifference<TypeParam>(*backend, lower.data(), stride, expectedLower.data(),
                                                         n, n),
              0);
}

// Two devices where there are, else several shares of one.
TYPED_TEST(CudaBounds, severalDevicesHaveTheBitsOfOne) {
    REQUIRE_BACKEND(backend);
    const auto devices = static_cast<int>(glycine::cuda::listDevices().size());
    for (const Kind kind : kAllKinds)
        for (const std::size_t n : {1, 100, 257, 700, 1300}) {
            const FilledBounds<TypeParam> input = makeBounds<TypeParam>(n, kind, unsigned(n));
            FilledBounds<TypeParam> alone(input);
            const SmoothingReport one = smoothWith(*backend, alone, Variant::Blocked);
            for (const int workers : {2, 3, 4}) {
                SCOPED_TRACE(testing::Message() << kind << ", " << n << " atoms, " << workers << " workers");
                std::vector<int> shares;
                for (int worker = 0; worker < workers; ++worker) shares.push_back(worker % devices);
                BackendOptions first;
                first.device = shares.front();
                CudaBackend shared(first);
                shared.setCrew({shares, [](int device) -> std::unique_ptr<Backend> {
                                    BackendOptions options;
                                    options.device = device;
                                    return std::make_unique<CudaBackend>(options);
                                }});
                FilledBounds<TypeParam> found(input);
                const SmoothingReport report = smoothWith(shared, found, Variant::Blocked);
                const std::size_t bytes = n * n * sizeof(TypeParam);
                EXPECT_EQ(std::memcmp(found.upper.data(), alone.upper.data(), bytes), 0);
                EXPECT_EQ(std::memcmp(found.lower.data(), alone.lower.data(), bytes), 0);
                EXPECT_EQ(report.violationCount, one.violationCount);
                ASSERT_TRUE(report.shared);
                EXPECT_EQ(report.shared->exchangedBytes, report.shared->expectedBytes);

                FilledBounds<TypeParam> kept(input);
                SmoothingOptions options;
                options.variant = Variant::Blocked;
                options.keepInput = true;
                EXPECT_TRUE(smooth(shared, kept.view(), options, silentProgress()).hasKeptInput);
                RunInput taken(kept.view());
                const auto before = std::get<BoundMatrices<TypeParam>>(taken.whole());
                EXPECT_EQ(std::memcmp(kept.upper.data(), alone.upper.data(), bytes), 0);
                EXPECT_EQ(std::memcmp(kept.lower.data(), alone.lower.data(), bytes), 0);
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t j = 0; j < i; ++j) {
                        ASSERT_EQ(before.upper(i, j), input.upper(i, j));
                        ASSERT_EQ(before.lower(i, j), input.lower(i, j));
                    }
            }
        }
}

// The device has the grid where it is faster, and closes all pivots; else a corner.
TYPED_TEST(CudaBounds, shareWithTheProcessorByRate) {
    REQUIRE_BACKEND(backend);
    const struct {
        std::size_t atoms, megabytes;  ///< of the device, for float; 0: all
        double device, host;
    } cases[] = {{1, 0, 2, 1},    {257, 0, 2, 1},  {700, 0, 4, 1},    {1300, 0, 1, 1},  {1300, 0, 900, 1},
                 {2600, 0, 3, 1}, {1300, 0, 1, 3}, {2600, 0, 1, 900}, {2600, 90, 2, 1}, {2600, 66, 2, 1}};
    for (const Kind kind : kAllKinds) {
        std::map<std::size_t, double> rounding;  // of inputs, by atoms
        for (const auto& [n, megabytes, device, host] : cases) {
            if (n > 2000 && kind != Kind::Unknown) continue;
            SCOPED_TRACE(testing::Message() << kind << ", " << n << " atoms, rates " << device << " and "
                                            << host << ", " << megabytes << " MB");
            const FilledBounds<TypeParam> input = makeBounds<TypeParam>(n, kind, unsigned(n));
            FilledBounds<TypeParam> alone(input), found(input);
            const SmoothingReport one = smoothWith(*backend, alone, Variant::Blocked);
            BackendOptions options;
            options.maxDeviceBytes = megabytes * 1000000 * sizeof(TypeParam) / sizeof(float);
            CudaBackend shared(options);
            shared.setCrew({{0, DeviceCrew::kHost}, [](int) -> std::unique_ptr<Backend> {
                                return std::make_unique<HostBackend>("cpu", 3);
                            }});
            pretendRates(device, host);
            const SmoothingReport report = smoothWith(shared, found);
            pretendRates(0, 0);
            ASSERT_TRUE(report.shared);
            EXPECT_EQ(report.shared->exchangedBytes, report.shared->expectedBytes);
            if (n > 1000 && host / device < 100 && device / host < 100) {
                for (const WorkerShare& share : report.shared->shares) EXPECT_GT(share.blocks, 0U);
            }
            if (host <= device || std::is_integral_v<TypeParam>) {
                const std::size_t bytes = n * n * sizeof(TypeParam);
                EXPECT_EQ(std::memcmp(found.upper.data(), alone.upper.data(), bytes), 0);
                EXPECT_EQ(report.violationCount, one.violationCount);
            }
            if (std::is_integral_v<TypeParam>) {
                EXPECT_EQ(std::memcmp(found.lower.data(), alone.lower.data(), n * n * sizeof(TypeParam)), 0);
                continue;
            }
            // Products of the lower bounds take their operands in another order on the processor.
            const auto [place, isNew] = rounding.try_emplace(n);
            if (isNew) {
                FilledBounds<TypeParam> before(input);
                place->second = roundingOfAllRows(before.view(), silentProgress());
            }
            const double allowed = place->second;
            EXPECT_LE(largestDifference(alone.upper, found.upper), allowed);
            EXPECT_LE(largestDifference(alone.lower, found.lower), allowed);
        }
    }
}

// Blocks in the host's memory, and one to eight rounds at a time; also of a single device.
TYPED_TEST(CudaBounds, severalDevicesHaveTheBitsOfOneWithLittleMemory) {
    REQUIRE_BACKEND(backend);
    const auto devices = static_cast<int>(glycine::cuda::listDevices().size());
    const struct {
        std::size_t atoms;
        int workers;
        std::size_t megabytes;  ///< of each, for float
    } cases[] = {{1300, 1, 29}, {1300, 2, 30},  {1300, 2, 25},  {1300, 2, 21},  {1300, 3, 19},
                 {1300, 4, 17}, {2600, 1, 60},  {2600, 1, 110}, {2600, 2, 66},  {2600, 2, 47},
                 {2600, 4, 40}, {5200, 1, 130}, {5200, 1, 300}, {5200, 2, 200}, {5200, 4, 110}};
    for (const Kind kind : kAllKinds)
        for (const auto& [n, workers, megabytes] : cases) {
            if (n > 2000 && kind != Kind::Unknown) continue;
            SCOPED_TRACE(testing::Message()
                         << kind << ", " << n << " atoms, " << workers << " workers, " << megabytes);
            const FilledBounds<TypeParam> input = makeBounds<TypeParam>(n, kind, unsigned(n));
            FilledBounds<TypeParam> alone(input), found(input);
            smoothWith(*backend, alone, Variant::Blocked);
            BackendOptions options;
            options.maxDeviceBytes = megabytes * 1000000 * sizeof(TypeParam) / sizeof(float);
            std::vector<int> shares;
            for (int worker = 0; worker < workers; ++worker) shares.push_back(worker % devices);
            options.device = shares.front();
            CudaBackend shared(options);
            if (workers > 1)
                shared.setCrew({shares, [options](int device) -> std::unique_ptr<Backend> {
                                    BackendOptions own = options;
                                    own.device = device;
                                    return std::make_unique<CudaBackend>(own);
                                }});
            const SmoothingReport report = smoothWith(shared, found, Variant::Blocked);
            EXPECT_THAT(report.note, HasSubstr("of blocks in the host's memory"));
            const std::size_t bytes = n * n * sizeof(TypeParam);
            EXPECT_EQ(std::memcmp(found.upper.data(), alone.upper.data(), bytes), 0) << report.note;
            EXPECT_EQ(std::memcmp(found.lower.data(), alone.lower.data(), bytes), 0) << report.note;
            if (workers > 1) {
                EXPECT_EQ(report.shared->exchangedBytes, report.shared->expectedBytes);
            }
        }
}

TEST(CudaSmoothingEngine, sharesAreRefusedWhereADeviceHasNoRoom) {
    REQUIRE_BACKEND(backend, std::size_t(3) << 20);
    backend->setCrew({{0, 0}, [](int) -> std::unique_ptr<Backend> {
                          return std::make_unique<CudaBackend>(BackendOptions());
                      }});
    FilledBounds<float> bounds = makeBounds<float>(900, Kind::Sparse);
    EXPECT_THAT([&] { smoothWith(*backend, bounds, Variant::Blocked); },
                ThrowsMessage<UnavailableError>(HasSubstr("a share of 900 atoms among 2 devices")));
}

// Two clusters whose atoms cannot tighten each other's bounds.
TEST(CudaSmoothingEngine, prunesTheLowerPass) {
    REQUIRE_BACKEND(backend);
    constexpr std::size_t n = 2000;
    FilledBounds<float> bounds(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            const double d = 1 + 3.0 * static_cast<double>((i * 7 + j * 13) % 16) / 16;
            if (i / (n / 2) == j / (n / 2))
                bounds.set(i, j, 0.9 * d, 1.2 * d);
            else
                bounds.set(i, j, 0.5, 60);
        }
    const SmoothingOutcome outcome = runOn(*backend, bounds, Variant::Blocked);
    EXPECT_THAT(outcome.note, HasSubstr("pruning left"));
    const double percent = std::stod(outcome.note.substr(outcome.note.find("left") + 5));
    EXPECT_GT(percent, 0);
    EXPECT_LE(percent, 100);
}

}  // namespace
}  // namespace glycine::bounds::cuda
