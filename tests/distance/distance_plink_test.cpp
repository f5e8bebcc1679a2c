// `glycine distance` compared with PLINK 1.9 itself, byte for byte, on real and on awkward genotypes.
#include <zlib.h>

#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

/// Arguments for one result in both programs.
struct Case {
    std::string name;
    std::vector<std::string> plink;    ///< follow --distance
    std::vector<std::string> glycine;  ///< follow the input
    std::string ending;                ///< of the file that both write
};

void PrintTo(const Case& one, std::ostream* out) {
    *out << one.name;
}

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        {"triangle", {}, "--measure plink"_args, ".dist"},
        {"square", {"square"}, "--measure plink --shape square"_args, ".dist"},
        {"square0", {"square0"}, "--measure plink --shape square0"_args, ".dist"},
        {"flat", {"flat-missing"}, "--measure plink --missing flat"_args, ".dist"},
        {"ibs", {"ibs"}, "--measure ibs"_args, ".mibs"},
        {"ibs_flat_square",
         {"square", "ibs", "flat-missing"},
         "--measure ibs --missing flat --shape square"_args,
         ".mibs"},
        {"one_minus_ibs", {"1-ibs"}, "--measure 1-ibs"_args, ".mdist"},
        {"binary", {"bin"}, "--measure plink"_args, ".dist.bin"},
        {"binary_triangle", {"bin", "triangle"}, "--measure plink --shape triangle"_args, ".dist.bin"},
        // Not the square: in that file alone, PLINK 1.9 repeats the left neighbour on the diagonal.
        {"binary_float",
         {"bin4", "triangle"},
         "--measure plink --dtype float32 --shape triangle"_args,
         ".dist.bin"},
        {"binary_ibs", {"bin", "1-ibs"}, "--measure 1-ibs"_args, ".mdist.bin"},
    };
    return all;
}

class PlinkGolden : public test::ProgramTest, public ::testing::WithParamInterface<Case> {
  protected:
    void SetUp() override {
        if (const std::string lack = lackOfProgram("plink1.9"); !lack.empty()) GTEST_SKIP() << lack;
    }

    /// Runs both programs on PREFIX.bed and compares their outputs. `species`: options for both.
    void compare(const std::string& prefix, const std::vector<std::string>& species = {}) {
        compare({"--bfile", prefix}, prefix + ".bed", species);
    }
    void compare(std::vector<std::string> plink, const std::string& input,
                 const std::vector<std::string>& species) {
        const Case& test = GetParam();
        plink.emplace_back("--distance");
        plink.insert(plink.end(), test.plink.begin(), test.plink.end());
        plink.insert(plink.end(), {"--allow-no-sex", "--out", "theirs"});
        plink.insert(plink.end(), species.begin(), species.end());
        const Outcome theirs = runProgram("plink1.9", plink);
        ASSERT_EQ(theirs.exitCode, 0) << theirs.err << theirs.out;
        for (const std::string tile : {"1000", "50"}) {
            std::vector<std::string> arguments{"distance", input};
            arguments.insert(arguments.end(), test.glycine.begin(), test.glycine.end());
            arguments.insert(arguments.end(), species.begin(), species.end());
            arguments.insert(arguments.end(),
                             {"--backend", "cpu", "--tile", tile, "-o", "ours" + test.ending});
            const Outcome ours = succeed(arguments);
            EXPECT_TRUE(readFile(folder_ / ("ours" + test.ending)) ==
                        readFile(folder_ / ("theirs" + test.ending)))
                << "tiles of " << tile;
        }
        std::string ids = test.ending.substr(0, test.ending.find(".bin")) + ".id";
        if (!fs::exists(folder_ / ("theirs" + ids))) ids = test.ending + ".id";
        EXPECT_EQ(readFile(folder_ / ("ours" + ids)), readFile(folder_ / ("theirs" + ids)));
    }
};

/// Decompresses a gzip file.
void unzip(const fs::path& from, const fs::path& to) {
    gzFile file = gzopen(from.c_str(), "rb");
    ASSERT_NE(file, nullptr);
    std::ofstream out(to, std::ios::binary);
    char buffer[1 << 16];
    for (int count = 0; (count = gzread(file, buffer, sizeof buffer)) > 0;) out.write(buffer, count);
    gzclose(file);
}

TEST_P(PlinkGolden, thousandGenomes) {
    if (const std::string lack = lackOfPackage("bio-eagle-examples"); !lack.empty()) GTEST_SKIP() << lack;
    const fs::path examples = packagedFile("bio-eagle-examples", "usr/share/doc/bio-eagle/examples");
    for (const std::string ending : {".bed", ".bim", ".fam"})
        unzip(examples / ("EUR_test" + ending + ".gz"), folder_ / ("eur" + ending));
    compare("eur");
}

constexpr unsigned kSamples = 101;
constexpr unsigned kVariants = 613;

