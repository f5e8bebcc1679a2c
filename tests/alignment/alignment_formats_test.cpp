// Files of aligned sequences: each format is written and read back; readers accept the variants of other
// programs and refuse bad input.
#include "engine/alignment/results/alignment_files.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/sequences/alignment.hpp"
#include "engine/sequences/files/alignment_reader.hpp"
#include "tests/distance/input_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::align {
namespace {

constexpr AlignmentFormat kFormats[] = {AlignmentFormat::Clustal, AlignmentFormat::Fasta,
                                        AlignmentFormat::Phylip, AlignmentFormat::Stockholm,
                                        AlignmentFormat::Msf};

MultipleAlignment alignmentOf(std::vector<std::string> names, std::vector<std::string> rows,
                              Alphabet alphabet = Alphabet::Protein) {
    MultipleAlignment alignment;
    alignment.alphabet = alphabet;
    alignment.names = std::move(names);
    alignment.rows = std::move(rows);
    return alignment;
}

ReadAlignment readText(const std::string& text, const AlignmentReading& reading = {}) {
    return readAlignment(*test::streamOf(text, "x"), reading);
}

std::string refusedWith(const std::string& text, const AlignmentReading& reading = {}) {
    try {
        readText(text, reading);
    } catch (const InputError& error) {
        return error.what();
    }
    return "was read";
}

/// Protein rows of all 20 amino acids, with random gaps and at least one letter.
MultipleAlignment randomAlignment(std::uint64_t seed) {
    RandomSequence random(seed);
    MultipleAlignment alignment;
    const std::size_t rows = 1 + random.below(6);
    const std::size_t columns = 25 + random.below(180);
    for (std::size_t k = 0; k < rows; ++k) {
        std::string name = "r" + std::to_string(k);
        name.append(random.below(14), 'x');
        std::string row = "WYILV";
        while (row.size() < columns)
            row += random.below(4) == 0 ? '-' : lettersOf(Alphabet::Protein)[random.below(20)];
        alignment.names.push_back(name);
        alignment.rows.push_back(row);
    }
    return alignment;
}

TEST(AlignmentFormats, WhatIsWrittenIsReadAgain) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const MultipleAlignment alignment = randomAlignment(seed);
        for (const AlignmentFormat format : kFormats) {
            const ReadAlignment read = readText(alignmentText(alignment, format, "x"));
            ASSERT_EQ(read.format, format) << seed;
            EXPECT_EQ(read.alignment.names, alignment.names) << toString(format) << ' ' << seed;
            EXPECT_EQ(read.alignment.rows, alignment.rows) << toString(format) << ' ' << seed;
            EXPECT_EQ(read.alignment.alphabet, Alphabet::Protein);
            EXPECT_THAT(read.notes, ElementsAre());
        }
    }
}

TEST(AlignmentFormats, PhylipNamesSuitBothKindsOfPrograms) {
    EXPECT_EQ(phylipText(alignmentOf({"a", "tencharact"}, {"AC-", "ACD"})),
              "2 3\na          AC-\ntencharact ACD\n");
    EXPECT_EQ(phylipText(alignmentOf({"a", "eleven_char"}, {"AC-", "ACD"})),
              "2 3\na           AC-\neleven_char ACD\n");
}

TEST(AlignmentFormats, StockholmHasTheConfidence) {
    MultipleAlignment alignment = alignmentOf({"a", "b"}, {"ACDEF", "ACDEF"});
    alignment.confidence = {0, 0.04, 0.05, 0.94, 0.95};
    EXPECT_EQ(stockholmText(alignment),
              "# STOCKHOLM 1.0\n\na            ACDEF\nb            ACDEF\n#=GC PP_cons 0019*\n//\n");
    const MultipleAlignment read = readText(stockholmText(alignment)).alignment;
    EXPECT_THAT(read.rows, ElementsAre("ACDEF", "ACDEF"));
    EXPECT_THAT(read.confidence, ElementsAre(0, 0, 0.1, 0.9, 1));
    EXPECT_EQ(stockholmText(read), stockholmText(alignment));
    alignment.confidence = {0.1, 0.2, 0.3, 0.4, 0.5};
    EXPECT_EQ(readText(stockholmText(alignment)).alignment.confidence, alignment.confidence);
    alignment.confidence = {0.6, 0.7, 0.8, 0.9, 1};
    EXPECT_EQ(readText(stockholmText(alignment)).alignment.confidence, alignment.confidence);
}

