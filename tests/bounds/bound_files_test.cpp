#include "engine/bounds/input/bound_files.hpp"
#include "engine/bounds/input/restraint_bounds.hpp"

#include "engine/bounds/number_format.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/arrays/npz.hpp"
#include "tests/test.hpp"

namespace glycine::bounds {
namespace {

/// The next float32 below or above.
float beside(float value, double direction) {
    return std::nextafter(value, static_cast<float>(direction));
}

/// Three atoms: pairs (0,1) and (1,2) known, (0,2) not.
struct Sample {
    Matrix<double> upper{3, 3, 0.0};
    Matrix<double> lower{3, 3, 0.0};
    Sample() {
        setUpper(0, 1, 2.5);
        setUpper(1, 2, 3.25);
        setUpper(0, 2, kInfinity);
        setLower(0, 1, 2.0);
        setLower(1, 2, 3.0);
        setLower(0, 2, 0.5);
    }
    void setUpper(std::size_t i, std::size_t j, double value) { upper(i, j) = upper(j, i) = value; }
    void setLower(std::size_t i, std::size_t j, double value) { lower(i, j) = lower(j, i) = value; }
};

class BoundFiles : public ::testing::Test {
  protected:
    std::filesystem::path write(const Sample& sample) {
        io::NpzWriter writer;
        writer.add("upper", io::npyMatrixSource<double>(sample.upper.view()));
        writer.add("lower", io::npyMatrixSource<double>(sample.lower.view()));
        writer.write(folder / "in.npz");
        return folder / "in.npz";
    }
    BoundSet load(const Sample& sample, NumberFormat format = NumberFormat::Float64) {
        BoundFileOptions options;
        options.format = format;
        return loadBounds(write(sample), options);
    }
    std::string refusal(const Sample& sample, NumberFormat format = NumberFormat::Float64) {
        return messageOf<InputError>([&] { load(sample, format); });
    }
    TemporaryFolder folder;
};

// A file of 4 TB without contents: memory is requested before any of it is read.
TEST_F(BoundFiles, WhatDoesNotFitIntoMemoryIsRefusedWithBothFigures) {
    const std::string description = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000000), }";
    std::string header = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + description;
    header.resize(127, ' ');
    writeFile(folder / "u.npy", header + "\n");
    std::error_code error;
    std::filesystem::resize_file(folder / "u.npy", 128 + std::uintmax_t{4'000'000'000'000}, error);
    if (error) GTEST_SKIP() << "no sparse files of this size: " << error.message();
    EXPECT_THAT(messageOf<MemoryError>([&] { loadBounds(folder / "u.npy", std::nullopt, {}); }),
                AllOf(HasSubstr("smoothing 1000000 atoms needs "), HasSubstr("free")));
}

// No float32 equals 2.1, 3.1 or 0.1 Å.
TEST_F(BoundFiles, NumbersOfTheFileAreRoundedOutward) {
    Sample sample;
    sample.setUpper(0, 1, 2.1);
    sample.setUpper(1, 2, 3.25);
    sample.setLower(1, 2, 3.1);
    sample.setLower(0, 2, 0.1);
    BoundFileOptions options;
    const auto read = [&](Rounding rounding) {
        options.rounding = rounding;
        return loadBounds(write(sample), options);
    };
    BoundSet nearestSet = read(Rounding::Nearest);
    BoundSet outwardSet = read(Rounding::Outward);
    const auto nearest = std::get<BoundMatrices<float>>(nearestSet.matrices());
    const auto outward = std::get<BoundMatrices<float>>(outwardSet.matrices());
    EXPECT_EQ(nearest.upper(0, 1), 2.1F);
    EXPECT_LT(double(nearest.upper(0, 1)), 2.1);  // below: the bound excludes what the file allows
    EXPECT_EQ(outward.upper(0, 1), beside(2.1F, kInfinity));
    EXPECT_GT(double(nearest.lower(0, 2)), 0.1);
    EXPECT_EQ(outward.lower(0, 2), beside(0.1F, -kInfinity));
    EXPECT_LE(double(outward.lower(1, 2)), 3.1);
    EXPECT_EQ(outward.upper(1, 2), 3.25F);  // what a float holds stays
    EXPECT_TRUE(isUnknownUpper(outward.upper(0, 2)));
}

