// Expression matrices in all formats, and their errors with the place.
#include "engine/io/expression/expression_table.hpp"

#include "engine/core/process_team.hpp"
#include "engine/io/arrays/mapped_npy.hpp"
#include "engine/io/arrays/npy.hpp"
#include "tests/core/recorded_team.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

class ExpressionFiles : public testing::Test {
  protected:
    ExpressionTable read(const std::string& name, const std::string& text,
                         const ExpressionReading& reading = {}) {
        writeFile(folder_ / name, text);
        return readExpression(folder_ / name, reading);
    }
    std::string refusal(const std::string& name, const std::string& text,
                        const ExpressionReading& reading = {}) {
        return messageOf<InputError>([&] { read(name, text, reading); });
    }
    TemporaryFolder folder_;
};

/// The values row by row; −99 marks a missing one.
std::vector<double> valuesOf(const ExpressionTable& table) {
    std::vector<double> values;
    for (std::size_t i = 0; i < table.values.size(); ++i)
        values.push_back(std::isnan(table.values.data()[i]) ? -99 : table.values.data()[i]);
    return values;
}

TEST_F(ExpressionFiles, ProcessesReadTheirGenesOfArrays) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    Matrix<double> values(7, 2);
    for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] = 0.25 * static_cast<double>(i);
    const auto write = [&] { writeNpy<double>(folder_ / "x.npy", std::as_const(values).view()); };
    const auto open = [&](ProcessTeam& team) { return readExpression(folder_ / "x.npy", {.team = &team}); };
    const auto rowsOf = [](const ExpressionTable& table) {
        const MatrixView<const double> view = table.view();
        return std::vector<double>(view.data(), view.data() + view.rows() * view.columns());
    };
    write();
    const ExpressionTable alone = readExpression(folder_ / "x.npy", {});
    EXPECT_EQ(alone.inFile, nullptr);
    test::RecordedTeam::Record record;
    const auto found = test::inProcesses(3, 2, record, [&](ProcessTeam& team) {
        const ExpressionTable table = open(team);
        EXPECT_EQ(table.missing, 0U);
        EXPECT_EQ(table.genes, alone.genes);
        EXPECT_EQ(table.samples, alone.samples);
        EXPECT_EQ(table.description, alone.description);
        return std::pair(table.inFile != nullptr, rowsOf(table));
    });
    EXPECT_THAT(found, testing::Each(std::pair(true, rowsOf(alone))));
    // The last process reads no gene of the first one's part, where a value changes without a trace.
    const std::filesystem::path file = folder_ / "x.npy";
    const auto time = std::filesystem::last_write_time(file);
    const double infinite = std::numeric_limits<double>::infinity();
    std::fstream changed(file, std::ios::in | std::ios::out | std::ios::binary);
    changed.seekp(-static_cast<std::streamoff>(13 * sizeof(double)), std::ios::end);
    changed.write(reinterpret_cast<const char*>(&infinite), sizeof infinite).flush();
    std::filesystem::last_write_time(file, time);
    test::RecordedTeam last(2, 3, record), first(0, 3, record);
    EXPECT_EQ(rowsOf(open(last))[1], infinite);
    EXPECT_THAT(messageOf<InputError>([&] { open(first); }), HasSubstr("x.npy: (0, 1) is inf; expected"));

    // With a missing value, all processes read all; so they do of float32, columns first and genes as
    // columns.
    values(6, 1) = none;
    write();
    record.clear();
    const auto missing = test::inProcesses(3, 2, record, [&](ProcessTeam& team) {
        const ExpressionTable table = open(team);
        return std::pair(table.inFile != nullptr, table.missing);
    });
    EXPECT_THAT(missing, testing::Each(std::pair(false, std::size_t{1})));
    record.clear();
    test::RecordedTeam team(0, 1, record);
    EXPECT_EQ(readExpression(file, {.transpose = true, .team = &team}).inFile, nullptr);
    const Matrix<float> narrow(2, 2, 1.F);
    writeNpy<float>(file, narrow.view());
    test::RecordedTeam again(0, 1, record);
    EXPECT_EQ(readExpression(file, {.team = &again}).inFile, nullptr);
    // Values that stay in the file take no memory.
    writeNpy<double>(file, Matrix<double>(2, 3, 1.0).view());
    test::RecordedTeam third(0, 1, record);
    double lacking = -1;
    const auto sizeKnown = [&](const ExpressionSize& size) {
        lacking = static_cast<double>(size.genes * size.samples * sizeof(double)) - size.held;
    };
    readExpression(file, {.sizeKnown = sizeKnown, .team = &third});
    EXPECT_EQ(lacking, 0);
    readExpression(file, {.sizeKnown = sizeKnown});
    EXPECT_EQ(lacking, 2 * 3 * 8);
}

