#include "engine/io/sequences/fasta.hpp"

#include "tests/distance/input_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

Alignment parse(const std::string& text) {
    return readAlignment(*streamOf(text, "test.fa"));
}

std::string refusal(const std::string& text) {
    return messageOf<InputError>([&] { parse(text); });
}

std::vector<std::string> rows(const Alignment& alignment) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < alignment.letters.rows(); ++i)
        found.emplace_back(reinterpret_cast<const char*>(alignment.letters.row(i)),
                           alignment.letters.columns());
    return found;
}

TEST(Fasta, ReadsNamesAndLettersInUpperCase) {
    const Alignment alignment = parse(">one a comment\nACgt\n-.N\n\n>two\tmore\nac\nGTT*?\n");
    EXPECT_THAT(alignment.names, ElementsAre("one", "two"));
    EXPECT_THAT(rows(alignment), ElementsAre("ACGT-.N", "ACGTT*?"));
}

TEST(Fasta, LineEndsDoNotCount) {
    for (const char* text :
         {">a\r\nAC\r\nG\r\n>b\r\n\r\nACT\r\n", ">a\nACG\n>b\nACT", ">a\n\n\nA\nC\nG\n>b\nACT\n\n\n"}) {
        const Alignment alignment = parse(text);
        EXPECT_THAT(alignment.names, ElementsAre("a", "b"));
        EXPECT_THAT(rows(alignment), ElementsAre("ACG", "ACT"));
    }
}

TEST(Fasta, OneSequenceOfOneSite) {
    EXPECT_THAT(rows(parse(">a\nw\n")), ElementsAre("W"));
}

TEST(Fasta, ManySequencesKeepTheirOrder) {
    std::string text;
    for (int i = 0; i < 3000; ++i)
        text += ">s" + std::to_string(i) + "\n" + std::string(99, "ACGT"[i % 4]) + "\nA\n";
    const Alignment alignment = parse(text);
    ASSERT_EQ(alignment.letters.rows(), 3000U);
    ASSERT_EQ(alignment.letters.columns(), 100U);
    for (std::size_t i = 0; i < 3000; ++i) {
        EXPECT_EQ(alignment.names[i], "s" + std::to_string(i));
        EXPECT_EQ(alignment.letters(i, 98), "ACGT"[i % 4]);
        EXPECT_EQ(alignment.letters(i, 99), 'A');
    }
}

TEST(Fasta, ReadsPackedFiles) {
    const TemporaryFolder folder;
    writeGzip(folder / "a.fa.gz", ">a\nACG\n>b\nACT\n");
    EXPECT_THAT(rows(readAlignment(folder / "a.fa.gz")), ElementsAre("ACG", "ACT"));
    const std::string whole = readFile(folder / "a.fa.gz");
    writeFile(folder / "a.fa.gz", whole.substr(0, whole.size() - 9));
    EXPECT_THAT(messageOf<InputError>([&] { readAlignment(folder / "a.fa.gz"); }),
                HasSubstr("a.fa.gz: truncated gzip data"));
}

TEST(Fasta, RefusesRaggedAlignments) {
    EXPECT_EQ(
        refusal(">a\nACGT\n>b\nACG\n"),
        "test.fa: sequence 2 ('b') has 3 sites; expected 4, as sequence 1 ('a') has: the sequences must be "
        "aligned. Align them first: glycine align test.fa -o aligned.fa");
    EXPECT_THAT(refusal(">a\nACGT\n>b\nACGTA\n"), HasSubstr("sequence 2 ('b') has 5 sites; expected 4"));
    EXPECT_THAT(refusal(">a\nACGT\n>b\n>c\nACGT\n"), HasSubstr("sequence 2 ('b') has 0 sites; expected 4"));
}

TEST(Fasta, RefusesNames) {
    EXPECT_EQ(refusal(">a x\nA\n>b\nC\n>a y\nG\n"),
              "test.fa: sequences 1 and 3 are both named 'a'; expected each name once");
    EXPECT_THAT(refusal(">a\nA\n> b\nC\n"), HasSubstr("sequence 2 has no name"));
    EXPECT_THAT(refusal(">a\nA\n>\nC\n"), HasSubstr("sequence 2 has no name"));
}

TEST(Fasta, RefusesCharactersThatAreNoLetters) {
    EXPECT_EQ(refusal(">a\nAC\n>b\nA3\n"),
              "test.fa: sequence 2 ('b'), site 2: '3' was found; expected a letter, a gap ('-' or '.'), '*' "
              "or '?'");
    EXPECT_THAT(refusal(">a\nAC GT\n"), HasSubstr("sequence 1 ('a'), site 3: byte 0x20 was found"));
    EXPECT_THAT(refusal(">a\nA\xc3\xa9\n"), HasSubstr("site 2: byte 0xc3"));
    EXPECT_THAT(refusal(">a\nAC>GT\n"), HasSubstr("site 3: '>'"));
    EXPECT_THAT(refusal(std::string(">a\nA\0\n", 6)), HasSubstr("site 2: byte 0x00"));
}

TEST(Fasta, RefusesOtherFormats) {
    EXPECT_THAT(refusal(""), HasSubstr("test.fa: has no sequences"));
    EXPECT_THAT(refusal(">a\n"), HasSubstr("sequence 1 ('a') has no sites"));
    EXPECT_THAT(refusal("ACGT\n"), HasSubstr("test.fa: begins with 'A'; expected '>'"));
    EXPECT_THAT(refusal(" 2 4\na ACGT\nb ACGT\n"), HasSubstr("begins with byte 0x20"));
    EXPECT_THAT(refusal("@a\nACGT\n+\nIIII\n"), HasSubstr("begins with '@'"));
    EXPECT_THAT(refusal(">a\nACGT\n+\nIIII\n"), HasSubstr("FASTQ"));
    EXPECT_THAT(refusal(">a\nACGT\n+\nI\n"), HasSubstr("FASTQ"));
    EXPECT_THAT(refusal(">a\nACGT\n@b\nACGT\n"), HasSubstr("FASTQ"));
}

TEST(Fasta, SequenceLetters) {
    for (const char letter : std::string("AzUu-.*?")) EXPECT_TRUE(isSequenceLetter(letter)) << letter;
    for (const char letter : std::string(" 1>~_\t\xe9")) EXPECT_FALSE(isSequenceLetter(letter)) << letter;
}

}  // namespace
}  // namespace glycine::io
