// The specification of `distance`: counts and sums worked by hand.
#include "tests/distance/distance_engine_fixtures.hpp"
#include "tests/distance/distance_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

constexpr CountNeeds kAllCounts{.opposite = true, .valid = true};

/// Nucleotides from one string per instance, '.' for a missing one.
SymbolMatrix nucleotides(const std::vector<std::string>& rows) {
    Matrix<std::uint8_t> matrix(rows.size(), rows.front().size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t k = 0; k < rows[i].size(); ++k) {
            const std::size_t place = std::string("ACGT").find(rows[i][k]);
            matrix(i, k) = place == std::string::npos ? kMissingSymbol : static_cast<std::uint8_t>(place);
        }
    return SymbolMatrix(std::move(matrix), {.planes = 2, .isGenotypes = false});
}

std::unique_ptr<DistanceEngine> makeEngine() {
    static HostBackend backend("reference", 1);
    return reference::engine().create(backend);
}

CountedPairs count(const DiscreteSource& source, const PairTile& tile, CountNeeds needs) {
    return countTile(*makeEngine(), source, tile, needs);
}

CountedPairs countAll(const DiscreteSource& source, CountNeeds needs) {
    return count(source, wholeTile(source.shape().instances), needs);
}

TEST(ReferenceDistance, ThreeSymbols) {
    // 012 and 021 differ in the last two attributes, 012 and 210 in the first and last, 021 and 210 in all.
    const SymbolMatrix source = genotypes({"012", "021", "210"});
    CountedPairs counted = countAll(source, {});
    EXPECT_EQ(counted.pair(1, 0), "2");
    EXPECT_EQ(counted.pair(2, 0), "2");
    EXPECT_EQ(counted.pair(2, 1), "3");
}

TEST(ReferenceDistance, GenotypesWithMissingEntries) {
    const SymbolMatrix source = genotypes({
        "0120.1",
        "02021.",
        "......",
        "212001",
    });
    CountedPairs counted = countAll(source, kAllCounts);
    // Of the four attributes known in both, 0 0 is equal, 1 2 differs, 2 0 and 0 2 are opposite.
    EXPECT_EQ(counted.pair(1, 0), "3 2 4");
    EXPECT_EQ(counted.pair(2, 0), "0 0 0");
    EXPECT_EQ(counted.pair(2, 1), "0 0 0");
    // 0 2 is opposite; four attributes are equal.
    EXPECT_EQ(counted.pair(3, 0), "1 1 5");
    EXPECT_EQ(counted.pair(3, 1), "5 3 5");
    EXPECT_EQ(counted.pair(3, 2), "0 0 0");
}

TEST(ReferenceDistance, Nucleotides) {
    const SymbolMatrix source = nucleotides({
        "ACGTACGT",
        "ACGAACTT",
        "TC.TGC.T",
    });
    CountedPairs counted = countAll(source, {.opposite = false, .valid = true});
    EXPECT_EQ(counted.pair(1, 0), "2 8");
    EXPECT_EQ(counted.pair(2, 0), "2 6");
    EXPECT_EQ(counted.pair(2, 1), "3 6");
}

TEST(ReferenceDistance, OneAttribute) {
    const SymbolMatrix source = genotypes({"0", "2", "."});
    CountedPairs counted = countAll(source, kAllCounts);
    EXPECT_EQ(counted.pair(1, 0), "1 1 1");
    EXPECT_EQ(counted.pair(2, 0), "0 0 0");
    EXPECT_EQ(counted.pair(2, 1), "0 0 0");
}

TEST(ReferenceDistance, OneInstanceHasNoPairs) {
    const SymbolMatrix source = genotypes({"0120"});
    countAll(source, kAllCounts);
}

TEST(ReferenceDistance, TileOffTheDiagonal) {
    const SymbolMatrix source = genotypes({"0000", "1111", "0022", "2211", "0.12"});
    CountedPairs counted = count(source, {{3, 5}, {0, 2}}, kAllCounts);
    EXPECT_EQ(counted.pair(0, 0), "4 2 4");
    EXPECT_EQ(counted.pair(0, 1), "2 0 4");
    EXPECT_EQ(counted.pair(1, 0), "2 1 3");
    EXPECT_EQ(counted.pair(1, 1), "2 0 3");
}

