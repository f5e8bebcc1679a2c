#include "engine/io/sequences/fasta.hpp"

#include <random>

#include "tests/distance/input_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

/// An alignment with its letters as a matrix.
struct ParsedAlignment {
    std::vector<std::string> names;
    Matrix<std::uint8_t> letters;
    CharacterSet has;
};

ParsedAlignment withLetters(Alignment alignment) {
    return {std::move(alignment.names), alignment.letters.take(), alignment.has};
}

ParsedAlignment parse(const std::string& text) {
    return withLetters(readAlignment(*streamOf(text, "test.fa")));
}

std::string refusal(const std::string& text) {
    return messageOf<InputError>([&] { parse(text); });
}

std::vector<std::string> rows(const ParsedAlignment& alignment) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < alignment.letters.rows(); ++i)
        found.emplace_back(reinterpret_cast<const char*>(alignment.letters.row(i)),
                           alignment.letters.columns());
    return found;
}

/// The characters that occur, in ascending order.
std::string characters(const ParsedAlignment& alignment) {
    std::string found;
    for (std::size_t c = 0; c < alignment.has.size(); ++c)
        if (alignment.has[c]) found += static_cast<char>(c);
    return found;
}

TEST(Fasta, ReadsNamesAndLettersInUpperCase) {
    const ParsedAlignment alignment = parse(">one a comment\nACgt\n-.N\n\n>two\tmore\nac\nGTT*?\n");
    EXPECT_THAT(alignment.names, ElementsAre("one", "two"));
    EXPECT_THAT(rows(alignment), ElementsAre("ACGT-.N", "ACGTT*?"));
}

TEST(Fasta, KnowsTheLettersThatOccur) {
    EXPECT_EQ(characters(parse(">one ZZ\nACgt\n-.N\n>two\nacGTT*?\n")), "*-.?ACGNT");
    // One letter alone differs, near the end of one of many sequences.
    std::string text;
    for (int i = 0; i < 40; ++i) text += ">s" + std::to_string(i) + "\n" + std::string(50000, 'A') + "\n";
    text[text.size() - 100000] = 'q';
    EXPECT_EQ(characters(parse(text)), "AQ");
}