TEST_F(BoundFiles, ReadsInEveryFormat) {
    for (const NumberFormat format : {NumberFormat::Float32, NumberFormat::Float64, NumberFormat::Fixed}) {
        BoundSet set = load(Sample(), format);
        EXPECT_EQ(numberFormat(set.matrices()), format);
        EXPECT_EQ(set.knownPairs, 2U);
        std::visit(
            [](const auto& views) {
                EXPECT_EQ(toAngstrom(views.upper(0, 1)), 2.5);
                EXPECT_EQ(toAngstrom(views.upper(2, 1)), 3.25);
                EXPECT_EQ(views.upper(0, 2), kUnknownUpper<std::remove_cvref_t<decltype(views.upper(0, 2))>>);
                EXPECT_EQ(toAngstrom(views.lower(2, 0)), 0.5);
            },
            set.matrices());
    }
}

TEST_F(BoundFiles, FixedRoundsOutwards) {
    Sample sample;
    sample.setUpper(0, 1, 2.0000001);
    sample.setLower(0, 1, 1.9999999);
    BoundSet set = load(sample, NumberFormat::Fixed);
    const auto views = std::get<BoundMatrices<std::int32_t>>(set.matrices());
    EXPECT_EQ(views.upper(0, 1), 2 * (1 << 20) + 1);
    EXPECT_EQ(views.lower(0, 1), 2 * (1 << 20) - 1);
}

/// The size of a file lies within what was expected before it was written.
void expectSize(const std::filesystem::path& path, bool isTable, BoundSet& set,
                const std::vector<std::string>& names) {
    const storage::ExpectedFile expected = expectedFile(path, isTable, set.matrices(), names);
    const auto size = static_cast<double>(std::filesystem::file_size(path));
    EXPECT_LE(expected.least, size) << path;
    EXPECT_GE(expected.most, size) << path;
    EXPECT_GT(expected.least, 0);
}

TEST_F(BoundFiles, RoundTripOfEveryFormat) {
    for (const NumberFormat format : {NumberFormat::Float32, NumberFormat::Float64, NumberFormat::Fixed}) {
        Sample sample;
        sample.setUpper(0, 1, 2.1);
        BoundSet set = load(sample, format);
        const std::vector<std::string> names{"A/LYS1/N", "A/LYS1/CA", "A/LYS1/C"};
        writeBounds(folder / "out.npz", set.matrices(), names);
        expectSize(folder / "out.npz", false, set, names);
        BoundFileOptions options;
        options.format = format;
        BoundSet back = loadBounds(folder / "out.npz", options);
        EXPECT_EQ(back.atomNames, names);
        std::visit(
            [&](const auto& views) {
                using Views = std::remove_cvref_t<decltype(views)>;
                const auto again = std::get<Views>(back.matrices());
                for (std::size_t i = 0; i < 3; ++i)
                    for (std::size_t j = 0; j < 3; ++j) {
                        EXPECT_EQ(again.upper(i, j), views.upper(i, j));
                        EXPECT_EQ(again.lower(i, j), views.lower(i, j));
                    }
            },
            set.matrices());
    }
}

TEST_F(BoundFiles, WritesInfinityForUnknownAndAngstromForFixed) {
    BoundSet set = load(Sample(), NumberFormat::Fixed);
    writeBounds(folder / "out.npz", set.matrices(), {});
    const io::NpzReader reader(folder / "out.npz");
    const Matrix<double> upper = io::readNpyMatrix<double>(*reader.open("upper"));
    EXPECT_EQ(upper(0, 2), kInfinity);
    EXPECT_EQ(upper(1, 2), 3.25);
    EXPECT_FALSE(reader.contains("atoms"));
}