/// So wide that two instances do not fit at once. Instance i differs from the others in its first i
/// attributes.
class WideSource final : public DiscreteSource {
  public:
    const DiscreteShape& shape() const override { return shape_; }
    void readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const override {
        for (std::size_t i = 0; i < instances.size(); ++i)
            for (std::size_t k = 0; k < attributes.size(); ++k)
                target(i, k) = attributes.begin + k < instances.begin + i ? 1 : 0;
    }
    PlaneBlock readPlanes(Range, Range) const override { throw Error("the reference reads symbols"); }

  private:
    DiscreteShape shape_{.instances = 3, .attributes = 40'000'000};
};

TEST(ReferenceDistance, ReadsRowsBlockByBlock) {
    const WideSource source;
    CountedPairs counted = countAll(source, {.opposite = false, .valid = true});
    EXPECT_EQ(counted.pair(1, 0), "1 40000000");
    EXPECT_EQ(counted.pair(2, 0), "2 40000000");
    EXPECT_EQ(counted.pair(2, 1), "1 40000000");
}

TEST(ReferenceDistance, Coordinates) {
    Matrix<float> coordinates(3, 2);
    const float values[] = {0, 0, 3, -4, -1, 2.5F};
    std::copy(std::begin(values), std::end(values), coordinates.data());
    GuardedMatrix<double> absolute =
        sumTile(*makeEngine(), coordinates.view(), SumTerm::AbsoluteDifference, wholeTile(3));
    EXPECT_EQ(absolute.view()(1, 0), 7);
    EXPECT_EQ(absolute.view()(2, 0), 3.5);
    EXPECT_EQ(absolute.view()(2, 1), 10.5);
    GuardedMatrix<double> squared =
        sumTile(*makeEngine(), coordinates.view(), SumTerm::SquaredDifference, {{1, 3}, {0, 1}});
    EXPECT_EQ(squared.view()(0, 0), 25);
    EXPECT_EQ(squared.view()(1, 0), 7.25);
}

TEST(ReferenceDistance, SumsCoordinatesInDouble) {
    // Neither the differences nor their sum are float32 numbers; the square exceeds its range.
    Matrix<float> coordinates(2, 2);
    const float values[] = {16777216, 3e30F, -1, 0};
    std::copy(std::begin(values), std::end(values), coordinates.data());
    GuardedMatrix<double> sums =
        sumTile(*makeEngine(), coordinates.view(), SumTerm::SquaredDifference, wholeTile(2));
    EXPECT_EQ(sums.view()(1, 0), 16777217.0 * 16777217.0 + double{3e30F} * double{3e30F});
}

TEST(ReferenceDistance, CanBeCancelled) {
    const SymbolMatrix source = genotypes({"0000", "1111", "0022"});
    Progress progress({}, [] { return true; });
    Matrix<std::uint32_t> differing(3, 3);
    const auto run = makeEngine()->startCounting(source, {}, Variant::Default);
    EXPECT_THROW(
        run->count(wholeTile(3), {.differing = differing.view(), .opposite = {}, .valid = {}}, progress),
        CancelledError);
}

TEST(ReferenceDistance, SaysWhatItDoesNotSupport) {
    const auto engine = makeEngine();
    PairRequest request;
    request.shape = {.instances = 3, .attributes = 10, .planes = 2};
    EXPECT_TRUE(engine->supports(request));
    request.variant = Variant::Serial;
    EXPECT_TRUE(engine->supports(request));
    request.variant = Variant::Tensor;
    EXPECT_THAT(engine->supports(request).reason(), HasSubstr("no variant 'tensor'"));
    request.variant = Variant::Default;
    request.needs.opposite = true;
    EXPECT_THAT(engine->supports(request).reason(), HasSubstr("genotypes only"));
    request.needs.opposite = false;
    request.shape.attributes = std::size_t{1} << 32;
    EXPECT_THAT(engine->supports(request).reason(), HasSubstr("at most 4294967295 attributes"));
}

}  // namespace
}  // namespace glycine::distance
