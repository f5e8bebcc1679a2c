// `glycine validate|bench|reproduce|generate` for `distance`, in this process and on the processor: options,
// exit codes, reports, files. Agreement of backends is tested elsewhere.
#include "app/distance/distance_commands.hpp"
#include "engine/distance/input/input_data.hpp"
#include "engine/distance/random_data.hpp"
#include "engine/distance/study/distance_problem.hpp"
#include "engine/distance/terms.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/study/study_commands.hpp"
#include "tests/app/task_test.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

CommandAction declareValidate(Options& options) {
    static const auto own = subject();
    return study::declareValidate(*own, options);
}

CommandAction declareBench(Options& options) {
    static const auto own = subject();
    return study::declareBench(*own, options);
}

TEST(ValidateDistance, ComparesTheProcessor) {
    const TaskOutcome outcome =
        succeedTask(declareValidate, "--backend cpu --sizes 1x1,2x3,5x70 --json"_args);
    const Json json = outcome.json();
    EXPECT_EQ(json["agrees"], true);
    ASSERT_EQ(json["rows"].size(), 3U);
    for (const Json& row : json["rows"]) {
        const bool isCounts = row["numberFormat"] == "counts";
        EXPECT_EQ(row["inputs"], 3 * (isCounts ? 14 : 2 * std::size(kSumTerms)));
        EXPECT_TRUE(!isCounts || row["equalToTheBit"] == row["inputs"]);
    }
}

TEST(ValidateDistance, TakesAFile) {
    const TemporaryFolder folder;
    const std::string file = (folder / "genotypes.npy").string();
    succeedTask(declareGenerate,
                {"--instances", "13", "--attributes", "200", "--missing", "0.2", "-o", file});
    const TaskOutcome outcome = succeedTask(declareValidate, {file, "--backend", "cpu", "--json"});
    const Json json = outcome.json();
    ASSERT_EQ(json["rows"].size(), 1U);
    EXPECT_EQ(json["rows"][0]["inputs"], 6);  // four questions, and the values of two measures
    EXPECT_EQ(json["rows"][0]["equalToTheBit"], 6);
    expectTaskRefused(declareValidate, {file, "--backend", "cpu", "--precision", "float32"},
                      "nothing to compare");
}

TEST(ValidateDistance, Refusals) {
    expectTaskRefused(declareValidate, "--sizes 5"_args, "is no size");
    expectTaskRefused(declareValidate, "in.npy --sizes 5x5"_args, "not both");
    expectTaskRefused(declareValidate, "in.npy --seed 5"_args, "not both");
    expectTaskRefused(declareValidate, {"in.docx"}, "in.docx");
    expectTaskRefused(declareValidate, "--backend metal"_args, "unknown backend");
    expectTaskRefused(declareValidate, "--variant quick"_args, "unknown variant");
    expectTaskRefused(declareValidate, "--precision half"_args, "unknown number format");
    expectTaskRefused(declareValidate, "--dialects hlsl"_args, "unknown dialect");
    expectTaskRefused(declareValidate, "--backend cpu --max-texture 8"_args, "--max-texture concerns gl");
    const TaskOutcome outcome = runTask(declareValidate, "--backend cuda --sizes 2x2"_args);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.error, HasSubstr("nothing was compared"));
    EXPECT_THAT(outcome.out, HasSubstr("skipped: none here"));
}

TEST(BenchDistance, VerifiesAndReports) {
    const TemporaryFolder folder;
    const std::string file = (folder / "report.json").string();
    const TaskOutcome outcome =
        succeedTask(declareBench, {"--sizes", "20x100,33x700", "--backend", "reference,cpu", "--missing",
                                   "0.1", "--measure", "allele", "--repeats", "2", "-o", file, "--json"});
    const Json json = outcome.json();
    EXPECT_EQ(json, Json::parse(readFile(file)));
    ASSERT_EQ(json["rows"].size(), 4U);
    for (const Json& row : json["rows"]) {
        EXPECT_EQ(row["verified"], true);
        EXPECT_EQ(row["check"], "120 pairs exact");
        EXPECT_EQ(row["seconds"]["total"]["count"], 2);
        EXPECT_GT(row["rates"]["compute"]["best"], 0);
        EXPECT_GT(row["rates"]["total"]["best"], 0);
        EXPECT_NE(row["variant"], "default");
    }
    EXPECT_EQ(json["rows"][0]["backend"], "reference");
    EXPECT_EQ(json["rows"][1]["backend"], "cpu");
    EXPECT_EQ(json["rows"][2]["instances"], 33);
    EXPECT_EQ(json["rows"][2]["attributes"], 700);
    EXPECT_EQ(json["rows"][2]["ratioToFirst"], 1.0);
    EXPECT_THAT(json["settings"]["measure"], "allele, counted: differing, opposite");
}