TEST_F(BoundFiles, NpyPairAndUpperAlone) {
    const Sample sample;
    io::writeNpy<double>(folder / "u.npy", sample.upper.view());
    io::writeNpy<double>(folder / "l.npy", sample.lower.view());
    BoundSet both = loadBounds(folder / "u.npy", folder / "l.npy", {});
    EXPECT_EQ(std::get<BoundMatrices<float>>(both.matrices()).lower(0, 1), 2.0F);
    BoundSet upperOnly = loadBounds(folder / "u.npy", std::nullopt, {});
    EXPECT_EQ(std::get<BoundMatrices<float>>(upperOnly.matrices()).lower(0, 1), 0.0F);
}

TEST_F(BoundFiles, IntegersAreAngstrom) {
    Matrix<std::int32_t> upper(2, 2, 0);
    upper(0, 1) = upper(1, 0) = 5;
    io::writeNpy<std::int32_t>(folder / "u.npy", upper.view());
    BoundSet set = loadBounds(folder / "u.npy", std::nullopt, {});
    EXPECT_EQ(std::get<BoundMatrices<float>>(set.matrices()).upper(0, 1), 5.0F);
    EXPECT_EQ(set.knownPairs, 1U);
}

TEST_F(BoundFiles, TheTighterOfTwoNearlyEqualBoundsIsUsed) {
    Sample sample;
    sample.upper(0, 1) = 2.50005;
    sample.lower(1, 0) = 2.00005;
    BoundSet set = load(sample);
    const auto views = std::get<BoundMatrices<double>>(set.matrices());
    EXPECT_EQ(views.upper(0, 1), 2.5);
    EXPECT_EQ(views.upper(1, 0), 2.5);
    EXPECT_EQ(views.lower(0, 1), 2.00005);
    EXPECT_EQ(views.lower(1, 0), 2.00005);
}

TEST_F(BoundFiles, NegativeZeroBecomesZero) {
    Sample sample;
    sample.setLower(0, 2, -0.0);
    BoundSet set = load(sample);
    EXPECT_FALSE(std::signbit(std::get<BoundMatrices<double>>(set.matrices()).lower(0, 2)));
}

TEST_F(BoundFiles, FiniteDefaultsCountAsUnknown) {
    Matrix<double> upper(4, 4, 30.0);
    for (std::size_t i = 0; i < 4; ++i) upper(i, i) = 0;
    upper(0, 1) = upper(1, 0) = 3;
    io::writeNpy<double>(folder / "u.npy", upper.view());
    EXPECT_EQ(loadBounds(folder / "u.npy", std::nullopt, {}).knownPairs, 1U);
}

TEST_F(BoundFiles, CloneDoesNotFollowChanges) {
    BoundSet set = load(Sample());
    AnyOwnedBounds copy = cloneBounds(set.matrices());
    std::get<BoundMatrices<double>>(set.matrices()).upper(0, 1) = 1;
    EXPECT_EQ(std::get<BoundMatrices<double>>(viewBounds(copy)).upper(0, 1), 2.5);
}

TEST_F(BoundFiles, TableOfPairs) {
    BoundSet set = load(Sample());
    writeBoundsTable(folder / "a.tsv", set.matrices(), {});
    EXPECT_EQ(readFile(folder / "a.tsv"),
              "i\tj\tlower\tupper\n1\t2\t2\t2.5\n1\t3\t0.5\tinf\n2\t3\t3\t3.25\n");
    writeBoundsTable(folder / "b.tsv", set.matrices(), std::vector<std::string>{"N", "CA", "C"});
    EXPECT_THAT(readFile(folder / "b.tsv"),
                HasSubstr("i\tj\tatom_i\tatom_j\tlower\tupper\n1\t2\tN\tCA\t2\t2.5\n"));
    const std::vector<std::string> strange{"N\t1", "C\r\nA", "C,B"};
    writeBoundsTable(folder / "c.tsv", set.matrices(), strange);
    EXPECT_THAT(readFile(folder / "c.tsv"),
                AllOf(HasSubstr("\n1\t2\tN_1\tC__A\t2\t2.5\n"), HasSubstr("\n1\t3\tN_1\tC,B\t0.5\tinf\n")));
    expectSize(folder / "a.tsv", true, set, {});
    writeBoundsTable(folder / "c.csv", set.matrices(), strange, ',');
    expectSize(folder / "c.csv", true, set, strange);
    EXPECT_THAT(readFile(folder / "c.csv"), HasSubstr("\n1,3,\"N\t1\",\"C,B\",0.5,inf\n"));
}

