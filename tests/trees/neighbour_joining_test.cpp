#include "engine/trees/neighbour_joining.hpp"

#include "engine/trees/newick.hpp"
#include "engine/trees/rooting.hpp"
#include "tests/test.hpp"

namespace glycine::trees {
namespace {

std::vector<std::string> letters(std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back(std::string(1, static_cast<char>('a' + i)));
    return names;
}

/// pathLengths in double precision: from each leaf up to where both paths meet.
std::vector<double> waysBetweenLeaves(const Tree& tree) {
    const auto above = [&tree](std::size_t leaf) {
        std::vector<double> depths(tree.nodes.size(), std::nan(""));  // NaN: not above the leaf
        double depth = 0;
        for (std::size_t node = leaf; node != kNoNode; node = tree.nodes[node].parent) {
            depths[node] = depth;
            depth += tree.nodes[node].length;
        }
        return depths;
    };
    std::vector<double> ways;
    for (std::size_t a = 1; a < tree.leaves; ++a) {
        const std::vector<double> ofFirst = above(a);
        for (std::size_t b = 0; b < a; ++b) {
            double depth = 0;
            std::size_t node = b;
            for (; std::isnan(ofFirst[node]); node = tree.nodes[node].parent)
                depth += tree.nodes[node].length;
            ways.push_back(depth + ofFirst[node]);
        }
    }
    return ways;
}

std::string joined(std::size_t count, std::vector<double> belowDiagonal) {
    const Tree tree = joinNeighbours(count, std::move(belowDiagonal), silentProgress());
    return newickTree(tree, letters(count), NewickForm::SevenDigits);
}

/// Neighbour joining by definition, over all pairs in each step, in the form of Studier and Keppler, which
/// uses distances to the new node itself.
Tree joinByDefinition(std::size_t n, const std::vector<double>& belowDiagonal) {
    std::vector<std::vector<double>> d(n, std::vector<double>(n, 0));
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < j; ++i) d[i][j] = d[j][i] = belowDiagonal[j * (j - 1) / 2 + i];
    Tree tree{.leaves = n, .nodes = std::vector<TreeNode>(n), .root = 0};
    std::vector<std::size_t> names(n), nodes(n);
    for (std::size_t i = 0; i < n; ++i) names[i] = nodes[i] = i;
    while (names.size() > 3) {
        const auto others = static_cast<double>(names.size() - 2);
        const auto sum = [&](std::size_t i) {
            double all = 0;
            for (const std::size_t k : names) all += d[i][k];
            return all;
        };
        std::tuple<double, std::size_t, std::size_t> best{1e300, 0, 0};
        for (const std::size_t j : names)
            for (const std::size_t i : names)
                if (i < j) {
                    // Equal values differ by rounding.
                    const double value = others * d[i][j] - sum(i) - sum(j);
                    if (value < std::get<0>(best) - 1e-10) best = {value, j, i};
                }
        const std::size_t j = std::get<1>(best), i = std::get<2>(best);
        tree.nodes.emplace_back();
        const std::size_t node = tree.nodes.size() - 1;
        const double below = (d[i][j] + (sum(i) - sum(j)) / others) / 2;
        attach(tree, node, nodes[i], below);
        attach(tree, node, nodes[j], d[i][j] - below);
        const double distance = d[i][j];
        for (const std::size_t k : names)
            if (k != i && k != j) d[i][k] = d[k][i] = (d[i][k] + d[j][k] - distance) / 2;
        nodes[i] = node;
        std::erase(names, j);
    }
    tree.nodes.emplace_back();
    tree.root = tree.nodes.size() - 1;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t a = names[k], b = names[(k + 1) % 3], c = names[(k + 2) % 3];
        attach(tree, tree.root, nodes[a], (d[a][b] + d[a][c] - d[b][c]) / 2);
    }
    return tree;
}

void expectSame(const Tree& found, const Tree& expected, double tolerance) {
    ASSERT_EQ(found.nodes.size(), expected.nodes.size());
    for (std::size_t node = 0; node < found.nodes.size(); ++node) {
        ASSERT_EQ(found.nodes[node].children, expected.nodes[node].children) << node;
        if (node != found.root) {
            EXPECT_NEAR(found.nodes[node].length, expected.nodes[node].length, tolerance) << node;
        }
    }
}