TEST(BenchDistance, TakesOtherData) {
    for (const std::string kind : {"dna", "protein", "coordinates"}) {
        const TaskOutcome outcome = succeedTask(
            declareBench, {"--sizes", "20x100", "--backend", "cpu", "--data", kind, "--repeats", "1"});
        EXPECT_THAT(outcome.out, AllOf(HasSubstr("20 × 100"), HasSubstr("120 pairs ")));
    }
    const TemporaryFolder folder;
    const std::string file = (folder / "genotypes.npy").string();
    runTask(declareGenerate, {"--instances", "9", "--attributes", "70", "-o", file});
    const TaskOutcome outcome =
        succeedTask(declareBench, {"--input", file, "--backend", "cpu", "--repeats", "1", "--json"});
    EXPECT_EQ(outcome.json()["rows"][0]["instances"], 9);
    EXPECT_EQ(outcome.json()["rows"][0]["check"], "36 pairs exact");
}

TEST(BenchDistance, TakesEitherPrecision) {
    const TemporaryFolder folder;
    const Matrix<double> wide(20, 30, 1e6);
    const std::string file = (folder / "wide.npy").string();
    io::writeNpy(file, MatrixView<const double>(wide.view()));
    const auto format = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--backend", "cpu", "--repeats", "1", "--json"});
        const TaskOutcome outcome = succeedTask(declareBench, arguments);
        return outcome.json()["rows"][0]["numberFormat"].get<std::string>();
    };
    EXPECT_EQ(format("--data coordinates --sizes 20x100"_args), "float32");
    EXPECT_EQ(format("--data coordinates --sizes 20x100 --precision float64"_args), "float64");
    EXPECT_EQ(format({"--input", file}), "float64");
    EXPECT_EQ(format({"--input", file, "--precision", "float32"}), "float32");
    expectTaskRefused(declareBench, "--data dna --sizes 5x5 --precision float64"_args,
                      "--precision is for coordinates");
}

TEST(ValidateDistance, ComparesAFileInBothPrecisions) {
    const TemporaryFolder folder;
    Matrix<double> far(12, 3);
    for (std::size_t i = 0; i < far.size(); ++i)
        far.data()[i] = 5412332.7 + static_cast<double>(i * i % 97) / 7;
    const std::string file = (folder / "far.npy").string();
    io::writeNpy(file, MatrixView<const double>(far.view()));
    const TaskOutcome outcome = succeedTask(declareValidate, {file, "--backend", "cpu", "--json"});
    const Json json = outcome.json();
    ASSERT_EQ(json["rows"].size(), 2U);
    EXPECT_EQ(json["rows"][0]["numberFormat"], "float32");
    EXPECT_EQ(json["rows"][0]["equalToTheBit"], 1)
        << "rounded numbers are compared with the file's own; whether they differ is not rounded";
    EXPECT_EQ(json["rows"][1]["numberFormat"], "float64");
    EXPECT_EQ(json["rows"][1]["inputs"], std::size(kSumTerms) + 1) << "the sums, and the values";
}

TEST(BenchDistance, Refusals) {
    expectTaskRefused(declareBench, "--sizes 0x5"_args, "is no size");
    expectTaskRefused(declareBench, "--data auto"_args, "--data");
    expectTaskRefused(declareBench, "--missing 1.5"_args, "--missing");
    expectTaskRefused(declareBench, "--missing nan"_args, "--missing");
    expectTaskRefused(declareBench, "--data coordinates --missing 0.5"_args, "--missing");
    expectTaskRefused(declareBench, "--input in.npy --sizes 5x5"_args, "not both");
    expectTaskRefused(declareBench, "--measure levenshtein"_args, "unknown measure");
    expectTaskRefused(declareBench, "--measure euclidean --sizes 5x5"_args, "euclidean");
    expectTaskRefused(declareBench, "--data dna --measure allele --sizes 5x5"_args, "allele");
    expectTaskRefused(declareBench, "--repeats 0"_args, "--repeats");
    expectTaskRefused(declareBench, "-o /nonexistent/r.json"_args, "nonexistent");
}

