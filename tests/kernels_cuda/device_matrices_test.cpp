// Arrays that other libraries placed on the device: computing from them in place gives the same bits as
// computing from host arrays.
#include <cstring>
#include <list>
#include <numeric>

#include "engine/bounds/smoothing_engine.hpp"
#include "engine/core/device_arrays.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/distance/device_coordinates.hpp"
#include "engine/distance/distance_engine.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/pairs/device_store.hpp"
#include "engine/pairs/pair_store.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::cuda {
namespace {

class DeviceMatrices : public testing::Test {
  protected:
    void SetUp() override {
        std::string reason;
        backend_ = test::makeBackend(reason);
        if (!backend_) GTEST_SKIP() << reason;
        arrays_ = deviceArrays().create(*backend_);
    }

    /// The numbers in every second column of a matrix, with its rows in reverse order.
    template <class Number>
    DeviceMatrix onDevice(const Matrix<Number>& numbers) {
        const std::size_t rows = numbers.rows(), columns = numbers.columns(), width = 2 * columns;
        std::vector<Number> whole(rows * width, Number(77));
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t k = 0; k < columns; ++k) whole[(rows - 1 - i) * width + 2 * k] = numbers(i, k);
        auto buffer = std::make_shared<DeviceBuffer<Number>>(cuda::onDevice(*backend_, whole));
        kept_.push_back(buffer);
        return {.data = buffer->data() + (rows - 1) * width,
                .rows = rows,
                .columns = columns,
                .rowStep = -static_cast<std::ptrdiff_t>(width * sizeof(Number)),
                .columnStep = 2 * sizeof(Number),
                .kind = std::is_floating_point_v<Number> ? 'f'
                        : std::is_signed_v<Number>       ? 'i'
                                                         : 'u',
                .itemBytes = sizeof(Number),
                .device = backend_->deviceIndex()};
    }
    template <class Number>
    Matrix<Number> onHost(const DeviceMatrix& matrix) {
        std::vector<std::size_t> rows(matrix.rows);
        std::iota(rows.begin(), rows.end(), std::size_t{0});
        Matrix<Number> found(matrix.rows, matrix.columns);
        arrays_->copyRows(matrix, rows, found.data());
        return found;
    }
    std::vector<double> distances(const distance::DataView& data, const distance::DistanceOptions& options) {
        std::vector<double> values(data.instances() * data.instances());
        pairs::PairStore store({{data.instances(), pairs::StoreLayout::Square}, pairs::ValueType::Float64, 0},
                               reinterpret_cast<std::byte*>(values.data()));
        distance::computeDistances(*backend_, data, options, store, progress_);
        return values;
    }

    std::unique_ptr<CudaBackend> backend_;
    std::shared_ptr<const DeviceArrays> arrays_;
    std::list<std::shared_ptr<void>> kept_;
    Progress progress_;
};

template <class Number>
Matrix<Number> made(std::size_t rows, std::size_t columns, const std::function<double(std::size_t)>& of) {
    Matrix<Number> numbers(rows, columns);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers.data()[i] = static_cast<Number>(of(i));
    return numbers;
}

TEST_F(DeviceMatrices, rowsAndSummary) {
    const auto check = [&]<class Number>(Number) {
        Matrix<Number> numbers = made<Number>(70, 300, [](std::size_t i) { return double(i * 7 % 101); });
        const DeviceMatrix there = onDevice(numbers);
        EXPECT_EQ(arrays_->deviceOf(there.data), backend_->deviceIndex());
        Matrix<Number> some(2, 300);
        const std::vector<std::size_t> rows{69, 3};
        arrays_->copyRows(there, rows, some.data());
        EXPECT_TRUE(std::equal(some.row(0), some.row(1), numbers.row(69)));
        EXPECT_TRUE(std::equal(some.row(1), some.row(1) + 300, numbers.row(3)));
        if constexpr (std::is_floating_point_v<Number>) {
            numbers(5, 0) = -1000;
            EXPECT_EQ(arrays_->summarize(onDevice(numbers)).widest, 1000 + numbers(0, 0));
            EXPECT_EQ(arrays_->summarize(onDevice(numbers)).highest, 1000);
            EXPECT_TRUE(arrays_->summarize(onDevice(numbers)).areFinite);
            numbers(68, 299) = std::numeric_limits<Number>::quiet_NaN();
            EXPECT_FALSE(arrays_->summarize(onDevice(numbers)).areFinite);
        }
    };
    check(0.0F), check(0.0), check(std::int8_t{}), check(std::uint16_t{}), check(std::int64_t{});
}

