// `glycine distance`: which files and options it accepts together, and what it reports about what it leaves
// out.
#include <cctype>

#include "engine/io/text/byte_source.hpp"
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

const std::string kHeader =
    "##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";

/// An alignment: names and rows of letters.
struct Alignment {
    std::vector<std::string> names;
    std::vector<std::string> rows;

    std::string fasta() const {
        std::string text;
        for (std::size_t i = 0; i < names.size(); ++i) text += ">" + names[i] + "\n" + rows[i] + "\n";
        return text;
    }
    /// The columns with more than one nucleotide as haploid calls, as snp-sites writes them: the first
    /// sequence is the reference, and gaps and N are the allele *.
    std::string vcf(std::size_t* multiAllelic = nullptr) const {
        std::string text = kHeader;
        for (const std::string& name : names) text += "\t" + name;
        text += "\n";
        for (std::size_t k = 0; k < rows[0].size(); ++k) {
            std::string alleles, calls;
            bool hasGap = false;
            for (const std::string& row : rows)
                if (isBase(row[k]) && alleles.find(row[k]) == std::string::npos) alleles += row[k];
            if (alleles.size() < 2) continue;
            if (multiAllelic != nullptr && alleles.size() > 2) ++*multiAllelic;
            for (const std::string& row : rows) {
                hasGap = hasGap || !isBase(row[k]);
                calls += "\t" + std::to_string(isBase(row[k]) ? alleles.find(row[k]) : alleles.size());
            }
            text += "1\t" + std::to_string(k + 1) + "\t.\t" + alleles[0] + "\t";
            for (std::size_t a = 1; a < alleles.size(); ++a)
                text += (a > 1 ? "," : "") + alleles.substr(a, 1);
            text += (hasGap ? ",*" : "") + std::string("\t.\t.\t.\tGT") + calls + "\n";
        }
        return text;
    }

  private:
    static bool isBase(char letter) { return std::string("ACGT").find(letter) != std::string::npos; }
};

class DistanceOptionsTest : public test::ProgramTest {
  protected:
    /// Runs `glycine distance` on the processor with one .tsv output; returns its contents.
    std::string distances(const std::string& input, std::vector<std::string> options = {}) const {
        options.insert(options.begin(), {"distance", input, "-o", "out.tsv"});
        if (std::find(options.begin(), options.end(), "--backend") == options.end())
            options.insert(options.end(), {"--backend", "cpu"});
        succeed(options);
        return readFile(folder_ / "out.tsv");
    }
    void expectSame(const Alignment& alignment) const {
        std::size_t multiAllelic = 0;
        writeFile(folder_ / "a.fa", alignment.fasta());
        writeFile(folder_ / "a.vcf", alignment.vcf(&multiAllelic));
        ASSERT_GT(multiAllelic, 0U);
        EXPECT_TRUE(distances("a.vcf") == distances("a.fa"));
        const Outcome left = succeed("distance a.vcf -o out.npy --measure allele --backend cpu"_args);
        EXPECT_THAT(left.out, StartsWith("Left out "));
        EXPECT_THAT(left.out, HasSubstr(": more than two alleles (mismatch and proportion compare them)"));
    }
};

TEST_F(DistanceOptionsTest, CallsOfAnAlignmentAreAsFarApartAsItsSequences) {
    Alignment alignment;
    std::mt19937 random(11);
    std::string ancestor;
    for (int k = 0; k < 700; ++k) ancestor += "ACGT"[random() % 4];
    for (int i = 0; i < 40; ++i) {
        alignment.names.push_back("s" + std::to_string(i));
        alignment.rows.push_back(ancestor);
        for (char& letter : alignment.rows.back()) {
            if (random() % 12 == 0) letter = "ACGT"[random() % 4];
            if (random() % 50 == 0) letter = "-N"[random() % 2];
        }
    }
    expectSame(alignment);
}

TEST_F(DistanceOptionsTest, CallsOfAnOutbreakAreAsFarApartAsItsSequences) {
    const std::string name = "snp/fastbaps_seqs.fa.gz";
    if (const std::string lack = lackOfData(name); !lack.empty()) GTEST_SKIP() << lack;
    const std::filesystem::path file = sharedData(name);
    Alignment alignment;
    std::istringstream text(io::readText(file));
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with('>')) {
            alignment.names.push_back(line.substr(1, line.find_first_of(" \t\r") - 1));
            alignment.rows.emplace_back();
        } else {
            for (const char c : line)
                if (c != '\r') alignment.rows.back() += static_cast<char>(std::toupper(c));
        }
    }
    ASSERT_EQ(alignment.rows.size(), 515U);
    expectSame(alignment);
}