TEST_F(ExpressionFiles, TablesWithNamesAndGaps) {
    const ExpressionTable table = read("x.tsv",
                                       "gene\ts1\ts2\ts3\ts4\ts5\ts6\n"
                                       "YAL001C\t1.5\tNA\tNaN\tnan\tNULL\t\n"
                                       "YAL002W\t-2\t3e2\t.\tn/a\tnull\t7\n");
    EXPECT_THAT(table.genes, ElementsAre("YAL001C", "YAL002W"));
    EXPECT_THAT(table.samples, ElementsAre("s1", "s2", "s3", "s4", "s5", "s6"));
    EXPECT_THAT(valuesOf(table), ElementsAre(1.5, -99, -99, -99, -99, -99, -2, 300, -99, -99, -99, 7));
    EXPECT_EQ(table.missing, 8U);
    EXPECT_EQ(table.description, "2 genes × 6 samples of x.tsv");
}

TEST_F(ExpressionFiles, NumbersMayBeNamesOfGenes) {
    const ExpressionTable table = read("entrez.csv", "gene_id,a,b\n1017,1,2\n7157,3,4\n");
    EXPECT_THAT(table.genes, ElementsAre("1017", "7157"));
    EXPECT_THAT(valuesOf(table), ElementsAre(1, 2, 3, 4));
}

TEST_F(ExpressionFiles, NumbersMayBeNamesOfSamples) {
    for (const char* title : {"gene", "ID_REF", "Gene Symbol", "name", ""}) {
        const ExpressionTable table = read("time.tsv", fmt::format("{}\t0\t10\t20\ng1\t1\t2\t3\n", title));
        EXPECT_THAT(table.samples, ElementsAre("0", "10", "20")) << title;
        EXPECT_THAT(valuesOf(table), ElementsAre(1, 2, 3)) << title;
    }
    EXPECT_THAT(read("time.exp", "id\tannotation\t0\t10\ng1\tx\t1\t2\n").samples, ElementsAre("0", "10"));
    // A name that is not a title of names.
    EXPECT_THAT(read("g.tsv", "g0\t0\t10\ng1\t1\t2\n").genes, ElementsAre("g0", "g1"));
}

TEST_F(ExpressionFiles, AsRWritesThemAndWithoutNames) {
    const ExpressionTable fromR = read("r.txt", "a\tb\ng1\t1\t2\ng2\t3\t4\n");
    EXPECT_THAT(fromR.genes, ElementsAre("g1", "g2"));
    EXPECT_THAT(fromR.samples, ElementsAre("a", "b"));
    const ExpressionTable bare = read("bare.csv", "1,2\n3,4\n");
    EXPECT_THAT(bare.genes, ElementsAre("1", "2"));
    EXPECT_THAT(bare.samples, ElementsAre("1", "2"));
}

