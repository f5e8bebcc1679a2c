// Distances worked by hand and their properties; coordinates as engines receive them.
#include <initializer_list>

#include "engine/distance/distance.hpp"
#include "engine/distance/prepared_coordinates.hpp"
#include "engine/distance/random_data.hpp"
#include "tests/core/recorded_team.hpp"
#include "tests/distance/distance_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

// ---- From counts to measures: cases worked by hand, and laws that hold for all data.

class DistanceValues : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        if (BackendRegistry::instance().entries().empty()) registerHostBackends();
    }
};

// Attributes known in both: the first three. 0|2 share no allele, 1|1 both, 2|1 one: IBS0 = IBS1 = IBS2 = 1,
// N = 3, M = 5.
const char* const kFirst = "012.2";
const char* const kSecond = "2110.";

struct Expected {
    Measure measure;
    MissingRule rule;
    double value;
};

TEST_F(DistanceValues, byHand) {
    const SymbolMatrix data = genotypes({kFirst, kSecond});
    const Expected cases[] = {
        {Measure::Mismatch, MissingRule::Ignore, 2},  // IBS0 + IBS1
        {Measure::Mismatch, MissingRule::Flat, 2 * (5.0 / 3)},
        {Measure::Proportion, MissingRule::Ignore, 2.0 / 3},
        {Measure::Proportion, MissingRule::Flat, 2.0 / 3},
        {Measure::Allele, MissingRule::Ignore, 3},  // 2 IBS0 + IBS1
        {Measure::Allele, MissingRule::Flat, 3 * (5.0 / 3)},
        {Measure::OneMinusIbs, MissingRule::Ignore, 0.5},  // 3 of 6 alleles
        {Measure::OneMinusIbs, MissingRule::Flat, 0.5},
        {Measure::Ibs, MissingRule::Ignore, 0.5},
        {Measure::Ibs, MissingRule::Flat, 0.5},
    };
    for (const Expected& expected : cases) {
        const fixtures::Run run =
            compute("reference", view(data), {.measure = expected.measure, .missing = expected.rule});
        EXPECT_NEAR(run(0, 1), expected.value, 1e-15)
            << toString(expected.measure) << ' ' << toString(expected.rule);
        EXPECT_EQ(run(1, 0), run(0, 1));
        EXPECT_EQ(run(0, 0), expected.measure == Measure::Ibs ? 1 : 0);
    }
}

// Allele frequencies are 1/2, 1/2, 3/4, and the last two attributes have a single allele: weights 3/16, 3/16,
// 39/256, 1, 1 before scaling. The pair has the first three in common.
TEST_F(DistanceValues, weightedByHand) {
    const SymbolMatrix data = genotypes({kFirst, kSecond});
    const fixtures::Run run =
        compute("reference", view(data), {.measure = Measure::Allele, .missing = MissingRule::Weighted});
    const double common = 2 * (3.0 / 16) + 39.0 / 256;
    EXPECT_NEAR(run(0, 1), 3 * (common + 2) / common, 1e-6);
}

TEST_F(DistanceValues, nothingInCommon) {
    const SymbolMatrix data = genotypes({"01..", "..10", "...."});
    const auto value = [&](Measure measure, MissingRule rule) {
        const fixtures::Run run = compute("reference", view(data), {.measure = measure, .missing = rule});
        EXPECT_EQ(run.report.undefinedPairs, std::isnan(run(1, 0)) ? 3U : 0U);
        return run(1, 0);
    };
    EXPECT_EQ(value(Measure::Mismatch, MissingRule::Ignore), 0);
    EXPECT_TRUE(std::isnan(value(Measure::Mismatch, MissingRule::Flat)));
    EXPECT_TRUE(std::isnan(value(Measure::Proportion, MissingRule::Ignore)));
    EXPECT_TRUE(std::isnan(value(Measure::Ibs, MissingRule::Ignore)));
    EXPECT_TRUE(std::isnan(value(Measure::Allele, MissingRule::Weighted)));
}