TEST_F(DistanceOptionsTest, LeftOutSitesComeFirst) {
    writeFile(folder_ / "a.vcf", kHeader + "\ta\tb\n1\t1\t.\tA\tC\t.\t.\t.\tGT\t0/0\t1/1\n" +
                                     "1\t2\t.\tA\tC,G\t.\t.\t.\tGT\t0/1\t0/2\n" +
                                     "1\t3\t.\tA\tC,G\t.\t.\t.\tGT\t1/2\t2/1\n" +
                                     "1\t4\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0/1\n");
    auto arguments = "distance a.vcf -o o.npy --backend cpu --measure ibs"_args;
    EXPECT_THAT(run(arguments).out, StartsWith("Left out   2 of 4 sites (50 %): more than two alleles"));
    arguments.emplace_back("--json");
    const auto left = run(arguments).json()["leftOut"];
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left[0]["sites"], 2);
    EXPECT_EQ(left[0]["of"], 4);
    EXPECT_EQ(left[0]["share"], 0.5);
    arguments.emplace_back("--strict");
    expectRefused(arguments, "a.vcf: record 2 (1:2) has 2 alternate alleles (C,G); expected one");

    // All four are compared: the second site differs, the third does not.
    EXPECT_THAT(distances("a.vcf"), HasSubstr("\na\t0\t3\n"));
    EXPECT_THAT(distances("a.vcf", "--measure proportion"_args), HasSubstr("\na\t0\t0.75\n"));
    arguments = "distance a.vcf -o o.npy --backend cpu --strict --json"_args;
    EXPECT_FALSE(run(arguments).json().contains("leftOut"));
}

/// Every third site has up to `most` alleles, the others two.
std::string callsOfManyAlleles(unsigned most, bool isHaploid) {
    constexpr int kSamples = 33, kSites = 300;
    std::mt19937 random(5);
    std::string text = kHeader;
    for (int i = 0; i < kSamples; ++i) text += fmt::format("\ts{}", i);
    for (int k = 0; k < kSites; ++k) {
        const unsigned alleles = k % 3 == 0 ? most : 2;
        text += fmt::format("\n1\t{}\t.\tA\t", k + 1);
        for (unsigned a = 1; a < alleles; ++a) text += std::string(a > 1 ? "," : "") + std::string(a, 'C');
        text += "\t.\t.\t.\tGT";
        for (int i = 0; i < kSamples; ++i) {
            const unsigned first = random() % alleles, second = isHaploid ? first : random() % alleles;
            text += random() % 15 == 0 ? std::string("\t./.") : fmt::format("\t{}/{}", first, second);
        }
    }
    return text + "\n";
}

TEST_F(DistanceOptionsTest, EveryBackendComparesSymbolSitesAlike) {
    // Symbols of two planes, which tensor cores support, and of more.
    for (const auto& [most, isHaploid] : {std::pair{3U, true}, std::pair{6U, false}, std::pair{22U, false}}) {
        writeFile(folder_ / "a.vcf", callsOfManyAlleles(most, isHaploid));
        const std::string expected = distances("a.vcf", "--backend reference"_args);
        EXPECT_EQ(distances("a.vcf"), expected);
        for (const std::string backend : {"gl", "cuda"}) {
            const Outcome outcome = run({"distance", "a.vcf", "-o", backend + ".tsv", "--backend", backend});
            if (outcome.exitCode == 0) {
                EXPECT_EQ(readFile(folder_ / (backend + ".tsv")), expected) << backend << ", " << most;
            } else {
                EXPECT_THAT(outcome.err, HasSubstr("the backend " + backend + " is not available"));
            }
        }
    }
}

