// PLINK's weights of missing genotypes: worked by hand, and against plain loops.
#include "engine/distance/missing_weights.hpp"
#include "engine/core/guarded_matrix.hpp"
#include "engine/distance/random_data.hpp"
#include "tests/distance/distance_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

MissingWeights weightsOf(const DiscreteSource& source, const std::vector<bool>& founders = {}) {
    return MissingWeights(source, founders, silentProgress());
}

/// The symbols of a source, and sums of weights computed by plain loops.
struct PlainSums {
    explicit PlainSums(const DiscreteSource& source)
        : symbols(source.shape().instances, source.shape().attributes) {
        source.readSymbols({0, symbols.rows()}, {0, symbols.columns()}, symbols.view());
    }
    std::uint64_t bothMissing(std::size_t i, std::size_t j, const std::vector<std::uint64_t>& weights) const {
        std::uint64_t sum = 0;
        for (std::size_t k = 0; k < symbols.columns(); ++k)
            if (symbols(i, k) == kMissingSymbol && symbols(j, k) == kMissingSymbol) sum += weights[k];
        return sum;
    }
    Matrix<std::uint8_t> symbols;
};

void expectPlainSums(const DiscreteSource& source, const MissingWeights& weights, const PairTile& tile) {
    const PlainSums plain(source);
    GuardedMatrix<std::uint64_t> sums(tile.rows.size(), tile.columns.size());
    weights.sumBothMissing(tile, sums.view(), silentProgress());
    EXPECT_TRUE(sums.isIntact());
    for (std::size_t r = 0; r < tile.rows.size(); ++r) {
        const std::size_t row = tile.rows.begin + r;
        EXPECT_EQ(weights.missing()[row], plain.bothMissing(row, row, weights.weights()));
        for (std::size_t c = 0; c < (tile.isDiagonal() ? r : tile.columns.size()); ++c)
            ASSERT_EQ(sums.view()(r, c), plain.bothMissing(row, tile.columns.begin + c, weights.weights()))
                << "pair (" << r << ", " << c << ")";
    }
}

// Frequencies 1/2, 1 and 5/6: w = 3/16, 1 and 155/1296, Σw = 1.3070987…; (2³² − 3) / Σw = 3285878165.1….
TEST(MissingWeights, ByHand) {
    const SymbolMatrix source = genotypes({"000", "100", "201", "1.."});
    const MissingWeights weights = weightsOf(source);
    EXPECT_EQ(weights.weights(), (std::vector<std::uint64_t>{616102156, 3285878165, 392986972}));
    EXPECT_EQ(weights.total(), 4294967293U);
    EXPECT_EQ(weights.missing(), (std::vector<std::uint64_t>{0, 0, 0, 3678865137}));
}

TEST(MissingWeights, DoNotDependOnWhichAlleleIsCounted) {
    const MissingWeights weights = weightsOf(genotypes({"222", "122", "021", "1.."}));
    EXPECT_EQ(weights.weights(), (std::vector<std::uint64_t>{616102156, 3285878165, 392986972}));
}

TEST(MissingWeights, FoundersAloneGiveTheFrequencies) {
    const SymbolMatrix source = genotypes({"000", "222", "100", "201", "111", "1.."});
    const MissingWeights weights = weightsOf(source, {true, false, true, true, false, true});
    EXPECT_EQ(weights.weights(), (std::vector<std::uint64_t>{616102156, 3285878165, 392986972}));
    EXPECT_EQ(weights.missing(), (std::vector<std::uint64_t>{0, 0, 0, 0, 0, 3678865137}));
}

TEST(MissingWeights, AttributesWithoutFoundersGenotypesCountAsEvenlySplit) {
    // The second attribute has no genotype, the third none of a founder; the first has frequency 1/2.
    const SymbolMatrix source = genotypes({"0..", "2..", "1.2"});
    const MissingWeights weights = weightsOf(source, {true, true, false});
    EXPECT_EQ(weights.weights(), (std::vector<std::uint64_t>(3, 1431655764)));
    EXPECT_EQ(weights.total(), 4294967292U);
    const MissingWeights nobody = weightsOf(source, {false, false, false});
    EXPECT_EQ(nobody.weights(), weights.weights());
}