TEST_F(DeviceMatrices, coordinatesHaveTheHostsDistances) {
    const auto check = [&]<class Number>(Number) {
        const Matrix<Number> numbers =
            made<Number>(130, 67, [](std::size_t i) { return double(i * 31 % 257) / 9 - 4; });
        const distance::DeviceCoordinates there(arrays_, onDevice(numbers));
        for (const auto measure : {distance::Measure::Euclidean, distance::Measure::Manhattan,
                                   distance::Measure::SquaredEuclidean, distance::Measure::Correlation})
            EXPECT_EQ(distances({nullptr, there.view()}, {.measure = measure}),
                      distances({nullptr, numbers.view()}, {.measure = measure}));
    };
    check(0.0F), check(0.0);
}

TEST_F(DeviceMatrices, genotypesHaveTheHostsCounts) {
    const auto engine = createImplementation<distance::DistanceEngine>(*backend_);
    const auto check = [&]<class Number>(Number, bool hasMissing) {
        Matrix<Number> numbers = made<Number>(90, 451, [](std::size_t i) { return double(i * 13 % 29 % 3); });
        if (hasMissing && std::is_signed_v<Number>)
            for (std::size_t i = 0; i < numbers.size(); i += 11)
                numbers.data()[i] = std::is_floating_point_v<Number> && i % 2 == 0
                                        ? static_cast<Number>(std::nan(""))
                                        : static_cast<Number>(-1);
        const auto there = engine->genotypesOnDevice(onDevice(numbers));
        ASSERT_TRUE(there);
        const auto here = distance::genotypesOf(
            distance::StridedNumbers<Number>{numbers.data(), 90, 451, 451 * sizeof(Number), sizeof(Number)},
            "X");
        EXPECT_EQ(there->shape().hasMissing, here->shape().hasMissing);
        for (const auto measure :
             {distance::Measure::Mismatch, distance::Measure::Allele, distance::Measure::King})
            for (const std::size_t least : {std::size_t{0}, std::size_t{420}}) {
                const distance::DistanceOptions options{.measure = measure,
                                                        .missing = measure == distance::Measure::Allele
                                                                       ? distance::MissingRule::Weighted
                                                                       : distance::MissingRule::Ignore,
                                                        .leastInCommon = least};
                const std::vector<double> found = distances({there.get()}, options);
                const std::vector<double> expected = distances({here.get()}, options);
                EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(double)), 0);
            }
        numbers(89, 450) = 7;
        EXPECT_FALSE(engine->genotypesOnDevice(onDevice(numbers)));
    };
    for (const bool hasMissing : {false, true})
        check(std::int8_t{}, hasMissing), check(std::uint8_t{}, hasMissing),
            check(std::int32_t{}, hasMissing), check(0.0F, hasMissing), check(0.0, hasMissing);
}

/// Bounds of atoms on a line, some of them unknown.
template <class Number>
std::pair<Matrix<Number>, Matrix<Number>> someBounds(std::size_t n) {
    Matrix<Number> upper(n, n), lower(n, n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            const std::size_t apart = i < j ? j - i : i - j;
            lower(i, j) = static_cast<Number>(apart == 0 ? 0 : 0.3 + 0.01 * static_cast<double>(apart % 7));
            upper(i, j) = apart > 9 ? std::numeric_limits<Number>::infinity()
                                    : static_cast<Number>(1.1 * static_cast<double>(apart));
        }
    return {std::move(upper), std::move(lower)};
}

template <class T>
bounds::BoundMatrices<T> viewsOf(Matrix<T>& upper, Matrix<T>& lower) {
    return {upper.view(), lower.view()};
}