TEST_F(DistanceValues, coordinatesByHand) {
    Matrix<float> data(3, 2);
    data(0, 0) = 0, data(0, 1) = 1;
    data(1, 0) = 3, data(1, 1) = 5;
    data(2, 0) = 2, data(2, 1) = -1;
    const auto value = [&](Measure measure, std::size_t i, std::size_t j) {
        return compute("reference", view(data), {.measure = measure})(i, j);
    };
    EXPECT_EQ(value(Measure::Euclidean, 0, 1), 5);
    EXPECT_EQ(value(Measure::SquaredEuclidean, 1, 0), 25);
    EXPECT_EQ(value(Measure::Manhattan, 0, 1), 7);
    EXPECT_NEAR(value(Measure::Correlation, 0, 1), 0, 1e-6);  // both rise
    EXPECT_NEAR(value(Measure::Correlation, 0, 2), 2, 1e-6);  // one falls
    EXPECT_EQ(value(Measure::Chebyshev, 0, 1), 4);
    EXPECT_EQ(value(Measure::Hamming, 0, 1), 1);
    EXPECT_NEAR(value(Measure::Cosine, 0, 1), 1 - 5 / std::sqrt(34.0), 1e-15);
}

TEST_F(DistanceValues, amountsByHand) {
    Matrix<double> data(3, 3);
    const double rows[3][3] = {{1, 0, 4}, {1, 3, 0}, {1 + 0x1p-40, 0, 4}};
    for (std::size_t k = 0; k < data.size(); ++k) data.data()[k] = rows[k / 3][k % 3];
    for (const std::string backend : {"reference", "cpu"})
        for (const Precision precision : {Precision::Float64, Precision::Float32}) {
            const auto value = [&](Measure measure, std::size_t i, std::size_t j) {
                return compute(backend, view(data), {.measure = measure, .precision = precision})(i, j);
            };
            EXPECT_NEAR(value(Measure::BrayCurtis, 0, 1), 7.0 / 9, 1e-7);
            EXPECT_EQ(value(Measure::Hamming, 0, 1), 2.0 / 3);
            // Numbers that are equal in float32 are still different.
            EXPECT_EQ(value(Measure::Hamming, 0, 2), 1.0 / 3);
        }
}

// 1 and 2 compared with 0, and attributes that one instance lacks.
TEST_F(DistanceValues, jaccardByHand) {
    const SymbolMatrix data = genotypes({"1100.", "1010.", "00001", "0000.", "2100."});
    for (const std::string backend : {"reference", "cpu"}) {
        const fixtures::Run run = compute(backend, view(data), {.measure = Measure::Jaccard});
        EXPECT_EQ(run(0, 1), 2.0 / 3) << backend;
        EXPECT_EQ(run(2, 3), 0) << "nothing in either";
        EXPECT_EQ(run(0, 3), 1);
        EXPECT_EQ(run(0, 4), 0.5) << "one of two";
        EXPECT_EQ(run(1, 1), 0);
    }
}

TEST_F(DistanceValues, refusals) {
    const SymbolMatrix data = genotypes({kFirst, kSecond});
    Matrix<float> flat(2, 3, 4.0F);
    flat(0, 1) = 5;
    const auto refused = [](const DataView& input, const DistanceOptions& options) {
        return messageOf<Error>([&] { compute("reference", input, options); });
    };
    EXPECT_THAT(refused(view(data), {.measure = Measure::Mismatch, .missing = MissingRule::Refuse}),
                HasSubstr("instance 1, attribute 4"));
    EXPECT_THAT(refused(view(data), {.measure = Measure::Euclidean}),
                AllOf(HasSubstr("'euclidean' is for coordinates"), HasSubstr(", hamming (")));
    EXPECT_THAT(refused(view(flat), {.measure = Measure::Mismatch}), HasSubstr("the data are coordinates"));
    EXPECT_THAT(refused(view(flat), {.measure = Measure::Correlation}),
                HasSubstr("row 2: all 3 values are 4"));
    EXPECT_THAT(refused(view(Matrix<float>(2, 3, 0)), {.measure = Measure::Cosine}),
                HasSubstr("row 1: all 3 values are 0; the cosine"));
    EXPECT_THAT(refused(view(Matrix<float>(2, 3, 0)), {.measure = Measure::BrayCurtis}),
                HasSubstr("instance 1: all amounts are 0"));
    EXPECT_THAT(refused(view(Matrix<float>(2, 3, -1)), {.measure = Measure::BrayCurtis}),
                HasSubstr("-1 is negative"));
    EXPECT_THAT(refused(view(data), {.measure = Measure::Proportion, .missing = MissingRule::Weighted}),
                HasSubstr("can be weighted for allele, ibs and 1-ibs"));
    const auto letters = randomSymbols(3, 4, 4, 0, 1);
    EXPECT_THAT(refused(view(*letters), {.measure = Measure::Allele}), HasSubstr("no genotypes"));
}

