// Code that validate and bench of all algorithms share: comparison of elements, guards around results.
#include "engine/core/comparison.hpp"
#include "engine/core/guarded_matrix.hpp"
#include "engine/core/quantity.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

TEST(GuardedMatrix, NoticesStrayWrites) {
    GuardedMatrix<std::uint32_t> guarded(3, 4);
    const MatrixView<std::uint32_t> view = guarded.view();
    EXPECT_FALSE(view.isContiguous());
    EXPECT_EQ(view(1, 1), GuardedMatrix<std::uint32_t>::kGuard);
    view(0, 0) = view(2, 3) = 5;
    EXPECT_TRUE(guarded.isIntact());
    *(view.row(2) + 4) = 5;  // one element right of the last
    EXPECT_FALSE(guarded.isIntact());
    GuardedMatrix<double> empty(0, 0);
    EXPECT_TRUE(empty.isIntact());
}

struct Padded {
    std::uint32_t first;
    std::uint64_t second;
    bool operator==(const Padded&) const = default;
};
struct Incomparable {
    double first, second;
};

TEST(GuardedMatrix, HoldsStructures) {
    GuardedMatrix<Padded> padded(2, 2);
    padded.view()(1, 1) = {1, 2};
    EXPECT_TRUE(padded.isIntact());
    (padded.view().row(0) - 1)->second = 0;  // left of the first
    EXPECT_FALSE(padded.isIntact());
    GuardedMatrix<Incomparable> plain(2, 2);
    EXPECT_TRUE(plain.isIntact());
    (plain.view().row(1) + 2)->first = 0;
    EXPECT_FALSE(plain.isIntact());
}

TEST(Comparison, KeepsTheLargestDifference) {
    Comparison comparison = equalSoFar(0.1);
    comparison.compareElement(4, 4, [] { return std::string("same"); });
    EXPECT_TRUE(comparison.isEqual);
    comparison.compareElement(100, 95, [] { return std::string("close"); });
    comparison.compareElement(100, 99, [] { return std::string("closer"); });
    EXPECT_FALSE(comparison.isEqual);
    EXPECT_TRUE(comparison.agrees());
    EXPECT_DOUBLE_EQ(comparison.largestDifference, 0.05);
    EXPECT_EQ(comparison.place, "close: 95 instead of 100");
    comparison.compareElement(1, std::nan(""), [] { return std::string("no number"); });
    EXPECT_FALSE(comparison.agrees());
    EXPECT_EQ(comparison.largestDifference, std::numeric_limits<double>::infinity());
    Comparison failed = equalSoFar(1e9);
    failed.fail("stray");
    EXPECT_FALSE(failed.agrees());
}

TEST(Comparison, TakesDifferencesAsTheyAreWhereTheyAreAbsolute) {
    Comparison comparison = equalSoFar(0.5);
    comparison.isAbsolute = true;
    comparison.compareElement(0.0, 0.25, [] { return std::string("near"); });
    EXPECT_DOUBLE_EQ(comparison.largestDifference, 0.25);
    EXPECT_TRUE(comparison.agrees());
    comparison.compareElement(1000, 1000.75, [] { return std::string("far"); });
    EXPECT_DOUBLE_EQ(comparison.largestDifference, 0.75);
    EXPECT_FALSE(comparison.agrees());
    comparison.compareElement(1000, 1001, 0.5, [] { return std::string("explained"); });
    EXPECT_DOUBLE_EQ(comparison.largestDifference, 0.75);
}

TEST(Quantities, PowersOfSeconds) {
    EXPECT_EQ(formatPowerOfSeconds(3), "1,000 s");
    EXPECT_EQ(formatPowerOfSeconds(0), "1 s");
    EXPECT_EQ(formatPowerOfSeconds(-1), "100 ms");
    EXPECT_EQ(formatPowerOfSeconds(-6), "1 µs");
    EXPECT_EQ(formatPowerOfSeconds(-8), "10 ns");
    EXPECT_EQ(formatPowerOfSeconds(-12), "1e-12 s");
}

}  // namespace
}  // namespace glycine