/// 101 samples, some not founders, × 613 variants, including single-allele and all-missing ones. The variants
/// are on these chromosomes.
void writeAwkwardGenotypes(const TemporaryFolder& folder, const std::vector<std::string>& chromosomes) {
    std::mt19937 random(7);
    std::string bed("\x6c\x1b\x01", 3);
    std::string bim, fam;
    for (unsigned v = 0; v < kVariants; ++v) {
        const unsigned kind = v % 17;
        const double frequency = kind == 3 ? 0 : kind == 5 ? 1 : (random() % 1000) / 1000.0;
        std::string bytes((kSamples + 3) / 4, '\0');
        for (unsigned s = 0; s < kSamples; ++s) {
            const auto allele = [&] { return (random() % 100000) / 100000.0 < frequency ? 1U : 0U; };
            const unsigned copies = allele() + allele();
            unsigned code = copies == 2 ? 0U : copies == 1 ? 2U : 3U;
            if (kind == 7 || random() % 20 == 0 || (kind == 11 && s < 60)) code = 1;
            bytes[s / 4] = static_cast<char>(static_cast<unsigned char>(bytes[s / 4]) | code << (s % 4 * 2));
        }
        bed += bytes;
        // PLINK requires the variants of a chromosome to be contiguous.
        const std::string& chromosome = chromosomes[v * chromosomes.size() / kVariants];
        bim += chromosome + "\tv" + std::to_string(v) + "\t0\t" + std::to_string(v + 1) + "\tA\tG\n";
    }
    for (unsigned s = 0; s < kSamples; ++s)
        fam += "f" + std::to_string(s / 3) + " i" + std::to_string(s) + (s % 5 == 4 ? " pa ma" : " 0 0") +
               (s % 2 == 0 ? " 1" : " 2") + " -9\n";
    writeFile(folder / "odd.bed", bed);
    writeFile(folder / "odd.bim", bim);
    writeFile(folder / "odd.fam", fam);
}

/// 23 to 26 are X, Y, XY and MT.
TEST_P(PlinkGolden, awkwardGenotypes) {
    writeAwkwardGenotypes(folder_, {"0", "4", "11", "22", "23", "24", "25", "26"});
    compare("odd");
}

/// The table of PLINK 2, for awkward genotypes and for selected pairs.
class Plink2Golden : public test::ProgramTest {};

TEST_F(Plink2Golden, kinshipTable) {
    if (const std::string lack = lackOfProgram("plink2"); !lack.empty()) GTEST_SKIP() << lack;
    writeAwkwardGenotypes(folder_, {"0", "4", "11", "22", "23", "24", "25", "26"});
    for (const std::string least : {"", "-0.1"}) {
        auto theirs = "--bfile odd --make-king-table --out theirs"_args;
        auto ours = "distance odd.bed --measure king --backend cpu --tile 30 -o ours.kin0"_args;
        if (!least.empty()) {
            theirs.insert(theirs.end(), {"--king-table-filter", least});
            ours.insert(ours.end(), {"--min-kinship", least});
        }
        ASSERT_EQ(runProgram("plink2", theirs).exitCode, 0);
        succeed(ours);
        EXPECT_EQ(readFile(folder_ / "ours.kin0"), readFile(folder_ / "theirs.kin0")) << least;
    }
}

/// Relationships over the variants that PLINK's filters keep. Without a filter, a variant with a single
/// allele among founders and another one in their child makes PLINK 1.9 write inf.
TEST_F(Plink2Golden, relationships) {
    if (const std::string lack = lackOfProgram("plink1.9"); !lack.empty()) GTEST_SKIP() << lack;
    writeAwkwardGenotypes(folder_, {"0", "4", "11", "22", "23", "24", "25", "26"});
    std::string list;
    for (unsigned v = 0; v < kVariants; v += 3) list += "v" + std::to_string(v) + "\n";
    writeFile(folder_ / "list", list);
    for (const std::string filters :
         {"--maf 0.001", "--maf 0.1", "--geno 0.06", "--maf 0.3 --geno 0.5 --extract list"}) {
        SCOPED_TRACE(filters);
        for (const std::string made : {"--make-rel ", "--make-grm-bin "})
            ASSERT_EQ(
                runProgram("plink1.9", argumentsOf("--bfile odd --out theirs " + made + filters)).exitCode,
                0);
        succeed(argumentsOf(
            "distance odd.bed --measure grm --backend cpu --tile 30 -o ours.rel -o ours.grm.bin " + filters));
        for (const std::string ending : {".rel", ".rel.id", ".grm.bin", ".grm.N.bin", ".grm.id"})
            EXPECT_TRUE(readFile(folder_ / ("ours" + ending)) == readFile(folder_ / ("theirs" + ending)))
                << ending;
    }
}

