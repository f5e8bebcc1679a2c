// Clusters of instances within a distance, for each linkage, and their files.
#include "engine/pairs/clusters.hpp"

#include <regex>

#include "engine/pairs/files/cluster_files.hpp"
#include "engine/pairs/files/instance_groups.hpp"
#include "engine/pairs/files/pair_picture.hpp"
#include "engine/pairs/files/tree_picture.hpp"
#include "engine/pairs/pair_store.hpp"
#include "tests/test.hpp"

namespace glycine::pairs {
namespace {

using trees::Linkage;

/// Points on a line: every pair, or those up to a distance.
std::vector<ClosePair> pairsOf(const std::vector<double>& points, double most) {
    std::vector<ClosePair> pairs;
    for (std::uint32_t i = 0; i < points.size(); ++i)
        for (std::uint32_t j = 0; j < i; ++j)
            if (const double distance = std::abs(points[i] - points[j]); distance <= most)
                pairs.push_back({i, j, distance});
    return pairs;
}

TEST(Clusters, WithinADistance) {
    struct Case {
        std::vector<double> points;
        double within;
        Linkage linkage;
        std::vector<std::size_t> of;
    };
    const Case cases[] = {
        {{0}, 1, Linkage::Single, {0}},
        {{0, 5, 1, 6, 7}, 1, Linkage::Single, {1, 0, 1, 0, 0}},  // the larger cluster first
        {{0, 5, 1, 6, 7}, 0.5, Linkage::Single, {0, 1, 2, 3, 4}},
        {{0, 2, 4, 6}, 2, Linkage::Single, {0, 0, 0, 0}},  // a chain
        {{0, 2, 4, 6}, 2, Linkage::Complete, {0, 0, 1, 1}},
        {{0, 2, 4, 6}, 6, Linkage::Complete, {0, 0, 0, 0}},
        {{0, 2, 4, 6}, 3.9, Linkage::Average, {0, 0, 1, 1}},
        {{0, 2, 4, 6}, 4, Linkage::Average, {0, 0, 0, 0}},
        {{0, 1, 3.2, 9}, 3, Linkage::Complete, {0, 0, 1, 2}},
        {{0, 1, 3.2, 9}, 3, Linkage::Average, {0, 0, 0, 1}},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(testing::Message() << testing::PrintToString(one.points) << ' ' << one.within << ' '
                                        << toString(one.linkage));
        const double most = one.linkage == Linkage::Average ? INFINITY : one.within;
        const Clusters clusters = clustersWithin(one.points.size(), pairsOf(one.points, most), one.within,
                                                 one.linkage, silentProgress());
        EXPECT_EQ(clusters.of, one.of);
        std::vector<std::size_t> sizes(clusters.sizes.size());
        for (const std::size_t cluster : one.of) ++sizes.at(cluster);
        EXPECT_EQ(clusters.sizes, sizes);
    }
}

/// By the definition, in N³ steps per merge: no complete-linkage cluster has a pair beyond the distance, and
/// no two of them could be joined.
TEST(Clusters, CompleteLinkageOfRandomPoints) {
    std::mt19937 random(3);
    for (int round = 0; round < 20; ++round) {
        std::vector<double> points(17);
        for (double& point : points) point = random() % 1000;
        const auto all = pairsOf(points, INFINITY);
        const Clusters clusters =
            clustersWithin(17, pairsOf(points, 120), 120, Linkage::Complete, silentProgress());
        std::vector<std::vector<double>> farthest(17, std::vector<double>(17));
        for (const ClosePair& pair : all) {
            double& most = farthest[clusters.of[pair.row]][clusters.of[pair.column]];
            farthest[clusters.of[pair.column]][clusters.of[pair.row]] = most = std::max(most, pair.value);
        }
        for (std::size_t a = 0; a < clusters.sizes.size(); ++a)
            for (std::size_t b = 0; b <= a; ++b) EXPECT_EQ(farthest[a][b] <= 120, a == b) << a << ' ' << b;
    }
}

TEST(Clusters, Files) {
    const std::vector<double> points{0, 1, 1.5, 9, 30, 9};
    const auto pairs = pairsOf(points, 2);
    const Clusters clusters = clustersWithin(6, pairs, 2, Linkage::Single, silentProgress());
    EXPECT_EQ(clusters.linked(), 2U);
    EXPECT_EQ(spanningPairs(clusters, pairs), (std::vector<ClosePair>{{5, 3, 0}, {2, 1, 0.5}, {1, 0, 1}}));
    const std::vector<std::string> names{"a", "b<", "c", "d", "e", "f"};
    const TemporaryFolder folder;
    const auto written = [&](const char* name) {
        writeClusters(folder / name, {clusters, pairs, names, 2, "title", "footer"});
        return readFile(folder / name);
    };
    EXPECT_EQ(written("c.tsv"),
              "name\tcluster\tsize\na\t1\t3\nb<\t1\t3\nc\t1\t3\nd\t2\t2\nf\t2\t2\ne\t3\t1\n");
    const std::string graph = written("c.graphml");
    EXPECT_THAT(graph, testing::HasSubstr(R"(<data key="name">b&lt;</data><data key="cluster">1</data>)"));
    EXPECT_THAT(graph,
                testing::HasSubstr(R"(<edge source="n1" target="n2"><data key="distance">0.5</data>)"));
    writeClusters(folder / "g.graphml",
                  {clusters, pairs, names, 2, "title", "footer", {{"red<"}, {0, 1, 1, 1, 1, 1}}});
    EXPECT_THAT(readFile(folder / "g.graphml"),
                testing::AllOf(testing::HasSubstr(R"(<key id="group" for="node")"),
                               testing::HasSubstr(R"(1</data><data key="group">red&lt;</data></node>)"),
                               testing::HasSubstr(R"(<data key="group">-</data>)")));
    const std::string picture = written("c.svg");
    for (const char* part : {"b&lt;", "2 clusters within 2", "distance from 1.00 to 0"})
        EXPECT_THAT(picture, testing::HasSubstr(part));
    EXPECT_THAT(picture, testing::Not(testing::HasSubstr(">e<")));
    EXPECT_THAT(picture, testing::HasSubstr("1 instance apart from all others is not drawn"));
    const Clusters all = clustersWithin(2, pairsOf({0, 1}, 2), 2, Linkage::Single, silentProgress());
    writeClusters(folder / "all.svg", {all, pairsOf({0, 1}, 2), {"a", "b"}, 2, "title", "footer"});
    EXPECT_THAT(readFile(folder / "all.svg"), testing::Not(testing::HasSubstr("apart")));
    EXPECT_THROW(requireClusterFile("c.npy"), UsageError);
    EXPECT_NO_THROW(requireClusterFile("-"));
}

TEST(TreePicture, WithoutLengthsHasNoScale) {
    const TemporaryFolder folder;
    const auto drawn = [&](double distance) {
        const trees::Tree tree = trees::treeOf(
            trees::clusterByAverageLinkage(3, std::vector<double>(3, distance), silentProgress()));
        writeTreePicture(folder / "t.svg", tree, {"a", "b", "c"},
                         {.title = "t", .footer = {}, .unit = "differences", .groups = {}});
        return readFile(folder / "t.svg");
    };
    EXPECT_THAT(drawn(0), testing::AllOf(testing::HasSubstr(">all branches have length 0<"),
                                         testing::Not(testing::HasSubstr("differences"))));
    EXPECT_THAT(drawn(2), testing::AllOf(testing::HasSubstr(">0.2 differences<"),
                                         testing::Not(testing::HasSubstr("length 0"))));
}

TEST(TreePicture, NumbersOfInnerNodesCrossNothing) {
    // Branches as short as within a family: most numbers are wider than their branch.
    constexpr std::size_t kLeaves = 80;
    std::mt19937 random(5);
    trees::Tree tree{.leaves = kLeaves, .nodes = std::vector<trees::TreeNode>(2 * kLeaves - 1)};
    std::vector<std::size_t> roots(kLeaves);
    std::iota(roots.begin(), roots.end(), std::size_t{0});
    std::vector<std::string> names;
    for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
        names.push_back(node < kLeaves ? fmt::format("leaf{}", node) : fmt::format("{}", 60 + node % 41));
        if (node < kLeaves) continue;
        for (int k = 0; k < 2; ++k) {
            const std::size_t place = random() % roots.size(), child = roots[place];
            roots.erase(roots.begin() + static_cast<std::ptrdiff_t>(place));
            tree.nodes[node].children.push_back(child);
            tree.nodes[child].parent = node;
            tree.nodes[child].length = 0.001 * static_cast<double>(1 + random() % 30);
        }
        roots.push_back(node);
    }
    tree.root = tree.nodes.size() - 1;
    const TemporaryFolder folder;
    writeTreePicture(folder / "t.svg", tree, names,
                     {.title = "t", .footer = {}, .unit = "differences", .groups = {}});
    const std::string svg = readFile(folder / "t.svg");