TEST(AlignmentFormats, ConfidenceOfResidues) {
    MultipleAlignment alignment = alignmentOf({"a", "bcd"}, {"A-DE", "AC-E"});
    alignment.order = {1, 0};
    alignment.residueConfidence = {{0.04, 0.5, 1}, {0.25, 0, 0.949}};
    const std::string text = stockholmText(alignment);
    EXPECT_EQ(text,
              "# STOCKHOLM 1.0\n\na           A-DE\n#=GR a PP   0.5*\nbcd         AC-E\n"
              "#=GR bcd PP 30.9\n//\n");
    const MultipleAlignment read = readText(text).alignment;
    EXPECT_THAT(read.residueConfidence, ElementsAre(ElementsAre(0, 0.5, 1), ElementsAre(0.3, 0, 0.9)));
    EXPECT_THAT(read.confidence, ElementsAre());
    EXPECT_EQ(stockholmText(read), text);
    EXPECT_EQ(inOrder(alignment, RowOrder::Aligned).residueConfidence[0], alignment.residueConfidence[1]);
    // Confidence of only some rows, and other markup, is dropped.
    EXPECT_THAT(
        readText("# STOCKHOLM 1.0\na AC\n#=GR a PP 1*\n#=GR a SS HH\nb AC\n//\n").alignment.residueConfidence,
        ElementsAre());
    EXPECT_THROW(readText("# STOCKHOLM 1.0\na AC\n#=GR a PP 1\nb AC\n//\n"), InputError);
    EXPECT_THROW(readText("# STOCKHOLM 1.0\na AC\n#=GR a PP 1x\nb AC\n//\n"), InputError);
    alignment.residueConfidence[1].pop_back();
    EXPECT_THROW(checkRows(alignment), UsageError);
    alignment.residueConfidence[1].push_back(0.949);

    const TemporaryFolder folder;
    writeConfidence(folder / "c.tsv", alignment);
    EXPECT_EQ(readFile(folder / "c.tsv"),
              "sequence\t1\t2\t3\t4\na\t0.0400\t\t0.5000\t1.0000\nbcd\t0.2500\t0.0000\t\t0.9490\n");
    alignment.confidence = {0.1, 0, 0, 0.9};
    writeConfidence(folder / "c.npz", alignment);
    const io::NpzReader archive(folder / "c.npz");
    EXPECT_THAT(archive.names(), ElementsAre("confidence", "columns", "names"));
}

TEST(AlignmentFormats, MsfHasChecksumsAndDots) {
    // A 65, C 67, '.' 46: 65 + 2 · 46 + 3 · 67 = 358; lower case counts as upper case.
    EXPECT_EQ(gcgChecksum("A.C"), 358U);
    EXPECT_EQ(gcgChecksum("a.c"), 358U);
    EXPECT_EQ(gcgChecksum(std::string(57, '.') + "A"), (46U * 57 * 58 / 2 + 65) % 10000);
    const std::string text = msfText(alignmentOf({"a", "bb"}, {"A-C", "AAC"}), "n.msf");
    EXPECT_EQ(text,
              "!!AA_MULTIPLE_ALIGNMENT 1.0\n\n n.msf  MSF: 3  Type: P  Check: 754 ..\n\n"
              " Name: a   Len: 3  Check:  358  Weight: 1.00\n Name: bb  Len: 3  Check:  396  Weight: 1.00\n"
              "\n//\n\na  A.C\nbb AAC\n");
}

TEST(AlignmentFormats, NamesThatAFormatGivesAMeaningAreRefused) {
    const MultipleAlignment alignment = alignmentOf({"#a", "//"}, {"AC", "AC"});
    EXPECT_THROW(alignmentText(alignment, AlignmentFormat::Stockholm, "x"), InputError);
    EXPECT_THROW(alignmentText(alignment, AlignmentFormat::Msf, "x"), InputError);
    EXPECT_THAT(readText(alignmentText(alignment, AlignmentFormat::Phylip, "x")).alignment.names,
                ElementsAre("#a", "//"));
}

TEST(AlignmentFormats, EndingsDetermineFormats) {
    EXPECT_EQ(alignmentFormat("a/b.ALN"), AlignmentFormat::Clustal);
    EXPECT_EQ(alignmentFormat("b.stk"), AlignmentFormat::Stockholm);
    EXPECT_EQ(alignmentFormat("-"), AlignmentFormat::Fasta);
    EXPECT_EQ(alignmentFormat("b.png"), std::nullopt);
    EXPECT_EQ(alignmentFormat("aln"), std::nullopt);
}

TEST(AlignmentReader, TakesClustalOfManyPrograms) {
    const ReadAlignment read = readText(
        "MUSCLE (3.8) multiple sequence alignment\r\n\r\n\r\na   AC-D  3\r\nbb  ACGD 4\r\n    ** *\r\n\r\n"
        "a   Wy 5\r\nbb  W- 5\r\n    *\r\n");
    EXPECT_EQ(read.format, AlignmentFormat::Clustal);
    EXPECT_THAT(read.alignment.names, ElementsAre("a", "bb"));
    EXPECT_THAT(read.alignment.rows, ElementsAre("AC-DWY", "ACGDW-"));
}

