#include "engine/io/trees/newick_reader.hpp"

#include "engine/trees/newick.hpp"
#include "tests/distance/input_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

using trees::NewickForm;

NamedTree parseTree(const std::string& text) {
    return readNewick(*streamOf(text, "guide.dnd"));
}

std::string refusedTree(const std::string& text) {
    return messageOf<InputError>([&] { parseTree(text); });
}

std::string written(const NamedTree& tree, NewickForm form) {
    return newickTree(tree.tree, tree.labels, form);
}

TEST(NewickReader, ReadsWhatIsWritten) {
    for (const char* text : {"((a:1,b:0.1):-0.5,c:1e-07);", "(a:1,b:2,c:3);", "alone;",
                             "('it''s (one)':1,a_b.1|x:0);", "((a:1):2,b:0.30000000000000004);"}) {
        EXPECT_EQ(written(parseTree(text), NewickForm::RoundTrip), text);
    }
}

TEST(NewickReader, ReadsTheLinesOfClustalW) {
    const std::string text = "(\n(\na:0.40101,\nb:-0.00212)\n:0.05413,\nc:0.35175,\nd:0.42472);";
    const NamedTree tree = parseTree(text + "\n");
    EXPECT_EQ(written(tree, NewickForm::ClustalW), text);
    EXPECT_TRUE(tree.hasLengths);
    EXPECT_EQ(tree.tree.leaves, 4U);
    EXPECT_EQ(tree.tree.nodes[1].length, -0.00212);
}

TEST(NewickReader, LabelsCommentsAndMissingLengths) {
    const NamedTree tree = parseTree(" [a tree]\r\n( x [first] , ( y:+2 ,z:3 )95 : 1 ) top ; ");
    EXPECT_FALSE(tree.hasLengths);
    EXPECT_THAT(tree.labels, ElementsAre("x", "y", "z", "top", "95"));
    EXPECT_EQ(tree.tree.nodes[1].length, 2);
    EXPECT_EQ(tree.tree.nodes[tree.tree.root].children, (std::vector<std::size_t>{0, 4}));
}

TEST(NewickReader, RefusesWithTheirPlace) {
    EXPECT_EQ(refusedTree(""), "guide.dnd: line 1, column 1: expected a tree, found the end of the text");
    EXPECT_EQ(refusedTree("(a,b)"), "guide.dnd: line 1, column 6: expected ';', found the end of the text");
    EXPECT_EQ(refusedTree("(a,\n b;"), "guide.dnd: line 2, column 3: expected ',' or ')', found ';'");
    EXPECT_EQ(refusedTree("(a,);"),
              "guide.dnd: line 1, column 4: expected the name of a leaf or '(', found ')'");
    EXPECT_EQ(refusedTree("(a:x,b);"), "guide.dnd: line 1, column 4: 'x' is no length of a branch");
    EXPECT_EQ(refusedTree("(a:nan,b);"), "guide.dnd: line 1, column 4: 'nan' is no length of a branch");
    EXPECT_EQ(
        refusedTree("(a:9007199254740993,b);"),
        "guide.dnd: line 1, column 4: '9007199254740993' was found; expected a whole number that float64 "
        "holds exactly (up to 2^53 = 9007199254740992 each is)");
    EXPECT_EQ(refusedTree("(a:,b);"),
              "guide.dnd: line 1, column 4: expected the length of a branch, found ','");
    EXPECT_EQ(refusedTree("(a,\nb,a);"), "guide.dnd: line 2, column 3: the leaf 'a' is in the tree twice");
    EXPECT_EQ(refusedTree("(a,b);(c,d);"),
              "guide.dnd: line 1, column 7: expected nothing after the tree, found '('");
    EXPECT_EQ(refusedTree("(a,'b);"), "guide.dnd: line 1, column 4: this quoted name has no end");
    EXPECT_EQ(refusedTree("(a,[b);"), "guide.dnd: line 1, column 4: this comment has no ']'");
    EXPECT_EQ(refusedTree("((a,b)c d,e);"), "guide.dnd: line 1, column 9: expected ',' or ')', found 'd'");
}

TEST(NewickReader, DeepTreesTakeNoStack) {
    constexpr std::size_t kDepth = 200000;
    std::string text(kDepth, '(');
    text += "a";
    for (std::size_t k = 0; k < kDepth; ++k) text += ",b" + std::to_string(k) + ")";
    EXPECT_EQ(parseTree(text + ";").tree.leaves, kDepth + 1);
}

}  // namespace
}  // namespace glycine::io