TEST(NeighbourJoining, WorkedExample) {
    // By hand: r = 31, 34, 34, 30, 27. a and b are joined first (Q = −50). For their node u, d(u, c) = 7,
    // d(u, d) = 7, d(u, e) = 6, d(c, d) = 8, d(c, e) = 7 and d(d, e) = 3, so that Q = −28 for both (u, c) and
    // (d, e); the names decide for the former.
    EXPECT_EQ(joined(5, {5, 9, 10, 9, 10, 8, 8, 9, 7, 3}), "(((a:2,b:3):3,c:4):2,d:2,e:1);");
}

TEST(NeighbourJoining, BranchesMayBeNegative) {
    // d(a, b) = 1, d(a, c) = 1, d(b, c) = 4: the branch of a is (1 + 1 − 4) / 2.
    EXPECT_EQ(joined(3, {1, 1, 4}), "(a:-1,b:2,c:2);");
}

TEST(NeighbourJoining, FewInstances) {
    EXPECT_EQ(joined(1, {}), "a;");
    EXPECT_EQ(joined(2, {3}), "(a:1.5,b:1.5);");
}

TEST(NeighbourJoining, EqualPairsAreTakenByTheirNames) {
    // All distances are equal: first a and b are joined, then their node and c, and so on.
    const Tree tree = joinNeighbours(6, std::vector<double>(15, 2), silentProgress(), {1e-12});
    EXPECT_EQ(newickTree(tree, letters(6), NewickForm::SevenDigits),
              "((((a:1,b:1):0,c:1):0,d:1):0,e:1,f:1);");
}

TEST(NeighbourJoining, RoundingAsClustalWChangesEqualPairsAndLastDigits) {
    // If four clusters are left, any pair is as good as the pair of the other two. Tenths are not exact, so
    // that rounded sums break the tie.
    std::size_t others = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        RandomSequence random(seed);
        const std::size_t n = 4 + seed % 5;
        std::vector<double> distances(n * (n - 1) / 2);
        for (double& distance : distances) distance = 0.1 * static_cast<double>(1 + random.below(9));
        const Tree own = joinNeighbours(n, distances, silentProgress());
        const Tree clustal = joinNeighbours(n, distances, silentProgress(), {.roundsAsClustalW = true});
        ASSERT_EQ(own.nodes.size(), clustal.nodes.size());
        const auto joinsOf = [](const Tree& tree) {
            std::vector<std::vector<std::size_t>> joins;
            for (const TreeNode& node : tree.nodes) joins.push_back(node.children);
            return joins;
        };
        others += joinsOf(own) != joinsOf(clustal) ? 1 : 0;
    }
    EXPECT_GT(others, 0u);
    EXPECT_LT(others, 60u);
}

TEST(NeighbourJoining, NegligibleBranchesVanish) {
    const auto lengthsOf = [](double negligible) {
        const Tree tree = joinNeighbours(3, {1, 1.00002, 2}, silentProgress(), {negligible});
        return newickTree(tree, letters(3), NewickForm::ClustalW);
    };
    EXPECT_EQ(lengthsOf(0), "(\na:0.00001,\nb:0.99999,\nc:1.00001);");
    EXPECT_EQ(lengthsOf(1e-4), "(\na:0.00000,\nb:0.99999,\nc:1.00001);");
}

TEST(NeighbourJoining, JoinsWhatTheDefinitionJoins) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        RandomSequence random(seed);
        const std::size_t n = 4 + seed * 2;
        std::vector<double> distances(n * (n - 1) / 2);
        for (double& distance : distances) distance = random.uniform();
        // Some are far from all others or near to them, so that means move.
        for (std::size_t j = 1; j < n; ++j)
            for (std::size_t i = 0; i < j; ++i)
                if (i % 7 == 3)
                    distances[j * (j - 1) / 2 + i] += seed % 2 == 0 ? 3 : 0.001 * static_cast<double>(j);
        expectSame(joinNeighbours(n, distances, silentProgress()), joinByDefinition(n, distances), 1e-9);
    }
}

TEST(NeighbourJoining, FindsTheTreeOfAdditiveDistances) {
    // Any tree can be recovered from its path lengths.
    RandomSequence random(7);
    constexpr std::size_t kLeaves = 300;
    Tree tree{.leaves = kLeaves, .nodes = std::vector<TreeNode>(kLeaves), .root = 0};
    std::vector<std::size_t> open(kLeaves);
    for (std::size_t i = 0; i < kLeaves; ++i) open[i] = i;
    while (open.size() > 1) {
        tree.nodes.emplace_back();
        for (int child = 0; child < 2; ++child) {
            const auto at = open.begin() +
                            static_cast<std::ptrdiff_t>(random.uniform() * static_cast<double>(open.size()));
            attach(tree, tree.nodes.size() - 1, *at, 0.01 + random.uniform());
            open.erase(at);
        }
        open.push_back(tree.nodes.size() - 1);
    }
    tree.root = open.front();
    const std::vector<double> ways = waysBetweenLeaves(tree);
    const std::vector<double> found = waysBetweenLeaves(joinNeighbours(kLeaves, ways, silentProgress()));
    const std::vector<float> single = pathLengths(tree);
    for (std::size_t k = 0; k < ways.size(); ++k) {
        ASSERT_NEAR(found[k], ways[k], 1e-9);
        ASSERT_NEAR(single[k], ways[k], 1e-4);
    }
}

