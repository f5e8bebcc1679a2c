// Distances of coordinates that are far from 0 compared with their differences, on every backend and variant
// and in every precision. Compared with the truth, computed from the input's own numbers in long double.
#include "engine/distance/distance_engine.hpp"
#include "engine/distance/random_data.hpp"
#include "tests/backends/every_backend.hpp"
#include "tests/distance/distance_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

using Truth = std::function<long double(const double* a, const double* b, std::size_t attributes)>;

long double euclidean(const double* a, const double* b, std::size_t attributes) {
    long double sum = 0;
    for (std::size_t k = 0; k < attributes; ++k)
        sum += ((long double)a[k] - b[k]) * ((long double)a[k] - b[k]);
    return std::sqrt(sum);
}
long double squared(const double* a, const double* b, std::size_t attributes) {
    const long double root = euclidean(a, b, attributes);
    return root * root;
}
long double manhattan(const double* a, const double* b, std::size_t attributes) {
    long double sum = 0;
    for (std::size_t k = 0; k < attributes; ++k) sum += std::abs((long double)a[k] - b[k]);
    return sum;
}
/// 1 − r as half the squared distance of standardised rows, which keeps the digits of small values.
long double correlation(const double* a, const double* b, std::size_t attributes) {
    const auto standardised = [&](const double* row) {
        std::vector<long double> result(row, row + attributes);
        long double mean = 0, squares = 0;
        for (const long double value : result) mean += value;
        mean /= static_cast<long double>(attributes);
        for (long double& value : result) value -= mean, squares += value * value;
        for (long double& value : result) value /= std::sqrt(squares);
        return result;
    };
    const std::vector<long double> x = standardised(a);
    const std::vector<long double> y = standardised(b);
    long double sum = 0;
    for (std::size_t k = 0; k < attributes; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sum / 2;
}
const std::vector<std::pair<Measure, Truth>> kMeasures{{Measure::Euclidean, euclidean},
                                                       {Measure::SquaredEuclidean, squared},
                                                       {Measure::Manhattan, manhattan},
                                                       {Measure::Correlation, correlation}};

/// Random coordinates: offset[k % size] + scale · a standard normal number.
Matrix<double> about(const std::vector<double>& offsets, double scale, std::size_t instances,
                     std::size_t attributes) {
    const Matrix<float> normal = randomCoordinates(instances, attributes, 11);
    Matrix<double> result(instances, attributes);
    for (std::size_t i = 0; i < instances; ++i)
        for (std::size_t k = 0; k < attributes; ++k)
            result(i, k) = offsets[k % offsets.size()] + scale * double{normal(i, k)};
    return result;
}

class DistancePrecision : public glycine::test::EveryBackend {
  protected:
    struct Result {
        std::unique_ptr<pairs::PairStore> values;
        DistanceReport report;
    };
    template <class Number>
    Result compute(const Matrix<Number>& coordinates, const DistanceOptions& options) {
        Result result{std::make_unique<pairs::PairStore>(
                          pairs::PairFormat{{coordinates.rows(), pairs::StoreLayout::Square}}),
                      {}};
        result.report = computeDistances(backend(), fixtures::view(coordinates), options, *result.values,
                                         silentProgress());
        return result;
    }

    /// Calls ask(variant, precision) for all that the backend supports.
    template <class Ask>
    void forAll(const Ask& ask) {
        const auto* entry = findImplementation<DistanceEngine>(backend());
        ASSERT_NE(entry, nullptr);
        for (const Precision precision : {Precision::Float32, Precision::Float64})
            for (const std::string& name : variantsFor(entry->variants, std::string(toString(precision)))) {
                SCOPED_TRACE(testing::Message() << name << ' ' << toString(precision));
                ask(fromString<Variant>(name), precision);
            }
    }

    /// Expects all pairs and measures to be within rounding errors of the truth, and in any case within
    /// `largestError` times the truth.
    void expectTruth(const Matrix<double>& coordinates, Measure measure, const Truth& truth,
                     double largestError, double largestFloat64Error) {
        const std::size_t m = coordinates.columns();
        forAll([&](Variant variant, Precision precision) {
            const Result result = compute(
                coordinates, {.measure = measure, .variant = variant, .precision = precision, .tile = 20});
            const DistanceReport& report = result.report;
            EXPECT_EQ(report.precision, backend().name() == "reference" ? Precision::Float64 : precision);
            const bool isExact = report.precision == Precision::Float64;
            EXPECT_EQ(report.rounding.largest > 0, !isExact);
            for (std::size_t i = 0; i < coordinates.rows(); ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    const auto expected =
                        static_cast<double>(truth(coordinates.row(i), coordinates.row(j), m));
                    const double error = std::abs(result.values->value(i, j) - expected);
                    // A few more roundings in double: of roots, of means, of the truth itself.
                    const double explained = changeOf(measure, report.rounding, expected) +
                                             summationTolerance(m, report.precision) * expected +
                                             (isExact ? 1e-14 : 1e-13) * (expected + 1e-3);
                    ASSERT_LE(error, explained) << i << ", " << j << ": " << expected;
                    ASSERT_LE(error, (isExact ? largestFloat64Error : largestError) * expected)
                        << i << ", " << j << ": " << expected;
                }
        });
    }
};

TEST_P(DistancePrecision, SecondsSince1970) {
    Matrix<double> coordinates(2, 2);
    coordinates(0, 0) = 1.7e9, coordinates(0, 1) = 1;
    coordinates(1, 0) = 1.7e9 + 60, coordinates(1, 1) = 1;
    forAll([&](Variant variant, Precision precision) {
        const auto value = [&](Measure measure) {
            return compute(coordinates, {.measure = measure, .variant = variant, .precision = precision})
                .values->value(1, 0);
        };
        EXPECT_EQ(value(Measure::Euclidean), 60);
        EXPECT_EQ(value(Measure::SquaredEuclidean), 3600);
        EXPECT_EQ(value(Measure::Manhattan), 60);
    });
}

TEST_P(DistancePrecision, PointsOfAMapWithinFiftyMetres) {
    const Matrix<double> points = about({448262.1, 5412332.7}, 15, 60, 2);
    for (const auto& [measure, truth] : kMeasures)
        if (measure != Measure::Correlation) {
            SCOPED_TRACE(toString(measure));
            expectTruth(points, measure, truth, 1e-4, 1e-14);
        }
}

TEST_P(DistancePrecision, CorrelationAtAnOffset) {
    for (const double offset : {1e5, -1e9}) {
        SCOPED_TRACE(offset);
        expectTruth(about({offset}, 1, 40, 30), Measure::Correlation, correlation, 1e-5, 1e-13);
    }
}

TEST_P(DistancePrecision, ManyAttributes) {
    const Matrix<double> coordinates = about({1e6, -3e7, 0, 5}, 1, 25, 1500);
    // With such offsets, the rows' correlations differ from 1 by only about 10⁻¹⁵.
    for (const auto& [measure, truth] : kMeasures)
        if (measure != Measure::Correlation) {
            SCOPED_TRACE(toString(measure));
            expectTruth(coordinates, measure, truth, 1e-4, 1e-12);
        }
    expectTruth(about({1e6}, 1, 25, 1500), Measure::Correlation, correlation, 1e-5, 1e-12);
}

// Numbers that are float32 in the file are used unchanged, whatever their offset.
TEST_P(DistancePrecision, Float32FilesAreNotRoundedAgain) {
    Matrix<float> coordinates = randomCoordinates(30, 40, 5);
    for (std::size_t i = 0; i < coordinates.size(); ++i) coordinates.data()[i] += 1e5F;
    Matrix<double> same(30, 40);
    std::copy_n(coordinates.data(), coordinates.size(), same.data());
    forAll([&](Variant variant, Precision precision) {
        const Result result =
            compute(coordinates, {.measure = Measure::Euclidean, .variant = variant, .precision = precision});
        EXPECT_EQ(result.report.rounding.largest, 0);
        for (std::size_t i = 0; i < 30; ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const auto expected = static_cast<double>(euclidean(same.row(i), same.row(j), 40));
                ASSERT_NEAR(result.values->value(i, j), expected,
                            summationTolerance(40, precision) * expected);
            }
    });
}

TEST_P(DistancePrecision, TheUsualOneIsThatOfTheData) {
    const Matrix<double> wide = about({1e6}, 1, 5, 3);
    const Matrix<float> single = randomCoordinates(5, 3, 1);
    const DistanceOptions options{.measure = Measure::Manhattan};
    const bool isReference = backend().name() == "reference";
    EXPECT_EQ(compute(wide, options).report.precision,
              backend().name() == "gl" ? Precision::Float32 : Precision::Float64);
    EXPECT_EQ(compute(single, options).report.precision,
              isReference ? Precision::Float64 : Precision::Float32);
    DistanceOptions requested = options;
    requested.precision = Precision::Float64;
    const Support support = supportsDistances(backend(), fixtures::view(wide), requested);
    EXPECT_EQ(bool(support), backend().name() != "gl");
    if (backend().name() == "gl") {
        EXPECT_THAT(support.reason(), HasSubstr("textures hold no float64"));
    }
}

TEST_P(DistancePrecision, SquaresBeyondARangeAreNotNeeded) {
    Matrix<double> large(3, 2, 0);
    large(1, 0) = 1e200;
    large(2, 1) = -1e300;
    forAll([&](Variant variant, Precision precision) {
        const auto computed =
            compute(large, {.measure = Measure::Euclidean, .variant = variant, .precision = precision});
        const double allowed = std::max(computed.report.rounding.euclidean, 1e-15 * 1e300);
        EXPECT_LT(allowed, 1e-6 * 1e300);
        EXPECT_NEAR(computed.values->value(1, 0), 1e200, std::max(computed.report.rounding.euclidean, 1e185));
        EXPECT_NEAR(computed.values->value(2, 0), 1e300, allowed);
        EXPECT_NEAR(computed.values->value(2, 1), 1e300, allowed);
    });
}

TEST_P(DistancePrecision, NumbersBeyondARangeAreRefused) {
    Matrix<double> large(3, 2, 0);
    large(1, 0) = 1.7e308;
    large(2, 0) = -1.7e308;
    forAll([&](Variant variant, Precision precision) {
        const auto message = [&](Measure measure) -> std::string {
            try {
                compute(large, {.measure = measure, .variant = variant, .precision = precision});
            } catch (const InputError& error) {
                return error.what();
            }
            return {};
        };
        EXPECT_THAT(message(Measure::Euclidean),
                    HasSubstr("instances 3 and 2: the 'euclidean' distance is beyond"));
        EXPECT_THAT(message(Measure::Manhattan),
                    HasSubstr("instances 3 and 2: the 'manhattan' distance is beyond"));
        EXPECT_THAT(message(Measure::Correlation), HasSubstr("row 1: all 2 values are 0"));
    });
    // Squares that exceed double, in rows whose correlation is an ordinary number.
    Matrix<double> steep(2, 3);
    const double entries[] = {1e200, 2e200, 4e200, 5e-200, 3e-200, 1e-200};
    std::copy(std::begin(entries), std::end(entries), steep.data());
    const auto expected = static_cast<double>(1 + 9 / std::sqrt(84.0L));
    forAll([&](Variant variant, Precision precision) {
        EXPECT_NEAR(
            compute(steep, {.measure = Measure::Correlation, .variant = variant, .precision = precision})
                .values->value(1, 0),
            expected, precision == Precision::Float64 ? 1e-15 : 1e-6);
    });
}

INSTANTIATE_TEST_SUITE_P(All, DistancePrecision, testing::ValuesIn(glycine::test::allSettings()),
                         glycine::test::nameOf);

}  // namespace
}  // namespace glycine::distance
