// The proof behind an inconsistent pair, and the independent check of rows.
#include "engine/bounds/agreement.hpp"
#include "engine/bounds/explain.hpp"
#include "engine/bounds/input/bound_files.hpp"
#include "tests/bounds/bounds_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::bounds {
namespace {

template <class T>
class ExplainBounds : public testing::Test {};
using Formats = testing::Types<float, double, std::int32_t>;
TYPED_TEST_SUITE(ExplainBounds, Formats);

/// Five atoms in a row, each within 1 Å of the next, u = 20 elsewhere; 0 and 3 must be 4.5 Å apart.
template <class T>
FilledBounds<T> chain() {
    FilledBounds<T> bounds(5);
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = i + 1; j < 5; ++j) bounds.set(i, j, 0, j == i + 1 ? 1 : 20);
    bounds.set(0, 3, 4.5, 20);
    return bounds;
}

std::vector<Contradiction> explainAll(const AnyBoundMatrices& input, std::span<const Violation> pairs) {
    return explainViolations(input, pairs, silentProgress());
}

/// The contradiction behind a single pair.
std::optional<Contradiction> explainPair(const AnyBoundMatrices& input, std::size_t i, std::size_t j) {
    const Violation pair{i, j};
    const std::vector<Contradiction> found = explainAll(input, {&pair, 1});
    return found.empty() ? std::nullopt : std::optional(found[0]);
}

// U03 = 3 by way of 1 and 2, against l03 = 4.5.
TYPED_TEST(ExplainBounds, ThePairItself) {
    FilledBounds<TypeParam> bounds = chain<TypeParam>();
    const std::optional<Contradiction> found = explainPair(bounds.view(), 3, 0);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->p, 0u);
    EXPECT_EQ(found->q, 3u);
    EXPECT_THAT(found->upperPath, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(found->upperInputs, ElementsAre(1, 1, 1));
    EXPECT_EQ(found->lowerInput, 4.5);
    EXPECT_EQ(found->upperSum, 3);
    EXPECT_EQ(found->pair.i, 0u);
    EXPECT_EQ(found->pair.j, 3u);
    EXPECT_EQ(found->pair.lower, 4.5);
    EXPECT_EQ(found->pair.upper, 3);
}

// L12 = l03 − U01 − U23 = 2.5 > U12 = 1: the same proof stands behind it. L34 = l03 − U04 = 0.5 ≤ U34 = 1.
TYPED_TEST(ExplainBounds, APairThatFollows) {
    FilledBounds<TypeParam> bounds = chain<TypeParam>();
    const std::optional<Contradiction> found = explainPair(bounds.view(), 1, 2);
    ASSERT_TRUE(found);
    EXPECT_THAT(found->upperPath, ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(found->pair.lower, 2.5);
    EXPECT_EQ(found->pair.upper, 1);
    EXPECT_FALSE(explainPair(bounds.view(), 3, 4));
}

TYPED_TEST(ExplainBounds, OneProofForManyPairs) {
    FilledBounds<TypeParam> input = chain<TypeParam>();
    FilledBounds<TypeParam> smoothed(input);
    HostBackend backend("reference", 1);
    const SmoothingReport report = smoothWith(backend, smoothed);
    ASSERT_GT(report.violationCount, 3u);
    const std::vector<Contradiction> found = explainAll(input.view(), report.violations);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].explainedPairs, report.violationCount);
    EXPECT_TRUE(explainAll(input.view(), {}).empty());
}

// Every inconsistent pair of random bounds has a proof, made of input bounds only, that can be added up.
TYPED_TEST(ExplainBounds, ProofsAddUp) {
    FilledBounds<TypeParam> input = makeBounds<TypeParam>(30, Kind::Contradictory, 3, true);
    FilledBounds<TypeParam> smoothed(input);
    HostBackend backend("reference", 1);
    const SmoothingReport report = smoothWith(backend, smoothed);
    ASSERT_GT(report.violationCount, 20u);
    for (const Violation& pair : report.violations) {
        const std::optional<Contradiction> found = explainPair(input.view(), pair.i, pair.j);
        ASSERT_TRUE(found) << pair.i << ' ' << pair.j;
        EXPECT_EQ(found->pair.upper, pair.upper);
        EXPECT_EQ(found->pair.lower, pair.lower);
        EXPECT_EQ(found->upperPath.front(), found->p);
        EXPECT_EQ(found->upperPath.back(), found->q);
        EXPECT_EQ(std::set<std::size_t>(found->upperPath.begin(), found->upperPath.end()).size(),
                  found->upperPath.size());
        ASSERT_EQ(found->upperInputs.size() + 1, found->upperPath.size());
        for (std::size_t step = 0; step < found->upperInputs.size(); ++step)
            EXPECT_EQ(found->upperInputs[step],
                      toAngstrom(input.upper(found->upperPath[step], found->upperPath[step + 1])));
        EXPECT_EQ(std::accumulate(found->upperInputs.begin(), found->upperInputs.end(), 0.0),
                  found->upperSum);
        EXPECT_EQ(found->lowerInput, toAngstrom(input.lower(found->p, found->q)));
        EXPECT_GT(found->lowerInput, found->upperSum);
    }
    std::size_t explained = 0;
    for (const Contradiction& found : explainAll(input.view(), report.violations))
        explained += found.explainedPairs;
    EXPECT_EQ(explained, report.violationCount);
}