TEST(MissingWeights, OneAttribute) {
    const SymbolMatrix source = genotypes({"0", "1", "."});
    const MissingWeights weights = weightsOf(source);
    EXPECT_EQ(weights.total(), 4294967295U);
    expectPlainSums(source, weights, {{0, 3}, {0, 3}});
}

TEST(MissingWeights, CompleteDataLackNothing) {
    const auto source = randomGenotypes({.instances = 5, .attributes = 100, .seed = 1});
    const MissingWeights weights = weightsOf(*source);
    EXPECT_EQ(weights.missing(), std::vector<std::uint64_t>(5, 0));
    expectPlainSums(*source, weights, {{0, 5}, {0, 5}});
}

TEST(MissingWeights, FollowTheFormula) {
    const auto source = randomGenotypes({.instances = 70, .attributes = 5000, .seed = 3, .missing = 0.1});
    const MissingWeights weights = weightsOf(*source);
    const PlainSums plain(*source);
    std::vector<double> expected(5000);
    for (std::size_t k = 0; k < 5000; ++k) {
        double alleles = 0;
        double genotypeCount = 0;
        for (std::size_t i = 0; i < 70; ++i) {
            if (plain.symbols(i, k) == kMissingSymbol) continue;
            alleles += plain.symbols(i, k);
            genotypeCount += 1;
        }
        const double p = alleles / (2 * genotypeCount);
        const double q = 1 - p;
        expected[k] = p * q > 0 ? p * q * (1 - p * q) : 1;
    }
    const double scale = (0x1p32 - 5000) / std::accumulate(expected.begin(), expected.end(), 0.0);
    std::uint64_t total = 0;
    for (std::size_t k = 0; k < 5000; ++k) {
        EXPECT_NEAR(weights.weights()[k], expected[k] * scale, 1);
        total += weights.weights()[k];
    }
    EXPECT_EQ(weights.total(), total);
}

// PLINK's weights deviate from the formula by about 10⁻⁹; the fine ones do not.
TEST(MissingWeights, FineOnesFollowTheFormulaToTheLastDigits) {
    const auto source = randomGenotypes({.instances = 70, .attributes = 5000, .seed = 3, .missing = 0.1});
    const MissingWeights weights(*source, {}, silentProgress(), MissingWeights::kMaxMaskBytes,
                                 WeightScale::Fine);
    expectPlainSums(*source, weights, {{0, 70}, {0, 70}});
    const PlainSums plain(*source);
    std::vector<long double> expected(5000);
    long double sum = 0;
    for (std::size_t k = 0; k < 5000; ++k) {
        long double alleles = 0, all = 0;
        for (std::size_t i = 0; i < 70; ++i)
            if (plain.symbols(i, k) != kMissingSymbol) alleles += plain.symbols(i, k), all += 2;
        const long double p = alleles / all;
        expected[k] = p > 0 && p < 1 ? p * (1 - p) * (1 - p * (1 - p)) : 1;
        sum += expected[k];
    }
    const auto total = static_cast<long double>(weights.total());
    for (std::size_t k = 0; k < 5000; ++k)
        EXPECT_NEAR(
            static_cast<double>(static_cast<long double>(weights.weights()[k]) / total * sum / expected[k]),
            1, 1e-13);
    for (std::size_t j = 1; j < 70; ++j) {
        Matrix<std::uint64_t> both(1, 1);
        weights.sumBothMissing({{j, j + 1}, {0, 1}}, both.view(), silentProgress());
        long double present = 0;
        for (std::size_t k = 0; k < 5000; ++k)
            if (plain.symbols(0, k) != kMissingSymbol && plain.symbols(j, k) != kMissingSymbol)
                present += expected[k];
        const std::uint64_t found =
            weights.total() - weights.missing()[0] - weights.missing()[j] + both(0, 0);
        EXPECT_NEAR(static_cast<double>(static_cast<long double>(found) / total * sum / present), 1, 1e-15);
    }
}