TEST(AlignmentReader, TakesPhylipInterleavedAndSequential) {
    const std::vector<std::string> rows{"ACGTACGT", "AC--ACGA"};
    for (const char* text :
         {"2 8\nab   ACGT\ncd   AC--\n\n     ACGT\n     ACGA\n", "2 8\nab\nACGT\nACGT\ncd\nAC--\nACGA\n",
          " 2  8 I\nab ACG TACGT\ncd AC- -ACGA\n", "2 8\nab ACGT ACG\nT\ncd AC\n--ACG\nA"}) {
        const ReadAlignment read = readText(text);
        EXPECT_EQ(read.format, AlignmentFormat::Phylip);
        EXPECT_EQ(read.alignment.rows, rows) << text;
        EXPECT_THAT(read.alignment.names, ElementsAre("ab", "cd"));
        EXPECT_EQ(read.alignment.alphabet, Alphabet::Dna);
    }
}

TEST(AlignmentReader, TakesStrictPhylipNames) {
    const ReadAlignment read = readText("2 5\nHomo sap 1ACGTT\nPan       ACG-T\n");
    EXPECT_THAT(read.alignment.names, ElementsAre("Homo_sap_1", "Pan"));
    EXPECT_THAT(read.alignment.rows, ElementsAre("ACGTT", "ACG-T"));
    EXPECT_THAT(read.notes, ElementsAre(HasSubstr("first ten characters")));
}

TEST(AlignmentReader, TakesStockholmInBlocksWithMarkup) {
    const ReadAlignment read = readText(
        "# STOCKHOLM 1.0\n#=GF ID x\n#=GS a AC 1\n\na ac.D\n#=GR a SS HHHH\nb ACGD\n#=GC RF xxxx\n\na W\nb "
        "-\n"
        "//\n");
    EXPECT_THAT(read.alignment.rows, ElementsAre("AC-DW", "ACGD-"));
    EXPECT_THAT(read.alignment.confidence, ElementsAre());
    EXPECT_THAT(readText("# STOCKHOLM 1.0\na ACD\n#=GC PP_cons 9*.\n\na W\n#=GC PP_cons 3\n//\n")
                    .alignment.confidence,
                ElementsAre(0.9, 1, 0, 0.3));
}

TEST(AlignmentReader, TakesMsfWithRulersAndTildes) {
    const std::string text =
        "PileUp\n\n  MSF:   6  Type: P    Check:  1   ..\n\n Name: 12 oo  Len:   6  Check:  0  Weight:  1.0\n"
        " Name: b Len: 6 Check: 7 Weight: 1.0\n\n//\n\n      1   4\n12    ~ACD\nb     GACD\n\n      5\n12   "
        ".W\nb "
        "W.\n";
    const ReadAlignment read = readText(text);
    EXPECT_EQ(read.format, AlignmentFormat::Msf);
    EXPECT_THAT(read.alignment.names, ElementsAre("12", "b"));
    EXPECT_THAT(read.alignment.rows, ElementsAre("-ACD-W", "GACDW-"));
    EXPECT_THAT(read.notes, ElementsAre("the checksums of 1 of 2 rows are not what the file says"));
}

TEST(AlignmentReader, NamesRowsOfOtherLengths) {
    const std::string expected = "row 2 ('b') has 3 columns; expected 4, as row 1 ('a') has";
    EXPECT_THAT(refusedWith("CLUSTAL\n\na ACDE\nb ACD\n"), HasSubstr(expected));
    EXPECT_THAT(refusedWith("# STOCKHOLM 1.0\na ACDE\nb ACD\n//\n"), HasSubstr(expected));
    EXPECT_THAT(refusedWith("PileUp\n x MSF: 4 ..\nName: a\nName: b\n//\na ACDE\nb ACD\n"),
                HasSubstr(expected));
    EXPECT_THAT(refusedWith("2 4\na ACDE\nb ACD\n"), HasSubstr("row 'b' (line 3) has 3 columns; expected 4"));
    EXPECT_THAT(refusedWith(">a\nACDE\n>b\nACD\n"), HasSubstr("('b') has 3 columns; expected 4"));
}