// Thousands of pairs, searched by several threads. Each pair counts once, for the first proof that covers it.
TEST(ExplainMany, EveryPairIsCountedOnce) {
    FilledBounds<float> input = makeBounds<float>(140, Kind::Contradictory, 5, true);
    FilledBounds<float> smoothed(input);
    HostBackend backend("reference", 1);
    SmoothingOptions options;
    options.maxListedViolations = std::numeric_limits<std::size_t>::max();
    const SmoothingReport report = smooth(backend, smoothed.view(), options, silentProgress());
    ASSERT_GT(report.violationCount, 5000U);
    ASSERT_EQ(report.violations.size(), report.violationCount);
    const std::vector<Contradiction> found = explainAll(input.view(), report.violations);
    EXPECT_GT(found.size(), 3U);
    std::size_t explained = 0;
    for (const Contradiction& contradiction : found) explained += contradiction.explainedPairs;
    EXPECT_EQ(explained, report.violationCount);
    Progress stopped({}, [] { return true; });
    EXPECT_THROW(explainViolations(input.view(), report.violations, stopped), CancelledError);
}

TEST(ExplainTables, HaveALineForEachPairAndEachGroup) {
    const TemporaryFolder folder;
    FilledBounds<double> input = chain<double>();
    FilledBounds<double> smoothed(input);
    HostBackend backend("reference", 1);
    const SmoothingReport report = smoothWith(backend, smoothed);
    const std::vector<Contradiction> found = explainAll(input.view(), report.violations);
    const std::vector<std::string> names{"N1", "CA1", "C1", "N2", "CA2"};
    writeContradictions(folder / "groups.tsv", found, names);
    EXPECT_EQ(readFile(folder / "groups.tsv"),
              "p\tq\tatom_p\tatom_q\tlower\tupper_sum\tshort_by\tpairs\tpath\tpath_atoms\tupper_inputs\n"
              "1\t4\tN1\tN2\t4.5\t3\t1.5\t" +
                  std::to_string(report.violationCount) + "\t1,2,3,4\tN1,CA1,C1,N2\t1,1,1\n");
    writeContradictions(folder / "plain.tsv", found, {});
    EXPECT_THAT(readFile(folder / "plain.tsv"),
                StartsWith("p\tq\tlower\tupper_sum\tshort_by\tpairs\tpath\tupper_inputs\n1\t4\t4.5\t"));
    writeViolations(folder / "pairs.tsv", report.violations, names);
    const std::string pairs = readFile(folder / "pairs.tsv");
    EXPECT_THAT(pairs, StartsWith("i\tj\tatom_i\tatom_j\tlower\tupper\texcess\n"));
    EXPECT_THAT(pairs, HasSubstr("2\t3\tCA1\tC1\t2.5\t1\t1.5\n"));
    EXPECT_EQ(std::size_t(std::count(pairs.begin(), pairs.end(), '\n')), report.violationCount + 1);
}

TEST(ExplainTables, NamesMakeNoFieldsAndNoLines) {
    const TemporaryFolder folder;
    FilledBounds<double> input = chain<double>();
    FilledBounds<double> smoothed(input);
    HostBackend backend("reference", 1);
    const SmoothingReport report = smoothWith(backend, smoothed);
    const std::vector<std::string> names{"N\t1", "C,A1", "C\n1", "N\r2", "CA2"};
    writeContradictions(folder / "groups.tsv", explainAll(input.view(), report.violations), names);
    EXPECT_THAT(readFile(folder / "groups.tsv"), AllOf(HasSubstr("\n1\t4\tN_1\tN_2\t4.5\t"),
                                                       HasSubstr("\t1,2,3,4\tN_1,C_A1,C_1,N_2\t1,1,1\n")));
    writeViolations(folder / "pairs.tsv", report.violations, names);
    EXPECT_THAT(readFile(folder / "pairs.tsv"), HasSubstr("\n2\t3\tC,A1\tC_1\t2.5\t1\t1.5\n"));
}

