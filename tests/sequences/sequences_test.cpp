// Sequences as read from files, and random families.
#include "engine/alignment/reference/serial_alignment.hpp"
#include "engine/sequences/files/read_sequences.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "engine/sequences/substitution.hpp"
#include "tests/distance/input_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

ReadSequences parse(const std::string& text, const SequenceReading& reading = {}) {
    return readSequences(*streamOf(text, "test.fa"), reading);
}
std::string refusal(const std::string& text, const SequenceReading& reading = {}) {
    return messageOf<InputError>([&] { parse(text, reading); });
}

TEST(AlignInput, ReadsLettersInUpperCaseWithTheirCodes) {
    const ReadSequences read = parse(">a first\narnd\nC\n>b\nW*\nxJUO\n");
    const Sequences& sequences = read.sequences;
    EXPECT_EQ(sequences.alphabet, Alphabet::Protein);
    EXPECT_THAT(sequences.names, ElementsAre("a", "b"));
    EXPECT_THAT(sequences.letters, ElementsAre("ARNDC", "W*XJUO"));
    EXPECT_THAT(sequences.codes[0], ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(sequences.codes[1], ElementsAre(17, 23, 22, 24, 25, 26));
    EXPECT_EQ(sequences.longest(), 6U);
    EXPECT_EQ(sequences.total(), 11U);
    EXPECT_THAT(read.notes, IsEmpty());
}

TEST(AlignInput, ReadsPackedFiles) {
    const TemporaryFolder folder;
    writeGzip(folder / "a.fa.gz", ">a\nMKV\n>b\nMRV\n");
    EXPECT_THAT(readSequences(folder / "a.fa.gz", {}).sequences.letters, ElementsAre("MKV", "MRV"));
}

TEST(AlignInput, TheAlphabetIsRecognised) {
    EXPECT_EQ(parse(">a\nACGT\n>b\nACNN\n").sequences.alphabet, Alphabet::Dna);
    EXPECT_EQ(parse(">a\nACGU\n>b\nAC\n").sequences.alphabet, Alphabet::Rna);
    EXPECT_EQ(parse(">a\nACGU\n>b\nACT\n").sequences.alphabet, Alphabet::Dna);
    // All letters are nucleotide codes, but most stand for several nucleotides.
    EXPECT_EQ(parse(">a\nSWKMKV\n>b\nADDA\n").sequences.alphabet, Alphabet::Protein);
    EXPECT_EQ(parse(">a\nACGTACGTACGTACGTL\n>b\nAC\n").sequences.alphabet, Alphabet::Protein);
    EXPECT_EQ(parse(">a\nACGT\n>b\nAC\n", {.alphabet = Alphabet::Protein}).sequences.alphabet,
              Alphabet::Protein);
    // T and U have the same code.
    const Sequences mixed = parse(">a\nTU\n>b\nUT\n", {.alphabet = Alphabet::Rna}).sequences;
    EXPECT_EQ(mixed.codes[0], mixed.codes[1]);
}

TEST(AlignInput, GapsAreRemovedWithANoteOrKept) {
    const std::string text = ">a\nMK-V\n>b\n.MRV\n";
    const ReadSequences loose = parse(text);
    EXPECT_THAT(loose.sequences.letters, ElementsAre("MKV", "MRV"));
    EXPECT_THAT(loose.notes, ElementsAre("2 gaps removed"));
    const ReadSequences aligned = parse(text, {.areAligned = true});
    EXPECT_THAT(aligned.sequences.letters, ElementsAre("MK-V", "-MRV"));
    EXPECT_EQ(aligned.sequences.codes[0][2], kGapCode);
    EXPECT_THAT(aligned.notes, IsEmpty());
    EXPECT_EQ(
        refusal(">a\nMKV\n>b\nMK\n", {.areAligned = true}),
        "test.fa: sequence 2 ('b') has 2 columns; expected 3, as sequence 1 ('a') has: the sequences must "
        "be aligned. Align them first: glycine align test.fa -o aligned.fa");
}

TEST(AlignInput, RefusalsNameThePlace) {
    EXPECT_EQ(refusal(">a\nMKV\n\nM\r\nAB1C\n>b\nMK\n"),
              "test.fa: sequence 1 ('a'), line 5, column 3: '1' was found; expected a letter of the alphabet "
              "protein, dna or rna, or a gap ('-' or '.')");
    EXPECT_THAT(refusal(">a\nACGT\n>b x\nAC\nGE\n", {.alphabet = Alphabet::Dna}),
                HasSubstr("sequence 2 ('b'), line 5, column 2: 'E' was found; expected a letter of the "
                          "alphabet dna"));
    EXPECT_THAT(refusal(">a\nMKV\n>b\nM V\n"), HasSubstr("line 4, column 2: byte 0x20"));
    EXPECT_THAT(refusal(">a\nMKV\n>a\nMV\n"), HasSubstr("sequences 1 and 2 are both named 'a'"));
    EXPECT_THAT(refusal(">a\nMKV\n> b\nMV\n"), HasSubstr("sequence 2 has no name"));
    EXPECT_EQ(refusal(">a\nMKV\n"), "test.fa: has 1 sequence; expected at least 2");
    EXPECT_THAT(refusal(""), HasSubstr("has no sequences; expected FASTA"));
    EXPECT_THAT(refusal(">a\nMKV\n>b\n--\n"), HasSubstr("sequence 2 ('b') has no letters"));
    EXPECT_THAT(refusal(">a\n>b\nMK\n"), HasSubstr("sequence 1 ('a') has no letters"));
    EXPECT_THAT(refusal("MKV\n"), HasSubstr("begins with 'M'; expected '>', FASTA"));
}

TEST(AlignInput, PlacesAreRightAfterManyLines) {
    // More than one read buffer, with lines of all lengths and both kinds of line ends.
    std::string text;
    std::size_t line = 0;
    for (int i = 0; i < 900; ++i) {
        text += ">s" + std::to_string(i) + "\n";
        ++line;
        for (int k = 0; k < i % 7; ++k, ++line)
            text += std::string(static_cast<std::size_t>(i % 61), 'L') + (k % 2 == 0 ? "\n" : "\r\n");
        text += "LL\n";
        ++line;
    }
    EXPECT_THAT(refusal(text + ">z\nMM\nMMM5\n"),
                HasSubstr("sequence 901 ('z'), line " + std::to_string(line + 3) + ", column 4: '5'"));
}

TEST(Substitution, KnowsPublishedScores) {
    const SubstitutionMatrix& blosum = namedMatrix("blosum62", Alphabet::Protein);
    const auto score = [](const SubstitutionMatrix& matrix, char a, char b) {
        return matrix.score(codeOf(matrix.alphabet, a), codeOf(matrix.alphabet, b));
    };
    EXPECT_EQ(score(blosum, 'W', 'W'), 11);
    EXPECT_EQ(score(blosum, 'A', 'R'), -1);
    EXPECT_EQ(score(blosum, 'B', 'D'), 4);
    EXPECT_EQ(score(blosum, 'L', '*'), -4);
    EXPECT_EQ(score(blosum, 'U', 'L'), score(blosum, 'X', 'L'));
    EXPECT_EQ(score(blosum, 'J', 'O'), score(blosum, 'X', 'X'));
    EXPECT_EQ(blosum.highest(), 11);
    EXPECT_EQ(blosum.lowest(), -4);
    EXPECT_EQ(score(namedMatrix("PAM250", Alphabet::Protein), 'W', 'W'), 17);
    EXPECT_EQ(score(namedMatrix("GONNET250", Alphabet::Protein), 'W', 'C'), -10);
    EXPECT_EQ(score(namedMatrix("GONNET250", Alphabet::Protein), 'F', 'Y'), 51);
    EXPECT_EQ(score(namedMatrix("GONNET80", Alphabet::Protein), 'C', 'C'), 154);
    EXPECT_EQ(score(namedMatrix("IUB", Alphabet::Dna), 'A', 'R'), 10);
    EXPECT_EQ(score(namedMatrix("IUB", Alphabet::Rna), 'U', 'C'), -9);
    EXPECT_EQ(score(namedMatrix("EDNAFULL", Alphabet::Dna), 'T', 'A'), -4);
    EXPECT_EQ(score(namedMatrix("IDENTITY", Alphabet::Protein), 'A', 'A'), 10);
    EXPECT_EQ(namedMatrix("IDENTITY", Alphabet::Protein).lowest(), 0);
}

TEST(Substitution, EveryMatrixIsSymmetricAndBlosumPrefersEqualLetters) {
    for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna})
        for (const std::string& name : matrixNames(alphabet)) {
            const SubstitutionMatrix& matrix = namedMatrix(name, alphabet);
            for (std::uint8_t a = 0; a < matrix.size; ++a)
                for (std::uint8_t b = 0; b < matrix.size; ++b)
                    ASSERT_EQ(matrix.score(a, b), matrix.score(b, a)) << name;
            for (std::uint8_t a = 0; a < definiteCodes(alphabet); ++a)
                for (std::uint8_t b = 0; b < definiteCodes(alphabet); ++b)
                    if (a != b && name.starts_with("BLOSUM")) {
                        ASSERT_GT(matrix.score(a, a), matrix.score(a, b)) << name;
                    }
        }
    EXPECT_EQ(matrixNames(Alphabet::Protein).size(), 14U + 21U + 7U + 1U);
    EXPECT_EQ(defaultPenalties("BLOSUM62"), (GapPenalties{11, 1}));
    EXPECT_EQ(defaultPenalties("BLOSUM55"), std::nullopt);
}

