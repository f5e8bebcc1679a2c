#include "engine/distance/input/input_data.hpp"

#include <random>

#include "engine/distance/input/genotype_files.hpp"
#include "engine/storage/content_hash.hpp"
#include "tests/distance/distance_input_fixtures.hpp"

namespace glycine::distance {
namespace {

/// One string per instance: symbols as digits and letters, '.' for missing.
std::vector<std::string> symbols(const DataSet& data) {
    const DiscreteShape& shape = data.discrete->shape();
    Matrix<std::uint8_t> found(shape.instances, shape.attributes);
    data.discrete->readSymbols({0, shape.instances}, {0, shape.attributes}, found.view());
    std::vector<std::string> rows(shape.instances);
    for (std::size_t i = 0; i < shape.instances; ++i)
        for (std::size_t k = 0; k < shape.attributes; ++k)
            rows[i] +=
                found(i, k) == kMissingSymbol ? '.' : "0123456789abcdefghijklmnopqrstuvwxyz"[found(i, k)];
    return rows;
}

TEST(DistanceInputNames, KindsAndRules) {
    for (const char* name : {"auto", "genotypes", "dna", "protein", "coordinates"})
        EXPECT_EQ(toString(fromString<DataKind>(name)), name);
    EXPECT_THAT(messageOf<UsageError>([] { fromString<DataKind>("rna"); }),
                HasSubstr("genotypes, dna, protein"));
    EXPECT_EQ(fromString<LetterRule>("missing"), LetterRule::Missing);
    EXPECT_EQ(fromString<LetterRule>("state"), LetterRule::State);
    EXPECT_THROW(fromString<LetterRule>("ignore"), UsageError);
}

TEST_F(DistanceInput, KindsOfFiles) {
    for (const char* name :
         {"a.bed", "a.vcf", "a.vcf.gz", "a.bcf", "x/a.fa", "a.fasta.gz", "a.fas", "a.b.fna", "a.faa", "a.aln",
          "a.afa.gz", "a.npy", "a.csv", "a.tsv.gz", "a.txt", "A.CSV", "a.vcf.bgz", "a.fa.bgz", "a.csv.BGZ"})
        EXPECT_NO_THROW(inputFamily(name)) << name;
    for (const char* name :
         {"a.npz", "a", "a.npy.gz", "a.bcf.gz", "a.fastq", "csv", "a.gz", "a.bgz", "a.npy.bgz"})
        EXPECT_THAT(messageOf<UsageError>([&] { inputFamily(name); }),
                    AllOf(HasSubstr(name), HasSubstr(".bed"), HasSubstr(".npy")));
    EXPECT_THAT(messageOf<UsageError>([] { inputFamily("a.bed.gz"); }), HasSubstr("gunzip"));
    EXPECT_THAT(messageOf<UsageError>([] { inputFamily("a.fam"); }), HasSubstr("expected the .bed file"));
    writePlink({"1"});
    EXPECT_NO_THROW(inputFamily(folder_ / "set"));
    EXPECT_THAT(inputFiles(folder_ / "set"),
                ElementsAre(folder_ / "set.bed", folder_ / "set.bim", folder_ / "set.fam"));
    EXPECT_EQ(inputFiles(folder_ / "set.bed"), inputFiles(folder_ / "set"));
    EXPECT_THAT(inputFiles("a.csv"), ElementsAre("a.csv"));
}

TEST_F(DistanceInput, PlinkSet) {
    writePlink({"1", "X", "2"});
    for (const char* name : {"set", "set.bed"}) {
        const DataSet data = read(name);
        EXPECT_EQ(data.kind, DataKind::Genotypes);
        EXPECT_THAT(symbols(data), ElementsAre("012", "000", ".22"));
        // The individual identifier alone is not unique.
        EXPECT_THAT(data.names, ElementsAre("f1_i1", "f2_i1", "f2_c"));
        EXPECT_THAT(data.familyIds, ElementsAre(Pair("f1", "i1"), Pair("f2", "i1"), Pair("f2", "c")));
        EXPECT_THAT(data.founders, ElementsAre(true, true, false));
        EXPECT_THAT(data.notes, IsEmpty());
        EXPECT_EQ(data.view().instances(), 3U);
    }
    EXPECT_EQ(read("set.bed").description, "3 samples × 3 variants (genotypes) of set.bed");
}

TEST_F(DistanceInput, PlinkNamesThatCollideAreRefused) {
    const std::vector<io::PlinkSample> samples{{"a", "b_c"}, {"a_b", "c"}, {"x", "c"}};
    io::writePlinkFiles(
        io::plinkPaths(folder_ / "set"), samples, 1,
        [](std::size_t, std::span<std::uint8_t>) { return io::PlinkVariant{"1", "v", 0, 1, "A", "G"}; });
    EXPECT_THAT(messageOf<InputError>([&] { read("set"); }),
                HasSubstr("set.fam: samples 1 and 2 would both be called 'a_b_c'"));
}

/// Names of chromosomes, same chromosomes adjacent: first those that PLINK 1.9 leaves out of --distance.
const std::vector<std::string> kLeftOut{"X", "chrx", "23", "0x", "y", "24", "chr0Y", "M", "mt", "26"};
const std::vector<std::string> kKept{"0",     "chr0", "1",    "05",  "chr22", "25", "xy",
                                     "chrXY", "Un",   "PAR1", "023", "0MT",   "XX", "chr"};

TEST_F(DistanceInput, AutosomesAsPlinkHasThem) {
    std::vector<std::string> chromosomes = kLeftOut;
    chromosomes.insert(chromosomes.end(), kKept.begin(), kKept.end());
    writePlink(chromosomes);
    InputOptions options;
    options.autosomesOnly = true;
    const DataSet data = read("set", options);
    EXPECT_EQ(data.discrete->shape().attributes, kKept.size());
    EXPECT_THAT(data.notes, ElementsAre("left out 10 variants on the chromosomes X, Y and MT"));
    EXPECT_EQ(symbols(data)[0], "12012012012012");

    if (const std::string lack = lackOfProgram("plink1.9"); !lack.empty()) GTEST_SKIP() << lack;
    const test::Outcome plink =
        runProgram("plink1.9", "--bfile set --allow-extra-chr --distance --out set"_args);
    EXPECT_EQ(plink.exitCode, 0) << plink.err;
    EXPECT_THAT(plink.out, HasSubstr("Excluding 10 variants on non-autosomes"));
}

/// Every chromosome number of the species, each followed by the letters for the same chromosome, because
/// PLINK requires the variants of a chromosome to be contiguous. Also names of no chromosome.
std::vector<std::string> chromosomesOf(const io::ChromosomeSet& set) {
    std::vector<std::string> names{"0", "Un", "scaffold_7", "100"};
    for (int k = 1; k <= 99; ++k) {
        const std::string number = std::to_string(k);
        const io::ChromosomeRole role = set.role(number);
        if (role != io::ChromosomeRole::Absent) names.push_back(number);
        if (role == io::ChromosomeRole::X) names.insert(names.end(), {"X", "0x"});
        if (role == io::ChromosomeRole::Y) names.insert(names.end(), {"Y"});
        if (role == io::ChromosomeRole::Mitochondrial) names.insert(names.end(), {"MT", "chrM"});
    }
    return names;
}

TEST_F(DistanceInput, SpeciesAsPlinkHasThem) {
    const bool hasPlink = runProgram("plink1.9", {"--version"}).exitCode == 0;
    struct Case {
        std::vector<std::string> plink;
        io::ChromosomeSet set;
        std::size_t leftOut;
        std::string where;
    };
    std::vector<Case> cases{
        {{"--cow"}, io::ChromosomeSet::ofSpecies("cow"), 8, "the chromosomes X, Y and MT"},
        {{"--dog"}, io::ChromosomeSet::ofSpecies("dog"), 8, "the chromosomes X, Y and MT"},
        {{"--horse"}, io::ChromosomeSet::ofSpecies("horse"), 5, "the chromosomes X and Y"},
        {{"--mouse"}, io::ChromosomeSet::ofSpecies("mouse"), 5, "the chromosomes X and Y"},
        {{"--sheep"}, io::ChromosomeSet::ofSpecies("sheep"), 5, "the chromosomes X and Y"},
        {"--chr-set 29"_args, io::ChromosomeSet::parse({"29"}), 8, "the chromosomes X, Y and MT"},
        {"--chr-set 29 no-y"_args, io::ChromosomeSet::parse({"29", "no-y"}), 6, "the chromosomes X and MT"},
        {"--chr-set 1 no-x no-xy"_args, io::ChromosomeSet::parse({"1", "no-x", "no-xy"}), 5,
         "the chromosomes Y and MT"},
        {"--chr-set 95"_args, io::ChromosomeSet::parse({"95"}), 8, "the chromosomes X, Y and MT"}};
    for (const Case& one : cases) {
        const std::vector<std::string> names = chromosomesOf(one.set);
        writePlink(names);
        InputOptions options;
        options.autosomesOnly = true;
        options.chromosomes = one.set;
        const DataSet data = read("set", options);
        EXPECT_EQ(data.discrete->shape().attributes, names.size() - one.leftOut) << one.plink.back();
        EXPECT_THAT(data.notes,
                    ElementsAre("left out " + std::to_string(one.leftOut) + " variants on " + one.where));
        if (!hasPlink) continue;
        auto arguments = "--bfile set --allow-extra-chr --distance --out set"_args;
        arguments.insert(arguments.end(), one.plink.begin(), one.plink.end());
        const test::Outcome plink = runProgram("plink1.9", arguments);
        EXPECT_EQ(plink.exitCode, 0) << plink.err;
        EXPECT_THAT(plink.out,
                    HasSubstr("Excluding " + std::to_string(one.leftOut) + " variants on non-autosomes"));
        // PLINK refuses chromosomes that the species lacks, and so do we.
        for (const std::string absent : {"X", "Y", "XY", "MT", "20", "30", "43", "99"}) {
            if (one.set.role(absent) != io::ChromosomeRole::Absent) continue;
            writePlink({"1", absent});
            EXPECT_NE(runProgram("plink1.9", arguments).exitCode, 0) << absent;
            EXPECT_THAT(messageOf<InputError>([&] { read("set", options); }),
                        AllOf(HasSubstr("set.bim: variant 2 (v): the chromosome '" + absent + "' was found"),
                              HasSubstr("expected one of " + one.set.describe()), HasSubstr("--chr-set")));
        }
    }
    if (!hasPlink) GTEST_SKIP() << "plink1.9 is not installed";
}

TEST_F(DistanceInput, HaploidGenomesHaveNoAutosomes) {
    InputOptions options;
    options.autosomesOnly = true;
    options.chromosomes = io::ChromosomeSet::ofSpecies("rice");
    writePlink({"0", "1", "12", "Un"});
    EXPECT_THAT(messageOf<InputError>([&] { read("set", options); }),
                HasSubstr("0 variants (left out 4 variants on haploid chromosomes)"));
}

TEST_F(DistanceInput, ChromosomesOfVariantCalls) {
    std::string text = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n";
    std::vector<std::string> names = kLeftOut;
    names.insert(names.end(), kKept.begin(), kKept.end());
    for (const std::string& name : names) text += name + "\t5\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n";
    text += "X\t6\t.\tA\tC,G\t.\t.\t.\tGT\t0/1\t1/1\n";
    InputOptions options;
    options.autosomesOnly = true;
    const DataSet data = readText("a.vcf", text, options);
    EXPECT_EQ(data.discrete->shape().attributes, kKept.size());
    EXPECT_THAT(data.notes, ElementsAre("left out 11 variants on the chromosomes X, Y and MT"));
    EXPECT_THAT(data.leftOut, IsEmpty()) << "the site with three alleles is not requested";
    EXPECT_THAT(refusal("b.vcf", text + "27\t5\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n", options),
                HasSubstr("b.vcf: record 26 (27:5): the chromosome '27' was found; expected one of 1 – 22"));
}

TEST_F(DistanceInput, VariantsWithNegativePositionsAreLeftOutAsPlinkDoes) {
    writePlink({"1", "1", "X"});
    writeFile(folder_ / "set.bim", "1 v 0 -1 A G\n1 v 0 0 A G\nX v 0 -5 A G\n");
    InputOptions options;
    options.autosomesOnly = true;
    const DataSet data = read("set", options);
    EXPECT_THAT(symbols(data), ElementsAre("1", "0", "2"));
    EXPECT_FALSE(data.discrete->shape().hasMissing);
    EXPECT_THAT(data.notes, ElementsAre("left out 2 variants with a negative position"));
    writeFile(folder_ / "set.bim", "Y v 0 1 A G\nX v 0 0 A G\nX v 0 5 A G\n");
    EXPECT_THAT(
        messageOf<InputError>([&] { read("set", options); }),
        HasSubstr("has 3 samples and 0 variants (left out 3 variants on the chromosomes X, Y and MT)"));
}

TEST_F(DistanceInput, VariantCalls) {
    const std::string header =
        "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n";
    const std::string text =
        header + "1\t5\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n1\t6\t.\tA\tC,G\t.\t.\t.\tGT\t0/1\t1/1\n" +
        "X\t7\t.\tA\tC\t.\t.\t.\tGT\t./1\t0\n";
    writeGzip(folder_ / "a.vcf.gz", text);
    const DataSet data = read("a.vcf.gz");
    EXPECT_THAT(symbols(data), ElementsAre("1.", "20"));
    EXPECT_THAT(data.names, ElementsAre("a", "b"));
    EXPECT_THAT(data.familyIds, ElementsAre(Pair("a", "a"), Pair("b", "b")));
    ASSERT_EQ(data.leftOut.size(), 1U);
    EXPECT_EQ(data.leftOut[0].text(),
              "1 of 3 sites (33.3 %): more than two alleles (mismatch and proportion compare them)");
    EXPECT_THAT(data.notes, ElementsAre("1 genotype with one allele known taken for missing"));
    EXPECT_EQ(data.description, "2 samples × 2 variants (genotypes) of a.vcf.gz");
    InputOptions strict;
    strict.strict = true;
    EXPECT_THAT(refusal("b.vcf", text, strict), HasSubstr("(1:6)"));
    EXPECT_THAT(refusal("b.vcf", header), HasSubstr("b.vcf: has 2 samples and 0 variants"));
    EXPECT_THAT(refusal("b.vcf", header + "1\t6\t.\tA\tC,G\t.\t.\t.\tGT\t0/1\t1/1\n"),
                HasSubstr("0 variants (1 of 1 site (100 %): more than two alleles"));
    InputOptions any;
    any.anyAlleles = true;
    const DataSet all = read("a.vcf.gz", any);
    EXPECT_THAT(symbols(all), ElementsAre("10.", "310"));
    EXPECT_FALSE(all.discrete->shape().isGenotypes);
    EXPECT_THAT(all.leftOut, IsEmpty());
    EXPECT_THAT(all.notes, ElementsAre("1 site with more than two alleles: genotypes are compared as a whole",
                                       "1 genotype with one allele known taken for missing"));
}

TEST_F(DistanceInput, WithoutSymbolSitesGenotypesStayGenotypes) {
    InputOptions any;
    any.anyAlleles = true;
    const std::string text =
        "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n"
        "1\t5\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n1\t6\t.\tA\tG,*\t.\t.\t.\tGT\t1\t2\n";
    const DataSet missing = readText("a.vcf", text, any);
    EXPECT_TRUE(missing.discrete->shape().isGenotypes);
    EXPECT_THAT(symbols(missing), ElementsAre("12", "2."));
    EXPECT_THAT(missing.notes, ElementsAre("1 genotype with the allele * (a gap) taken for missing"));
    any.gaps = LetterRule::State;
    const DataSet states = readText("a.vcf", text, any);
    EXPECT_FALSE(states.discrete->shape().isGenotypes);
    EXPECT_THAT(symbols(states), ElementsAre("10", "31"));
}

TEST_F(DistanceInput, EveryFormatOfAlignmentsIsTheSame) {
    const DataSet fasta = readText("a.fa", ">a\nACGT-A\n>b\nAC-TTA\n");
    const std::pair<const char*, const char*> others[] = {
        {"a.aln", ">a\nACGT-A\n>b\nAC-TTA\n"},
        {"b.aln", "CLUSTAL 2.1 multiple sequence alignment\n\n\na    ACGT-A\nb    AC-TTA\n     ** * *\n"},
        {"a.phy", "2 6\na         ACGT-A\nb         AC-TTA\n"},
        {"a.sto", "# STOCKHOLM 1.0\na ACGT-A\nb AC-TTA\n//\n"}};
    for (const auto& [name, text] : others) {
        const DataSet other = readText(name, text);
        EXPECT_EQ(other.names, fasta.names) << name;
        EXPECT_EQ(symbols(other), symbols(fasta)) << name;
    }
}

TEST_F(DistanceInput, Nucleotides) {
    const DataSet data = readText("a.fa", ">a\nACGTUN\n>b\nacg-.r\n");
    EXPECT_EQ(data.kind, DataKind::Dna);
    EXPECT_THAT(symbols(data), ElementsAre("01233.", "012..."));
    EXPECT_EQ(data.discrete->shape().planes, 2U);
    EXPECT_FALSE(data.discrete->shape().isGenotypes);
    EXPECT_THAT(data.names, ElementsAre("a", "b"));
    EXPECT_THAT(data.notes,
                ElementsAre("2 gaps are missing entries", "2 ambiguous letters are missing entries"));
    EXPECT_EQ(data.description, "2 sequences × 6 sites (dna) of a.fa");
}

TEST_F(DistanceInput, LettersAsStates) {
    const std::string text = ">a\nACGT-N\n>b\nACG.-R\n";
    InputOptions options;
    options.gaps = LetterRule::State;
    const DataSet gaps = readText("a.fa", text, options);
    EXPECT_THAT(symbols(gaps), ElementsAre("01234.", "01254."));
    EXPECT_EQ(gaps.discrete->shape().planes, 3U);
    options.ambiguous = LetterRule::State;
    const DataSet both = readText("a.fa", text, options);
    EXPECT_THAT(symbols(both), ElementsAre("012346", "012547"));
    EXPECT_EQ(both.discrete->shape().planes, 3U);
    EXPECT_FALSE(both.discrete->shape().hasMissing);
    EXPECT_THAT(both.notes, IsEmpty());
    options.gaps = LetterRule::Missing;
    EXPECT_THAT(symbols(readText("a.fa", text, options)), ElementsAre("0123.4", "012..5"));
    EXPECT_EQ(readText("a.fa", ">a\nAC\n", options).discrete->shape().planes, 2U);
}

TEST_F(DistanceInput, AminoAcids) {
    const DataSet data = readText("a.faa", ">a\nACDEFGHIKLMNPQRSTVWY\n>b\nBZXJUO*?-.YYYYYYYYYY\n");
    EXPECT_EQ(data.kind, DataKind::Protein);
    EXPECT_EQ(data.discrete->shape().planes, 5U);
    EXPECT_THAT(symbols(data), ElementsAre("0123456789abcdefghij", "..........jjjjjjjjjj"));
    InputOptions options;
    options.gaps = options.ambiguous = LetterRule::State;
    const DataSet states = readText("a.faa", ">a\nACDEFGHIKLMNPQRSTVWY\n>b\nBZXJUO*?-.YYYYYYYYYY\n", options);
    EXPECT_FALSE(states.discrete->shape().hasMissing);
    EXPECT_EQ(states.discrete->shape().planes, 5U);  // 30 symbols
}

TEST_F(DistanceInput, LongSequencesOfAllLettersUnderAllRules) {
    constexpr std::string_view kAll = "ABCDEFGHIKLMNPQRSTUVWXYZ-.*?";
    constexpr std::size_t kSequences = 5, kSites = 10007;
    std::mt19937 random(4);
    std::vector<std::string> sequences(kSequences, std::string(kSites, 'A'));
    std::string text;
    for (std::size_t i = 0; i < kSequences; ++i) {
        for (char& letter : sequences[i])
            letter = random() % 8 == 0 ? kAll[random() % kAll.size()] : "ACGT"[random() % 4];
        text += ">s" + std::to_string(i) + "\n" + sequences[i] + "\n";
    }
    for (const DataKind kind : {DataKind::Dna, DataKind::Protein})
        for (const LetterRule gapRule : {LetterRule::Missing, LetterRule::State})
            for (const LetterRule ambiguousRule : {LetterRule::Missing, LetterRule::State}) {
                // Symbols: the alphabet, then states in the order of characters.
                std::string states = kind == DataKind::Dna ? "ACGT" : "ACDEFGHIKLMNPQRSTVWY";
                const std::string plain = states + (kind == DataKind::Dna ? "U" : "");
                for (const char letter : std::string("*-.?ABCDEFGHIKLMNPQRSTUVWXYZ"))
                    if (plain.find(letter) == std::string::npos &&
                        (letter == '-' || letter == '.' ? gapRule : ambiguousRule) == LetterRule::State)
                        states += letter;
                std::vector<std::string> expected(kSequences);
                std::size_t gaps = 0, letters = 0;
                for (std::size_t i = 0; i < kSequences; ++i)
                    for (const char found : sequences[i]) {
                        const char letter = kind == DataKind::Dna && found == 'U' ? 'T' : found;
                        const std::size_t symbol = states.find(letter);
                        if (symbol == std::string::npos) ++(letter == '-' || letter == '.' ? gaps : letters);
                        expected[i] += symbol == std::string::npos
                                           ? '.'
                                           : "0123456789abcdefghijklmnopqrstuvwxyz"[symbol];
                    }
                std::vector<std::string> notes;
                if (gaps > 0) notes.push_back(std::to_string(gaps) + " gaps are missing entries");
                if (letters > 0)
                    notes.push_back(std::to_string(letters) + " ambiguous letters are missing entries");
                InputOptions options = withKind(kind);
                options.gaps = gapRule;
                options.ambiguous = ambiguousRule;
                const DataSet data = readText("a.fa", text, options);
                EXPECT_TRUE(symbols(data) == expected);
                EXPECT_EQ(data.notes, notes);
                EXPECT_EQ(data.discrete->shape().hasMissing, gaps + letters > 0);
            }
}

TEST_F(DistanceInput, LargeTablesNameTheFirstWrongEntry) {
    std::string text;
    for (int i = 0; i < 600; ++i) {
        for (int k = 0; k < 200; ++k) text += std::string(k == 0 ? "" : ",") + "012"[(i + k) % 3];
        text += "\n";
    }
    EXPECT_EQ(readText("a.csv", text).kind, DataKind::Genotypes);
    const std::size_t line = 400;  // bytes
    for (const std::size_t place : {571 * line + 2, 402 * line + 10, 402 * line + 8}) text[place] = '7';
    EXPECT_THAT(refusal("a.csv", text, withKind(DataKind::Genotypes)),
                HasSubstr("line 403, column 5 is 7, outside the alphabet"));
    EXPECT_EQ(readText("a.csv", text).kind, DataKind::Coordinates);
}

TEST_F(DistanceInput, KindOfSequences) {
    const std::string text = ">a\nACGTRYN-?*\n";
    EXPECT_EQ(readText("a.fa", text).kind, DataKind::Dna);
    EXPECT_EQ(readText("a.fa", text, withKind(DataKind::Protein)).kind, DataKind::Protein);
    EXPECT_EQ(readText("a.fa", ">a\nACGTE\n").kind, DataKind::Protein);
    EXPECT_THAT(symbols(readText("a.fa", ">a\nACGTE\n", withKind(DataKind::Dna))), ElementsAre("0123."));
}

TEST_F(DistanceInput, GenotypeTables) {
    const std::string text = "id,v1,v2,v3\nann,0,1,2\nbob,NA,-1,\ncat,-9,2.0,.\n";
    for (const DataKind kind : {DataKind::Automatic, DataKind::Genotypes}) {
        const DataSet data = readText("a.csv", text, withKind(kind));
        EXPECT_EQ(data.kind, DataKind::Genotypes);
        EXPECT_THAT(symbols(data), ElementsAre("012", "...", ".2."));
        EXPECT_TRUE(data.discrete->shape().isGenotypes);
        EXPECT_THAT(data.names, ElementsAre("ann", "bob", "cat"));
        EXPECT_EQ(data.description, "3 instances × 3 attributes (genotypes) of a.csv");
    }
    EXPECT_THAT(
        refusal("a.csv", "id,v1,v2\nann,0,1\nbob,1,3\n", withKind(DataKind::Genotypes)),
        AllOf(HasSubstr("a.csv: line 3, column 3 ('v2') is 3, outside the alphabet; expected 0, 1 or 2")));
    EXPECT_THAT(refusal("a.csv", "0,0.5\n", withKind(DataKind::Genotypes)),
                HasSubstr("line 1, column 2 is 0.5"));
    EXPECT_THAT(refusal("a.csv", "0,-127\n", withKind(DataKind::Genotypes)), HasSubstr("is -127"));
    EXPECT_THAT(refusal("a.csv", "0,inf\n", withKind(DataKind::Genotypes)), HasSubstr("is inf"));
}

TEST_F(DistanceInput, CoordinateTables) {
    const DataSet data = readText("a.tsv", "0\t1\t2\n-1\t-9\t0.5\n");
    EXPECT_EQ(data.kind, DataKind::Coordinates);
    EXPECT_TRUE(data.view().isCoordinates());
    EXPECT_THAT(coordinates(data), ElementsAre(0, 1, 2, -1, -9, 0.5F));
    EXPECT_THAT(data.names, ElementsAre("1", "2"));
    EXPECT_EQ(readText("a.tsv", "0\t1\n", withKind(DataKind::Coordinates)).kind, DataKind::Coordinates);
    EXPECT_THAT(
        refusal("a.tsv", "x\ty\n0\t1.5\n2\tNA\n"),
        HasSubstr("a.tsv: line 3, column 2 ('y') is missing; expected a finite number as a coordinate; these "
                  "are no genotypes, since line 2, column 2 ('y') is 1.5"));
    EXPECT_THAT(refusal("a.tsv", "0\t-inf\n", withKind(DataKind::Coordinates)),
                HasSubstr("line 1, column 2 is -inf"));
}

TEST_F(DistanceInput, TablesTurned) {
    InputOptions options;
    options.transpose = true;
    const DataSet genotypes = readText("a.csv", "snp,ann,bob\nv1,0,1\nv2,2,NA\nv3,1,1\n", options);
    EXPECT_THAT(symbols(genotypes), ElementsAre("021", "1.1"));
    EXPECT_THAT(genotypes.names, ElementsAre("ann", "bob"));
    const DataSet numbers = readText("a.csv", "0.5,1\n2,3\n4,5\n", options);
    EXPECT_THAT(coordinates(numbers), ElementsAre(0.5F, 2, 4, 1, 3, 5));
    EXPECT_THAT(numbers.names, ElementsAre("1", "2"));
    EXPECT_THAT(refusal("a.csv", "snp,ann,bob,ann\nv1,0,1,2\n", options),
                HasSubstr("column 2 and column 4 are both named 'ann'"));
}

TEST_F(DistanceInput, NamesThatAreThereTwice) {
    EXPECT_THAT(refusal("a.csv", "ann,0\nbob,1\n\nann,2\n"),
                HasSubstr("a.csv: line 1 and line 4 are both named 'ann'; expected each name once"));
    EXPECT_NO_THROW(readText("a.csv", "id,x,x\nann,0,1\n"));  // attributes may share a name
}

TEST_F(DistanceInput, GenotypeArrays) {
    const std::vector<std::int8_t> elements{0, 1, 2, -1, -9, -127};
    const DataSet data = readArray<std::int8_t>("|i1", elements, 2, 3);
    EXPECT_EQ(data.kind, DataKind::Genotypes);
    EXPECT_THAT(symbols(data), ElementsAre("012", "..."));
    EXPECT_THAT(data.names, ElementsAre("1", "2"));
    InputOptions turned;
    turned.transpose = true;
    EXPECT_THAT(symbols(readArray<std::int8_t>("|i1", elements, 2, 3, turned)),
                ElementsAre("0.", "1.", "2."));
    EXPECT_THAT(symbols(readArray<std::int8_t>("|i1", elements, 2, 3, {}, true)), ElementsAre("02.", "1.."));
    EXPECT_THAT(symbols(readArray<std::int8_t>("|i1", elements, 2, 3, turned, true)),
                ElementsAre("01", "2.", ".."));
    EXPECT_THAT(symbols(readArray<std::uint8_t>("|u1", {2, 1, 0}, 1, 3)), ElementsAre("210"));
    EXPECT_THAT(symbols(readArray<std::int64_t>("<i8", {2, -9, -127}, 1, 3)), ElementsAre("2.."));
    EXPECT_THAT(symbols(readArray<float>("<f4", {2, NAN, -1}, 1, 3, withKind(DataKind::Genotypes))),
                ElementsAre("2.."));
}

TEST_F(DistanceInput, ArraysOutsideTheAlphabet) {
    const auto refused = [&](const auto& action) { return messageOf<InputError>(action); };
    EXPECT_THAT(refused([&] {
                    readArray<std::int8_t>("|i1", {0, 1, 2, 0, 1, 3}, 2, 3);
                }),
                HasSubstr("a.npy: (1, 2) is 3; outside the alphabet"));
    EXPECT_THAT(refused([&] {
                    readArray<std::int8_t>("|i1", {0, 1, 2, 4, 1, 0}, 2, 3, {}, true);
                }),
                HasSubstr("(1, 1) is 4"));
    EXPECT_THAT(refused([&] { readArray<std::uint8_t>("|u1", {0, 255}, 1, 2); }), HasSubstr("(0, 1) is 255"));
    EXPECT_THAT(refused([&] {
                    readArray<float>("<f4", {0, 0.5F}, 1, 2, withKind(DataKind::Genotypes));
                }),
                HasSubstr("(0, 1) is 0.5"));
    EXPECT_THAT(refused([&] { readArray<std::int8_t>("|i1", {}, 0, 3); }),
                HasSubstr("a.npy: has 0 instances and 3 attributes"));
    EXPECT_THAT(refused([&] { readText("a.npy", "no array"); }), HasSubstr("a.npy: "));
}

TEST_F(DistanceInput, CoordinateArrays) {
    const DataSet data = readArray<float>("<f4", {0, 1, 2, -1}, 2, 2);
    EXPECT_EQ(data.kind, DataKind::Coordinates);
    EXPECT_THAT(coordinates(data), ElementsAre(0, 1, 2, -1));
    EXPECT_THAT(coordinates(readArray<double>("<f8", {0.1, 1e39}, 1, 2)), ElementsAre(0.1, 1e39));
    EXPECT_THAT(coordinates(readArray<std::int16_t>("<i2", {-5, 300}, 1, 2, withKind(DataKind::Coordinates))),
                ElementsAre(-5, 300));
    EXPECT_THAT(messageOf<InputError>([&] {
                    readArray<float>("<f4", {0, 1, NAN, 3}, 2, 2);
                }),
                HasSubstr("a.npy: (1, 0) is nan; expected a finite number"));
    EXPECT_THAT(messageOf<InputError>([&] {
                    readArray<double>("<f8", {0, INFINITY}, 1, 2);
                }),
                HasSubstr("(0, 1) is inf; expected a finite number"));
}

TEST_F(DistanceInput, CoordinatesKeepTheirDigits) {
    const auto precision = [](const DataSet& data) { return data.view().coordinates.precision(); };
    const InputOptions numbers = withKind(DataKind::Coordinates);
    EXPECT_EQ(precision(readArray<float>("<f4", {0.5F}, 1, 1)), Precision::Float32);
    EXPECT_EQ(precision(readArray<std::int16_t>("<i2", {-32768}, 1, 1, numbers)), Precision::Float32);
    EXPECT_EQ(precision(readArray<std::uint16_t>("<u2", {65535}, 1, 1, numbers)), Precision::Float32);
    EXPECT_EQ(precision(readArray<double>("<f8", {0.5}, 1, 1)), Precision::Float64);
    const DataSet seconds = readArray<std::int32_t>("<i4", {1'700'000'001, -16'777'217}, 1, 2, numbers);
    EXPECT_EQ(precision(seconds), Precision::Float64);
    EXPECT_THAT(coordinates(seconds), ElementsAre(1'700'000'001, -16'777'217));
    const DataSet table = readText("a.csv", "1700000060.25,0.1\n1700000000,0.2\n");
    EXPECT_EQ(precision(table), Precision::Float64);
    EXPECT_THAT(coordinates(table), ElementsAre(1700000060.25, 0.1, 1700000000, 0.2));
    InputOptions turned;
    turned.transpose = true;
    EXPECT_THAT(coordinates(readText("a.csv", "1700000060.25,0.1\n1700000000,0.2\n", turned)),
                ElementsAre(1700000060.25, 1700000000, 0.1, 0.2));
    // Nanoseconds since 1970, whose last digits float64 lacks, and the largest 64-bit numbers.
    const auto refused = [&](auto value, const char* dtype) {
        return messageOf<InputError>([&] { readArray<decltype(value)>(dtype, {value}, 1, 1, numbers); });
    };
    EXPECT_THAT(
        refused(std::int64_t{1'700'000'000'000'000'001}, "<i8"),
        HasSubstr("(0, 0) is 1700000000000000001; expected a finite number, of integers one that float64 "
                  "holds exactly"));
    EXPECT_THAT(refused(std::numeric_limits<std::int64_t>::max(), "<i8"), HasSubstr("9223372036854775807"));
    EXPECT_THAT(refused(std::numeric_limits<std::uint64_t>::max(), "<u8"), HasSubstr("18446744073709551615"));
    EXPECT_THAT(coordinates(readArray<std::int64_t>("<i8", {1'700'000'000'000'000'000}, 1, 1, numbers)),
                ElementsAre(1.7e18));
}

TEST_F(DistanceInput, KindsThatAFileCannotHold) {
    const auto refused = [&](const std::string& name, DataKind kind) {
        return messageOf<UsageError>([&] { read(name, withKind(kind)); });
    };
    EXPECT_THAT(refused("a.bed", DataKind::Dna), HasSubstr("a.bed: such a file holds genotypes, not dna"));
    EXPECT_THAT(refused("a.vcf", DataKind::Coordinates), HasSubstr("not coordinates"));
    EXPECT_THAT(refused("a.fa", DataKind::Genotypes), HasSubstr("holds dna or protein, not genotypes"));
    EXPECT_THAT(refused("a.csv", DataKind::Protein),
                HasSubstr("holds genotypes or coordinates, not protein"));
    EXPECT_THAT(refused("a.npy", DataKind::Dna), HasSubstr("holds genotypes or coordinates, not dna"));
    InputOptions turned;
    turned.transpose = true;
    for (const char* name : {"a.bed", "a.vcf", "a.fa"}) EXPECT_THROW(read(name, turned), UsageError) << name;
}

TEST_F(DistanceInput, MissingFiles) {
    for (const char* name : {"a.bed", "a.vcf", "a.bcf", "a.fa", "a.npy", "a.csv.gz"})
        EXPECT_THAT(messageOf<InputError>([&] { read(name); }),
                    AllOf(HasSubstr(name), HasSubstr("No such file or directory")));
}

TEST_F(DistanceInput, HashOfContents) {
    writeFile(folder_ / "a", "abc");
    writeFile(folder_ / "b", "de");
    writeFile(folder_ / "empty", "");
    const auto hash = [&](std::vector<std::string> names) {
        std::vector<std::filesystem::path> files;
        for (const std::string& name : names) files.push_back(folder_ / name);
        return storage::contentHash(files);
    };
    const std::uint64_t both = hash({"a", "b"});
    EXPECT_EQ(both, hash({"a", "b"}));
    EXPECT_NE(both, hash({"b", "a"}));
    EXPECT_NE(both, hash({"a"}));
    EXPECT_NE(hash({"a"}), hash({"a", "empty"}));
    writeFile(folder_ / "a", "abd");
    EXPECT_NE(both, hash({"a", "b"}));
    // The same bytes, divided differently.
    writeFile(folder_ / "a", "ab");
    writeFile(folder_ / "b", "cde");
    EXPECT_NE(both, hash({"a", "b"}));
    EXPECT_THROW(hash({"none"}), InputError);
}

TEST_F(DistanceInput, RealGenotypesWithMissingEntries) {
    const std::filesystem::path file = sharedData("snp/bigsnpr_missing.bed");
    if (const std::string lack = lackOfData("snp/bigsnpr_missing.bed"); !lack.empty()) GTEST_SKIP() << lack;
    const DataSet data = readDataSet(file, {});
    EXPECT_EQ(data.description, "200 samples × 500 variants (genotypes) of bigsnpr_missing.bed");
    std::size_t missing = 0;
    std::size_t differing = 0;
    const std::vector<std::string> rows = symbols(data);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        missing += static_cast<std::size_t>(std::count(rows[i].begin(), rows[i].end(), '.'));
        for (std::size_t j = 0; j < i; ++j)
            for (std::size_t k = 0; k < rows[i].size(); ++k)
                differing += rows[i][k] != '.' && rows[j][k] != '.' && rows[i][k] != rows[j][k];
    }
    EXPECT_EQ(missing, 2788U);
    EXPECT_EQ(differing, 4359881U);  // as the source states
}

TEST_F(DistanceInput, RealVariantCalls) {
    const std::filesystem::path file = sharedData("snp/kg3_chr21_start.vcf.gz");
    if (const std::string lack = lackOfData("snp/kg3_chr21_start.vcf.gz"); !lack.empty())
        GTEST_SKIP() << lack;
    const DataSet data = readDataSet(file, {});
    EXPECT_EQ(data.description, "2504 samples × 600 variants (genotypes) of kg3_chr21_start.vcf.gz");
    EXPECT_FALSE(data.discrete->shape().hasMissing);
    EXPECT_THAT(data.notes, IsEmpty());
    // Pairs that differ in a variant, from the numbers of samples with 0, 1 and 2 copies.
    std::size_t differing = 0;
    const std::vector<std::string> rows = symbols(data);
    for (std::size_t k = 0; k < 600; ++k) {
        std::size_t counts[3] = {};
        for (const std::string& row : rows) ++counts[row[k] - '0'];
        differing += counts[0] * counts[1] + counts[0] * counts[2] + counts[1] * counts[2];
    }
    EXPECT_EQ(differing, 44186118U);  // as the source states
}

TEST_F(DistanceInput, RealSequences) {
    const std::filesystem::path file = sharedData("snp/fastbaps_seqs.fa.gz");
    if (const std::string lack = lackOfData("snp/fastbaps_seqs.fa.gz"); !lack.empty()) GTEST_SKIP() << lack;
    const DataSet data = readDataSet(file, {});
    EXPECT_EQ(data.kind, DataKind::Dna);
    EXPECT_EQ(data.discrete->shape().instances, 515U);
    EXPECT_EQ(data.discrete->shape().attributes,
              2829U);  // 2,871 with the carriage returns of its 42 lines each
    EXPECT_FALSE(data.discrete->shape().hasMissing);
}

}  // namespace
}  // namespace glycine::distance