TEST(MissingWeights, SumsOfPairsInAnyTile) {
    for (const double missing : {0.002, 0.05, 0.3, 0.7})
        for (const std::size_t attributes : {1, 63, 65, 255, 257, 1000}) {
            SCOPED_TRACE(testing::Message() << missing << " missing of " << attributes);
            const auto source = randomGenotypes(
                {.instances = 61, .attributes = attributes, .seed = attributes, .missing = missing});
            const MissingWeights weights = weightsOf(*source);
            for (const PairTile& tile : {PairTile{{0, 61}, {0, 61}}, PairTile{{20, 61}, {20, 61}},
                                         PairTile{{40, 61}, {3, 33}}, PairTile{{60, 61}, {0, 1}}})
                expectPlainSums(*source, weights, tile);
        }
}

// Some instances and attributes lack everything, others nothing: exercises lists and tables within one tile.
TEST(MissingWeights, SumsWhereMissingEntriesAreUneven) {
    std::mt19937 generator(1);
    Matrix<std::uint8_t> symbols(50, 1500);
    for (std::size_t i = 0; i < 50; ++i)
        for (std::size_t k = 0; k < 1500; ++k) {
            const bool isMissing = i % 7 == 0 || k % 500 < 50 || (k > 900 && generator() % 3 == 0);
            symbols(i, k) =
                isMissing && i % 5 != 4 ? kMissingSymbol : static_cast<std::uint8_t>(generator() % 3);
        }
    const SymbolMatrix source(std::move(symbols), {.planes = 2, .isGenotypes = true});
    expectPlainSums(source, weightsOf(source), {{0, 50}, {0, 50}});
    expectPlainSums(source, weightsOf(source), {{30, 50}, {0, 30}});
}

// More attributes than are read at once, with the masks of missing entries kept and read again.
TEST(MissingWeights, ManyAttributes) {
    const auto source =
        randomGenotypes({.instances = 12, .attributes = 40'001, .seed = 7, .missing = 0.02, .uniform = true});
    const MissingWeights kept(*source, {}, silentProgress());
    const MissingWeights readAgain(*source, {}, silentProgress(), 0);
    EXPECT_EQ(kept.weights(), readAgain.weights());
    EXPECT_EQ(kept.missing(), readAgain.missing());
    for (const PairTile& tile : {PairTile{{0, 12}, {0, 12}}, PairTile{{7, 12}, {1, 6}}}) {
        expectPlainSums(*source, kept, tile);
        expectPlainSums(*source, readAgain, tile);
    }
}

TEST(MissingWeights, RefusesWhatItCannotWeigh) {
    const auto nucleotides = randomSymbols(3, 10, 4, 0.1, 1);
    EXPECT_THROW(weightsOf(*nucleotides), UsageError);
    EXPECT_THROW(weightsOf(genotypes({"01", "10"}), {true}), UsageError);
}

TEST(MissingWeights, CanBeCancelled) {
    const auto source = randomGenotypes({.instances = 5, .attributes = 100, .seed = 1, .missing = 0.1});
    const MissingWeights weights = weightsOf(*source);
    Progress cancelled({}, [] { return true; });
    EXPECT_THROW(MissingWeights(*source, {}, cancelled), CancelledError);
    Matrix<std::uint64_t> sums(5, 5);
    EXPECT_THROW(weights.sumBothMissing({{0, 5}, {0, 5}}, sums.view(), cancelled), CancelledError);
}

TEST(BitColumnCounter, CountsAsAPlainLoop) {
    std::mt19937_64 generator(1);
    for (const std::size_t rows : {0, 1, 2, 3, 7, 8, 9, 100, 1000}) {
        BitColumnCounter counter;
        std::vector<std::uint32_t> expected(std::size_t{3} * 64, 0);
        for (std::size_t row = 0; row < rows; ++row) {
            const std::uint64_t words[3] = {generator(), ~std::uint64_t{0}, generator() & generator()};
            counter.add(words, 3);
            for (std::size_t k = 0; k < expected.size(); ++k) expected[k] += words[k / 64] >> k % 64 & 1U;
        }
        for (std::size_t k = 0; k < expected.size(); ++k)
            ASSERT_EQ(counter.count(k / 64, static_cast<unsigned>(k % 64)), expected[k]);
        EXPECT_EQ(counter.count(3, 0), 0U);
    }
}

}  // namespace
}  // namespace glycine::distance