/// A law of all data: d(i, j) ≤ d(i, k) + d(k, j).
void expectMetric(const fixtures::Run& run, std::size_t n, double slack) {
    for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(run(i, i), 0);
        for (std::size_t j = 0; j < n; ++j) {
            EXPECT_EQ(run(i, j), run(j, i));
            for (std::size_t k = 0; k < n; ++k) ASSERT_LE(run(i, j), run(i, k) + run(k, j) + slack);
        }
    }
}

TEST_F(DistanceValues, metricsAreMetrics) {
    constexpr std::size_t n = 23;
    const auto symbols = randomGenotypes({.instances = n, .attributes = 301, .seed = 5});
    const Matrix<float> points = randomCoordinates(n, 31, 5);
    for (const char* backend : {"reference", "cpu"}) {
        for (const Measure measure : {Measure::Mismatch, Measure::Allele, Measure::Proportion})
            expectMetric(compute(backend, view(*symbols), {.measure = measure, .tile = 7}), n, 1e-12);
        for (const Measure measure : {Measure::Euclidean, Measure::Manhattan})
            expectMetric(compute(backend, view(points), {.measure = measure, .tile = 10}), n, 1e-5);
    }
}

/// Tiles change neither the counts nor the weights of missing entries.
TEST_F(DistanceValues, tilesChangeNothing) {
    constexpr std::size_t n = 37;
    const auto symbols = randomGenotypes({.instances = n, .attributes = 513, .seed = 9, .missing = 0.2});
    for (const MissingRule rule : {MissingRule::Ignore, MissingRule::Flat, MissingRule::Weighted}) {
        const DistanceOptions whole{.measure = Measure::Allele, .missing = rule, .tile = 100};
        DistanceOptions tiled = whole;
        tiled.tile = 8;
        const fixtures::Run expected = compute("reference", view(*symbols), whole);
        const fixtures::Run found = compute("cpu", view(*symbols), tiled);
        EXPECT_EQ(expected.report.tiles, 1U);
        EXPECT_EQ(found.report.tiles, 15U);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(found(i, j), expected(i, j)) << i << ", " << j;
    }
}

