// Cluster-based permutation tests, compared with all permutations counted by hand.
#include "engine/statistics/cluster_test.hpp"
#include "tests/test.hpp"

namespace glycine::statistics {
namespace {

/// Three elements in a row, four subjects in each of two groups.
Matrix<double> subjects() {
    Matrix<double> values(8, 3);
    const double all[] = {5, 6, 1, 6, 7, 2, 7,   6.5, 1.5, 5.5, 7.5, 2.5,
                          1, 2, 2, 2, 1, 1, 1.5, 2.5, 2.2, 2.5, 1.5, 1.2};
    std::copy(std::begin(all), std::end(all), values.data());
    return values;
}
const std::vector<bool> kFirstGroup{true, true, true, true, false, false, false, false};
const std::vector<std::vector<std::size_t>> kRow{{1}, {0, 2}, {1}};

TEST(ClusterTest, TakesAllPermutationsWhereTheyAreFew) {
    const ClusterTest test = clusterTest(subjects().view(), kFirstGroup, false, kRow, {});
    EXPECT_NEAR(test.threshold, 2.4469118511449692, 1e-12);  // Student's t, 6 degrees of freedom, 97.5 %
    EXPECT_THAT(test.t,
                Pointwise(DoubleNear(1e-12), {7.707139547199076, 10.954451150103322, 0.3433714171724318}));
    EXPECT_THAT(test.effect,
                Pointwise(DoubleNear(1e-12), {4.738930989022161, 6.735623210795508, 0.2111306587376187}));
    EXPECT_TRUE(test.isComplete);
    EXPECT_EQ(test.permutations, 70U);
    ASSERT_EQ(test.clusters.size(), 1U);
    EXPECT_THAT(test.clusters[0].elements, ElementsAre(0, 1));
    EXPECT_NEAR(test.clusters[0].mass, 18.661590697302398, 1e-12);
    EXPECT_NEAR(test.clusters[0].p, 2.0 / 70, 1e-15);

    // Elements that are not neighbours form clusters of their own.
    const ClusterTest apart = clusterTest(subjects().view(), kFirstGroup, false, {{}, {}, {}}, {});
    ASSERT_EQ(apart.clusters.size(), 2U);
    EXPECT_THAT(apart.clusters[0].elements, ElementsAre(1));
}

TEST(ClusterTest, ExchangesConditionsOfPairs) {
    const ClusterTest test = clusterTest(subjects().view(), kFirstGroup, true, kRow, {});
    EXPECT_THAT(test.t,
                Pointwise(DoubleNear(1e-12), {8.003675626198987, 8.660254037844387, 0.2569332012929632}));
    EXPECT_EQ(test.permutations, 16U);
    ASSERT_EQ(test.clusters.size(), 1U);
    EXPECT_NEAR(test.clusters[0].p, 2.0 / 16, 1e-15);
}

TEST(ClusterTest, DrawsPermutationsBySeed) {
    Matrix<double> values(24, 6);
    RandomSequence random(5);
    for (std::size_t k = 0; k < values.size(); ++k) values.data()[k] = random.uniform();
    std::vector<bool> isFirst(24, false);
    std::fill_n(isFirst.begin(), 12, true);
    for (std::size_t k = 0; k < 12; ++k) values(k, 3) += 1.5;
    const std::vector<std::vector<std::size_t>> row{{1}, {0, 2}, {1, 3}, {2, 4}, {3, 5}, {4}};
    ClusterOptions options{.permutations = 400, .seed = 7};
    const ClusterTest first = clusterTest(values.view(), isFirst, false, row, options);
    const ClusterTest again = clusterTest(values.view(), isFirst, false, row, options);
    EXPECT_FALSE(first.isComplete);
    ASSERT_FALSE(first.clusters.empty());
    EXPECT_EQ(first.clusters[0].p, 1.0 / 400);
    EXPECT_EQ(first.clusters.back().p, again.clusters.back().p);
}

/// Without a true difference, a fraction alpha of data sets has a cluster with p at most alpha.
TEST(ClusterTest, KeepsItsLevel) {
    constexpr std::size_t kSets = 400;
    std::size_t found = 0;
    const std::vector<std::vector<std::size_t>> row{{1}, {0, 2}, {1, 3}, {2}};
    for (std::size_t set = 0; set < kSets; ++set) {
        RandomSequence random(set);
        Matrix<double> values(8, 4);
        for (std::size_t k = 0; k < values.size(); ++k) values.data()[k] = random.uniform();
        const ClusterTest test = clusterTest(values.view(), kFirstGroup, false, row, {.elementAlpha = 0.2});
        found += !test.clusters.empty() && test.clusters[0].p <= 0.1;
    }
    EXPECT_GT(found, kSets * 0.1 - 3 * 6);  // three standard deviations, √(400 · 0.1 · 0.9)
    EXPECT_LT(found, kSets * 0.1 + 3 * 6);
}

TEST(ClusterTest, UndefinedValuesAndRefusals) {
    Matrix<double> values = subjects();
    for (std::size_t k = 0; k < 3; ++k) values(k, 0) = test::kNaN;
    for (std::size_t k = 0; k < 8; ++k) values(k, 2) = 1;
    const ClusterTest test = clusterTest(values.view(), kFirstGroup, false, kRow, {});
    EXPECT_EQ(test.t[0], 0);
    EXPECT_EQ(test.t[2], 0);
    EXPECT_TRUE(std::isnan(test.effect[0]));
    EXPECT_THAT(test.clusters.at(0).elements, ElementsAre(1));
    const auto refusal = [&](std::vector<bool> isFirst, bool isPaired,
                             std::vector<std::vector<std::size_t>> lists) {
        return messageOf<UsageError>([&] { clusterTest(subjects().view(), isFirst, isPaired, lists, {}); });
    };
    std::vector<bool> one(8, false);
    one[0] = true;
    EXPECT_THAT(refusal(one, false, kRow), HasSubstr("groups of 1 and 7 subjects"));
    one[1] = one[2] = true;
    EXPECT_THAT(refusal(one, true, kRow), HasSubstr("paired cluster test of 3 and 5"));
    EXPECT_THAT(refusal(kFirstGroup, false, {{9}, {}, {}}), HasSubstr("not those of its elements"));
}

}  // namespace
}  // namespace glycine::statistics
