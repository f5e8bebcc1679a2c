// KING-robust kinship: counts and values against plain loops over the genotypes, and the files.
#include "engine/distance/kinship.hpp"

#include "engine/distance/random_data.hpp"
#include "engine/distance/results/distance_files.hpp"
#include "engine/io/text/text_stream.hpp"
#include "tests/distance/distance_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

class Kinship : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        if (BackendRegistry::instance().entries().empty()) registerHostBackends();
    }
};

// Of six attributes in common: one heterozygous in both, one only in the row, two only in the column; two
// opposite homozygotes.
const char* const kColumn = "1021010.";
const char* const kRow = "121020.1";

TEST_F(Kinship, byHand) {
    const SymbolMatrix data = genotypes({kColumn, kRow});
    KinshipTable table;
    const fixtures::Run run = compute("cpu", view(data), {.measure = Measure::King, .kinships = &table});
    ASSERT_EQ(table.pairs.size(), 1U);
    const KinshipPair& pair = table.pairs.front();
    EXPECT_EQ((std::array{pair.row, pair.column, pair.inCommon, pair.hetHet, pair.ibs0, pair.ibs1,
                          pair.ibs2(), pair.hets}),
              (std::array<std::uint32_t, 8>{1, 0, 6, 1, 2, 3, 1, 2}));
    EXPECT_EQ(run(0, 1), 0.5 - (4 * 2 + 3) / (4.0 * 2));
    EXPECT_EQ(run(1, 1), 0.5);
}

TEST_F(Kinship, withoutHeterozygotes) {
    const SymbolMatrix data = genotypes({"0202", "0011", "...."});
    KinshipTable table{.least = 0, .pairs = {}};
    const fixtures::Run run = compute("cpu", view(data), {.measure = Measure::King, .kinships = &table});
    EXPECT_TRUE(std::isnan(run(0, 1)));
    EXPECT_EQ(run.report.undefinedPairs, 3U);
    EXPECT_EQ(table.pairs.size(), 2U);  // 0/0, as in PLINK 2; (0, 1) has -inf
}

/// Every count of a pair, computed from the definitions.
KinshipPair countPlainly(const Matrix<std::uint8_t>& symbols, std::size_t row, std::size_t column) {
    KinshipPair pair{.row = static_cast<std::uint32_t>(row), .column = static_cast<std::uint32_t>(column)};
    std::uint32_t ofRow = 0, ofColumn = 0;
    for (std::size_t k = 0; k < symbols.columns(); ++k) {
        const int a = symbols(row, k), b = symbols(column, k);
        if (a == kMissingSymbol || b == kMissingSymbol) continue;
        ++pair.inCommon;
        pair.hetHet += a == 1 && b == 1;
        pair.ibs0 += std::abs(a - b) == 2;
        pair.ibs1 += std::abs(a - b) == 1;
        ofRow += a == 1;
        ofColumn += b == 1;
    }
    pair.hets = std::min(ofRow, ofColumn);
    return pair;
}

TEST_F(Kinship, countsAreThoseOfPlainLoops) {
    for (const double missing : {0.0, 0.1}) {
        const auto data = randomGenotypes({.instances = 37, .attributes = 203, .missing = missing});
        const Matrix<std::uint8_t> symbols = symbolsOf(*data, {0, 37}, {0, 203});
        for (const std::string backend : {"reference", "cpu"})
            for (const std::size_t tile : {37, 10}) {
                std::vector<KinshipPair> taken, row;
                KinshipTable table;
                table.take = [&](const PairTile& of, const KinshipRow& rowOf) {
                    for (std::size_t r = 0; r < of.rows.size(); ++r) {
                        rowOf(r, row);
                        taken.insert(taken.end(), row.begin(), row.end());
                    }
                };
                const fixtures::Run run = compute(
                    backend, view(*data), {.measure = Measure::King, .tile = tile, .kinships = &table});
                ASSERT_EQ(table.pairs.size(), 37U * 36 / 2);
                EXPECT_EQ(taken, table.pairs);
                for (const KinshipPair& pair : table.pairs) {
                    const KinshipPair expected = countPlainly(symbols, pair.row, pair.column);
                    ASSERT_EQ(pair, expected) << backend << ' ' << pair.row << ' ' << pair.column;
                    ASSERT_EQ(run(pair.row, pair.column), expected.kinship());
                }
            }
    }
}

