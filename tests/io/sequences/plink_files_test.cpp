// PLINK files, and the chromosomes of species.
#include "engine/io/sequences/plink_files.hpp"
#include "engine/io/sequences/chromosome_set.hpp"
#include "engine/io/sequences/variant_calls.hpp"
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine::io {
namespace {

constexpr GenotypeCode kTwo = GenotypeCode::HomozygousA1;
constexpr GenotypeCode kOne = GenotypeCode::Heterozygous;
constexpr GenotypeCode kNone = GenotypeCode::HomozygousA2;
constexpr GenotypeCode kMissing = GenotypeCode::Missing;

std::string bytes(std::initializer_list<int> values) {
    std::string text;
    for (const int value : values) text += static_cast<char>(value);
    return text;
}

/// Five samples and three variants, made by hand.
class PlinkSet : public ::testing::Test {
  protected:
    void SetUp() override {
        // Genotypes from the low end: 00 11 10 01 | 00, then 11 11 11 11 | 10, then 01 00 00 10 | 11. The
        // padding bits of the last variant are set.
        writeFile(folder_ / "set.bed", bytes({0x6c, 0x1b, 0x01, 0x6c, 0x00, 0xff, 0x02, 0x81, 0xff}));
        writeFile(folder_ / "set.bim", "1 rs1 0 100 A G\nX\trs2\t1.5\t-7\tC\tT\r\n\nchrUn rs3 0 1e+05 0 G");
        writeFile(folder_ / "set.fam",
                  "f1 i1 0 0 1 -9\nf1 i2 0 0 2 1.5\n\nf2 i1 i3 i4 0 NA\r\nf3\ti4 0\t0  0 2 0.5 0.25\nf4 i5 0 "
                  "i1 1 1");
    }
    PlinkFiles open() const {
        return openPlinkFiles(plinkPaths(folder_ / "set.bed"), [](auto, auto&) {});
    }
    std::string refusal() const {
        return messageOf<InputError>([&] { open(); });
    }
    TemporaryFolder folder_;
};

std::vector<GenotypeCode> codes(const PackedGenotypes& genotypes, std::size_t variant) {
    std::vector<GenotypeCode> found;
    for (std::size_t i = 0; i < genotypes.samples; ++i) found.push_back(genotypes.at(variant, i));
    return found;
}

TEST_F(PlinkSet, ReadsGenotypesByHand) {
    const PlinkFiles files = open();
    ASSERT_EQ(files.genotypes.samples, 5U);
    ASSERT_EQ(files.genotypes.variants, 3U);
    EXPECT_EQ(files.genotypes.bytesPerVariant(), 2U);
    EXPECT_THAT(codes(files.genotypes, 0), ElementsAre(kTwo, kNone, kOne, kMissing, kTwo));
    EXPECT_THAT(codes(files.genotypes, 1), ElementsAre(kNone, kNone, kNone, kNone, kOne));
    EXPECT_THAT(codes(files.genotypes, 2), ElementsAre(kMissing, kTwo, kTwo, kOne, kNone));
}

TEST_F(PlinkSet, ReadsSamplesAndVariants) {
    std::vector<PlinkVariant> variants;
    const PlinkFiles files =
        openPlinkFiles(plinkPaths(folder_ / "set"), [&](std::size_t index, const PlinkVariant& variant) {
            EXPECT_EQ(index, variants.size());
            variants.push_back(variant);
        });
    EXPECT_THAT(variants, ElementsAre(PlinkVariant{"1", "rs1", 0, 100, "A", "G"},
                                      PlinkVariant{"X", "rs2", 1.5, -7, "C", "T"},
                                      PlinkVariant{"chrUn", "rs3", 0, 100000, "0", "G"}));
    EXPECT_THAT(files.samples, ElementsAre(PlinkSample{"f1", "i1", "0", "0", "1", "-9"},
                                           PlinkSample{"f1", "i2", "0", "0", "2", "1.5"},
                                           PlinkSample{"f2", "i1", "i3", "i4", "0", "NA"},
                                           PlinkSample{"f3", "i4", "0", "0", "0", "2"},
                                           PlinkSample{"f4", "i5", "0", "i1", "1", "1"}));
    EXPECT_TRUE(files.samples[0].isFounder());
    EXPECT_FALSE(files.samples[2].isFounder());
    EXPECT_FALSE(files.samples[4].isFounder());
}

TEST_F(PlinkSet, GenotypesOutliveTheirFiles) {
    const PackedGenotypes copy = open().genotypes;
    for (const char* name : {"set.bed", "set.bim", "set.fam"}) std::filesystem::remove(folder_ / name);
    EXPECT_EQ(copy.at(2, 3), kOne);
}

TEST_F(PlinkSet, RefusesOtherFilesNamedBed) {
    const std::string good = readFile(folder_ / "set.bed");
    const std::vector<std::pair<std::string, std::string>> cases{
        {bytes({0x6c, 0x1b, 0x00, 0x6c, 0x00}), "individual-major order (it begins 6c 1b 00)"},
        {"chr1\t100\t200\n", "begins with 63 68 72; expected 6c 1b 01"},
        {"", "begins with nothing; expected 6c 1b 01"},
        {bytes({0x6c, 0x1b}), "begins with 6c 1b; expected 6c 1b 01"},
        {bytes({0x1f, 0x8b, 0x08}), "packed by gzip"},
        {good.substr(0, 8),
         "has 8 bytes; expected 3 + 3 × 2 = 9: 3 variants (set.bim) of 2 bytes each for 5 samples (set.fam)"},
        {good + "x", "has 10 bytes; expected 3 + 3 × 2 = 9"},
        {good + "xy", "has 11 bytes; expected"},
        {good.substr(0, 3), "has 3 bytes; expected"},
    };
    for (const auto& [content, message] : cases) {
        writeFile(folder_ / "set.bed", content);
        EXPECT_THAT(refusal(), AllOf(HasSubstr("set.bed: "), HasSubstr(message)));
    }
}

TEST_F(PlinkSet, RefusesBadFam) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"f i 0 0 1\n", "line 1 has 5 columns; expected 6 or more"},
        {"\n  \nf i 0 0 1 -9\nf j\n", "line 4 has 2 columns"},
        {"f i 0 0 1 -9\ng i 0 0 1 -9\nf\ti 0 0 1 -9\n",
         "line 3: the sample 'f i' (family, individual) is already on line 1"},
        {"", "has no samples"},
        {"\n\n", "has no samples"},
    };
    for (const auto& [content, message] : cases) {
        writeFile(folder_ / "set.fam", content);
        EXPECT_THAT(refusal(), AllOf(HasSubstr("set.fam: "), HasSubstr(message)));
    }
}