TEST(Fasta, LineEndsDoNotCount) {
    for (const char* text :
         {">a\r\nAC\r\nG\r\n>b\r\n\r\nACT\r\n", ">a\nACG\n>b\nACT", ">a\n\n\nA\nC\nG\n>b\nACT\n\n\n"}) {
        const ParsedAlignment alignment = parse(text);
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
    const ParsedAlignment alignment = parse(text);
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
    EXPECT_THAT(rows(withLetters(readAlignment(folder / "a.fa.gz"))), ElementsAre("ACG", "ACT"));
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

/// Sequences of `sites` random letters, and their text: in lines of up to 70 letters with `end`, some of them
/// empty, the last one without an end.
struct ManySequences {
    std::vector<std::string> letters{};
    std::string text{};
};
ManySequences manySequences(std::size_t count, std::size_t sites, const std::string& end) {
    std::mt19937 random(11);
    ManySequences many;
    for (std::size_t i = 0; i < count; ++i) {
        std::string letters(sites, 'A');
        for (char& letter : letters) letter = "ACGT-N"[random() % 6];
        many.text += ">s" + std::to_string(i) + " of many" + end;
        for (std::size_t at = 0; at < sites; at += 70) {
            many.text += letters.substr(at, 70) + end;
            if (random() % 50 == 0) many.text += end;
        }
        many.letters.push_back(std::move(letters));
    }
    many.text.resize(many.text.size() - end.size());
    return many;
}

TEST(Fasta, ManyAndLongSequencesOnAllThreads) {
    struct Size {
        std::size_t count, sites;
    };
    // Short sequences, ones longer than what a thread reads at once, and ones longer than a batch.
    for (const Size& size : {Size{40000, 80}, Size{12, 300000}, Size{2, 1500000}})
        for (const char* end : {"\n", "\r\n"}) {
            const ManySequences many = manySequences(size.count, size.sites, end);
            const ParsedAlignment alignment = parse(many.text);
            EXPECT_TRUE(rows(alignment) == many.letters) << size.sites;
            EXPECT_EQ(alignment.names.size(), size.count);
            EXPECT_EQ(alignment.names.back(), "s" + std::to_string(size.count - 1));
        }
}

TEST(Fasta, FaultsFarFromTheStart) {
    const std::string text = manySequences(40000, 80, "\n").text + "\n";
    const std::string last = std::string(70, 'A') + "\n";
    EXPECT_THAT(refusal(text + ">x\n" + last + "ACGTACGT!A\n"),
                HasSubstr("sequence 40001 ('x'), site 79: '!' was found"));
    EXPECT_THAT(refusal(text + ">x\n" + last),
                HasSubstr("sequence 40001 ('x') has 70 sites; expected 80, as sequence 1 ('s0') has"));
    EXPECT_THAT(refusal(text + ">s3\n" + last + "ACGTACGTAA\n"),
                HasSubstr("sequences 4 and 40001 are both named 's3'"));
    EXPECT_THAT(refusal(text + "+\n"), HasSubstr("sequence 40000 ('s39999') or the line after it is FASTQ"));
    EXPECT_THAT(refusal(text + ">\nA\n"), HasSubstr("sequence 40001 has no name"));
    EXPECT_EQ(parse(text + ">").names.size(), 40000U) << "a lone '>' ends a file";
}

TEST(Fasta, TheFirstFaultIsReported) {
    std::string text = manySequences(40000, 80, "\n").text + "\n>s3\nA\n";
    const std::size_t place = text.find(">s20000 ");
    text[text.find('\n', place) + 3] = '!';
    text.insert(text.find(">s30000 "), ">short\nA\n");
    EXPECT_THAT(refusal(text), HasSubstr("sequence 20001 ('s20000'), site 3: '!' was found"));
    // Faults of one sequence: its length before its letters.
    EXPECT_THAT(refusal(">a\nAC\n>b\nA!G\n"), HasSubstr("sequence 2 ('b') has 3 sites"));
}

TEST(Fasta, PlacesAreLinesAndColumns) {
    std::string text;
    std::size_t line = 1;
    std::vector<std::size_t> headers;
    for (std::size_t i = 0; i < 50000; ++i) {
        headers.push_back(line);
        text += ">s" + std::to_string(i) + "\r\nACGTACGTAC\r\n\r\nAC\r\n" + (i % 3 == 0 ? "GT\n" : "");
        line += i % 3 == 0 ? 5 : 4;
    }
    const auto stream = streamOf(text, "a.fa");
    FastaRecords records(*stream, "FASTA");
    std::size_t count = 0;
    while (records.nextBatch())
        while (records.next()) {
            const auto at = [&](std::size_t lines, std::size_t column) {
                return "line " + std::to_string(headers[count] + lines) + ", column " +
                       std::to_string(column);
            };
            if (count % 5000 == 0) {
                EXPECT_EQ(records.placeOf(0), at(1, 1));
                EXPECT_EQ(records.placeOf(9), at(1, 10));
                EXPECT_EQ(records.placeOf(11), at(3, 2));
                if (count % 3 == 0) {
                    EXPECT_EQ(records.placeOf(12), at(4, 1));
                }
            }
            ++count;
        }
    EXPECT_EQ(count, 50000U);
}

TEST(Fasta, LinesThatEndWithCarriageReturnsAloneAreOne) {
    EXPECT_THAT(refusal(">a\rACGT\r>b\rACGT\r"), HasSubstr("sequence 1 ('a') has no sites"));
}

TEST(Fasta, SequenceLetters) {
    for (const char letter : std::string("AzUu-.*?")) EXPECT_TRUE(isSequenceLetter(letter)) << letter;
    for (const char letter : std::string(" 1>~_\t\xe9")) EXPECT_FALSE(isSequenceLetter(letter)) << letter;
}

}  // namespace
}  // namespace glycine::io
