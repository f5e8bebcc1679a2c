#include "engine/study/reports/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/study/markup_test_support.hpp"

namespace glycine::study {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Document sample() {
    Document document{"A < B & \"C\""};
    document.section("First <section>");
    document.paragraph("5 > 3 | a_b");
    document.warning("<script>alert(1)</script>");
    document.table("Caption", {{"name", "value"}, {{"x,y", "1"}, {"quote\"", "<2>"}}, {false, true}},
                   "numbers");
    document.table("Nothing", {{"name"}});
    document.chart(
        {"one",
         "Title",
         "Caption.",
         "<?xml version=\"1.0\"?>\n<svg><g id=\"a\"/><use xlink:href=\"#a\"/><path fill=\"url(#a)\"/></svg>",
         {{"x"}, {{"1"}}}});
    document.chart({"two", "Title", "", "<svg><g id=\"a\"/></svg>", {{"x"}, {{"1"}}}});
    return document;
}

TEST(StudyDocument, HtmlIsWellFormedAndNeedsNothingElse) {
    const std::string html = toHtml(sample());
    EXPECT_EQ(test::firstMarkupFault(html), "");
    EXPECT_EQ(test::firstReference(html), "");
    EXPECT_THAT(html, AllOf(HasSubstr("&lt;script&gt;"), HasSubstr("A &lt; B &amp; &quot;C&quot;"),
                            HasSubstr("<td class=\"number\">&lt;2&gt;</td>"), Not(HasSubstr("Nothing")),
                            Not(HasSubstr("<?xml"))));
    // Two charts with the same names inside.
    EXPECT_THAT(html, AllOf(HasSubstr("id=\"one-a\""), HasSubstr("href=\"#one-a\""), HasSubstr("url(#one-a)"),
                            HasSubstr("id=\"two-a\"")));
}

TEST(StudyDocument, TheChecksFindFaults) {
    EXPECT_EQ(test::firstMarkupFault("<a><b></a></b>"), "</a> ends <b>");
    EXPECT_EQ(test::firstMarkupFault("<a><b></b>"), "<a> has no end");
    EXPECT_NE(test::firstMarkupFault("<a>1 > 2</a>"), "");
    EXPECT_EQ(test::firstMarkupFault("<a x=\">\"/>"), "");
    EXPECT_NE(test::firstReference("<img src=\"x\" />"), "");
    EXPECT_EQ(test::firstReference("<svg xmlns=\"http://www.w3.org/2000/svg\"/>"), "");
}

TEST(StudyDocument, MarkdownAndCsv) {
    const std::string text = toMarkdown(sample());
    EXPECT_THAT(
        text, AllOf(HasSubstr("## First \\<section>"), HasSubstr("5 > 3 \\| a\\_b"), HasSubstr("| x,y | 1 |"),
                    HasSubstr("|---|--:|"), HasSubstr("![Title](charts/one.svg)")));
    EXPECT_EQ(toCsv({{"name", "value"}, {{"x,y", "1"}, {"quote\"", "2"}}}),
              "name,value\n\"x,y\",1\n\"quote\"\"\",2\n");
}

}  // namespace
}  // namespace glycine::study