/// Rows of two matrices, which a run uses in place, give the bits of the same rows in one.
template <class Number>
void expectRowsOfTwo(std::size_t border) {
    constexpr std::size_t n = 37, attributes = 70;
    Matrix<Number> whole(n, attributes);
    const Matrix<float> random = randomCoordinates(n, attributes, 3);
    std::transform(random.data(), random.data() + random.size(), whole.data(),
                   [](float number) { return std::abs(number); });
    const Matrix<Number> first(whole.view().block(0, 0, border, attributes));
    const Matrix<Number> second(whole.view().block(border, 0, n - border, attributes));
    DataView two;
    two.coordinates = CoordinateRows<Number>(first.view(), second.view());
    for (const Measure measure : {Measure::Euclidean, Measure::Manhattan, Measure::Correlation,
                                  Measure::Cosine, Measure::BrayCurtis, Measure::Hamming})
        for (const Precision precision : {Precision::Float32, Precision::Float64})
            for (const char* backend : {"reference", "cpu"}) {
                const DistanceOptions options{.measure = measure, .precision = precision, .tile = 9};
                const fixtures::Run expected = compute(backend, view(whole), options);
                const fixtures::Run found = compute(backend, two, options);
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t j = 0; j < i; ++j)
                        ASSERT_EQ(found(i, j), expected(i, j)) << backend << ' ' << toString(measure);
            }
    Matrix<Number> wrong = second.clone();
    wrong(1, 4) = -1;
    two.coordinates = CoordinateRows<Number>(first.view(), std::as_const(wrong).view());
    const std::string place = fmt::format("instance {}, attribute 5", border + 2);
    const auto refused = [&two](Measure measure) {
        return messageOf<InputError>([&] { compute("cpu", two, {.measure = measure}); });
    };
    EXPECT_THAT(refused(Measure::BrayCurtis), HasSubstr(place + ": -1 is negative"));
    wrong(1, 4) = std::numeric_limits<Number>::infinity();
    EXPECT_THAT(refused(Measure::Euclidean), HasSubstr(place + ": the coordinate is inf"));
}

TEST_F(DistanceValues, rowsOfTwoMatrices) {
    for (const std::size_t border : {1, 17, 34}) {
        expectRowsOfTwo<float>(border);
        expectRowsOfTwo<double>(border);
    }
}

TEST_F(DistanceValues, oneInstance) {
    const SymbolMatrix data = genotypes({"012"});
    const fixtures::Run run = compute("cpu", view(data), {});
    EXPECT_EQ(run(0, 0), 0);
    EXPECT_EQ(run.report.tiles, 1U);
}

// ---- Preparation of coordinates before their differences are taken, and what is reported about it.

template <class Number>
Matrix<Number> matrix(std::size_t columns, std::initializer_list<Number> values) {
    Matrix<Number> result(values.size() / columns, columns);
    std::copy(values.begin(), values.end(), result.data());
    return result;
}

std::vector<float> singles(const PreparedCoordinates& prepared) {
    const MatrixView<const float> view = prepared.view().as<float>().first();
    return {view.data(), view.data() + view.rows() * view.columns()};
}

TEST(PreparedCoordinates, UseWhatNeedsNothing) {
    const Matrix<float> single = matrix<float>(2, {1, 2, 3, 4});
    const PreparedCoordinates same(single.view(), Precision::Float32, Preparation::None);
    EXPECT_EQ(same.view().as<float>().first().data(), single.data());
    const Matrix<double> wide = matrix<double>(2, {1, 2, 3, 4});
    const PreparedCoordinates sameWide(wide.view(), Precision::Float64, Preparation::None);
    EXPECT_EQ(sameWide.view().as<double>().first().data(), wide.data());
    const PreparedCoordinates widened(single.view(), Precision::Float64, Preparation::None);
    EXPECT_EQ(widened.view().as<double>()(1, 0), 3);
    for (const PreparedCoordinates* each : {&same, &sameWide, &widened})
        EXPECT_EQ(each->rounding().largest, 0);
}

// Integers stay integers, and one far outlier does not affect the others.
TEST(PreparedCoordinates, TakeTheMedianOff) {
    const Matrix<double> seconds =
        matrix<double>(2, {1.7e9 + 60, 5, 1.7e9 + 1, 7, 1.7e9, 5, 1e15, 6, 1.7e9 - 3, 5});
    const PreparedCoordinates prepared(seconds.view(), Precision::Float32, Preparation::None);
    const std::vector<float> found = singles(prepared);
    EXPECT_THAT(found, ElementsAre(59, 0, 0, 2, -1, 0, static_cast<float>(1e15 - 1.7e9 - 1), 1, -4, 0));
    EXPECT_EQ(prepared.rounding().largest, std::abs(1e15 - 1.7e9 - 1 - double{found[6]}));
}