TEST_F(DeviceMatrices, boundsHaveTheHostsBits) {
    constexpr std::size_t n = 201;
    const auto check = [&]<class T, class Number>(T, Number) {
        auto [upper, lower] = someBounds<Number>(n);
        bounds::DeviceBoundRequest request{
            .format = sizeof(T) == 4 ? bounds::NumberFormat::Float32 : bounds::NumberFormat::Float64,
            .upper = onDevice(upper),
            .lower = onDevice(lower),
            .smoothedUpper = {},
            .smoothedLower = {}};
        Matrix<T> hostUpper(n, n), hostLower(n, n);
        for (std::size_t i = 0; i < upper.size(); ++i) {
            const bool isUnknown = std::isinf(upper.data()[i]);
            hostUpper.data()[i] = isUnknown ? bounds::kUnknownUpper<T> : static_cast<T>(upper.data()[i]);
            hostLower.data()[i] = static_cast<T>(lower.data()[i]);
        }
        const auto expected = bounds::smooth(*backend_, viewsOf(hostUpper, hostLower), {}, progress_);
        const Matrix<T> zero(n, n, T(0));
        request.smoothedUpper = onDevice(zero), request.smoothedLower = onDevice(zero);
        Matrix<T> foundUpper(n, n), foundLower(n, n);
        const auto found =
            bounds::smoothOnDevice(*backend_, request, viewsOf(foundUpper, foundLower), {}, progress_);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->report.variant, expected.variant);
        EXPECT_EQ(found->report.violationCount, expected.violationCount);
        EXPECT_EQ(found->knownPairs, std::size_t{9 * n - 45});
        const auto same = [](const Matrix<T>& a, const Matrix<T>& b) {
            return std::equal(a.data(), a.data() + a.size(), b.data());
        };
        EXPECT_TRUE(same(foundUpper, hostUpper));
        EXPECT_TRUE(same(foundLower, hostLower));
        EXPECT_TRUE(same(onHost<T>(request.smoothedUpper), hostUpper));
        EXPECT_TRUE(same(onHost<T>(request.smoothedLower), hostLower));
        EXPECT_TRUE(same(onHost<T>(request.smoothedLower), foundLower));
        // Irregular bounds are left to the host.
        for (const double wrong : {-1.0, std::nan(""), 1e7, 2.5}) {
            auto [odd, other] = someBounds<Number>(n);
            odd(3, 7) = static_cast<Number>(wrong);
            if (wrong == 2.5) other(9, 4) = other(4, 9) = 200, odd(3, 7) = odd(7, 3);
            request.upper = onDevice(odd), request.lower = onDevice(other);
            EXPECT_FALSE(
                bounds::smoothOnDevice(*backend_, request, viewsOf(foundUpper, foundLower), {}, progress_))
                << wrong;
        }
    };
    check(0.0F, 0.0F), check(0.0F, 0.0), check(0.0, 0.0), check(0.0, 0.0F);
}

TEST_F(DeviceMatrices, valuesHaveTheHostsInformation) {
    const auto check = [&]<class Number>(Number) {
        Matrix<Number> values =
            made<Number>(37, 150, [](std::size_t i) { return double(i * i % 1009) / 7 - 50; });
        for (std::size_t s = 0; s < 150; ++s) values(4, s) = 3;
        Matrix<double> wide(37, 150);
        std::copy_n(values.data(), values.size(), wide.data());
        mutualinfo::MutualInformationOptions options;
        const DeviceMatrix there = onDevice(values);
        const auto genes = mutualinfo::summarizeOnDevice(*backend_, there, options.splines, options.unit);
        ASSERT_TRUE(genes);
        const auto expected =
            mutualinfo::summarizeGenes(wide.view(), options.splines, options.unit, progress_);
        EXPECT_EQ(genes->entropies, expected.entropies);
        EXPECT_EQ(genes->constant, expected.constant);
        const auto information = [&](mutualinfo::ExpressionView view) {
            std::vector<double> found(37 * 37);
            pairs::PairStore store({{37, pairs::StoreLayout::Square}, pairs::ValueType::Float64, 0},
                                   reinterpret_cast<std::byte*>(found.data()));
            mutualinfo::computeMutualInformation(*backend_, view, options, store, progress_);
            return found;
        };
        const std::vector<double> ofHost = information(wide.view());
        options.onDevice = &there;
        EXPECT_EQ(information({nullptr, 37, 150}), ofHost);
        values(36, 149) = std::numeric_limits<Number>::quiet_NaN();
        EXPECT_FALSE(
            mutualinfo::summarizeOnDevice(*backend_, onDevice(values), options.splines, options.unit));
    };
    check(0.0F), check(0.0);
}