TEST_F(ExpressionFiles, Transposed) {
    const ExpressionTable table = read("t.csv", "sample,g1,g2,g3\na,1,2,3\nb,4,5,6\n", {.transpose = true});
    EXPECT_THAT(table.genes, ElementsAre("g1", "g2", "g3"));
    EXPECT_THAT(table.samples, ElementsAre("a", "b"));
    EXPECT_THAT(valuesOf(table), ElementsAre(1, 4, 2, 5, 3, 6));
    EXPECT_THAT(refusal("u.csv", "sample,g1,g2,g1\na,1,2,3\n", {.transpose = true}),
                AllOf(HasSubstr("column 2"), HasSubstr("column 4"), HasSubstr("'g1'")));
}

TEST_F(ExpressionFiles, OfAracne) {
    const std::string text =
        "AffyID\tAnnotation\tarray1\tarray2\n"
        "Description\tphenotype\ttumour\tnormal\n"
        "1007_s_at\tDDR1\t10.5\t11\n"
        "1053_at\tRFC2\tNA\t7.25\n";
    const ExpressionTable table = read("a.exp", text);
    EXPECT_THAT(table.genes, ElementsAre("1007_s_at", "1053_at"));
    EXPECT_THAT(table.samples, ElementsAre("array1", "array2"));
    EXPECT_THAT(valuesOf(table), ElementsAre(10.5, 11, -99, 7.25));
    EXPECT_THAT(refusal("b.exp", "id\tannotation\ta\tb\n1\t2\t3\tx\n"),
                AllOf(HasSubstr("line 2, column 4"), HasSubstr("'x'")));
    // Names and annotations may be numbers.
    EXPECT_THAT(read("c.exp", "id\tannotation\ta\n1\t2\t3\n4\t5\t6\n").genes, ElementsAre("1", "4"));
}

TEST_F(ExpressionFiles, SeriesMatricesOfGeo) {
    const ExpressionTable table = read("GSE1_series_matrix.txt",
                                       "!Series_title\t\"A \"quoted title\"\n"
                                       "!Series_summary\t\"one\"\n\n"
                                       "!Sample_title\t\"wild type\"\t\"mutant\"\n"
                                       "!series_matrix_table_begin\n"
                                       "\"ID_REF\"\t\"GSM1\"\t\"GSM2\"\n"
                                       "\"1007_s_at\"\t8.5\tnull\n"
                                       "\"1053_at\"\t6\t7\n"
                                       "!series_matrix_table_end\n");
    EXPECT_THAT(table.genes, ElementsAre("1007_s_at", "1053_at"));
    EXPECT_THAT(table.samples, ElementsAre("GSM1", "GSM2"));
    EXPECT_THAT(valuesOf(table), ElementsAre(8.5, -99, 6, 7));
    // Places are those in the file.
    EXPECT_THAT(
        refusal("GSE2_series_matrix.txt",
                "!Series_title\t\"x\"\n!series_matrix_table_begin\n\"ID_REF\"\t\"GSM1\"\n\"p\"\tabc\n"),
        AllOf(HasSubstr("line 4, column 2"), HasSubstr("'abc'")));
    EXPECT_THAT(refusal("GSE3_series_matrix.txt", "!Series_title\t\"x\"\n"), HasSubstr("is empty"));
}

TEST_F(ExpressionFiles, PackedOnes) {
    writeGzip(folder_ / "x.tsv.gz", "gene\ta\tb\ng1\t1\t2\n");
    EXPECT_THAT(valuesOf(readExpression(folder_ / "x.tsv.gz", {})), ElementsAre(1, 2));
    writeGzip(folder_ / "x.exp.gz", "id\tannotation\ta\tb\ng1\tn\t1\t2\n");
    EXPECT_THAT(valuesOf(readExpression(folder_ / "x.exp.gz", {})), ElementsAre(1, 2));
}

