// Colours of residues, and pictures of alignments.
#include "engine/alignment/results/alignment_picture.hpp"

#include "engine/alignment/alignment_summary.hpp"
#include "engine/alignment/results/residue_colors.hpp"
#include "engine/picture/canvas.hpp"
#include "tests/test.hpp"

namespace glycine::align {
namespace {

/// One column with one letter per row.
MultipleAlignment columnOf(const std::string& letters, Alphabet alphabet = Alphabet::Protein) {
    MultipleAlignment alignment;
    alignment.alphabet = alphabet;
    for (const char letter : letters) {
        alignment.names.push_back("s" + std::to_string(alignment.names.size()));
        alignment.rows.emplace_back(1, letter);
    }
    return alignment;
}

std::vector<Paint> paints(const std::string& letters, Alphabet alphabet = Alphabet::Protein) {
    return columnPaints(columnOf(letters, alphabet), 0);
}

TEST(ResidueColors, HydrophobicColumnsNeedSixtyPercent) {
    using enum Paint;
    EXPECT_THAT(paints("LVIKD"), ElementsAre(Blue, Blue, Blue, None, None));
    // Gaps count among the rows: three of six are too few.
    EXPECT_THAT(paints("LVIKD-"), Each(None));
    // H and Y count as hydrophobic but have their own colour; threonine is coloured as well, serine needs 80
    // %.
    EXPECT_THAT(paints("HYLTS"), ElementsAre(Cyan, Cyan, Blue, Green, None));
    EXPECT_THAT(paints("HYLLLTAS-K"),
                ElementsAre(Cyan, Cyan, Blue, Blue, Blue, Green, Blue, None, None, None));
}

TEST(ResidueColors, ChargesAndAmides) {
    using enum Paint;
    EXPECT_THAT(paints("KRKDE"), ElementsAre(Red, Red, Red, None, None));
    EXPECT_THAT(paints("DEAK"), ElementsAre(Magenta, Magenta, None, None));
    // Half of the rows are Q or E: Q is green, E magenta; D needs D or E in half of the rows.
    EXPECT_THAT(paints("QEDA"), ElementsAre(Green, Magenta, Magenta, None));
    EXPECT_THAT(paints("QEKA"), ElementsAre(Green, Magenta, None, None));
    EXPECT_THAT(paints("NNDA"), ElementsAre(Green, Green, Magenta, None));
    EXPECT_THAT(paints("KRKQA"), ElementsAre(Red, Red, Red, Green, None));
}

TEST(ResidueColors, GlycineAndProlineAlwaysCysteineWhereItIsConserved) {
    using enum Paint;
    EXPECT_THAT(paints("GPDK"), ElementsAre(Orange, Yellow, None, None));
    EXPECT_THAT(paints("CCCCCCCCCA"),
                ElementsAre(Pink, Pink, Pink, Pink, Pink, Pink, Pink, Pink, Pink, Blue));
    EXPECT_THAT(paints("CCLDK"), ElementsAre(Blue, Blue, Blue, None, None));
    EXPECT_THAT(paints("XB*-"), Each(None));
}

TEST(ResidueColors, NucleotidesHaveColoursOfTheirOwn) {
    using enum Paint;
    EXPECT_THAT(paints("ACGTUN-", Alphabet::Dna), ElementsAre(Orange, Red, Green, Blue, Blue, None, None));
}

TEST(Conservation, IsEntropyTimesOccupancy) {
    EXPECT_THAT(conservation(columnOf("WWWW")), ElementsAre(DoubleEq(1)));
    EXPECT_THAT(conservation(columnOf("WW--")), ElementsAre(DoubleEq(0.5)));
    EXPECT_THAT(conservation(columnOf("ACGT", Alphabet::Dna)), ElementsAre(DoubleEq(0)));
    EXPECT_THAT(conservation(columnOf("AACC", Alphabet::Dna)), ElementsAre(DoubleEq(0.5)));
    EXPECT_THAT(conservation(columnOf("XX--")), ElementsAre(0));
}

TEST(AlignmentSummary, CountsPairsOfLetters) {
    MultipleAlignment alignment = columnOf("AAC");
    for (std::string& row : alignment.rows) row += "W-";
    alignment.rows[0].back() = 'K';
    const AlignmentSummary summary = summarize(alignment);
    EXPECT_EQ(summary.rows, 3U);
    EXPECT_EQ(summary.columns, 3U);
    EXPECT_EQ(summary.conserved, 1U);
    EXPECT_EQ(summary.pairs, 6);
    EXPECT_EQ(summary.identical, 4);
    EXPECT_EQ(summary.gaps, 2U);
}

MultipleAlignment someAlignment(std::size_t rows, std::size_t columns) {
    MultipleAlignment alignment;
    for (std::size_t k = 0; k < rows; ++k) {
        alignment.names.push_back("<name & " + std::to_string(k));
        std::string& row = alignment.rows.emplace_back();
        for (std::size_t column = 0; column < columns; ++column)
            row += column % 7 == k % 7 ? '-' : "ACDEFGHIKLMNPQRSTVWY"[(column * column + k / 3) % 20];
    }
    return alignment;
}

class AlignmentPictures : public testing::Test {
  protected:
    std::string draw(const std::string& name, const MultipleAlignment& alignment,
                     std::string* note = nullptr) const {
        const AlignmentPicture picture{.title = "x < y", .footer = "program"};
        if (isHtmlFile(name))
            writeAlignmentHtml(folder_ / name, alignment, picture);
        else
            (note != nullptr ? *note : unused_) = writeAlignmentPicture(folder_ / name, alignment, picture);
        return readFile(folder_ / name);
    }
    TemporaryFolder folder_;
    mutable std::string unused_;
};

/// The number after the first `key`; −1 if there is none.
double numberAfter(const std::string& text, const std::string& key) {
    const std::size_t place = text.find(key);
    return place == std::string::npos ? -1 : std::stod(text.substr(place + key.size()));
}

/// The text outside the tags.
std::string withoutTags(const std::string& html) {
    std::string text;
    bool isTag = false;
    for (const char c : html) {
        if (c == '<') isTag = true;
        if (!isTag) text += c;
        if (c == '>') isTag = false;
    }
    return text;
}

TEST_F(AlignmentPictures, HtmlHasEveryRow) {
    MultipleAlignment alignment = someAlignment(4, 130);
    alignment.confidence.assign(130, 0.5);
    const std::string html = draw("a.html", alignment);
    EXPECT_THAT(html, StartsWith("<!DOCTYPE html>"));
    EXPECT_THAT(html, HasSubstr("&lt;name &amp; 3\n"));
    EXPECT_THAT(html, HasSubstr("confidence"));
    EXPECT_THAT(html, Not(HasSubstr("id=\"confidences\"")));
    EXPECT_THAT(html, Not(HasSubstr("http")));  // the page is self-contained
    const std::string text = withoutTags(html);
    for (const std::string& row : alignment.rows) EXPECT_THAT(text, HasSubstr(row + "\n"));
    EXPECT_THAT(text, HasSubstr("       120  "));

    alignment.rows = {"A-C", "ACC", "AC-", "ACC"};
    alignment.confidence = {1, 1, 1};
    alignment.residueConfidence = {{0.12, 1}, {0.3, 0.3, 0.3}, {0, 0.5}, {1, 1, 1}};
    EXPECT_THAT(draw("b.html", alignment), HasSubstr("id=\"confidences\">\n1.*\n333\n05.\n***\n</script>"));
}

TEST_F(AlignmentPictures, SvgHasRowsNamesAndBlocks) {
    const MultipleAlignment alignment = someAlignment(3, 210);
    const std::string svg = draw("a.svg", alignment);
    EXPECT_THAT(svg, HasSubstr("&lt;name &amp; 2"));
    std::string letters = alignment.rows[1].substr(100, 100);
    std::erase(letters, '-');
    EXPECT_THAT(svg, HasSubstr(">" + letters + "<"));
    EXPECT_THAT(svg, HasSubstr(">210<"));
    EXPECT_EQ(svg, draw("a.svg", alignment));
}

TEST_F(AlignmentPictures, LargeAlignmentsBecomeAnOverview) {
    const std::string small = draw("a.svg", someAlignment(30, 100));
    EXPECT_THAT(small, Not(HasSubstr("white: gaps")));
    const std::string large = draw("b.svg", someAlignment(700, 500));
    EXPECT_THAT(large, HasSubstr("white: gaps; below: conservation"));
    EXPECT_THAT(large, Not(HasSubstr("is shown")));
    EXPECT_THAT(draw("c.svg", someAlignment(2, 30'000'0)), HasSubstr("every 34th column is shown"));
    EXPECT_THAT(draw("d.png", someAlignment(400, 600)), StartsWith("\x89PNG"));
    EXPECT_THAT(draw("e.pdf", someAlignment(3, 5)), StartsWith("%PDF"));
    EXPECT_THROW(draw("f.gif", someAlignment(3, 5)), UsageError);
}

TEST_F(AlignmentPictures, NoneIsHigherThanAPictureMayBe) {
    // 15 blocks of 1,372 pixels.
    const MultipleAlignment high = someAlignment(80, 1500);
    std::string note;
    const std::string svg = draw("high.svg", high, &note);
    EXPECT_THAT(svg, HasSubstr("white: gaps; below: conservation"));
    EXPECT_LE(numberAfter(svg, "height=\""), picture::kLargestSide);
    EXPECT_THAT(note, AllOf(HasSubstr("high.svg: an overview without letters"),
                            HasSubstr("20714 pixels high"), HasSubstr(".html or .pdf has all letters")));
    draw("high.png", high, &note);
    EXPECT_THAT(note, HasSubstr("high.png: an overview"));
    // One block per page, since two are higher than paper.
    const std::string pdf = draw("high.pdf", high, &note);
    EXPECT_EQ(note, "");
    EXPECT_EQ(numberAfter(pdf, "/Count "), 15);
    // Several blocks per page.
    EXPECT_EQ(numberAfter(draw("long.pdf", someAlignment(10, 6000), &note), "/Count "), 10);
    EXPECT_EQ(note, "");
    // A drawing that fits is one page in every format.
    for (const char* name : {"a.svg", "a.pdf", "a.png"}) {
        draw(name, someAlignment(10, 600), &note);
        EXPECT_EQ(note, "");
    }
    // Not even one block fits.
    draw("rows.pdf", someAlignment(700, 50), &note);
    EXPECT_THAT(note, AllOf(HasSubstr("an overview"), HasSubstr("; .html has all letters")));
}

}  // namespace
}  // namespace glycine::align