TEST_F(DeviceMatrices, resultsStayThere) {
    const auto stores = pairs::cuda::deviceStores().create(*backend_);
    const auto check = [&]<class Number>(Number) {
        const Matrix<Number> numbers =
            made<Number>(130, 67, [](std::size_t i) { return double(i * 31 % 257) / 9 - 4; });
        const distance::DeviceCoordinates there(arrays_, onDevice(numbers));
        const distance::DataView data{nullptr, there.view()};
        for (const auto layout :
             {pairs::StoreLayout::Square, pairs::StoreLayout::Condensed, pairs::StoreLayout::Rectangle})
            for (const auto type : {pairs::ValueType::Float64, pairs::ValueType::Float32})
                for (const auto measure : {distance::Measure::Euclidean, distance::Measure::Manhattan,
                                           distance::Measure::Correlation}) {
                    distance::DistanceOptions options{.measure = measure};
                    options.tile = 50;
                    if (layout == pairs::StoreLayout::Rectangle) options.references = 40;
                    const pairs::PairFormat format{{130, layout, options.references}, type, 0};
                    std::vector<std::byte> expected(pairs::storedBytes(format.layout, type));
                    std::vector<std::byte> found(expected.size());
                    pairs::PairStore host(format, expected.data());
                    distance::computeDistances(*backend_, data, options, host, progress_);
                    const DeviceBuffer<std::byte> memory(backend_->memory(), expected.size());
                    const auto store = stores->open(format, memory.data());
                    distance::computeDistances(*backend_, data, options, *store, progress_);
                    arrays_->copyToHost(memory.data(), found.size(), found.data());
                    EXPECT_TRUE(found == expected)
                        << toString(layout) << ' ' << toString(type) << ' ' << toString(measure);
                    EXPECT_EQ(store->value(70, 5), host.value(70, 5));
                }
        // The values are not integers: the host reports which one.
        const pairs::PairFormat whole{{130, pairs::StoreLayout::Square}, pairs::ValueType::Int32, 0};
        const DeviceBuffer<std::int32_t> memory(backend_->memory(), 130 * 130);
        const auto store = stores->open(whole, memory.data());
        EXPECT_THROW(distance::computeDistances(*backend_, data, {.measure = distance::Measure::Euclidean},
                                                *store, progress_),
                     UsageError);
    };
    check(0.0F), check(0.0);
}

TEST_F(DeviceMatrices, signalsHaveTheHostsEntropies) {
    using namespace crossapen;
    struct Sink final : EntropySink {
        void store(Range, std::span<const double> values) override {
            found.insert(found.end(), values.begin(), values.end());
        }
        std::vector<double> found;
    };
    const auto check = [&]<class Number>(Number) {
        Matrix<Number> rows =
            made<Number>(8, 300, [](std::size_t i) { return double(i * i % 1013) / 7 - 50; });
        std::fill_n(rows.row(2), 300, Number(3));
        rows(5, 299) = std::numeric_limits<Number>::quiet_NaN();
        Matrix<double> wide(8, 300);
        std::copy_n(rows.data(), rows.size(), wide.data());
        DeviceEpochs there{.first = onDevice(rows), .count = 2, .step = 0};
        there.first.rows = 4;
        there.step = 4 * there.first.rowStep;
        const std::vector<Signals> epochs{wide.view().block(0, 0, 4, 300), wide.view().block(4, 0, 4, 300)};
        for (const auto format : {NumberFormat::Float32, NumberFormat::Float64})
            for (const auto measure : {Measure::CrossApEn, Measure::SampEn})
                for (const bool isAbsolute : {false, true})
                    for (const unsigned m : {1U, 2U, 9U}) {
                        EntropyOptions options{.measure = measure};
                        options.rule.m = m;
                        options.format = format;
                        options.isAbsolute = isAbsolute;
                        options.tolerance = isAbsolute ? 20 : 0.2;
                        Sink host, device;
                        const EntropyReport expected =
                            computeEntropies(*backend_, epochs, options, host, progress_);
                        std::vector<UnusableChannel> unusable;
                        const auto found =
                            computeEntropies(*backend_, there, options, device, unusable, progress_);
                        ASSERT_TRUE(found);
                        EXPECT_EQ(found->variant, expected.variant);
                        ASSERT_EQ(device.found.size(), host.found.size());
                        EXPECT_EQ(std::memcmp(device.found.data(), host.found.data(),
                                              host.found.size() * sizeof(double)),
                                  0);
                        const auto said = unusableChannels(epochs, options);
                        ASSERT_EQ(unusable.size(), said.size());
                        for (std::size_t k = 0; k < said.size(); ++k) {
                            EXPECT_EQ(unusable[k].channel, said[k].channel);
                            EXPECT_EQ(unusable[k].reason, said[k].reason);
                        }
                    }
    };
    check(0.0F), check(0.0);
}

}  // namespace
}  // namespace glycine::cuda
