// Graphs: places by Graphviz, and what is drawn of them.
#include "engine/picture/graph_picture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/io/io_test_support.hpp"

namespace glycine::picture {
namespace {

using glycine::test::readFile;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A wheel, a chain beside it, and a node by itself.
std::vector<NodeLink> links() {
    std::vector<NodeLink> result;
    for (std::size_t spoke = 1; spoke < 12; ++spoke) result.push_back({0, spoke});
    for (std::size_t n = 12; n < 19; ++n) result.push_back({n, n + 1});
    return result;
}
std::vector<NodeSize> sizes() {
    std::vector<NodeSize> result(21, {40, 24});
    result[0] = {90, 50};
    return result;
}

TEST(GraphLayout, NoNodeLiesAboveAnother) {
    const std::vector<NodeSize> nodes = sizes();
    const std::vector<Point> places = layOutGraph(nodes, links());
    ASSERT_EQ(places.size(), nodes.size());
    for (std::size_t a = 0; a < nodes.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const bool isApart =
                std::abs(places[a].x - places[b].x) >= (nodes[a].width + nodes[b].width) / 2 - 0.1 ||
                std::abs(places[a].y - places[b].y) >= (nodes[a].height + nodes[b].height) / 2 - 0.1;
            EXPECT_TRUE(isApart) << a << " and " << b;
        }
}

TEST(GraphLayout, LinkedNodesAreNearAndPlacesAreTheSameEachTime) {
    const std::vector<Point> places = layOutGraph(sizes(), links());
    const auto distance = [&](std::size_t a, std::size_t b) {
        return std::hypot(places[a].x - places[b].x, places[a].y - places[b].y);
    };
    // The ends of a chain of eight are farther apart than neighbours.
    for (std::size_t n = 12; n < 19; ++n) EXPECT_LT(distance(n, n + 1), distance(12, 19) / 2);
    const std::vector<Point> again = layOutGraph(sizes(), links());
    for (std::size_t n = 0; n < places.size(); ++n) {
        EXPECT_EQ(places[n].x, again[n].x);
        EXPECT_EQ(places[n].y, again[n].y);
    }
    EXPECT_TRUE(layOutGraph({}, {}).empty());
    EXPECT_EQ(layOutGraph(std::vector<NodeSize>(1, {10, 10}), {}).size(), 1U);
}

TEST(GraphPicture, ShowsNodesEdgesAndWhatTheyMean) {
    const glycine::test::TemporaryFolder folder;
    const std::vector<GraphNode> nodes{{"a<b>", true}, {"second"}, {"third"}};
    const GraphPictureOptions options{.title = "a title",
                                      .footer = {"a line"},
                                      .nodeKind = "gene",
                                      .markedKind = "regulator",
                                      .weightKind = "score",
                                      .isDirected = true};
    writeGraphPicture(folder / "g.svg", nodes, {{0, 1, 0.25}, {0, 2, 1.5}}, options);
    const std::string svg = readFile(folder / "g.svg");
    EXPECT_THAT(svg, AllOf(HasSubstr("a&lt;b>"), HasSubstr("second"), HasSubstr("a title"),
                           HasSubstr("a line"), HasSubstr("regulator"), HasSubstr("gene (area: its edges)"),
                           HasSubstr("score from 0.250 to 1.50")));
    writeGraphPicture(folder / "again.svg", nodes, {{0, 1, 0.25}, {0, 2, 1.5}}, options);
    EXPECT_EQ(readFile(folder / "again.svg"), svg);
    // Without a marked node nothing is said of them; an undirected edge has no head.
    writeGraphPicture(folder / "plain.svg", {{"first"}, {"second"}}, {{0, 1, 1}},
                      {.markedKind = "regulator"});
    EXPECT_THAT(readFile(folder / "plain.svg"), Not(HasSubstr("regulator")));
    for (const char* name : {"g.png", "g.pdf"}) {
        writeGraphPicture(folder / name, nodes, {{0, 1, 1}}, options);
        EXPECT_GT(readFile(folder / name).size(), 1000U);
    }
    // Nothing at all is a picture, too.
    writeGraphPicture(folder / "empty.svg", {}, {}, options);
    EXPECT_THAT(readFile(folder / "empty.svg"), HasSubstr("a title"));
}

}  // namespace
}  // namespace glycine::picture