TEST_F(DistanceOptionsTest, OptionsThatTheInputDoesNotReadAreRefused) {
    succeed("generate genotypes --instances 4 --attributes 9 -o g.bed"_args);
    succeed("generate genotypes --instances 4 --attributes 9 -o g.npy"_args);
    writeFile(folder_ / "s.fa", ">a\nACGT\n>b\nACGA\n");
    writeFile(folder_ / "c.csv", "1.5,2.5\n0.5,1\n");
    writeFile(folder_ / "v.vcf", kHeader + "\ta\tb\n1\t1\t.\tA\tC\t.\t.\t.\tGT\t0/0\t1/1\n");
    struct Case {
        std::string input;
        std::vector<std::string> options;
        std::string message;
    };
    const std::vector<Case> cases{
        {"g.bed", "--gaps state"_args,
         "--gaps is for sequences, and VCF with mismatch or proportion; g.bed is a PLINK set"},
        {"g.bed", "--ambiguous missing"_args, "--ambiguous is for sequences; g.bed is a PLINK set"},
        {"g.bed", "--header yes"_args, "--header is for tables; g.bed is a PLINK set"},
        {"g", "--header auto"_args, "--header is for tables; g is a PLINK set"},
        {"g.bed", {"--transpose"}, "--transpose is for tables and .npy; g.bed is a PLINK set"},
        {"g.bed", {"--strict"}, "--strict is for VCF and BCF; g.bed is a PLINK set"},
        {"g.npy", "--header no"_args, "--header is for tables; g.npy is an .npy file"},
        {"g.npy", "--chromosomes all"_args, "--chromosomes is for .bed files and VCF; g.npy is an .npy file"},
        {"c.csv", "--gaps state"_args, "--gaps is for sequences, and VCF"},
        {"c.csv", "--missing flat"_args,
         "--missing is for genotypes and sequences; coordinates have no missing"},
        {"s.fa", "--chr-set 29"_args, "--chr-set is for .bed files and VCF; s.fa is an alignment"},
        {"s.fa", {"--cow"}, "--cow is for .bed files and VCF; s.fa is an alignment"},
        {"s.fa", {"--transpose"}, "--transpose is for tables and .npy; s.fa is an alignment"},
        {"v.vcf", "--gaps state --measure allele"_args, "--gaps is for sequences, and VCF with mismatch"},
        {"v.vcf", "--ambiguous state"_args, "--ambiguous is for sequences; v.vcf is a VCF or BCF file"},
        {"v.vcf", {"--cow"}, "--cow is for --chromosomes autosomes; this run takes all chromosomes"},
        {"g.bed", "--chr-set 29 --chromosomes all --measure plink"_args,
         "--chr-set is for --chromosomes autosomes"},
        {"g.bed", "--min-kinship 0.1"_args, "--min-kinship is for .kin0 and .relatives.tsv files"},
        {"g.bed", "--clusters 3 --measure ibs"_args, "--clusters needs a distance; 'ibs' is a similarity"},
        {"g.bed", "--keep none.txt"_args, "none.txt"},
        {"g.bed", "--cow --dog --measure ibs"_args, "--cow and --dog both name a species; give one"},
        {"g.bed", "--chr-set 29 --cow --measure ibs"_args, "--chr-set and --cow both name a species"},
        {"g.bed", "--chr-set 96 --measure ibs"_args, "--chr-set: '96' is no number of autosomes"},
        {"g.bed", "--order cluster"_args, "--order is that of a heat map"},
        {"g.bed", "--max-distance 3"_args, "--max-distance needs --molten"},
        {"g.bed", "--molten --max-distance nan"_args, "--max-distance: 'nan' is not a finite number"},
        {"g.bed", "--molten --max-distance -1"_args, "--max-distance: '-1' is not a number of at least 0"},
    };
    for (const Case& one : cases) {
        std::vector<std::string> arguments{"distance", one.input, "-o", "out.tsv"};
        arguments.insert(arguments.end(), one.options.begin(), one.options.end());
        expectRefused(arguments, one.message);
    }
    // And those that are accepted.
    for (const auto& [input, options] : std::vector<std::pair<std::string, std::vector<std::string>>>{
             {"s.fa", "--gaps state --ambiguous state"_args},
             {"v.vcf", "--gaps state --strict --chromosomes autosomes --mouse"_args},
             {"g.bed", "--measure 1-ibs --chr-set 3,no-x"_args},
             {"g.npy", "--transpose --data genotypes"_args},
             {"c.csv", "--header no --transpose"_args}})
        EXPECT_NE(distances(input, options), "") << input;
}

TEST_F(DistanceOptionsTest, AFileThatIsCutShortMeanwhileIsRefused) {
    // The names are unique, so that opening a truncated set detects it only by its size.
    succeed("generate genotypes --instances 3000 --attributes 60000 -o g.bed"_args);
    const pid_t child =
        start("distance g.bed -o out.npy --backend cpu --threads 1 --tile 100 --measure allele"_args,
              stopAtEntry(1, ":pause"));
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
    ASSERT_TRUE(WIFSTOPPED(status));
    std::filesystem::resize_file(folder_ / "g.bed", 1000);
    kill(child, SIGCONT);
    const Outcome outcome = finish(child);
    EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("g.bed: was changed or cut short while it was read"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out.npy"));
}

}  // namespace
}  // namespace glycine
