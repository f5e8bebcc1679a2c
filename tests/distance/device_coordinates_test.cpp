// Coordinates in device memory, simulated by host memory: when they are copied.
#include <cstring>

#include "engine/api/backends.hpp"
#include "engine/core/error.hpp"
#include "engine/distance/device_coordinates.hpp"
#include "engine/distance/distance_engine.hpp"
#include "engine/distance/prepared_coordinates.hpp"
#include "engine/pairs/pair_store.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

class HostAsDevice final : public DeviceArrays {
  public:
    int deviceOf(const void*) const override { return 0; }
    void copyToHost(const void* source, std::size_t bytes, void* target) const override {
        std::memcpy(target, source, bytes);
    }
    void copyToDevice(const void* source, std::size_t bytes, void* target) const override {
        std::memcpy(target, source, bytes);
    }
    void copyRows(const DeviceMatrix& matrix, std::span<const std::size_t> rows,
                  void* target) const override {
        for (const std::size_t row : rows) {
            ++copied;
            for (std::size_t k = 0; k < matrix.columns; ++k) {
                std::memcpy(target, at(matrix, row, k), matrix.itemBytes);
                target = static_cast<std::byte*>(target) + matrix.itemBytes;
            }
        }
    }
    std::shared_ptr<void> join(const DeviceMatrix&, const DeviceMatrix&) const override {
        throw UsageError("nothing here joins rows");
    }
    NumberSummary summarize(const DeviceMatrix& matrix) const override {
        NumberSummary summary;
        for (std::size_t i = 0; i < matrix.rows; ++i)
            for (std::size_t k = 0; k < matrix.columns; ++k) {
                const double value = numberAt(matrix, i, k);
                summary.areFinite = summary.areFinite && std::isfinite(value);
                summary.widest = std::max(summary.widest, std::abs(value - numberAt(matrix, 0, k)));
                summary.highest = std::max(summary.highest, std::abs(value));
            }
        return summary;
    }
    mutable std::size_t copied = 0;  ///< rows

  private:
    static const std::byte* at(const DeviceMatrix& matrix, std::size_t row, std::size_t column) {
        return static_cast<const std::byte*>(matrix.data) +
               static_cast<std::ptrdiff_t>(row) * matrix.rowStep +
               static_cast<std::ptrdiff_t>(column) * matrix.columnStep;
    }
    static double numberAt(const DeviceMatrix& matrix, std::size_t row, std::size_t column) {
        const std::byte* const place = at(matrix, row, column);
        return matrix.itemBytes == sizeof(double) ? *reinterpret_cast<const double*>(place)
                                                  : *reinterpret_cast<const float*>(place);
    }
};

/// A matrix whose view has every second column and all rows, from the last one to the first.
template <class Number>
class DeviceCoordinatesOf : public testing::Test {
  protected:
    static constexpr std::size_t kRows = 9, kColumns = 13;
    DeviceCoordinatesOf() : whole_(kRows, 2 * kColumns), plain_(kRows, kColumns) {
        for (std::size_t i = 0; i < whole_.size(); ++i)
            whole_.data()[i] = static_cast<Number>((i * 37) % 101) / Number{8} - Number{3};
        copyPlain();
    }
    void copyPlain() {
        for (std::size_t i = 0; i < kRows; ++i)
            for (std::size_t k = 0; k < kColumns; ++k) plain_(i, k) = whole_(kRows - 1 - i, 2 * k);
    }
    DeviceCoordinates onDevice() {
        return {arrays_,
                {.data = whole_.row(kRows - 1),
                 .rows = kRows,
                 .columns = kColumns,
                 .rowStep = -static_cast<std::ptrdiff_t>(2 * kColumns * sizeof(Number)),
                 .columnStep = 2 * sizeof(Number),
                 .itemBytes = sizeof(Number)}};
    }
    static constexpr Precision kPrecision = sizeof(Number) == 4 ? Precision::Float32 : Precision::Float64;
    static std::vector<double> distances(const DataView& data, const std::string& backendName) {
        registerBackends();
        const auto backend = BackendRegistry::instance().create(backendName, {});
        std::vector<double> values(kRows * kRows);
        pairs::PairStore store({{kRows, pairs::StoreLayout::Square}, pairs::ValueType::Float64, 0},
                               reinterpret_cast<std::byte*>(values.data()));
        Progress progress;
        computeDistances(*backend, data, {.measure = Measure::Manhattan}, store, progress);
        return values;
    }

    std::shared_ptr<HostAsDevice> arrays_ = std::make_shared<HostAsDevice>();
    Matrix<Number> whole_, plain_;
};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceCoordinatesOf, Numbers);

TYPED_TEST(DeviceCoordinatesOf, staysThereUntilSomebodyLooks) {
    const DeviceCoordinates there = this->onDevice();
    const DataView data{nullptr, there.view()};
    EXPECT_EQ(data.instances(), this->kRows);
    EXPECT_EQ(data.attributes(), this->kColumns);
    EXPECT_EQ(data.coordinates.precision(), this->kPrecision);
    checkDistances(data, {.measure = Measure::Euclidean});
    const PreparedCoordinates prepared(data.coordinates, this->kPrecision, Preparation::None);
    EXPECT_EQ(prepared.view().device(), &there);
    // Correct sums need no coordinates.
    Matrix<double> sums(2, 3, 5.0);
    if (this->kPrecision == Precision::Float32)
        repairSums(there.view(), SumTerm::AbsoluteDifference, {{4, 6}, {0, 3}}, sums.view());
    EXPECT_EQ(this->arrays_->copied, 0U);

    const std::vector<double> expected =
        this->distances({nullptr, MatrixView<const TypeParam>(this->plain_.view())}, "cpu");
    EXPECT_EQ(this->distances(data, "cpu"), expected);
    EXPECT_EQ(this->distances(data, "reference").size(), expected.size());
    EXPECT_EQ(this->arrays_->copied, this->kRows) << "once";
    const std::vector<std::size_t> some{7, 2};
    const CoordinateMatrix rows = there.rowsOnHost(some);
    EXPECT_EQ(std::get<Matrix<TypeParam>>(rows)(1, 5), this->plain_(2, 5));
}

/// Only float32 sums can be lost.
using SingleCoordinates = DeviceCoordinatesOf<float>;
TEST_F(SingleCoordinates, sumsThatAreLostAreTakenAgain) {
    const DeviceCoordinates there = onDevice();
    Matrix<double> sums(2, 3, 5.0);
    sums(1, 2) = std::numeric_limits<double>::infinity();
    repairSums(there.view(), SumTerm::AbsoluteDifference, {{4, 6}, {0, 3}}, sums.view());
    double expected = 0;
    for (std::size_t k = 0; k < kColumns; ++k)
        expected += std::abs(double{plain_(5, k)} - double{plain_(2, k)});
    EXPECT_EQ(sums(1, 2), expected);
    EXPECT_EQ(sums(0, 0), 5.0);
}

TYPED_TEST(DeviceCoordinatesOf, wrongNumbersHaveTheHostsError) {
    this->whole_(2, 8) = std::numeric_limits<TypeParam>::quiet_NaN();
    const DeviceCoordinates there = this->onDevice();
    try {
        checkDistances({nullptr, there.view()}, {.measure = Measure::Euclidean});
        FAIL() << "nothing was thrown";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "instance 7, attribute 5: the coordinate is nan; expected a finite number");
    }
}

}  // namespace
}  // namespace glycine::distance
