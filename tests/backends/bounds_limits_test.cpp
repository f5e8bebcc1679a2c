// What tests/backends/limits.hpp says, of `bounds`: the fewest and the most atoms.
#include <set>

#include "engine/bounds/number_format.hpp"
#include "engine/bounds/smoother.hpp"
#include "tests/backends/limits.hpp"
#include "tests/bounds/bounds_fixtures.hpp"

namespace glycine::bounds {
namespace {

using namespace fixtures;

class BoundsLimits : public glycine::test::Limits {
  protected:
    template <class T>
    void ask() {
        const auto smoother = createImplementation("bounds", implementations<Smoother>(), backend());
        for (const std::string& name :
             variantsFor(allVariants(implementations<Smoother>()), std::string(toString(formatOf<T>())))) {
            const Variant variant = fromString<Variant>(name);
            const auto takes = [&](std::size_t atoms) {
                return bool(smoother->supports({variant, formatOf<T>(), atoms}));
            };
            if (!takes(0)) continue;
            const std::size_t largest = glycine::test::lastTaken(1, kMany, takes);
            if (largest > 0 && largest < kMany)
                glycine::test::expectRefusal(smoother->supports({variant, formatOf<T>(), largest + 1}),
                                             largest + 1);
            std::set<std::size_t> sizes{1, 2, 3, 63, 64, 65};
            if (largest <= 300) sizes.insert(largest);
            for (const std::size_t n : sizes) {
                if (n > largest || n == 0) continue;
                SCOPED_TRACE(name + ' ' + std::string(toString(formatOf<T>())) +
                             ", n = " + std::to_string(n));
                // On the grid, where sums are exact in any order.
                const FilledBounds<T> input = makeBounds<T>(n, Kind::Sparse, 3, true);
                const FilledBounds<T> expected = smoothedByReference(input);
                FilledBounds<T> found(input);
                smoothWith(backend(), found, variant);
                EXPECT_EQ(largestDifference(found.upper, expected.upper), 0);
                EXPECT_EQ(largestDifference(found.lower, expected.lower), 0);
            }
        }
    }
    static constexpr std::size_t kMany = 1'000'000;
};

TEST_P(BoundsLimits, FewestAndMostAtoms) {
    ask<float>();
    ask<double>();
    ask<std::int32_t>();
}
INSTANTIATE_TEST_SUITE_P(All, BoundsLimits, testing::ValuesIn(glycine::test::settingsWithSmallOnes()),
                         glycine::test::nameOf);

}  // namespace
}  // namespace glycine::bounds
