// glycine bench end-to-end: whole commands, each in its own process.
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

class EndToEnd : public test::ProgramTest {
  protected:
    nlohmann::json rowsOf(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"bench", "end-to-end"});
        arguments.insert(arguments.end(), {"--size", "small", "--folder", ".", "--json"});
        const test::Outcome outcome = succeed(arguments);
        return outcome.exitCode == 0 ? outcome.json()["rows"] : nlohmann::json();
    }
};

TEST_F(EndToEnd, DividesTheTimeOfAProcess) {
    const nlohmann::json rows = rowsOf("distance --backend cpu --repeats 2"_args);
    ASSERT_EQ(rows.size(), 2U);
    for (const nlohmann::json& row : rows) {
        EXPECT_EQ(row["algorithm"], "distance");
        EXPECT_EQ(row["arguments"].back(), row["backend"]);
        EXPECT_FALSE(row["variant"].get<std::string>().empty());
        EXPECT_EQ(row["seconds"]["count"], 2) << "the first round is dropped";
        double sum = 0;
        for (const auto& [group, seconds] : row["groups"].items()) {
            EXPECT_GE(seconds.get<double>(), 0) << group;
            sum += seconds.get<double>();
        }
        // Of two runs, the faster one is the median.
        EXPECT_NEAR(sum, row["seconds"]["min"].get<double>(), 1e-6) << row;
        EXPECT_LE(row["stages"]["wall"].get<double>(), row["seconds"]["min"].get<double>());
        EXPECT_EQ(row["groups"]["kernel"], row["stages"]["compute"]);
        EXPECT_NEAR(row["kernelShare"].get<double>() * sum, row["groups"]["kernel"].get<double>(), 1e-9);
        EXPECT_GT(row["copy"]["seconds"].get<double>(), 0);
        const double least =
            std::max(row["copy"]["seconds"].get<double>(), row["groups"]["kernel"].get<double>());
        EXPECT_NEAR(row["ratio"].get<double>() * least, sum, 1e-6);
    }
    // Genotypes of 500 × 4,096 in 2 bits, their names, and 500 × 500 int32.
    EXPECT_GT(rows[0]["copy"]["bytes"].get<double>(), 500 * 1024 + 500 * 500 * 4);
    EXPECT_EQ(rows[0]["name"], "all pairs");
    EXPECT_EQ(rows[1]["name"], "close pairs");
    EXPECT_EQ(files(), std::vector<std::string>()) << "nothing is left";
}

TEST_F(EndToEnd, KnowsCommandsOfAllAlgorithms) {
    std::set<std::string> algorithms;
    for (const nlohmann::json& row : rowsOf("--backend cpu --repeats 1"_args)) {
        algorithms.insert(row["algorithm"]);
        EXPECT_FALSE(row.contains("skipped")) << row;
    }
    EXPECT_EQ(algorithms, (std::set<std::string>{"align", "bounds", "crossapen", "distance", "fold",
                                                 "mutualinfo", "pairwise"}));
}

TEST_F(EndToEnd, PrintsAReportAndWritesAFile) {
    const test::Outcome outcome = succeed(
        "bench end-to-end bounds --size small --backend cpu,reference --repeats 1 -o whole.json"_args);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("kernel's share"), HasSubstr("plain copy"),
                                   HasSubstr("bounds, bounds"), HasSubstr("Wrote whole.json")));
    const nlohmann::json rows = nlohmann::json::parse(readFile(folder_ / "whole.json"))["rows"];
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1]["backend"], "reference");
    EXPECT_EQ(rows[1]["variant"], "serial");
    expectRefused("bench end-to-end nothing"_args, "unknown algorithm 'nothing'");
    expectRefused("bench end-to-end bounds --folder nowhere"_args, "nowhere");
}

}  // namespace
}  // namespace glycine