TEST(Rooting, MidpointOfTheLongestWay) {
    const Tree tree = joinNeighbours(3, {3, 9, 10}, silentProgress());  // a:1, b:2, c:8
    EXPECT_EQ(newickTree(rootAtMidpoint(tree), letters(3), NewickForm::SevenDigits), "((a:1,b:2):3,c:5);");
    const Tree again = rootAtMidpoint(rootAtMidpoint(tree));
    EXPECT_EQ(newickTree(again, letters(3), NewickForm::SevenDigits), "((a:1,b:2):3,c:5);");
}

TEST(Rooting, NegativeBranchesCountAsTheyAre) {
    const Tree tree = joinNeighbours(3, {1, 1, 4}, silentProgress());
    EXPECT_EQ(newickTree(rootAtMidpoint(tree), letters(3), NewickForm::SevenDigits), "((a:-1,b:2):0,c:2);");
}

TEST(Rooting, MeanDistancesBalance) {
    // On c's branch: the mean distances are (1 + 2) / 2 = 1.5 on one side and 0 on the other, 8 apart, so the
    // root is 4.75 from c.
    const Tree tree = joinNeighbours(3, {3, 9, 10}, silentProgress());
    EXPECT_EQ(newickTree(rootAtMeanDistance(tree), letters(3), NewickForm::SevenDigits),
              "((a:1,b:2):3.25,c:4.75);");
}

TEST(Rooting, WithoutLengthsTheSecondOneStaysApart) {
    const auto rooted = [](const Tree& tree) {
        return newickTree(rootAtMeanDistance(tree), letters(4), NewickForm::SevenDigits);
    };
    EXPECT_EQ(rooted(joinNeighbours(4, std::vector<double>(6, 0), silentProgress())),
              "(((a:0,b:0):0,d:0):0,c:0);");
    // So it does if the means are equal; branches whose leaves are no deeper do not take precedence.
    Tree tree{.leaves = 4, .nodes = std::vector<TreeNode>(6), .root = 5};
    attach(tree, 4, 2, 1);
    attach(tree, 4, 3, 1);
    attach(tree, 5, 0, 1);
    attach(tree, 5, 4, 2);
    attach(tree, 5, 1, 1);
    EXPECT_EQ(rooted(tree), "((a:1,b:1):1,(c:1,d:1):1);");
}

TEST(Rooting, NodesOfManyChildrenAreResolvedFromLeftToRight) {
    const Tree tree = joinNeighbours(3, {3, 9, 10}, silentProgress());
    EXPECT_EQ(newickTree(resolved(tree), letters(3), NewickForm::SevenDigits), "((a:1,b:2):0,c:8);");
    EXPECT_EQ(newickTree(resolved(rootAtMidpoint(tree)), letters(3), NewickForm::SevenDigits),
              "((a:1,b:2):3,c:5);");
}

TEST(Rooting, KeepsAllWays) {
    RandomSequence random(3);
    constexpr std::size_t kLeaves = 40;
    std::vector<double> distances(kLeaves * (kLeaves - 1) / 2);
    for (double& distance : distances) distance = 1 + random.uniform();
    const Tree tree = joinNeighbours(kLeaves, distances, silentProgress());
    const std::vector<double> ways = waysBetweenLeaves(tree);
    for (const Tree& rooted : {rootAtMidpoint(tree), rootAtMeanDistance(tree)}) {
        EXPECT_EQ(rooted.nodes[rooted.root].children.size(), 2U);
        EXPECT_EQ(rooted.nodes.size(), 2 * kLeaves - 1);
        const std::vector<double> found = waysBetweenLeaves(rooted);
        const std::vector<float> single = pathLengths(rooted);
        for (std::size_t k = 0; k < ways.size(); ++k) {
            ASSERT_NEAR(found[k], ways[k], 1e-12);
            ASSERT_NEAR(single[k], ways[k], 1e-5);
        }
    }
}

}  // namespace
}  // namespace glycine::trees