/// FNV-1a of the matrices by their names: the files of resources/matrices, as they were when checked against
/// their sources.
TEST(Substitution, NoPublishedNumberHasChanged) {
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto take = [&](int value) {
        for (const int shift : {0, 8, 16, 24})
            hash = (hash ^ (static_cast<std::uint32_t>(value) >> shift & 255U)) * 0x100000001b3;
    };
    for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna})
        for (const std::string& name : matrixNames(alphabet)) {
            for (const char letter : name) take(letter);
            const SubstitutionMatrix& matrix = namedMatrix(name, alphabet);
            EXPECT_EQ(matrix.name, name);
            for (std::uint8_t a = 0; a < matrix.size; ++a)
                for (std::uint8_t b = 0; b < matrix.size; ++b) take(matrix.score(a, b));
            const GapPenalties gaps = defaultPenalties(name).value_or(GapPenalties{-1, -1});
            take(gaps.open);
            take(gaps.extend);
        }
    EXPECT_EQ(hash, 0xe95fd45150d549c7);
}

TEST(Substitution, NamesThatAreUnknownOrOfTheOtherKindAreRefused) {
    EXPECT_THAT(messageOf<UsageError>([] { namedMatrix("BLOSUM61", Alphabet::Protein); }),
                HasSubstr("unknown substitution matrix 'BLOSUM61'; nearest: BLOSUM60, BLOSUM62"));
    EXPECT_THAT(messageOf<UsageError>([] { namedMatrix("Dayhoff", Alphabet::Protein); }),
                HasSubstr("unknown substitution matrix 'Dayhoff'; known: BLOSUM30"));
    EXPECT_THAT(messageOf<UsageError>([] { namedMatrix("IUB", Alphabet::Protein); }),
                HasSubstr("is for nucleotides, but the sequences are proteins"));
}