TEST_F(BoundFiles, PanelShowsAngstromAndUnknown) {
    BoundSet set = load(Sample(), NumberFormat::Fixed);
    const std::vector<picture::HeatMapPanel> panels = boundPanels("before", set.matrices(), {});
    ASSERT_EQ(panels.size(), 2U);
    EXPECT_EQ(panels[0].title, "Upper bounds before");
    EXPECT_EQ(panels[0].values(1, 2), 3.25F);
    EXPECT_TRUE(std::isnan(panels[0].values(0, 2)));
    EXPECT_EQ(panels[1].values(0, 2), 0.5F);
    const picture::HeatMapPanel room = differencePanel(set.matrices(), {});
    EXPECT_EQ(room.values(0, 1), 0.5F);
    EXPECT_EQ(room.values(2, 1), 0.25F);
    EXPECT_TRUE(std::isnan(room.values(0, 2)));
    EXPECT_THAT(room.marks, IsEmpty());
}

TEST_F(BoundFiles, AxesOfPanelsCountResiduesOfChains) {
    BoundSet set = load(Sample());
    const auto marksOf = [&](const std::vector<std::string>& atoms) {
        std::vector<std::string> marks;
        for (const picture::AxisMark& mark : differencePanel(set.matrices(), atoms).marks)
            marks.push_back(fmt::format("{}:{}{}", mark.item, mark.text, mark.isBoundary ? "|" : ""));
        return marks;
    };
    EXPECT_THAT(marksOf({"A/GLY4/N", "A/GLY4/CA", "A/ALA-5B/N"}), ElementsAre("0:4", "2:-5"));
    EXPECT_THAT(marksOf({"A/GLY4/N", "A/GLY5/CA", "B/ALA5/N"}), ElementsAre("0:A 4", "1:A 5", "2:B 5|"));
    EXPECT_THAT(marksOf({"GLY4/N", "GLY5/CA", "ALA6/N"}), ElementsAre("0:4", "1:5", "2:6"));
    EXPECT_THAT(marksOf({"N", "CA", "C"}), IsEmpty());
    EXPECT_THAT(marksOf({"A/GLY/N", "A/GLY/CA", "A/GLY/C"}), IsEmpty());
}

TEST_F(BoundFiles, TheLoosestPairsAreOfDifferentResidues) {
    BoundSet set = load(Sample());
    const auto loosest = [&](const std::vector<std::string>& atoms, std::size_t count) {
        std::vector<std::string> pairs;
        for (const Violation& pair : loosestPairs(set.matrices(), atoms, count))
            pairs.push_back(fmt::format("{} {}: {} to {}", pair.i, pair.j, pair.lower, pair.upper));
        return pairs;
    };
    EXPECT_THAT(loosest({}, 2), ElementsAre("0 2: 0.5 to inf", "0 1: 2 to 2.5"));
    EXPECT_THAT(loosest({}, 9), ElementsAre("0 2: 0.5 to inf", "0 1: 2 to 2.5", "1 2: 3 to 3.25"));
    // (0, 2) and (1, 2) are of the same residues.
    EXPECT_THAT(loosest({"A/GLY1/N", "A/GLY1/CA", "A/ALA2/N"}, 9),
                ElementsAre("0 2: 0.5 to inf", "0 1: 2 to 2.5"));
    EXPECT_THAT(loosest({}, 0), IsEmpty());
}

