// Tests the kernels of entropies of patterns one by one. tests/backends/pattern_backends_test.cpp tests the
// whole engine.
#include "kernels_cuda/crossapen/crossapen_patterns.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::cuda {
namespace {

template <class T>
std::vector<T> onHost(const CudaBackend& backend, const DeviceBuffer<T>& buffer) {
    std::vector<T> values(buffer.size());
    copyToHost(backend, buffer.data(), buffer.size(), values.data());
    return values;
}

/// Signals in few steps, so that templates have ties.
std::vector<double> steps(const PatternShape& shape) {
    RandomSequence random(shape.m * 100 + shape.delay);
    std::vector<double> signals(shape.channels * shape.samples);
    for (double& sample : signals) sample = static_cast<double>(random.below(9));
    return signals;
}

std::vector<unsigned> orderOf(const double* first, const PatternShape& shape) {
    std::vector<unsigned> order(shape.m);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
        return first[std::size_t{a} * shape.delay] < first[std::size_t{b} * shape.delay];
    });
    return order;
}

TEST(CudaPatterns, OrdersAndCrossingsOfTemplates) {
    REQUIRE_BACKEND(backend);
    const Stream stream;
    const Launch launch{stream.handle(), backend->multiprocessors()};
    for (const unsigned m : {2U, 3U, 4U, 7U, 11U, 12U})
        for (const unsigned delay : {1U, 3U})
            for (const std::size_t samples : {91, 1023, 1500}) {
                SCOPED_TRACE(testing::Message() << "m = " << m << ", delay " << delay << ", N = " << samples);
                const PatternShape shape{3, samples, m, delay};
                const std::size_t templates = shape.templates();
                const std::vector<double> signals = steps(shape);
                const DeviceBuffer<double> there = onDevice(*backend, signals);
                const DeviceBuffer<std::uint64_t> orders(backend->memory(), 3 * templates);
                launchOrders(launch, shape, there.data(), orders.data());
                std::vector<std::vector<unsigned>> expected;
                std::vector<std::uint64_t> codes;
                for (std::size_t c = 0; c < 3; ++c)
                    for (std::size_t i = 0; i < templates; ++i) {
                        expected.push_back(orderOf(&signals[c * samples + i], shape));
                        codes.push_back(0);
                        for (const unsigned k : expected.back())
                            codes.back() = codes.back() << kOrderBits | k;
                    }
                stream.synchronize();
                ASSERT_EQ(onHost(*backend, orders), codes);
                if (m < 3) continue;
                // Without the first pair, as a later portion of pairs has it.
                const DeviceBuffer<std::uint32_t> counts(backend->memory(), 8 * kCrossingCounts);
                launchCrossings(launch, shape, orders.data(), there.data(), 1, 8, counts.data());
                std::vector<std::uint32_t> expectedCounts(8 * kCrossingCounts, 0);
                for (std::size_t pair = 1; pair < 9; ++pair)
                    for (std::size_t i = 0; i < templates; ++i) {
                        std::vector<double> g;
                        for (const unsigned k : expected[pair / 3 * templates + i])
                            g.push_back(signals[pair % 3 * samples + i + std::size_t{k} * delay]);
                        unsigned crossings = 0;
                        for (unsigned k = 0; k + 2 < m; ++k)
                            for (unsigned j = k + 1; j + 1 < m; ++j)
                                crossings += (g[j + 1] - g[k]) * (g[k] - g[j]) > 0;
                        ++expectedCounts[(pair - 1) * kCrossingCounts + crossings];
                    }
                stream.synchronize();
                ASSERT_EQ(onHost(*backend, counts), expectedCounts);
            }
}

TEST(CudaPatterns, SortedAndCountedKeys) {
    REQUIRE_BACKEND(backend);
    const Stream stream;
    const Launch launch{stream.handle(), backend->multiprocessors()};
    RandomSequence random(5);
    for (const std::size_t length : {1, 2, 255, 256, 4097, 70'000})
        for (const std::uint64_t different : {1U, 3U, 1'000'000U}) {
            SCOPED_TRACE(testing::Message() << length << " keys of " << different << " numbers");
            constexpr std::size_t kSegments = 3;
            std::vector<std::uint64_t> keys(kSegments * length);
            // The highest bits decide, too.
            for (std::uint64_t& key : keys) {
                const std::uint64_t number = random.below(different);
                key = number << 40 | number;
            }
            const DeviceBuffer<std::uint64_t> there = onDevice(*backend, keys);
            const DeviceBuffer<std::uint64_t> sorted(backend->memory(), keys.size());
            const DeviceBuffer<std::uint32_t> lengths(backend->memory(), keys.size());
            const DeviceBuffer<std::byte> workspace(backend->memory(), bytesForKeySort(kSegments, length));
            launchKeySort(launch, kSegments, length, 60, there.data(), sorted.data(), workspace.data());
            launchRunLengths(launch, kSegments, length, sorted.data(), lengths.data());
            std::vector<std::uint32_t> expected(keys.size(), 0);
            for (std::size_t s = 0; s < kSegments; ++s) {
                const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(s * length);
                std::sort(begin, begin + static_cast<std::ptrdiff_t>(length));
                for (std::size_t i = 0, first = 0; i < length; ++i) {
                    if (begin[static_cast<std::ptrdiff_t>(i)] != begin[static_cast<std::ptrdiff_t>(first)])
                        first = i;
                    ++expected[s * length + first];
                }
            }
            stream.synchronize();
            ASSERT_EQ(onHost(*backend, sorted), keys);
            ASSERT_EQ(onHost(*backend, lengths), expected);
        }
}

TEST(CudaPatterns, ClassesOfTemplates) {
    REQUIRE_BACKEND(backend);
    const Stream stream;
    const Launch launch{stream.handle(), backend->multiprocessors()};
    RandomSequence random(6);
    for (const auto& [m, classes] : {std::pair(1U, 4'000'000'000U), std::pair(2U, 3'037'000'499U),
                                     std::pair(5U, 6208U), std::pair(12U, 38U)}) {
        const PatternShape shape{2, 100, m, 3};
        std::vector<std::uint32_t> ofSamples(200);
        for (std::uint32_t& one : ofSamples) one = static_cast<std::uint32_t>(random.below(classes));
        ofSamples[0] = classes - 1;
        const DeviceBuffer<std::uint32_t> there = onDevice(*backend, ofSamples);
        const DeviceBuffer<std::uint64_t> codes(backend->memory(), 2 * shape.templates());
        launchDispersions(launch, shape, there.data(), classes, codes.data());
        std::vector<std::uint64_t> expected;
        for (std::size_t c = 0; c < 2; ++c)
            for (std::size_t i = 0; i < shape.templates(); ++i) {
                expected.push_back(0);
                for (unsigned k = 0; k < m; ++k)
                    expected.back() = expected.back() * classes + ofSamples[c * 100 + i + k * 3];
            }
        stream.synchronize();
        EXPECT_EQ(onHost(*backend, codes), expected);
    }
}

}  // namespace
}  // namespace glycine::cuda