TEST(ReproduceDistance, MeasuresTheFigure) {
    const TemporaryFolder folder;
    const std::string report = (folder / "figure.json").string();
    const std::string figure = (folder / "figure.png").string();
    const TaskOutcome outcome = succeedTask(
        study::declareReproduce, {"allpairs-figure-4", "--quick", "--backend", "reference,cpu,cuda",
                                  "--repeats", "2", "-o", report, "-o", figure, "--json"});
    const Json json = outcome.json();
    EXPECT_EQ(json, Json::parse(readFile(report)));
    EXPECT_THAT(readFile(figure), StartsWith("\x89PNG"));
    ASSERT_EQ(json["rows"].size(), 16U);
    const Json& loop = json["rows"][0];
    EXPECT_EQ(loop["method"], "CPU loop");
    EXPECT_EQ(loop["variant"], "paper-loop");
    EXPECT_EQ(loop["published"]["seconds"], 44.865);
    EXPECT_EQ(loop["verified"], true);
    EXPECT_EQ(loop["seconds"]["count"], 2);
    EXPECT_EQ(json["rows"][1]["skipped"], "none here");
    EXPECT_FALSE(json["rows"][1].contains("seconds"));
    const Json& own = json["rows"][6];
    EXPECT_EQ(own["method"], "cpu bitplane");
    EXPECT_EQ(own["verified"], true);
    EXPECT_EQ(own["check"], "31,080 pairs exact");  // all pairs of 5 data sets
    EXPECT_EQ(json["rows"][7]["skipped"], "not among --backend");
    std::size_t counted = 0;
    for (const Json& claim : json["claims"]) counted += claim.contains("value") ? 1 : 0;
    EXPECT_EQ(counted, 5U)
        << "bytes, transactions, reads, writes, and the printed speed-ups; all others are about a GPU";
}

TEST(ReproduceDistance, Refusals) {
    const auto refuse = [](std::vector<std::string> options, const char* message) {
        options.insert(options.begin(), "allpairs-figure-4");
        expectTaskRefused(study::declareReproduce, options, message);
    };
    refuse("-o figure.jpg"_args, ".png");
    refuse("--backend metal"_args, "unknown backend");
    refuse("--backend cpu --dialect es300"_args, "--dialect concerns gl");
    refuse("--repeats 0"_args, "--repeats");
}

class GeneratedGenotypes : public ::testing::TestWithParam<const char*> {};

TEST_P(GeneratedGenotypes, AreReadBack) {
    const TemporaryFolder folder;
    const std::string file = (folder / "genotypes").string() + GetParam();
    for (const auto& [instances, attributes] : {std::pair(1, 1), std::pair(7, 131), std::pair(130, 3)}) {
        const TaskOutcome outcome =
            succeedTask(declareGenerate,
                        {"--instances", std::to_string(instances), "--attributes", std::to_string(attributes),
                         "--missing", "0.25", "--seed", "5", "-o", file, "--json"});
        const auto json = outcome.json();  // outlives the loop over its member
        for (const Json& name : json["files"]) EXPECT_TRUE(std::filesystem::exists(name.get<std::string>()));
        EXPECT_EQ(folder.fileCount(), outcome.json()["files"].size());
        const auto n = static_cast<std::size_t>(instances);
        const auto m = static_cast<std::size_t>(attributes);
        const auto source = randomGenotypes({.instances = n, .attributes = m, .seed = 5, .missing = 0.25});
        InputOptions genotypes;
        genotypes.kind = DataKind::Genotypes;
        const DataSet data = readDataSet(file, genotypes);
        ASSERT_EQ(data.discrete->shape().instances, n);
        ASSERT_EQ(data.discrete->shape().attributes, m);
        Matrix<std::uint8_t> expected(n, m);
        Matrix<std::uint8_t> found(n, m);
        source->readSymbols({0, n}, {0, m}, expected.view());
        data.discrete->readSymbols({0, n}, {0, m}, found.view());
        EXPECT_TRUE(std::equal(expected.data(), expected.data() + expected.size(), found.data()));
    }
}
INSTANTIATE_TEST_SUITE_P(Formats, GeneratedGenotypes, ::testing::Values(".bed", ".vcf", ".npy", ".csv"));

TEST(GenerateGenotypes, SameSeedSameFile) {
    const TemporaryFolder folder;
    const auto generate = [&](const char* seed, const char* name) {
        const std::string file = (folder / name).string();
        succeedTask(declareGenerate,
                    {"--instances", "20", "--attributes", "50", "--uniform", "--seed", seed, "-o", file});
        return readFile(file);
    };
    const std::string a = generate("3", "a.npy");
    EXPECT_EQ(a, generate("3", "b.npy"));
    EXPECT_NE(a, generate("4", "c.npy"));
}

TEST(GenerateGenotypes, Refusals) {
    const TemporaryFolder folder;
    const std::string file = (folder / "g.npy").string();
    const auto refuse = [&](const char* instances, const char* attributes, const std::string& output,
                            const std::string& message) {
        expectTaskRefused(declareGenerate,
                          {"--instances", instances, "--attributes", attributes, "-o", output}, message);
    };
    refuse("0", "5", file, "--instances");
    refuse("5", "0", file, "--attributes");
    refuse("-5", "5", file, "--instances");
    refuse("5", "5", (folder / "g.txt").string(), ".bed, .vcf, .npy or .csv");
    refuse("5", "5", (folder / "missing" / "g.npy").string(), "missing");
    expectTaskRefused(declareGenerate,
                      {"--instances", "5", "--attributes", "5", "-o", file, "--missing", "1.01"},
                      "--missing");
    EXPECT_EQ(folder.fileCount(), 0U);
}

}  // namespace
}  // namespace glycine::distance