TEST_F(BoundFiles, RefusesNan) {
    Sample sample;
    sample.upper(2, 1) = kNaN;
    EXPECT_THAT(refusal(sample),
                AllOf(HasSubstr("in.npz: member upper.npy: (2, 1) is nan"), HasSubstr("or inf for unknown")));
}

TEST_F(BoundFiles, RefusesInfinityAmongLowerBounds) {
    Sample sample;
    sample.setLower(0, 2, kInfinity);
    EXPECT_THAT(refusal(sample), HasSubstr("member lower.npy: (0, 2) is inf"));
    sample = Sample();
    sample.setUpper(0, 2, -kInfinity);
    EXPECT_THAT(refusal(sample), HasSubstr("member upper.npy: (0, 2) is -inf"));
}

TEST_F(BoundFiles, RefusesNegative) {
    Sample sample;
    sample.setLower(1, 2, -0.25);
    EXPECT_THAT(refusal(sample),
                HasSubstr("member lower.npy: (1, 2) is -0.25; expected a distance in Å, at least 0"));
}

TEST_F(BoundFiles, RefusesAbsurdlyLarge) {
    Sample sample;
    sample.setUpper(0, 1, 1e6);
    EXPECT_THAT(refusal(sample),
                HasSubstr("(0, 1) is 1000000; expected a distance in Å, at least 0 and below 1000000"));
}

TEST_F(BoundFiles, RefusesTooLargeForFixed) {
    Sample sample;
    sample.setUpper(0, 1, 512);
    EXPECT_THAT(refusal(sample, NumberFormat::Fixed),
                HasSubstr("(0, 1) is 512; expected a distance in Å, at least 0 and below 512"));
    EXPECT_EQ(load(sample, NumberFormat::Float32).knownPairs, 2U);
}

TEST_F(BoundFiles, RefusesANonZeroDiagonal) {
    Sample sample;
    sample.upper(1, 1) = 0.5;
    EXPECT_THAT(refusal(sample), HasSubstr("member upper.npy: (1, 1) is 0.5; expected 0 on the diagonal"));
    sample = Sample();
    sample.upper(2, 2) = kInfinity;
    EXPECT_THAT(refusal(sample), HasSubstr("(2, 2) is inf; expected 0 on the diagonal"));
}

TEST_F(BoundFiles, RefusesAsymmetryAndSaysWhere) {
    Sample sample;
    sample.upper(1, 0) = 2.75;
    EXPECT_THAT(refusal(sample),
                AllOf(HasSubstr("member upper.npy: not symmetric: (0, 1) is 2.5, (1, 0) is 2.75"),
                      HasSubstr("at most 0.0001 Å"), HasSubstr("pairs that differ by more: 1")));
    sample = Sample();
    sample.upper(2, 0) = 9;
    EXPECT_THAT(refusal(sample), HasSubstr("(0, 2) is inf, (2, 0) is 9"));
}

TEST_F(BoundFiles, AsymmetryIsThatOfTheFileAndNotOfFloat32) {
    // 5e-5 apart, on both sides of the middle between two numbers of float32.
    Sample sample;
    sample.upper(0, 1) = 52924.46287;
    sample.upper(1, 0) = 52924.46292;
    load(sample, NumberFormat::Float32);
    load(sample, NumberFormat::Float64);
    sample.upper(1, 0) = 52924.48;
    EXPECT_THAT(refusal(sample, NumberFormat::Float32), HasSubstr("not symmetric"));
}

TEST_F(BoundFiles, AsymmetryIsFoundInFarTiles) {
    Matrix<double> upper(100, 100, 1.0);
    for (std::size_t i = 0; i < 100; ++i) upper(i, i) = 0;
    upper(97, 3) = 2;
    upper(98, 60) = 2;
    io::writeNpy<double>(folder / "u.npy", upper.view());
    EXPECT_THAT(messageOf<InputError>([&] { loadBounds(folder / "u.npy", std::nullopt, {}); }),
                AllOf(HasSubstr("(3, 97) is 1, (97, 3) is 2"), HasSubstr("pairs that differ by more: 2")));
}

