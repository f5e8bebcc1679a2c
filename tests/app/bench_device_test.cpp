// `glycine bench device`; every algorithm's `bench` finds the ceilings that it names.
#include "engine/study/study_commands.hpp"
#include "tests/app/task_test.hpp"
#include "tests/test.hpp"

namespace glycine::study {
namespace {

TEST(BenchDevice, ReportsWhatIsThereAndWhatIsNot) {
    TemporaryFolder folder;
    const std::string file = (folder / "ceilings.json").string();
    const auto outcome = test::runTask(
        declareBenchDevice, {"--backend", "cpu", "--quick", "--repeats", "1", "--threads", "1", "-o", file});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error << outcome.out;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("add+min float32"), HasSubstr("copy bandwidth"),
                                   HasSubstr("not measured: the processor works where the data are"),
                                   Not(HasSubstr("WRONG"))));
    const Json report = Json::parse(readFile(file));
    EXPECT_EQ(report["command"], "bench device");
    ASSERT_EQ(report["measured"].size(), 1U);
    EXPECT_EQ(report["measured"][0]["device"]["backend"], "cpu");
    for (const Json& ceiling : report["measured"][0]["ceilings"])
        EXPECT_TRUE(ceiling.contains("absent") || ceiling["best"].get<double>() > 0) << ceiling;
    test::expectTaskRefused(declareBenchDevice, "--backend reference"_args,
                            "the reference is not measured; expected cpu, gl or cuda");
    test::expectTaskRefused(declareBenchDevice, "--backend metal"_args, "unknown backend 'metal'");
}

TEST(BenchDevice, EveryAlgorithmNamesCeilingsThatThereAre) {
    test::runTask([](Options&) { return [](CommandContext&) { return 0; }; }, {});  // registers them
    const std::map<std::string, std::vector<std::string>> small{
        {"bounds", "--sizes 32"_args},
        {"distance", "--sizes 20x500"_args},
        {"crossapen", "--channels 2 --samples 64 --epochs 1 --variant merged"_args},
        {"mutualinfo", "--sizes 20x40"_args},
        {"pairwise", "--sizes 5x30"_args},
        {"align", "--sizes 4x30"_args},
        {"tree", "--sizes 12"_args},
        {"fold", "--models 1 --residues 3"_args}};
    for (const auto& subject : SubjectRegistry::instance().subjects()) {
        const std::string name(subject->algorithm().name());
        SCOPED_TRACE(name);
        ASSERT_TRUE(small.contains(name)) << "give it a small input here";
        auto arguments = "--backend cpu --threads 1 --repeats 1 --json"_args;
        arguments.insert(arguments.end(), small.at(name).begin(), small.at(name).end());
        const auto outcome =
            test::runTask([&](Options& options) { return declareBench(*subject, options); }, arguments);
        ASSERT_EQ(outcome.exitCode, 0) << outcome.error << outcome.out;
        const Json row = outcome.json()["rows"][0];
        ASSERT_TRUE(row.contains("ceiling")) << row.dump(1);
        EXPECT_GT(row["ceiling"]["share"].get<double>(), 0);
        EXPECT_GT(row["ceiling"]["work"].get<double>(), 0);
        EXPECT_THAT(outcome.json()["settings"]["ceilings"].get<std::string>(),
                    Not(HasSubstr("no such ceiling")));
        EXPECT_TRUE(row.contains("energy") || row.contains("energyAbsent"));
    }
}

}  // namespace
}  // namespace glycine::study