TEST_F(ExpressionFiles, Arrays) {
    Matrix<double> values(2, 3, 1.5);
    values(1, 2) = std::nan("");
    writeNpy<double>(folder_ / "x.npy", std::as_const(values).view());
    const ExpressionTable table = readExpression(folder_ / "x.npy", {});
    EXPECT_THAT(valuesOf(table), ElementsAre(1.5, 1.5, 1.5, 1.5, 1.5, -99));
    EXPECT_THAT(table.genes, ElementsAre("1", "2"));
    EXPECT_EQ(readExpression(folder_ / "x.npy", {.transpose = true}).values.rows(), 3U);
    values(0, 1) = INFINITY;
    writeNpy<double>(folder_ / "y.npy", std::as_const(values).view());
    EXPECT_THAT(messageOf<InputError>([&] { readExpression(folder_ / "y.npy", {}); }),
                AllOf(HasSubstr("(0, 1) is inf"), HasSubstr("finite")));
}

TEST_F(ExpressionFiles, GenesOfOneName) {
    const std::string text = "gene\ta\tb\tc\np\t1\t1\t2\nq\t1\t2\t3\np\t1\t5\tNA\np\t4\t4\t4\n";
    EXPECT_THAT(refusal("x.tsv", text),
                AllOf(HasSubstr("line 2"), HasSubstr("line 4"), HasSubstr("'p'"), HasSubstr("--duplicates")));
    const ExpressionTable table = read("x.tsv", text, {.duplicates = DuplicateRule::MaxVariance});
    EXPECT_THAT(table.genes, ElementsAre("q", "p"));
    EXPECT_THAT(valuesOf(table), ElementsAre(1, 2, 3, 1, 5, -99));
    EXPECT_THAT(table.notes, ElementsAre(HasSubstr("left out 2 of 4 genes")));
    // Of equal variances, the first is kept; a gene without values never is.
    EXPECT_THAT(valuesOf(read("y.tsv", "gene\ta\tb\np\tNA\tNA\np\t1\t3\np\t7\t5\n",
                              {.duplicates = DuplicateRule::MaxVariance})),
                ElementsAre(1, 3));
    EXPECT_THAT(read("z.tsv", "gene\ta\nu\t1\nv\t2\n", {.duplicates = DuplicateRule::MaxVariance}).notes,
                ElementsAre());
}