/// Without founders, PLINK 2 refuses relationships unless --nonfounders is given.
TEST_F(Plink2Golden, relationshipsWithoutFounders) {
    if (const std::string lack = lackOfProgram("plink1.9"); !lack.empty()) GTEST_SKIP() << lack;
    writeAwkwardGenotypes(folder_, {"1", "2"});
    std::string fam;
    for (unsigned s = 0; s < kSamples; ++s) fam += "f i" + std::to_string(s) + " pa ma 1 -9\n";
    writeFile(folder_ / "odd.fam", fam);
    ASSERT_EQ(
        runProgram("plink1.9", "--bfile odd --out theirs --make-rel --nonfounders --geno 0.06"_args).exitCode,
        0);
    EXPECT_THAT(
        succeed("distance odd.bed --measure grm --backend cpu --geno 0.06 --maf 0.1 -o ours.rel"_args).out,
        AllOf(HasSubstr("no founders: allele frequencies are those of all samples"),
              HasSubstr("--maf left out 0 variants: there are no founders")));
    EXPECT_TRUE(readFile(folder_ / "ours.rel") == readFile(folder_ / "theirs.rel"));
}

/// PLINK's sums depend on its BLAS, so values agree but for rounding. Identifiers have no header line, as
/// with `--no-id-header`.
TEST_F(Plink2Golden, binaryRelationships) {
    if (const std::string lack = lackOfProgram("plink2"); !lack.empty()) GTEST_SKIP() << lack;
    writeAwkwardGenotypes(folder_, {"0", "4", "11", "22", "23", "24", "25", "26"});
    const auto expectNear = [&](auto zero, double tolerance) {
        using Number = decltype(zero);
        const std::string ours = readFile(folder_ / "ours.rel.bin");
        const std::string theirs = readFile(folder_ / "theirs.rel.bin");
        ASSERT_EQ(ours.size(), theirs.size());
        for (std::size_t at = 0; at < ours.size(); at += sizeof(Number)) {
            Number one = zero, other = zero;
            std::memcpy(&one, ours.data() + at, sizeof one);
            std::memcpy(&other, theirs.data() + at, sizeof other);
            ASSERT_NEAR(one, other, tolerance) << "number " << at / sizeof(Number);
        }
        EXPECT_EQ(readFile(folder_ / "ours.rel.id"), readFile(folder_ / "theirs.rel.id"));
    };
    for (const std::string shape : {"", "square", "square0", "triangle"})
        for (const bool isSingle : {false, true}) {
            SCOPED_TRACE(shape + (isSingle ? " bin4" : " bin"));
            const Outcome theirs =
                runProgram("plink2", argumentsOf("--bfile odd --maf 0.001 --out theirs --make-rel " + shape +
                                                 (isSingle ? " bin4" : " bin") + " --no-id-header"));
            ASSERT_EQ(theirs.exitCode, 0) << theirs.err << theirs.out;
            succeed(argumentsOf(
                "distance odd.bed --measure grm --maf 0.001 --backend cpu --tile 30 "
                "-o ours.rel.bin" +
                (shape.empty() ? "" : " --shape " + shape) + (isSingle ? " --dtype float32" : "")));
            if (isSingle)
                expectNear(0.0F, 1e-6);
            else
                expectNear(0.0, 1e-13);
        }
}

/// 24 is an autosome, 30, 31 and 33 are X, Y and MT.
TEST_P(PlinkGolden, cattle) {
    writeAwkwardGenotypes(folder_, {"1", "23", "24", "26", "29", "30", "31", "33"});
    compare("odd", {"--cow"});
}

TEST_P(PlinkGolden, thirtyThreeAutosomes) {
    writeAwkwardGenotypes(folder_, {"1", "24", "28", "33", "34", "35", "36", "37"});
    compare("odd", "--chr-set 33"_args);
}

/// Males have one call on X and Y.
TEST_P(PlinkGolden, variantCalls) {
    std::mt19937 random(23);
    std::string text =
        "##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
        "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
    for (unsigned s = 0; s < kSamples; ++s) text += "\ti" + std::to_string(s);
    unsigned variant = 0;
    for (const std::string& chromosome : std::vector<std::string>{"1", "chr7", "22", "X", "Y", "XY", "MT"})
        for (unsigned k = 0; k < 60; ++k) {
            ++variant;
            text += "\n" + chromosome + "\t" + std::to_string(variant) + "\tv" + std::to_string(variant) +
                    "\tA\tC\t.\t.\t.\tGT";
            const unsigned frequency = 5 + random() % 90;
            const auto allele = [&] { return random() % 100 < frequency ? "1" : "0"; };
            for (unsigned s = 0; s < kSamples; ++s) {
                const bool isHaploid = chromosome.size() <= 2 && chromosome != "22" && chromosome != "1" &&
                                       chromosome != "XY" && s % 2 == 0;
                text += std::string("\t");
                if (random() % 20 == 0)
                    text += isHaploid ? "." : "./.";
                else
                    text += isHaploid ? std::string(allele()) : std::string(allele()) + "/" + allele();
            }
        }
    writeFile(folder_ / "calls.vcf", text + "\n");
    compare("--vcf calls.vcf --double-id"_args, "calls.vcf", {});
}

INSTANTIATE_TEST_SUITE_P(distance, PlinkGolden, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace glycine