// Each rounding is known exactly, and so is its largest effect.
TEST(PreparedCoordinates, KnowTheirRounding) {
    // Medians 0 and 1; 2⁻³⁰ is lost next to 1, and 3 · 2⁻²⁵ next to 2.
    const Matrix<double> data = matrix<double>(2, {0, 1, 1 + 0x1p-30, 1, -1, 3 + 3 * 0x1p-25});
    const PreparedCoordinates prepared(data.view(), Precision::Float32, Preparation::None);
    EXPECT_THAT(singles(prepared), ElementsAre(0, 0, 1, 0, -1, 2));
    const CoordinateRounding& rounding = prepared.rounding();
    EXPECT_EQ(rounding.largest, 3 * 0x1p-25);
    EXPECT_EQ(rounding.manhattan, 2 * (0x1p-30 + 3 * 0x1p-25));
    EXPECT_DOUBLE_EQ(rounding.euclidean, 2 * std::sqrt(0x1p-60 + 9 * 0x1p-50));
    EXPECT_EQ(rounding.ofSum(SumTerm::AbsoluteDifference, 100), rounding.manhattan);
    const double e = rounding.euclidean;
    EXPECT_NEAR(rounding.ofSum(SumTerm::SquaredDifference, 9), (3 + e) * (3 + e) - 9, 1e-14);
    EXPECT_EQ(changeOf(Measure::Euclidean, rounding, 3), e);
    EXPECT_EQ(changeOf(Measure::Manhattan, rounding, 3), rounding.manhattan);
    EXPECT_EQ(changeOf(Measure::SquaredEuclidean, rounding, 9),
              rounding.ofSum(SumTerm::SquaredDifference, 9));
    EXPECT_EQ(changeOf(Measure::Correlation, rounding, 0.5),
              rounding.ofSum(SumTerm::SquaredDifference, 1) / 2);
}

// Rounding in the subtraction of the median counts, too: 2⁵³ + 2 − 0.5 is not a double.
TEST(PreparedCoordinates, KnowWhatTheMedianCost) {
    const Matrix<double> data = matrix<double>(1, {0.5, 0x1p53 + 2, -7});
    const PreparedCoordinates prepared(data.view(), Precision::Float32, Preparation::None);
    EXPECT_EQ(prepared.rounding().largest, std::abs(0x1p53 + 2 - 0.5L - (long double)singles(prepared)[1]));
}

TEST(PreparedCoordinates, StandardiseRowsFarFromZero) {
    const Matrix<double> data = matrix<double>(4, {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 6, 1, 2, 3, 6});
    const PreparedCoordinates prepared(data.view(), Precision::Float64, Preparation::Standardise);
    const MatrixView<const double> rows = prepared.view().as<double>().first();
    for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_DOUBLE_EQ(rows(0, k), (data(1, k) - 3) / std::sqrt(14.0));
        EXPECT_EQ(rows(0, k), rows(1, k));
    }
    const PreparedCoordinates single(data.view(), Precision::Float32, Preparation::Standardise);
    EXPECT_GT(single.rounding().largest, 0);
    EXPECT_LE(single.rounding().largest, 0x1p-24);
}

// Squares of the largest differences, and of some much smaller ones, stay within the range of the precision.
TEST(PreparedCoordinates, ScaleWhatSquaresWouldLeave) {
    for (const double size : {0x1p-1070, 0x1p-500, 0x1p-140, 0x1p-43, 0x1p54, 0x1p130, 0x1p600}) {
        const Matrix<double> data = matrix<double>(2, {0, 0, 3 * size, 4 * size, 3 * size, 0});
        for (const Precision precision : {Precision::Float32, Precision::Float64}) {
            const PreparedCoordinates prepared(data.view(), precision, Preparation::None);
            const bool isScaled = precision == Precision::Float32 || size < 0x1p-480 || size > 0x1p490;
            EXPECT_EQ(prepared.unit() != 1, isScaled) << size;
            int exponent = 0;
            EXPECT_EQ(std::frexp(prepared.unit(), &exponent), 0.5) << "a power of two";
            EXPECT_EQ(prepared.rounding().largest, 0) << "no digit is lost";
            prepared.view().visit([&](const auto& numbers) {
                const double across = double{numbers(1, 1)} - double{numbers(0, 1)};
                EXPECT_EQ(across / prepared.unit(), 4 * size);
                if (isScaled && size > 0x1p-1000) {
                    EXPECT_GE(across, 1);
                    EXPECT_LT(across, 4);
                }
            });
        }
    }
    const Matrix<double> usual = matrix<double>(1, {1e-12, 0, 9e15});
    EXPECT_EQ(PreparedCoordinates(usual.view(), Precision::Float32, Preparation::None).unit(), 1);
    // A large column without differences does not hide differences in a small one.
    const Matrix<double> offset = matrix<double>(2, {1e3, 1e-150, 1e3, 2e-150, 1e3, 4e-150});
    const PreparedCoordinates prepared(offset.view(), Precision::Float32, Preparation::None);
    const std::vector<float> found = singles(prepared);
    EXPECT_FLOAT_EQ((found[5] - found[3]) / (found[3] - found[1]), 2);
}