TEST_F(ExpressionFiles, MissingValuesAreFilledOrLeftOut) {
    const std::string text =
        "gene\ta\tb\tc\td\nx\t1\tNA\t2\t6\ny\tNA\t5\tNA\t8\nz\t1\t2\t3\t4\ne\tNA\tNA\tNA\tNA\n";
    const auto treated = [&](MissingValues rule) { return read("m.tsv", text, {.missing = rule}); };
    const ExpressionTable pairwise = treated(MissingValues::Pairwise);
    EXPECT_EQ(pairwise.missing, 7U);
    EXPECT_THAT(pairwise.notes, ElementsAre());
    const ExpressionTable mean = treated(MissingValues::Mean);
    EXPECT_THAT(valuesOf(mean), ElementsAre(1, 3, 2, 6, 6.5, 5, 6.5, 8, 1, 2, 3, 4, -99, -99, -99, -99));
    EXPECT_EQ(mean.missing, 4U);
    EXPECT_THAT(mean.notes, ElementsAre("3 missing values filled with the mean of their gene"));
    const ExpressionTable median = treated(MissingValues::Median);
    EXPECT_THAT(valuesOf(median), ElementsAre(1, 2, 2, 6, 6.5, 5, 6.5, 8, 1, 2, 3, 4, -99, -99, -99, -99));
    const ExpressionTable samples = treated(MissingValues::DropSamples);
    EXPECT_THAT(samples.samples, ElementsAre("d"));
    EXPECT_THAT(valuesOf(samples), ElementsAre(6, 8, 4, -99));
    EXPECT_THAT(samples.notes, ElementsAre("left out 3 of 4 samples, which lack values"));
    EXPECT_EQ(samples.description, "4 genes × 1 sample of m.tsv");
    const ExpressionTable left = treated(MissingValues::DropGenes);
    EXPECT_THAT(left.genes, ElementsAre("z"));
    EXPECT_THAT(valuesOf(left), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(left.missing, 0U);
    EXPECT_THAT(left.notes, ElementsAre("left out 3 of 4 genes, which lack values"));
    EXPECT_THAT(refusal("n.tsv", "gene\ta\tb\nx\t1\tNA\ny\tNA\t2\n", {.missing = MissingValues::DropSamples}),
                AllOf(HasSubstr("n.tsv"), HasSubstr("each of 2 samples lacks a value")));
    EXPECT_THAT(refusal("n.tsv", "gene\ta\tb\nx\t1\tNA\ny\tNA\t2\n", {.missing = MissingValues::DropGenes}),
                HasSubstr("each of 2 genes lacks a value"));
    // A mean of values whose sum overflows.
    EXPECT_THAT(
        valuesOf(read("l.tsv", "gene\ta\tb\tc\nx\t1e308\tNA\t1e308\n", {.missing = MissingValues::Mean})),
        ElementsAre(1e308, 1e308, 1e308));
    // In doubles, three times 0.1 divided by 3 is not 0.1, but a constant gene stays constant.
    EXPECT_THAT(
        valuesOf(read("c.tsv", "gene\ta\tb\tc\td\nx\t0.1\t0.1\tNA\t0.1\n", {.missing = MissingValues::Mean})),
        ElementsAre(0.1, 0.1, 0.1, 0.1));
}

TEST_F(ExpressionFiles, RefusesWithThePlace) {
    EXPECT_THAT(refusal("x.tsv", "gene\ta\tb\ng1\t1\t2\ng2\t3\n"),
                AllOf(HasSubstr("line 3"), HasSubstr("2 fields")));
    EXPECT_THAT(refusal("x.tsv", "gene\ta\tb\ng1\t1\t2\ng2\t3\tabc\n"),
                AllOf(HasSubstr("line 3, column 3"), HasSubstr("'abc'")));
    EXPECT_THAT(refusal("x.tsv", "gene\ta\tb\ng1\t1\tinf\n"),
                AllOf(HasSubstr("line 2, column 3"), HasSubstr("inf")));
    EXPECT_THAT(refusal("x.tsv", "gene\ta\n\"\"\t1\n"), AllOf(HasSubstr("line 2"), HasSubstr("no name")));
    EXPECT_THAT(refusal("x.tsv", "gene\ta\tb\n"), HasSubstr("no rows"));
    EXPECT_THAT(messageOf<UsageError>([&] { read("x.xlsx", ""); }),
                AllOf(HasSubstr(".tsv, .csv, .txt, .exp"), HasSubstr(".h5ad")));
    EXPECT_THAT(messageOf<UsageError>([&] { read("x.npy.gz", ""); }), HasSubstr(".npy"));
}

TEST(ExpressionSizes, OfATableAreReportedWhileItsRowsCome) {
    const TemporaryFolder folder;
    std::string text = "gene\ta\tb\n";
    for (int g = 0; g < 40; ++g) text += "g" + std::to_string(g) + "\t1\t2\n";
    writeFile(folder / "x.tsv", text);
    std::vector<std::size_t> rows;
    ExpressionReading reading;
    reading.sizeKnown = [&](const ExpressionSize& size) {
        rows.push_back(size.genes);
        EXPECT_EQ(size.samples, 2U);
        EXPECT_FALSE(size.isWhole);
        EXPECT_EQ(size.held, static_cast<double>(size.genes - 1) * 2 * sizeof(double));
    };
    EXPECT_EQ(readExpression(folder / "x.tsv", reading).values.rows(), 40U);
    ASSERT_GE(rows.size(), 5U);
    EXPECT_EQ(rows.front(), 1U);
    EXPECT_GT(rows.back(), 30U);
    EXPECT_EQ((ExpressionSize{.genes = 1000, .samples = 2, .isWhole = false}.words(false)),
              "1,000 genes or more in 2 samples");
    EXPECT_EQ((ExpressionSize{.genes = 1000, .samples = 2, .isWhole = false}.words(true)),
              "1,000 genes in 2 samples or more");
}

}  // namespace
}  // namespace glycine::io