TEST_F(Kinship, degrees) {
    const std::pair<double, Degree> cases[] = {{0.5, Degree::Duplicate},   {0.354, Degree::Duplicate},
                                               {0.353, Degree::First},     {0.177, Degree::First},
                                               {0.0884, Degree::Second},   {0.0883, Degree::Third},
                                               {0.044, Degree::Unrelated}, {NAN, Degree::Unrelated}};
    for (const auto& [kinship, degree] : cases) EXPECT_EQ(degreeOf(kinship), degree) << kinship;
}

TEST_F(Kinship, refusals) {
    const SymbolMatrix data = genotypes({kColumn, kRow});
    for (const MissingRule rule : {MissingRule::Flat, MissingRule::Weighted})
        EXPECT_THROW(checkMeasure(view(data), {.measure = Measure::King, .missing = rule}), UsageError);
    EXPECT_EQ(resultFormat("x.relatives.tsv", {}, Measure::King), ResultFormat::Relatives);
    EXPECT_EQ(resultFormat("x.relatives.tsv.gz", {}, Measure::King), ResultFormat::Relatives);
    EXPECT_EQ(resultFormat("x.kin0.gz", {}, Measure::King), ResultFormat::Kinship);
    EXPECT_THROW(resultFormat("x.kin0", {}, Measure::Ibs), UsageError);
    EXPECT_THROW(resultFormat("x.dist", {}, Measure::King), UsageError);
    EXPECT_THROW(resultFormat("x.phy", {}, Measure::King), UsageError);
}

/// Passes on the pairs in these tiles.
void writeTable(const std::filesystem::path& path, const std::vector<KinshipPair>& pairs,
                const ResultLabels& labels, bool hasFamilies, const std::vector<PairTile>& tiles,
                double least = -std::numeric_limits<double>::infinity()) {
    KinshipTableFile file(path, labels, hasFamilies, least);
    for (const PairTile& tile : tiles)
        file.add(tile, [&](std::size_t r, std::vector<KinshipPair>& row) {
            row.clear();
            std::ranges::copy_if(pairs, std::back_inserter(row), [&](const KinshipPair& pair) {
                return pair.row == tile.rows.begin + r && pair.column >= tile.columns.begin &&
                       pair.column < tile.columns.end;
            });
        });
    file.commit();
}

