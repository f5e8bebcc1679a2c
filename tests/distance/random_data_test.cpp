// Generated data: identical everywhere, and with the right distribution.
#include "engine/distance/random_data.hpp"
#include "engine/core/parallel.hpp"
#include "tests/distance/distance_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

Matrix<std::uint8_t> allSymbolsOf(const DiscreteSource& source) {
    return symbolsOf(source, {0, source.shape().instances}, {0, source.shape().attributes});
}

bool areEqual(const PlaneBlock& a, const PlaneBlock& b) {
    if (a.instances() != b.instances() || a.storedPlanes() != b.storedPlanes() ||
        a.attributes() != b.attributes())
        return false;
    for (std::size_t i = 0; i < a.instances(); ++i)
        for (unsigned p = 0; p < a.storedPlanes(); ++p)
            if (std::memcmp(a.plane(i, p), b.plane(i, p), a.stride() * sizeof(std::uint64_t)) != 0)
                return false;
    return true;
}

std::vector<std::unique_ptr<DiscreteSource>> allKinds(std::size_t instances, std::size_t attributes) {
    std::vector<std::unique_ptr<DiscreteSource>> sources;
    for (const double missing : {0.0, 0.25}) {
        for (const bool uniform : {true, false})
            sources.push_back(randomGenotypes({.instances = instances,
                                               .attributes = attributes,
                                               .seed = 3,
                                               .missing = missing,
                                               .uniform = uniform}));
        for (const unsigned symbols : {1U, 2U, 3U, 4U, 20U, 255U})
            sources.push_back(randomSymbols(instances, attributes, symbols, missing, 3));
    }
    return sources;
}

TEST(RandomData, IsTheSameEverywhere) {
    const auto uniform =
        randomGenotypes({.instances = 2, .attributes = 8, .seed = 1, .missing = 0.2, .uniform = true});
    const auto proportions =
        randomGenotypes({.instances = 2, .attributes = 8, .seed = 1, .missing = 0, .uniform = false});
    const auto letters = randomSymbols(2, 8, 20, 0, 1);
    const auto row = [](const DiscreteSource& source) {
        const Matrix<std::uint8_t> symbols = symbolsOf(source, {1, 2}, {0, 8});
        return std::vector<int>(symbols.row(0), symbols.row(0) + 8);
    };
    EXPECT_THAT(row(*uniform), ElementsAre(2, 2, 0, 2, 2, 255, 255, 1));
    EXPECT_THAT(row(*proportions), ElementsAre(0, 1, 0, 2, 2, 0, 0, 0));
    EXPECT_THAT(row(*letters), ElementsAre(14, 18, 4, 19, 18, 4, 2, 8));
    const Matrix<float> coordinates = randomCoordinates(1, 4, 1);
    EXPECT_EQ(coordinates(0, 0), -0x1.43ed24p-1F);
    EXPECT_EQ(coordinates(0, 3), 0x1.e877e8p-1F);
}

TEST(RandomData, PlanesAndSymbolsAreTheSameEntries) {
    for (const auto& source : allKinds(7, 1000)) {
        const DiscreteShape& shape = source->shape();
        for (const Range attributes : {Range{0, 1000}, Range{64, 129}, Range{512, 1000}, Range{960, 961}}) {
            const Matrix<std::uint8_t> symbols = symbolsOf(*source, {2, 6}, attributes);
            const PlaneBlock planes = source->readPlanes({2, 6}, attributes);
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t k = 0; k < attributes.size(); ++k) {
                    const auto bit = [&](unsigned p) { return planes.plane(i, p)[k / 64] >> k % 64 & 1U; };
                    const bool isPresent = !shape.hasMissing || bit(shape.planes) == 1;
                    ASSERT_EQ(isPresent, symbols(i, k) != kMissingSymbol);
                    const unsigned symbol = isPresent ? symbols(i, k) : 0;
                    for (unsigned p = 0; p < shape.planes; ++p)
                        ASSERT_EQ(bit(p), shape.isGenotypes ? symbol > p : symbol >> p & 1U);
                }
            // Padding is 0.
            for (std::size_t i = 0; i < 4; ++i)
                for (unsigned p = 0; p < shape.storedPlanes(); ++p)
                    for (std::size_t k = attributes.size(); k < planes.stride() * 64; ++k)
                        ASSERT_EQ(planes.plane(i, p)[k / 64] >> k % 64 & 1U, 0U);
        }
    }
}