TEST_F(BoundFiles, RefusesLowerAboveUpperUnlessAllowed) {
    Sample sample;
    sample.setLower(0, 1, 2.75);
    sample.setLower(1, 2, 4.25);
    EXPECT_THAT(refusal(sample), AllOf(HasSubstr("pairs that break it: 2"),
                                       HasSubstr("at worst of pair (1, 2): lower 4.25, upper 3.25")));
    BoundFileOptions options;
    options.allowInconsistent = true;
    EXPECT_THAT(loadBounds(write(sample), options).warnings,
                ElementsAre("2 pairs came in with a lower bound above the upper bound"));
}

TEST_F(BoundFiles, RefusesWrongShapes) {
    const auto refusalOf = [&](std::size_t rows, std::size_t columns) {
        const Matrix<double> upper(rows, columns, 0.0);
        io::writeNpy<double>(folder / "u.npy", upper.view());
        return messageOf<InputError>([&] { loadBounds(folder / "u.npy", std::nullopt, {}); });
    };
    EXPECT_THAT(refusalOf(2, 3),
                AllOf(HasSubstr("u.npy: the shape is (2, 3)"), HasSubstr("expected a square matrix")));
    EXPECT_THAT(refusalOf(0, 0), HasSubstr("u.npy: the matrix is empty"));

    const Matrix<double> two(2, 2, 0.0);
    const Matrix<double> three(3, 3, 0.0);
    io::writeNpy<double>(folder / "u.npy", two.view());
    io::writeNpy<double>(folder / "l.npy", three.view());
    EXPECT_THAT(messageOf<InputError>([&] { loadBounds(folder / "u.npy", folder / "l.npy", {}); }),
                AllOf(HasSubstr("l.npy: 3 x 3"), HasSubstr("u.npy is 2 x 2; expected equal sizes")));
}

TEST_F(BoundFiles, RefusesTruncatedAndForeignFiles) {
    const Sample sample;
    io::writeNpy<double>(folder / "u.npy", sample.upper.view());
    writeFile(folder / "cut.npy", readFile(folder / "u.npy").substr(0, 160));
    EXPECT_THAT(messageOf<InputError>([&] { loadBounds(folder / "cut.npy", std::nullopt, {}); }),
                HasSubstr("cut.npy: truncated: 32 bytes follow the header, which asks for 72"));
    io::NpzWriter writer;
    writer.add("distances", io::npyMatrixSource<double>(sample.upper.view()));
    writer.write(folder / "other.npz");
    EXPECT_THAT(messageOf<InputError>([&] { loadBounds(folder / "other.npz", {}); }),
                HasSubstr("has no array 'upper'; known: distances"));
}

TEST_F(BoundFiles, RefusesNamesOfAnotherNumber) {
    const Sample sample;
    io::NpzWriter writer;
    writer.add("upper", io::npyMatrixSource<double>(sample.upper.view()));
    writer.add("atoms", std::vector<std::string>{"N", "CA"});
    writer.write(folder / "names.npz");
    EXPECT_THAT(messageOf<InputError>([&] { loadBounds(folder / "names.npz", {}); }),
                HasSubstr("2 names for 3 atoms"));
}

TEST_F(BoundFiles, FortranOrderNamesTheRightPlace) {
    // Columns of a 2 × 2 matrix with a NaN at row 1, column 0.
    std::string bytes("\x93NUMPY\x01\x00\x3b\x00", 10);
    std::string text = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2)}";
    text.append(0x3b - 1 - text.size(), ' ');
    bytes += text + "\n";
    const double columns[] = {0, kNaN, 1, 0};
    bytes.append(reinterpret_cast<const char*>(columns), sizeof(columns));
    writeFile(folder / "f.npy", bytes);
    EXPECT_THAT(messageOf<InputError>([&] { loadBounds(folder / "f.npy", std::nullopt, {}); }),
                HasSubstr("f.npy: (1, 0) is nan"));
}

}  // namespace
}  // namespace glycine::bounds