TEST_F(PlinkSet, RefusesBadBim) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"1 rs1 0 100 A\n", "line 1 has 5 columns; expected 6: chromosome"},
        {"1 rs1 0 1 A G\n1 rs1 0 1 A G x\n", "line 2 has 7 columns"},
        {"1 rs1 0 1 A G\n1 rs1 far 1 A G\n", "line 2: 'far' was found; expected a distance in centimorgans"},
        {"1 rs1 nan 1 A G\n", "line 1: 'nan' was found"},
        {"1 rs1 0 1.5 A G\n", "line 1: '1.5' was found; expected a position in base pairs"},
        {"1 rs1 0 1e300 A G\n", "line 1: '1e300' was found"},
        {"1 rs1 0 12bp A G\n", "line 1: '12bp' was found"},
    };
    for (const auto& [content, message] : cases) {
        writeFile(folder_ / "set.bim", content);
        EXPECT_THAT(refusal(), AllOf(HasSubstr("set.bim: "), HasSubstr(message)));
    }
}

TEST_F(PlinkSet, NamesTheFileThatIsMissing) {
    std::filesystem::remove(folder_ / "set.bim");
    EXPECT_THAT(refusal(), HasSubstr("set.bim: cannot read: No such file"));
    std::filesystem::remove(folder_ / "set.bed");
    EXPECT_THAT(refusal(), HasSubstr("set.bed: cannot read: No such file"));
    std::filesystem::create_directory(folder_ / "set.bed");
    EXPECT_THAT(refusal(), HasSubstr("set.bed: cannot read: it is a folder"));
}

TEST(PlinkPaths, FromTheBedFileOrThePrefix) {
    EXPECT_EQ(plinkPaths("d/a.b.bed").fam, "d/a.b.fam");
    EXPECT_EQ(plinkPaths("d/a.b").bim, "d/a.b.bim");
    EXPECT_EQ(plinkPaths("A.BED").fam, "A.FAM");
}

/// A set of `samples` × `variants` with random copies.
struct RandomSet {
    std::vector<PlinkSample> samples;
    std::vector<std::vector<std::uint8_t>> copies;