    struct Box {
        double left, top, right, bottom;
    };
    std::vector<Box> lines, numbers;
    const auto each = [&](const char* pattern, const auto& use) {
        const std::regex expression(pattern);
        for (std::sregex_iterator at(svg.begin(), svg.end(), expression), end; at != end; ++at) use(*at);
    };
    each(R"x(stroke-width:1;[^>]*d="M (\S+) (\S+) L (\S+) (\S+) "/>)x", [&](const std::smatch& found) {
        const auto [left, right] = std::minmax({std::stod(found[1]), std::stod(found[3])});
        const auto [top, bottom] = std::minmax({std::stod(found[2]), std::stod(found[4])});
        lines.push_back({left, top, right, bottom});
    });
    each(
        R"x(translate\((\S+) (\S+)\)" font-family="[^"]*" font-size="9"[^>]*anchor="start" textLength="([^"]+)")x",
        [&](const std::smatch& found) {
            const double x = std::stod(found[1]), y = std::stod(found[2]);
            numbers.push_back({x, y - 0.72 * 9, x + std::stod(found[3]), y});
        });
    EXPECT_GE(lines.size(), 3 * (kLeaves - 1));
    EXPECT_GT(numbers.size(), kLeaves / 4);
    const auto cross = [](const Box& a, const Box& b) {
        return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    };
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        for (const Box& line : lines) EXPECT_FALSE(cross(numbers[k], line)) << k;
        for (std::size_t other = 0; other < k; ++other) EXPECT_FALSE(cross(numbers[k], numbers[other])) << k;
    }
}