TEST_F(Kinship, files) {
    const TemporaryFolder folder;
    const ResultLabels labels{{"a", "b", "c"}, {{"f", "a"}, {"0", "b"}, {"f", "c"}}, Measure::King};
    const std::vector<KinshipPair> pairs{{1, 0, 6, 1, 2, 3, 2}, {2, 0, 3, 0, 1, 0, 0}, {2, 1, 9, 3, 0, 1, 3}};
    const auto written = [&](const char* name, const auto& write) {
        write(folder / name);
        return readFile(folder / name);
    };
    const std::vector<PairTile> whole{{{0, 3}, {0, 3}}};
    const auto table = [&](const std::vector<PairTile>& tiles, double least) {
        return written("x.kin0",
                       [&](const auto& path) { writeTable(path, pairs, labels, true, tiles, least); });
    };
    const std::string head = "#FID1\tIID1\tFID2\tIID2\tNSNP\tHETHET\tIBS0\tKINSHIP\n";
    const std::string unrelated = "0\tb\tf\ta\t6\t0.166667\t0.333333\t-0.875\n";
    const std::string related = "f\tc\t0\tb\t9\t0.333333\t0\t0.416667\n";
    const std::string all = head + unrelated + "f\tc\tf\ta\t3\t0\t0.333333\t-inf\n" + related;
    std::vector<PairTile> tiles = pairs::tilesBelowDiagonal(3, 1);
    EXPECT_EQ(table(whole, -INFINITY), all);
    EXPECT_EQ(table(pairs::tilesBelowDiagonal(3, 2), -INFINITY), all);
    EXPECT_EQ(table(tiles, -0.875), head + unrelated + related);
    std::ranges::reverse(tiles);
    EXPECT_EQ(table(tiles, 0.04), head + related);
    // PLINK 2 writes families of a .fam file also where all are 0.
    const ResultLabels apart{{"a", "b", "c"}, {{"0", "a"}, {"0", "b"}, {"0", "c"}}, Measure::King};
    EXPECT_THAT(written("z.kin0", [&](const auto& path) { writeTable(path, pairs, apart, true, whole); }),
                testing::StartsWith("#FID1\tIID1\tFID2\tIID2\tNSNP\tHETHET\tIBS0\tKINSHIP\n0\tb\t0\ta\t6\t"));
    EXPECT_THAT(written("y.kin0", [&](const auto& path) { writeTable(path, pairs, labels, false, whole); }),
                testing::StartsWith("#IID1\tIID2\tNSNP\tHETHET\tIBS0\tKINSHIP\nb\ta\t6\t"));
    EXPECT_EQ(written("x.tsv", [&](const auto& path) { writeRelatives(path, pairs, labels); }),
              "id1\tid2\tin_common\tibs0\tibs1\tibs2\thet_het\tkinship\tdegree\n"
              "b\tc\t9\t0\t1\t8\t3\t0.416667\tduplicate\n"
              "a\tb\t6\t2\t3\t1\t1\t-0.875\tunrelated\n");
}

TEST_F(Kinship, TableIsTheSameFromTilesInAnyOrder) {
    constexpr std::uint32_t kInstances = 300;  // several pieces of rows
    const TemporaryFolder folder;
    std::vector<KinshipPair> pairs;
    for (std::uint32_t row = 0; row < kInstances; ++row)
        for (std::uint32_t column = 0; column < row; ++column)
            pairs.push_back({row, column, 600, column, row % 7, row % 50, 100});
    ResultLabels labels{{}, {}, Measure::King};
    for (std::uint32_t i = 0; i < kInstances; ++i) {
        labels.names.push_back(std::to_string(i));
        labels.familyIds.emplace_back("0", labels.names.back());
    }
    std::vector<PairTile> tiles = pairs::tilesBelowDiagonal(kInstances, 90);
    writeTable(folder / "many.kin0", pairs, labels, true, {{{0, kInstances}, {0, kInstances}}});
    writeTable(folder / "ordered.kin0", pairs, labels, true, tiles);
    // As devices that share tiles finish them: some in pieces, some early.
    const std::vector<PairTile> pieces = pairs::cutTile(tiles[4], 40);
    tiles.erase(tiles.begin() + 4);
    tiles.insert(tiles.end(), pieces.begin(), pieces.end());
    std::swap(tiles[0], tiles[6]);
    writeTable(folder / "many.kin0.gz", pairs, labels, true, tiles);
    EXPECT_EQ(readFile(folder / "ordered.kin0"), readFile(folder / "many.kin0"));
    EXPECT_LT(std::filesystem::file_size(folder / "many.kin0.gz"),
              std::filesystem::file_size(folder / "many.kin0") / 3);
    const auto unpacked = io::openText(folder / "many.kin0.gz");
    std::string text, piece(1 << 16, '\0');
    for (std::size_t count = 0; (count = unpacked->read(piece)) > 0;) text.append(piece, 0, count);
    EXPECT_EQ(text, readFile(folder / "many.kin0"));
}

}  // namespace
}  // namespace glycine::distance
