// `glycine validate|bench|reproduce|generate` for `distance`, in this process and on the processor: options,
// exit codes, reports, files. Agreement itself is tested elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "app/distance/commands.hpp"
#include "engine/algorithms/distance/input/input_data.hpp"
#include "engine/algorithms/distance/random_data.hpp"
#include "engine/algorithms/distance/study/figure_report.hpp"
#include "engine/core/error.hpp"
#include "engine/io/arrays/npy.hpp"
#include "tests/app/task_test.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::distance {
namespace {

using test::expectTaskRefused;
using test::readFile;
using test::runTask;
using test::TaskOutcome;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ValidateDistance, ComparesTheProcessor) {
    const TaskOutcome outcome =
        runTask(addValidateTask, {"--backend", "cpu", "--sizes", "1x1,2x3,5x70", "--json"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error << outcome.out;
    const Json json = outcome.json();
    EXPECT_EQ(json["agrees"], true);
    ASSERT_EQ(json["rows"].size(), 2U);
    for (const Json& row : json["rows"]) {
        const bool isCounts = row["numberFormat"] == "counts";
        EXPECT_EQ(row["inputs"], isCounts ? 3 * 12 : 3 * 2);
        EXPECT_TRUE(!isCounts || row["equalToTheBit"] == row["inputs"]);
    }
}

TEST(ValidateDistance, TakesAFile) {
    const TemporaryFolder folder;
    const std::string file = (folder / "genotypes.npy").string();
    ASSERT_EQ(
        runTask(addGenerateTask, {"--instances", "13", "--attributes", "200", "--missing", "0.2", "-o", file})
            .exitCode,
        0);
    const TaskOutcome outcome = runTask(addValidateTask, {file, "--backend", "cpu", "--json"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error << outcome.out;
    const Json json = outcome.json();
    ASSERT_EQ(json["rows"].size(), 1U);
    EXPECT_EQ(json["rows"][0]["inputs"], 5);  // four questions, and the values
    EXPECT_EQ(json["rows"][0]["equalToTheBit"], 5);
    expectTaskRefused(addValidateTask, {file, "--backend", "cpu", "--format", "float32"},
                      "nothing to compare");
}

TEST(ValidateDistance, Refusals) {
    expectTaskRefused(addValidateTask, {"--sizes", "5"}, "is no size");
    expectTaskRefused(addValidateTask, {"in.npy", "--sizes", "5x5"}, "not both");
    expectTaskRefused(addValidateTask, {"in.npy", "--seed", "5"}, "not both");
    expectTaskRefused(addValidateTask, {"in.docx"}, "in.docx");
    expectTaskRefused(addValidateTask, {"--backend", "metal"}, "unknown backend");
    expectTaskRefused(addValidateTask, {"--variant", "quick"}, "unknown variant");
    expectTaskRefused(addValidateTask, {"--format", "half"}, "unknown number format");
    expectTaskRefused(addValidateTask, {"--dialects", "hlsl"}, "unknown dialect");
    expectTaskRefused(addValidateTask, {"--backend", "cpu", "--max-texture", "8"},
                      "--max-texture concerns gl");
    const TaskOutcome outcome = runTask(addValidateTask, {"--backend", "cuda", "--sizes", "2x2"});
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.error, HasSubstr("nothing was compared"));
    EXPECT_THAT(outcome.out, HasSubstr("skipped: none here"));
}

TEST(BenchDistance, VerifiesAndReports) {
    const TemporaryFolder folder;
    const std::string file = (folder / "report.json").string();
    const TaskOutcome outcome =
        runTask(addBenchTask, {"--sizes", "20x100,33x700", "--backend", "reference,cpu", "--missing", "0.1",
                               "--measure", "allele", "--repeats", "2", "-o", file, "--json"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error << outcome.out;
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
        const TaskOutcome outcome = runTask(
            addBenchTask, {"--sizes", "20x100", "--backend", "cpu", "--data", kind, "--repeats", "1"});
        EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
        EXPECT_THAT(outcome.out, AllOf(HasSubstr("20 × 100"), HasSubstr("120 pairs ")));
    }
    const TemporaryFolder folder;
    const std::string file = (folder / "genotypes.npy").string();
    runTask(addGenerateTask, {"--instances", "9", "--attributes", "70", "-o", file});
    const TaskOutcome outcome =
        runTask(addBenchTask, {"--input", file, "--backend", "cpu", "--repeats", "1", "--json"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
    EXPECT_EQ(outcome.json()["rows"][0]["instances"], 9);
    EXPECT_EQ(outcome.json()["rows"][0]["check"], "36 pairs exact");
}

TEST(BenchDistance, Refusals) {
    expectTaskRefused(addBenchTask, {"--sizes", "0x5"}, "is no size");
    expectTaskRefused(addBenchTask, {"--data", "auto"}, "--data");
    expectTaskRefused(addBenchTask, {"--missing", "1.5"}, "--missing");
    expectTaskRefused(addBenchTask, {"--missing", "nan"}, "--missing");
    expectTaskRefused(addBenchTask, {"--data", "coordinates", "--missing", "0.5"}, "--missing");
    expectTaskRefused(addBenchTask, {"--input", "in.npy", "--sizes", "5x5"}, "not both");
    expectTaskRefused(addBenchTask, {"--measure", "hamming"}, "unknown measure");
    expectTaskRefused(addBenchTask, {"--measure", "euclidean", "--sizes", "5x5"}, "euclidean");
    expectTaskRefused(addBenchTask, {"--data", "dna", "--measure", "allele", "--sizes", "5x5"}, "allele");
    expectTaskRefused(addBenchTask, {"--repeats", "0"}, "--repeats");
    expectTaskRefused(addBenchTask, {"-o", "/nonexistent/r.json"}, "nonexistent");
}

TEST(ReproduceDistance, MeasuresTheFigure) {
    const TemporaryFolder folder;
    const std::string report = (folder / "figure.json").string();
    const std::string figure = (folder / "figure.png").string();
    const TaskOutcome outcome = runTask(
        addReproduceTask, {"--backend", "cpu,cuda", "--sets", "2", "--instances", "20", "--attributes", "100",
                           "--repeats", "2", "-o", report, "--png", figure, "--json"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error << outcome.out;
    const Json json = outcome.json();
    EXPECT_EQ(json, Json::parse(readFile(report)));
    EXPECT_THAT(readFile(figure), StartsWith("\x89PNG"));
    std::vector<std::string> methods;
    for (const Json& row : json["rows"]) methods.push_back(row["method"]);
    EXPECT_THAT(methods, ElementsAre("CPU loop", "naive", "coalesced", "char4", "register", "shared",
                                     "cpu bitplane", "gl scalar", "gl packed", "gl bits", "cuda bitplane",
                                     "cuda bittensor", "cuda tensor"));
    EXPECT_EQ(json["rows"][0]["paperSeconds"], 44.865);
    EXPECT_EQ(json["rows"][0]["kernelSeconds"]["count"], 2);
    EXPECT_EQ(json["rows"][1]["skipped"], "none here");
    EXPECT_NEAR(json["rows"][5]["timesFasterThanLoop"]["paper"], 1725.6, 0.1);
    EXPECT_FALSE(json["rows"][5]["timesFasterThanLoop"].contains("here"));
    EXPECT_EQ(json["rows"][6]["verified"], true);
    EXPECT_EQ(json["rows"][6]["check"], "all pairs of 2 data sets");
    EXPECT_GT(json["rows"][6]["timesFasterThanLoop"]["here"], 0);
    EXPECT_EQ(json["rows"][7]["skipped"], "not among --backend");
    EXPECT_THAT(json["conclusions"][0].get<std::string>(),
                AllOf(HasSubstr("44,865 ms"), HasSubstr("6.99 µs"), HasSubstr("18,600 cycles")));
}

TEST(ReproduceDistance, Refusals) {
    expectTaskRefused(addReproduceTask, {"--png", "figure.jpg"}, ".png");
    expectTaskRefused(addReproduceTask, {"--backend", "metal"}, "unknown backend");
    expectTaskRefused(addReproduceTask, {"--instances", "100000"}, "32-bit");
    expectTaskRefused(addReproduceTask, {"--attributes", "4294967296"}, "32-bit");
    expectTaskRefused(addReproduceTask, {"--sets", "0"}, "--sets");
    expectTaskRefused(addReproduceTask, {"--backend", "cpu", "--dialect", "es300"}, "--dialect concerns gl");
}

FigureReport measuredFigure() {
    FigureReport report;
    report.size = {112, 512};
    report.sets = 2;
    report.rows = publishedRows();
    double seconds = 0.012;
    for (FigureRow& row : report.rows) {
        row.kernel.seconds = {seconds, 3 * seconds};
        row.check = "fine";
        seconds /= 2;
    }
    return report;
}

TEST(FigureReport, MeansAndRatios) {
    const FigureReport report = measuredFigure();
    EXPECT_DOUBLE_EQ(report.row("CPU loop").kernel.mean(), 0.024);
    EXPECT_DOUBLE_EQ(report.row("CPU loop").kernel.best(), 0.012);
    const Json json = toJson(report);
    EXPECT_DOUBLE_EQ(json["rows"][3]["timesFasterThanNaive"]["here"], 4);
    EXPECT_NEAR(json["rows"][3]["timesFasterThanNaive"]["paper"], 2140.0 / 1784, 1e-9);
    EXPECT_DOUBLE_EQ(json["rows"][3]["timesFasterThanLoop"]["here"], 8);
    EXPECT_EQ(json["conclusions"][1],
              "Kernels, the fastest first: shared, register, coalesced, char4, naive in the paper; shared, "
              "register, char4, coalesced, naive here.");
}

TEST(FigureReport, GivesNoTimeForAWrongOrSkippedResult) {
    FigureReport report = measuredFigure();
    report.rows[1].isWrong = true;
    report.rows[1].check = "pair (1, 0): off";
    report.rows[2].skipped = "no such device";
    EXPECT_TRUE(report.hasWrongRows());
    std::ostringstream out;
    printFigureReport(out, report, 0);
    EXPECT_THAT(out.str(), HasSubstr("WRONG: pair (1, 0): off"));
    EXPECT_THAT(out.str(), HasSubstr("not measured: no such device"));
    EXPECT_THAT(out.str(), Not(HasSubstr("the fastest first")));
    const Json json = toJson(report);
    EXPECT_EQ(json["rows"][1]["verified"], false);
    EXPECT_FALSE(json["rows"][1].contains("kernelSeconds"));
    EXPECT_FALSE(json["rows"][3]["timesFasterThanNaive"].contains("here"));
    const TemporaryFolder folder;
    drawFigure(folder / "figure.png", report);
    EXPECT_THAT(readFile(folder / "figure.png"), StartsWith("\x89PNG"));
    EXPECT_THROW(report.row("nobody"), std::logic_error);
}

class GeneratedGenotypes : public ::testing::TestWithParam<const char*> {};

TEST_P(GeneratedGenotypes, AreReadBack) {
    const TemporaryFolder folder;
    const std::string file = (folder / "genotypes").string() + GetParam();
    for (const auto& [instances, attributes] : {std::pair(1, 1), std::pair(7, 131), std::pair(130, 3)}) {
        const TaskOutcome outcome =
            runTask(addGenerateTask,
                    {"--instances", std::to_string(instances), "--attributes", std::to_string(attributes),
                     "--missing", "0.25", "--seed", "5", "-o", file, "--json"});
        ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
        const auto json = outcome.json();  // outlives the loop over a part of it
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
        EXPECT_EQ(runTask(addGenerateTask, {"--instances", "20", "--attributes", "50", "--uniform", "--seed",
                                            seed, "-o", file})
                      .exitCode,
                  0);
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
        expectTaskRefused(addGenerateTask,
                          {"--instances", instances, "--attributes", attributes, "-o", output}, message);
    };
    refuse("0", "5", file, "--instances");
    refuse("5", "0", file, "--attributes");
    refuse("-5", "5", file, "--instances");
    refuse("5", "5", (folder / "g.txt").string(), ".bed, .vcf, .npy or .csv");
    refuse("5", "5", (folder / "missing" / "g.npy").string(), "missing");
    expectTaskRefused(addGenerateTask,
                      {"--instances", "5", "--attributes", "5", "-o", file, "--missing", "1.01"},
                      "--missing");
    EXPECT_EQ(folder.fileCount(), 0U);
}

}  // namespace
}  // namespace glycine::distance