TEST(PairPicture, OfOneValueHasAScaleThatEndsThere) {
    // Two instances, 0.16 apart.
    PairStore store(PairFormat{{2, StoreLayout::Condensed}, ValueType::Float64, 0});
    Matrix<double> value(2, 2, 0.16);
    store.store({{0, 2}, {0, 2}}, value.view());
    const TemporaryFolder folder;
    for (const bool isSimilarity : {false, true}) {
        drawPairs(folder / "p.svg", store, {"a", "b"}, {.quantity = "q", .isSimilarity = isSimilarity},
                  silentProgress());
        EXPECT_THAT(readFile(folder / "p.svg"),
                    testing::AllOf(testing::HasSubstr(">0.00</text>"), testing::HasSubstr(">0.16</text>"),
                                   testing::Not(testing::HasSubstr(">1.2</text>"))));
    }
}

TEST(PairPicture, ADiagonalThatIsNotDrawnIsNotUnknown) {
    PairStore store(PairFormat{{3, StoreLayout::Condensed}, ValueType::Float64, 0});
    Matrix<double> value(3, 3, 0.5);
    store.store({{0, 3}, {0, 3}}, value.view());
    const TemporaryFolder folder;
    const auto drawn = [&] {
        drawPairs(folder / "p.svg", store, {"a", "b", "c"}, {.quantity = "q", .hasDiagonal = false},
                  silentProgress());
        return readFile(folder / "p.svg");
    };
    EXPECT_THAT(drawn(), testing::Not(testing::HasSubstr("unknown")));
    value(0, 1) = value(1, 0) = std::numeric_limits<double>::quiet_NaN();
    store.store({{0, 3}, {0, 3}}, value.view());
    EXPECT_THAT(drawn(), testing::HasSubstr(">unknown</text>"));
}