TEST(RandomData, PartsAreThoseOfTheWhole) {
    const auto large = allKinds(9, 3000);
    const auto small = allKinds(4, 700);
    for (std::size_t kind = 0; kind < large.size(); ++kind) {
        const Matrix<std::uint8_t> whole = allSymbolsOf(*large[kind]);
        const Matrix<std::uint8_t> part = symbolsOf(*large[kind], {3, 8}, {70, 1111});
        for (std::size_t i = 0; i < 5; ++i)
            ASSERT_EQ(std::memcmp(part.row(i), whole.row(3 + i) + 70, 1111 - 70), 0);
        const Matrix<std::uint8_t> corner = allSymbolsOf(*small[kind]);
        for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(std::memcmp(corner.row(i), whole.row(i), 700), 0);
    }
}

TEST(RandomData, DoesNotDependOnTheNumberOfThreads) {
    for (const auto& source : allKinds(100, 3000)) {
        const PlaneBlock expected = source->readPlanes({0, 100}, {0, 3000});
        const DefaultThreads one(1);
        EXPECT_TRUE(areEqual(source->readPlanes({0, 100}, {0, 3000}), expected));
    }
    const Matrix<float> expected = randomCoordinates(50, 4000, 1);
    const DefaultThreads one(1);
    const Matrix<float> found = randomCoordinates(50, 4000, 1);
    EXPECT_TRUE(std::equal(found.data(), found.data() + found.size(), expected.data()));
}

TEST(RandomData, SeedsGiveDifferentEntries) {
    const auto first = randomGenotypes({.instances = 20, .attributes = 500, .seed = 1, .uniform = true});
    const auto second = randomGenotypes({.instances = 20, .attributes = 500, .seed = 2, .uniform = true});
    const Matrix<std::uint8_t> a = allSymbolsOf(*first);
    const Matrix<std::uint8_t> b = allSymbolsOf(*second);
    std::size_t equal = 0;
    for (std::size_t k = 0; k < a.size(); ++k) equal += a.data()[k] == b.data()[k];
    EXPECT_NEAR(static_cast<double>(equal), 10000 / 3.0, 5 * std::sqrt(10000 * 2 / 9.0));
}

/// Expects a count within five standard deviations of a binomial distribution.
void expectShare(std::size_t count, std::size_t all, double share) {
    const auto n = static_cast<double>(all);
    EXPECT_NEAR(static_cast<double>(count), n * share, 5 * std::sqrt(n * share * (1 - share)) + 1e-9)
        << "of " << all;
}

TEST(RandomData, SymbolsAreEquallyLikely) {
    for (const unsigned symbols : {1U, 2U, 3U, 4U, 5U, 20U, 100U, 255U}) {
        const auto source = randomSymbols(50, 5000, symbols, 0.1, symbols);
        const Matrix<std::uint8_t> found = allSymbolsOf(*source);
        std::vector<std::size_t> counts(256, 0);
        for (std::size_t k = 0; k < found.size(); ++k) ++counts[found.data()[k]];
        expectShare(counts[kMissingSymbol], found.size(), 0.1);
        const std::size_t there = found.size() - counts[kMissingSymbol];
        for (unsigned s = 0; s < symbols; ++s) expectShare(counts[s], there, 1.0 / symbols);
        for (unsigned s = symbols; s < kMissingSymbol; ++s) EXPECT_EQ(counts[s], 0U);
    }
}