TEST(PreparedCoordinates, AreMadeInPartsByProcesses) {
    Matrix<double> data(7, 5000);
    for (std::size_t i = 0; i < data.rows(); ++i)
        for (std::size_t k = 0; k < data.columns(); ++k)
            data(i, k) = std::sin(static_cast<double>(1 + i * data.columns() + k)) * 1e-200;
    const auto numbersOf = [](const PreparedCoordinates& prepared) {
        return prepared.view().visit([&](const auto& numbers) {
            std::vector<double> all{prepared.unit(), prepared.rounding().largest,
                                    prepared.rounding().euclidean, prepared.rounding().manhattan};
            for (std::size_t i = 0; i < numbers.rows(); ++i)
                all.insert(all.end(), numbers.row(i), numbers.row(i) + numbers.columns());
            return all;
        });
    };
    for (const Precision precision : {Precision::Float32, Precision::Float64})
        for (const Preparation preparation :
             {Preparation::None, Preparation::Standardise, Preparation::Normalise, Preparation::Rank}) {
            test::RecordedTeam::Record record;
            const auto prepare = [&](ProcessTeam& team) {
                return numbersOf(PreparedCoordinates(data.view(), precision, preparation, &team));
            };
            EXPECT_TRUE(test::inProcesses(3, 3, record, prepare) ==
                        std::vector(3, numbersOf(PreparedCoordinates(data.view(), precision, preparation))));
        }
    // The last process does not look at rows of the first one's part.
    test::RecordedTeam::Record record;
    test::RecordedTeam last(2, 3, record), first(0, 3, record);
    std::fill_n(data.row(1), data.columns(), 5.0);
    EXPECT_NO_THROW(PreparedCoordinates(data.view(), Precision::Float64, Preparation::Standardise, &last));
    EXPECT_THAT(messageOf<InputError>([&] {
                    PreparedCoordinates(data.view(), Precision::Float64, Preparation::Standardise, &first);
                }),
                HasSubstr("row 2: all 5000 values are 5"));
}

TEST(PreparedCoordinates, RefuseWhatCannotBe) {
    const auto refusal = [](const Matrix<double>& data, Preparation preparation) {
        return messageOf<InputError>(
            [&] { PreparedCoordinates(data.view(), Precision::Float32, preparation); });
    };
    EXPECT_THAT(refusal(matrix<double>(1, {1.7e308, -1.7e308, 1.7e308}), Preparation::None),
                HasSubstr("row 2, column 1: -1.7e+308 does not fit float32"));
    EXPECT_THAT(refusal(matrix<double>(2, {0, 1, 5, 5}), Preparation::Standardise),
                HasSubstr("row 2: all 2 values are 5"));
    // Numbers beyond the range of float32 fit if they are close together.
    const Matrix<double> far = matrix<double>(1, {1e40, 1e40 + 1e25, 1e40 - 1e25});
    EXPECT_NO_THROW(PreparedCoordinates(far.view(), Precision::Float32, Preparation::None));
}

}  // namespace
}  // namespace glycine::distance