TEST(InstanceGroups, NamesInstancesWithoutALabel) {
    const TemporaryFolder folder;
    const std::vector<std::string> names{"sun", "moon", "star"};
    const auto notesOf = [&](const std::string& text) {
        writeFile(folder / "g.tsv", text);
        std::vector<std::string> notes;
        readInstanceGroups(folder / "g.tsv", names, notes);
        return notes;
    };
    EXPECT_THAT(
        notesOf("sun\tA\nstra\tB\n"),
        testing::ElementsAre("g.tsv: 2 of 3 instances without a label; 1 unknown name in it: 'stra' (for "
                             "'stra', nearest: star; known: moon, star)"));
    EXPECT_THAT(notesOf("name\tgroup\nsun\tA\n"),
                testing::ElementsAre("g.tsv: 2 of 3 instances without a label"));
    EXPECT_THAT(notesOf("sum\tA\nsun\tA\n"),
                testing::ElementsAre(testing::HasSubstr("1 unknown name in it: 'sum'")));
    EXPECT_THAT(
        notesOf("a\tA\nb\tA\nc\tA\nd\tA\nsun\tA\n"),
        testing::ElementsAre(testing::HasSubstr("4 unknown names in it: 'a', 'b', 'c' and 1 more (")));
    EXPECT_THAT(notesOf("x\tA\nsun\tA\nmoon\tA\nstar\tA\n"), testing::IsEmpty());
}

TEST(InstanceGroups, LabelsHaveTheOrderOfTheirNumbers) {
    const TemporaryFolder folder;
    writeFile(folder / "groups.tsv", "a\tgroup10\nb\tgroup2\nc\tgroup1\nd\tgroup10\n");
    const InstanceGroups groups =
        readInstanceGroups(folder / "groups.tsv", std::vector<std::string>{"a", "b", "c", "d", "e"});
    EXPECT_THAT(groups.labels, testing::ElementsAre("group1", "group2", "group10"));
    EXPECT_THAT(groups.of, testing::ElementsAre(2, 1, 0, 2, 3));
    EXPECT_EQ(groups.labelOf(0), "group10");
    EXPECT_EQ(groups.labelOf(4), "-");
    std::vector<std::string> legend;
    for (const picture::ColorKey& entry : groups.key()) legend.push_back(entry.label);
    EXPECT_EQ(legend, groups.labels);
    writeFile(folder / "other.tsv", "sample\tgroup\nx\tone\n");
    const auto refusal = [&](const char* name) {
        return test::messageOf<InputError>([&] {
            readInstanceGroups(folder / name, std::vector<std::string>{"a", "b"});
        });
    };
    EXPECT_THAT(
        refusal("other.tsv"),
        testing::HasSubstr("other.tsv: names no instance of the input; its first line begins with 'sample'; "
                           "expected lines with a name, such as 'a', and its label"));
    writeFile(folder / "empty.tsv", "");
    EXPECT_THAT(refusal("empty.tsv"), testing::HasSubstr("names no instance of the input; expected lines"));
}

}  // namespace
}  // namespace glycine::pairs