TEST(RandomData, UniformGenotypesAreEquallyLikely) {
    const auto source =
        randomGenotypes({.instances = 100, .attributes = 5000, .seed = 9, .missing = 0.03, .uniform = true});
    const Matrix<std::uint8_t> found = allSymbolsOf(*source);
    std::vector<std::size_t> counts(256, 0);
    for (std::size_t k = 0; k < found.size(); ++k) ++counts[found.data()[k]];
    expectShare(counts[kMissingSymbol], found.size(), 0.03);
    for (const std::size_t s : {0, 1, 2})
        expectShare(counts[s], found.size() - counts[kMissingSymbol], 1.0 / 3);
}

TEST(RandomData, GenotypesFollowHardyAndWeinberg) {
    constexpr std::size_t kInstances = 4000;
    constexpr std::size_t kAttributes = 300;
    const auto source = randomGenotypes({.instances = kInstances, .attributes = kAttributes, .seed = 5});
    const Matrix<std::uint8_t> found = allSymbolsOf(*source);
    double sum = 0;
    for (std::size_t k = 0; k < kAttributes; ++k) {
        std::size_t counts[3] = {};
        for (std::size_t i = 0; i < kInstances; ++i) ++counts[found(i, k)];
        const double q = (counts[1] + 2.0 * counts[2]) / (2.0 * kInstances);
        sum += q;
        // Five standard deviations beyond the range.
        EXPECT_GT(q, 0.05 - 5 * std::sqrt(0.05 * 0.95 / (2 * kInstances)));
        EXPECT_LT(q, 0.5 + 5 * std::sqrt(0.25 / (2 * kInstances)));
        expectShare(counts[1], kInstances, 2 * q * (1 - q));
        expectShare(counts[2], kInstances, q * q);
    }
    EXPECT_NEAR(sum / kAttributes, 0.275, 5 * 0.45 / std::sqrt(12 * kAttributes));
}

TEST(RandomData, CoordinatesAreStandardNormal) {
    const Matrix<float> coordinates = randomCoordinates(300, 1001, 4);
    const auto n = static_cast<double>(coordinates.size());
    double moments[5] = {};
    std::size_t within = 0;
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
        const double x = coordinates.data()[k];
        for (int m = 1; m <= 4; ++m) moments[m] += std::pow(x, m) / n;
        within += std::abs(x) < 1;
    }
    EXPECT_NEAR(moments[1], 0, 5 / std::sqrt(n));
    EXPECT_NEAR(moments[2], 1, 5 * std::sqrt(2 / n));
    EXPECT_NEAR(moments[3], 0, 5 * std::sqrt(15 / n));
    EXPECT_NEAR(moments[4], 3, 5 * std::sqrt(96 / n));
    expectShare(within, coordinates.size(), 0.68268949);
    const Matrix<float> narrower = randomCoordinates(2, 500, 4);
    EXPECT_TRUE(std::equal(narrower.row(1), narrower.row(1) + 500, coordinates.row(1)));
}

TEST(RandomData, RefusesAbsurdRequests) {
    EXPECT_THROW(randomGenotypes({.instances = 0, .attributes = 5}), UsageError);
    EXPECT_THROW(randomGenotypes({.instances = 5, .attributes = 0}), UsageError);
    for (const double missing : {-0.1, 1.0, std::nan("")})
        EXPECT_THROW(randomGenotypes({.instances = 5, .attributes = 5, .missing = missing}), UsageError);
    EXPECT_THROW(randomSymbols(5, 5, 0, 0, 1), UsageError);
    EXPECT_THROW(randomSymbols(5, 5, 256, 0, 1), UsageError);
    EXPECT_THROW(randomSymbols(5, 0, 4, 0, 1), UsageError);
    EXPECT_THROW(randomCoordinates(0, 4, 1), UsageError);
}

}  // namespace
}  // namespace glycine::distance