TEST(AlignmentReader, NamesThePlaceOfAFault) {
    EXPECT_THAT(refusedWith("CLUSTAL\n\na AC1E\n"), HasSubstr("row 'a', line 3, column 5: '1' was found"));
    EXPECT_THAT(refusedWith("# STOCKHOLM 1.0\nabc  AC\xc3\xa4\n//\n"),
                HasSubstr("line 2, column 8: byte 0xc3"));
    EXPECT_THAT(refusedWith("1 4\na AC.E\n"),
                HasSubstr("line 2, column 5: '.' was found, which stands for the"));
    EXPECT_THAT(refusedWith("CLUSTAL\n\na ACDE\na ACDE\n"),
                HasSubstr("line 4: the row 'a' stands in this block"));
    EXPECT_THAT(refusedWith("2 2\na AC\na AC\n"), HasSubstr("rows 1 and 2 are both named 'a'"));
    EXPECT_THAT(refusedWith("# STOCKHOLM 1.0\na AC\n"), HasSubstr("ends after line 2 without '//'"));
    EXPECT_THAT(refusedWith("# STOCKHOLM 1.0\na AC\n//\n# STOCKHOLM 1.0\n"),
                HasSubstr("expected one alignment"));
    EXPECT_THAT(refusedWith("# STOCKHOLM 1.0\na AC\n#=GC PP_cons 9x\n//\n"),
                HasSubstr("line 3, column 15: 'x' was found in #=GC PP_cons"));
    EXPECT_THAT(refusedWith("# STOCKHOLM 1.0\na AC\n#=GC PP_cons 9\n//\n"),
                HasSubstr("#=GC PP_cons has 1 columns; expected 2, as the rows have"));
    EXPECT_THAT(refusedWith("PileUp\n x MSF: 4 ..\nName: a\n//\nb AC\n"),
                HasSubstr("line 5: the row 'b' is not"));
    EXPECT_THAT(refusedWith("PileUp\n x MSF: 4 ..\nName: a\n"), HasSubstr("has no line '//'"));
    EXPECT_THAT(refusedWith("3 4\na ACDE\nb ACDE\n"),
                HasSubstr("has 2 lines after the first; expected at least 3"));
    EXPECT_THAT(refusedWith("0 4\na ACDE\n"), HasSubstr("expected the numbers of rows and columns"));
    EXPECT_THAT(refusedWith("CLUSTAL\n\na ----\n"), HasSubstr("row 1 ('a') has no letters"));
    EXPECT_THAT(refusedWith("CLUSTAL\n\na AC\n", {.fewest = 2}), HasSubstr("has 1 row; expected at least 2"));
    EXPECT_THAT(refusedWith("CLUSTAL\n"), HasSubstr("has 0 rows"));
    EXPECT_THAT(refusedWith("CLUSTAL\n\na ACE\n", {.alphabet = Alphabet::Dna}),
                HasSubstr("of the alphabet dna"));
    EXPECT_THAT(refusedWith("name\tx\n"), HasSubstr("expected FASTA, Clustal, PHYLIP, Stockholm or MSF"));
    EXPECT_THAT(refusedWith(""), HasSubstr("expected FASTA, Clustal"));
}

TEST(AlignmentReader, GivesSequencesWithoutTheirGaps) {
    const TemporaryFolder folder;
    for (const AlignmentFormat format : kFormats) {
        const MultipleAlignment alignment = alignmentOf({"a", "b"}, {"AC-DW", "-CGD-"});
        writeFile(folder / "x", alignmentText(alignment, format, "x"));
        const ReadSequences read = readUnaligned(folder / "x", {});
        EXPECT_THAT(read.sequences.letters, ElementsAre("ACDW", "CGD")) << toString(format);
        EXPECT_THAT(read.notes, ElementsAre("3 gaps removed"));
    }
    writeFile(folder / "x", "nothing of that kind");
    EXPECT_THROW(readUnaligned(folder / "x", {}), InputError);
}

TEST(AlignmentReader, ReadsWhatClustalWWrites) {
    if (const std::string lack = lackOfProgram("clustalw"); !lack.empty()) GTEST_SKIP() << lack;
    const TemporaryFolder folder;
    writeFile(folder / "x.fa",
              ">first_one\nMKVLAAGIVGLLLAQWWCEDKR\n>b\nMKVLAGIVGLLAQWCEDK\n>c\nMLAGIVGLLA\n");
    std::vector<std::string> rows;
    for (const char* form : {"CLUSTAL", "GCG", "PHYLIP", "FASTA"}) {
        ASSERT_EQ(std::system(fmt::format("clustalw -INFILE={} -OUTPUT={} -OUTFILE={} > /dev/null 2>&1",
                                          (folder / "x.fa").string(), form, (folder / "out").string())
                                  .c_str()),
                  0);
        const ReadAlignment read = readAlignment(folder / "out", {});
        EXPECT_THAT(read.alignment.names, UnorderedElementsAre("first_one", "b", "c")) << form;
        // ClustalW's checksums agree with ours.
        EXPECT_THAT(read.notes, ElementsAre()) << form;
        if (rows.empty()) rows = read.alignment.rows;
        EXPECT_EQ(read.alignment.rows, rows) << form;
    }
}

}  // namespace
}  // namespace glycine::align