    RandomSet(std::size_t sampleCount, std::size_t variants) {
        std::mt19937 random(static_cast<unsigned>(sampleCount));
        for (std::size_t i = 0; i < sampleCount; ++i) samples.push_back({"f" + std::to_string(i), "i"});
        copies.assign(variants, std::vector<std::uint8_t>(sampleCount));
        for (auto& row : copies)
            for (std::uint8_t& value : row) {
                const auto drawn = random() % 4;
                value = drawn == 3 ? kMissingCopies : static_cast<std::uint8_t>(drawn);
            }
    }
    PlinkVariant variant(std::size_t k) const {
        return {std::to_string(k / 10 + 1),
                "v" + std::to_string(k),
                0.25 * static_cast<double>(k),
                static_cast<std::int64_t>(k + 1),
                "A",
                "G"};
    }
    void write(const PlinkPaths& paths) const {
        writePlinkFiles(paths, samples, copies.size(), [&](std::size_t k, std::span<std::uint8_t> row) {
            std::copy(copies[k].begin(), copies[k].end(), row.begin());
            return variant(k);
        });
    }
    static std::uint8_t copiesOf(GenotypeCode code) {
        switch (code) {
            case GenotypeCode::HomozygousA1:
                return 2;
            case GenotypeCode::Heterozygous:
                return 1;
            case GenotypeCode::HomozygousA2:
                return 0;
            case GenotypeCode::Missing:
                break;
        }
        return kMissingCopies;
    }
    void expectEqual(const PackedGenotypes& genotypes) const {
        ASSERT_EQ(genotypes.samples, samples.size());
        ASSERT_EQ(genotypes.variants, copies.size());
        for (std::size_t k = 0; k < copies.size(); ++k)
            for (std::size_t i = 0; i < samples.size(); ++i)
                ASSERT_EQ(copiesOf(genotypes.at(k, i)), copies[k][i]) << "variant " << k << ", sample " << i;
    }
};

TEST(PlinkWrite, IsReadBack) {
    for (std::size_t samples = 1; samples <= 9; ++samples) {
        const TemporaryFolder folder;
        const PlinkPaths paths = plinkPaths(folder / "out");
        const RandomSet set(samples, 7);
        set.write(paths);
        std::size_t variants = 0;
        const PlinkFiles files = openPlinkFiles(paths, [&](std::size_t k, const PlinkVariant& variant) {
            EXPECT_EQ(variant, set.variant(k));
            ++variants;
        });
        EXPECT_EQ(variants, 7U);
        EXPECT_EQ(files.samples, set.samples);
        set.expectEqual(files.genotypes);
        EXPECT_EQ(folder.fileCount(), 3U);
    }
}

TEST(PlinkWrite, LeavesNothingAfterAFailure) {
    const TemporaryFolder folder;
    const PlinkPaths paths = plinkPaths(folder / "out");
    const std::vector<PlinkSample> bad{{"f", "two words"}};
    EXPECT_THAT(messageOf<InputError>([&] { writePlinkFiles(paths, bad, 0, {}); }),
                HasSubstr("out.fam: cannot write 'two words' in line 1"));
    const std::vector<PlinkSample> good{{"f", "i"}};
    EXPECT_THROW(writePlinkFiles(paths, good, 1, [](auto, auto) -> PlinkVariant { throw CancelledError(); }),
                 CancelledError);
    EXPECT_THROW(
        writePlinkFiles(paths, good, 1, [](auto, auto) { return PlinkVariant{"1", "", 0, 1, "A", "G"}; }),
        InputError);
    EXPECT_EQ(folder.fileCount(), 0U);
}

class PlinkProgram : public test::ProgramTest {};

TEST_F(PlinkProgram, ReadsWhatWeWriteAsWeDo) {
    if (const std::string lack = lackOfProgram("plink1.9"); !lack.empty()) GTEST_SKIP() << lack;
    const RandomSet set(37, 50);
    set.write(plinkPaths(folder_ / "out"));
    const test::Outcome plink =
        runProgram("plink1.9", "--bfile out --keep-allele-order --recode vcf --out out"_args);
    ASSERT_EQ(plink.exitCode, 0) << plink.out << plink.err;
    // Allele 1 becomes the alternate allele.
    CallOptions strict;
    strict.strict = true;
    set.expectEqual(readVariantCalls(folder_ / "out.vcf", strict).genotypes);
}

// ---- Chromosomes of species, with PLINK 1.9's names.

