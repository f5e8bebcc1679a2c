// What tests/backends/limits.hpp says, of `distance`: few instances and attributes, all numbers of planes,
// the largest tile.
#include <set>

#include "tests/backends/limits.hpp"
#include "tests/distance/distance_engine_fixtures.hpp"

namespace glycine::distance {
namespace {

using namespace fixtures;

class DistanceLimits : public glycine::test::WithImplementation<glycine::test::Limits, PairEngine> {
  protected:
    /// False where the variant has no use for these symbols, with a reason.
    bool takes(const PairRequest& request) {
        const Support support = engine_->supports(request);
        const bool mayRefuse = GetParam().backend == "cuda" || isSmall();
        EXPECT_TRUE(support || mayRefuse) << support.reason();
        EXPECT_NE(support.reason().empty(), !support);
        return bool(support);
    }
    void count(const SymbolMatrix& source, const std::vector<PairTile>& tiles) {
        CountedPairs expected = countPlainly(source);
        const CountNeeds needs{source.shape().isGenotypes, true};
        for (const Variant variant : variantsOf<Variant>("counts")) {
            SCOPED_TRACE(testing::Message()
                         << toString(variant) << ", " << source.shape().instances << " x "
                         << source.shape().attributes << ", " << source.shape().planes << " planes");
            if (!takes({.variant = variant, .shape = source.shape(), .needs = needs})) continue;
            expectCounts(*engine_->startCounting(source, needs, variant), source, needs, tiles, expected);
            if (HasFatalFailure()) return;
        }
    }
    void sum(const Matrix<float>& coordinates, const std::vector<PairTile>& tiles) {
        for (const SumTerm term : kSumTerms) {
            const Matrix<double> expected = sumPlainly(coordinates, term);
            for (const Variant variant : variantsOf<Variant>("float32")) {
                SCOPED_TRACE(testing::Message() << toString(variant) << ", " << coordinates.rows() << " x "
                                                << coordinates.columns());
                const DiscreteShape shape{.instances = coordinates.rows(),
                                          .attributes = coordinates.columns()};
                if (!takes({.variant = variant, .isCoordinates = true, .shape = shape})) continue;
                expectSums(*engine_->startSumming(coordinates.view(), term, variant), coordinates, tiles,
                           expected);
                if (HasFatalFailure()) return;
            }
        }
    }
};

Matrix<float> coordinatesOf(std::size_t instances, std::size_t attributes) {
    Matrix<float> result(instances, attributes);
    for (std::size_t i = 0; i < result.size(); ++i)
        result.data()[i] = static_cast<float>(i * 7919 % 1009) / 8;
    return result;
}

TEST_P(DistanceLimits, FewInstancesAndAttributes) {
    for (const std::size_t instances : {1, 2, 3})
        for (const std::size_t attributes : {1, 2, 127, 128, 129}) {
            for (unsigned planes = 1; planes <= 8; ++planes) {
                // The most symbols of so many planes; kMissingSymbol is none.
                const unsigned symbols = std::min(1U << planes, 255U);
                for (const bool hasMissing : {false, true})
                    count(makeSymbols({symbols, planes}, instances, attributes, hasMissing),
                          halvesOf(instances));
            }
            count(makeSymbols(kGenotypes, instances, attributes, true), halvesOf(instances));
            sum(coordinatesOf(instances, attributes), halvesOf(instances));
            if (HasFatalFailure()) return;
        }
}

// The largest tile that a variant asks for, and the instance after it.
TEST_P(DistanceLimits, LargestTile) {
    constexpr std::size_t kMany = 100'000;
    const std::size_t most = isFast() ? 8192 : isSmall() ? 600 : 300;
    std::set<std::size_t> sides;
    for (const Variant variant : variantsOf<Variant>("counts")) {
        const PairRequest request{.variant = variant,
                                  .shape = {.instances = kMany, .attributes = 2, .planes = 2}};
        if (takes(request)) sides.insert(engine_->preferredTile(request));
    }
    for (const std::size_t side : sides) {
        if (side > most) continue;
        count(makeSymbols(kGenotypes, side + 1, 2, true),
              {{{0, side}, {0, side}}, {{side, side + 1}, {0, side}}});
        sum(coordinatesOf(side + 1, 2), {{{0, side}, {0, side}}, {{side, side + 1}, {0, side}}});
        if (HasFatalFailure()) return;
    }
}

TEST_P(DistanceLimits, MoreAttributesThanCountersHold) {
    const DiscreteShape shape{.instances = 2, .attributes = std::size_t{1} << 32, .planes = 1};
    for (const Variant variant : variantsOf<Variant>("counts"))
        if (GetParam().backend != "cpu" && GetParam().backend != "reference")
            glycine::test::expectRefusal(engine_->supports({.variant = variant, .shape = shape}),
                                         shape.attributes);
}
INSTANTIATE_TEST_SUITE_P(All, DistanceLimits, testing::ValuesIn(glycine::test::settingsWithSmallOnes()),
                         glycine::test::nameOf);

}  // namespace
}  // namespace glycine::distance