TEST(ExplainText, NamesAtomsAndBounds) {
    FilledBounds<double> bounds = chain<double>();
    const std::optional<Contradiction> found = explainPair(bounds.view(), 1, 2);
    ASSERT_TRUE(found);
    const std::vector<std::string> names{"ALA1:N", "ALA1:CA", "ALA1:C", "GLY2:N", "GLY2:CA"};
    const std::string text = describeContradiction(*found, names);
    EXPECT_THAT(text, HasSubstr("ALA1:N and GLY2:N must be at least 4.5000 Å apart"));
    EXPECT_THAT(text, HasSubstr("at most 3.0000 Å"));
    EXPECT_THAT(text, HasSubstr("ALA1:CA - ALA1:C  at most 1.0000 Å"));
    EXPECT_THAT(text, HasSubstr("short by 1.5000 Å"));
    EXPECT_THAT(describeContradiction(*found), HasSubstr("atom 1 and atom 4"));
    Contradiction byRounding = *found;
    byRounding.upperSum = std::nextafter(byRounding.lowerInput, 0);
    EXPECT_THAT(describeContradiction(byRounding), HasSubstr("short by 8.88e-16 Å"));
}

TEST(ExplainErrors, RefusesWhatIsNoPair) {
    FilledBounds<double> bounds = chain<double>();
    EXPECT_THROW(explainPair(bounds.view(), 2, 2), InputError);
    EXPECT_THROW(explainPair(bounds.view(), 0, 5), InputError);
    EXPECT_THROW(explainPair(BoundMatrices<double>{bounds.upper.view(), {}}, 0, 1), InputError);
}

template <class T>
class VerifyRows : public testing::Test {};
TYPED_TEST_SUITE(VerifyRows, Formats);

TYPED_TEST(VerifyRows, AcceptsTheReferenceAndSeesErrors) {
    for (const Kind kind : kAllKinds) {
        constexpr std::size_t n = 45;
        FilledBounds<TypeParam> input = makeBounds<TypeParam>(n, kind, 9, true);
        FilledBounds<TypeParam> smoothed = smoothedByReference(input);
        std::vector<std::size_t> rows(n);
        std::iota(rows.begin(), rows.end(), std::size_t{0});
        const Comparison good = verifyRows(input.view(), smoothed.view(), rows);
        EXPECT_TRUE(good.isEqual) << kind;
        EXPECT_EQ(good.largestDifference, 0) << kind;
        EXPECT_EQ(good.verdict, "45 rows exact");

        for (const auto& [i, j] : {std::pair{7, 31}, {31, 7}})
            smoothed.lower(std::size_t(i), std::size_t(j)) += TypeParam(1);
        const Comparison lower = verifyRows(input.view(), smoothed.view(), rows);
        EXPECT_FALSE(lower.agrees()) << kind;
        EXPECT_EQ(lower.largestDifference, toAngstrom(TypeParam(1))) << kind;
        EXPECT_THAT(lower.place, AnyOf("lower bound of (7, 31)", "lower bound of (31, 7)"));
        for (const auto& [i, j] : {std::pair{40, 2}, {2, 40}})
            smoothed.upper(std::size_t(i), std::size_t(j)) -= TypeParam(2);
        const Comparison upper = verifyRows(input.view(), smoothed.view(), rows);
        EXPECT_EQ(upper.largestDifference, toAngstrom(TypeParam(2))) << kind;
        EXPECT_THAT(upper.place, AnyOf("upper bound of (40, 2)", "upper bound of (2, 40)"));
        EXPECT_EQ(verifyRows(input.view(), smoothed.view(), {0, 1}).verdict, "2 rows exact");
    }
}

TEST(VerifyRowsOf, UpperBoundsAloneAndNoNumber) {
    FilledBounds<float> input = makeBounds<float>(8, Kind::Dense);
    FilledBounds<float> smoothed = smoothedByReference(input);
    smoothed.lower(3, 4) += 1;
    EXPECT_TRUE(verifyRows<float>({input.upper.view(), {}}, {smoothed.upper.view(), {}}, {3}).agrees());
    smoothed.upper(3, 4) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isinf(verifyRows(input.view(), smoothed.view(), {3}).largestDifference));
}

}  // namespace
}  // namespace glycine::bounds