TEST(ChromosomeSet, Humans) {
    const ChromosomeSet human;
    EXPECT_EQ(human.describe(), "1 – 22, X (23), Y (24), XY (25), MT (26)");
    EXPECT_EQ(human.leftOut(), "the chromosomes X, Y and MT");
    for (const char* name : {"X", "x", "chrX", "CHRx", "0X", "23", "chr23"})
        EXPECT_EQ(human.role(name), ChromosomeRole::X) << name;
    for (const char* name : {"Y", "24"}) EXPECT_EQ(human.role(name), ChromosomeRole::Y) << name;
    for (const char* name : {"M", "MT", "chrM", "0m", "26"})
        EXPECT_EQ(human.role(name), ChromosomeRole::Mitochondrial) << name;
    for (const char* name :
         {"0", "1", "01", "chr22", "XY", "25", "PAR1", "Un", "0MT", "023", "100", "", "chr"})
        EXPECT_EQ(human.role(name), ChromosomeRole::Autosome) << name;
    for (const char* name : {"27", "chr30", "99"})
        EXPECT_EQ(human.role(name), ChromosomeRole::Absent) << name;
}

TEST(ChromosomeSet, Cattle) {
    const ChromosomeSet cow = ChromosomeSet::ofSpecies("cow");
    EXPECT_EQ(cow.describe(), "1 – 29, X (30), Y (31), MT (33)");
    for (const char* name : {"23", "24", "26", "29", "32"})
        EXPECT_EQ(cow.role(name), ChromosomeRole::Autosome) << name;
    EXPECT_EQ(cow.role("30"), ChromosomeRole::X);
    EXPECT_EQ(cow.role("Y"), ChromosomeRole::Y);
    EXPECT_EQ(cow.role("33"), ChromosomeRole::Mitochondrial);
    EXPECT_EQ(cow.role("34"), ChromosomeRole::Absent);
    EXPECT_EQ(cow.role("XY"), ChromosomeRole::Absent);
}

TEST(ChromosomeSet, SpeciesAreThoseOfPlink) {
    EXPECT_THAT(ChromosomeSet::species(), ElementsAre("cow", "dog", "horse", "mouse", "rice", "sheep"));
    EXPECT_EQ(ChromosomeSet::ofSpecies("human").describe(), ChromosomeSet().describe());
    EXPECT_EQ(ChromosomeSet::ofSpecies("rice").describe(), "1 – 12 (haploid)");
    EXPECT_EQ(ChromosomeSet::ofSpecies("rice").role("3"), ChromosomeRole::Haploid);
    EXPECT_EQ(ChromosomeSet::ofSpecies("rice").role("13"), ChromosomeRole::Absent);
    EXPECT_THAT(messageOf<UsageError>([] { ChromosomeSet::ofSpecies("chimp"); }),
                HasSubstr("unknown species 'chimp'; known: human, cow, dog"));
}

TEST(ChromosomeSet, NumbersOfAutosomes) {
    EXPECT_EQ(ChromosomeSet::parse({"5", "no-x", "no-y", "no-xy", "no-mt"}).describe(), "1 – 5");
    // As PLINK 1.9, which leaves these numbers out; of cattle it takes 32 (see above).
    const ChromosomeSet some = ChromosomeSet::parse({"5", "no-x", "no-xy"});
    for (const char* name : {"6", "chr6", "8", "X", "XY", "10"})
        EXPECT_EQ(some.role(name), ChromosomeRole::Absent) << name;
    EXPECT_EQ(some.role("5"), ChromosomeRole::Autosome);
    EXPECT_EQ(some.role("7"), ChromosomeRole::Y);
    EXPECT_EQ(some.role("9"), ChromosomeRole::Mitochondrial);
    EXPECT_EQ(ChromosomeSet::parse({"5", "no-x"}).role("8"), ChromosomeRole::Autosome);
    EXPECT_EQ(ChromosomeSet::parse({"-3"}).describe(), "1 – 3 (haploid)");
    for (const char* number : {"0", "96", "-96", "", "x", "2.5", "22x"})
        EXPECT_THAT(messageOf<UsageError>([number] { ChromosomeSet::parse({number}); }),
                    HasSubstr("is no number of autosomes from 1 to 95"))
            << number;
    EXPECT_THAT(messageOf<UsageError>([] {
                    ChromosomeSet::parse({"22", "no-z"});
                }),
                HasSubstr("'no-z' was not expected after '22'; known: no-x"));
    EXPECT_THAT(messageOf<UsageError>([] { ChromosomeSet::parse({"-12", "no-x"}); }), HasSubstr("no X, Y"));
}

}  // namespace
}  // namespace glycine::io