SubstitutionMatrix parseMatrix(const std::string& text, Alphabet alphabet = Alphabet::Dna) {
    return readMatrix(*streamOf(text, "folder/my.mat"), alphabet);
}
std::string matrixRefusal(const std::string& text) {
    return messageOf<InputError>([&] { parseMatrix(text); });
}

TEST(MatrixFile, ReadsNcbisFormat) {
    const SubstitutionMatrix matrix = parseMatrix(
        "# mine\n   A  C  G  T\nA  5 -4 -4 -4\nC -4 +5 -4 -4\n\nG -4 -4 5 -3\nT -4 -4 -3 5\n# end\n");
    EXPECT_EQ(matrix.name, "my.mat");
    EXPECT_EQ(matrix.score(0, 0), 5);
    EXPECT_EQ(matrix.score(3, 2), -3);
    // Letters that the file lacks score as N, which has the lowest score here.
    EXPECT_EQ(matrix.score(0, codeOf(Alphabet::Dna, 'R')), -4);
    // Without letters at the start of lines; in any order.
    const SubstitutionMatrix bare = parseMatrix("t g a c\n1 2 3 4\n2 5 6 7\n3 6 8 9\n4 7 9 10\n");
    EXPECT_EQ(bare.score(codeOf(Alphabet::Dna, 'G'), codeOf(Alphabet::Dna, 'C')), 7);
}

TEST(MatrixFile, RefusalsNameTheLine) {
    EXPECT_EQ(matrixRefusal(""),
              "folder/my.mat: has no line of letters; expected a substitution matrix in NCBI's format");
    EXPECT_EQ(matrixRefusal("A C G Z\n"),
              "folder/my.mat: line 1: 'Z' was found; expected one of the letters ACGTRYSWKMBDHVN");
    EXPECT_THAT(matrixRefusal("A C\n1 2 3 4\n"), HasSubstr("line 2: has 4 scores; expected 2"));
    EXPECT_THAT(matrixRefusal("#\nA C\n1 0.5\n"),
                HasSubstr("line 3: '0.5' was found; expected a whole number"));
    EXPECT_THAT(matrixRefusal("A C\n1 99999\n"), HasSubstr("expected a whole number, -32000 … 32000"));
    EXPECT_THAT(matrixRefusal("A C\nA 1 2\nC 3 1\n"),
                HasSubstr("line 3: C and A score 3, but 2 before; expected a symmetric matrix"));
    EXPECT_THAT(matrixRefusal("A C\nA 1 2\n"), HasSubstr("ends after 1 of 2 lines"));
    EXPECT_THAT(matrixRefusal("A C\nA 1 2\nC 2 1\nC 2 1\n"), HasSubstr("line 4: a further line"));
    EXPECT_THAT(matrixRefusal("A C\nA 1 2\nC 2 1\n"), HasSubstr("has no score of G and A"));
}

TEST(MatrixFile, NamesGoBeforeFiles) {
    EXPECT_EQ(matrixNamed("pam30", Alphabet::Protein).name, "PAM30");
    const TemporaryFolder folder;
    writeFile(folder / "M", "A C G T\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    EXPECT_EQ(matrixNamed((folder / "M").string(), Alphabet::Rna).score(1, 1), 1);
    EXPECT_THAT(messageOf<UsageError>([] { matrixNamed("no/such", Alphabet::Dna); }),
                HasSubstr("unknown substitution matrix 'no/such'; known: IUB, EDNAFULL, IDENTITY"));
}

// ---- Families from a seed: what each sequence inherits.

TEST(RandomFamily, DependsOnTheSeedAndNotOnTheNumber) {
    const Sequences few = randomFamily({.count = 20, .length = 100, .seed = 4});
    const Sequences many = randomFamily({.count = 50, .length = 100, .seed = 4});
    EXPECT_EQ(few.letters, std::vector(many.letters.begin(), many.letters.begin() + 20));
    EXPECT_NE(few.letters, randomFamily({.count = 20, .length = 100, .seed = 5}).letters);
    EXPECT_EQ(few.names[1], "s2");
}

TEST(RandomFamily, WithoutChangesIsOneSequence) {
    const Sequences same = randomFamily({.count = 9, .length = 60, .divergence = 0, .gaps = 0});
    EXPECT_THAT(same.letters, Each(same.letters[0]));
    const Sequences parts =
        randomFamily({.count = 9, .length = 60, .divergence = 0, .gaps = 0, .shortest = 0.5});
    for (const std::string& part : parts.letters) EXPECT_NE(same.letters[0].find(part), std::string::npos);
}

TEST(RandomFamily, ReplacesTheRequestedShareOfLetters) {
    constexpr std::size_t kLetters = 100'000;
    for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna}) {
        const Sequences pair = randomFamily(
            {.count = 2, .length = kLetters, .alphabet = alphabet, .divergence = 0.1, .gaps = 0});
        std::size_t replaced = 0, transitions = 0;
        for (std::size_t k = 0; k < kLetters; ++k) {
            const int one = pair.codes[0][k], other = pair.codes[1][k];
            if (one != other) ++replaced;
            if (one != other && (one ^ other) == 2) ++transitions;
        }
        // The mean rate of all letters is 1.
        EXPECT_NEAR(static_cast<double>(replaced) / kLetters, 0.1, 0.005);
        if (alphabet == Alphabet::Dna) {
            EXPECT_NEAR(static_cast<double>(transitions) / static_cast<double>(replaced), 0.5, 0.02);
        }
    }
}

TEST(RandomFamily, PutsGapsAtHingesAlone) {
    // Nothing is replaced: what is left of the ancestor is a common subsequence.
    const Sequences pair = randomFamily({.count = 2, .length = 2400, .divergence = 0, .gaps = 0.5});
    const std::size_t common = align::reference::commonSubsequence(pair.codes[0], pair.codes[1]);
    EXPECT_LT(common, 2400U);
    EXPECT_GT(common, 1500U);
    EXPECT_NE(pair.codes[1].size(), common) << "letters were put in";
}

TEST(RandomFamily, RefusesSharesOutOfRange) {
    EXPECT_THROW(randomFamily({.count = 1, .length = 0}), UsageError);
    EXPECT_THROW(randomFamily({.count = 0, .length = 5}), UsageError);
    EXPECT_THROW(randomFamily({.count = 1, .length = 5, .divergence = 1.5}), UsageError);
}

}  // namespace
}  // namespace glycine
