// The time line of every command: its stages and "other" add up to the wall clock since the start of the
// process.
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

struct TimedCommand {
    std::string name;
    std::vector<std::string> generate;
    std::vector<std::string> run;
    std::vector<std::string> stages;  ///< stages that must occur
};
void PrintTo(const TimedCommand& one, std::ostream* stream) {
    *stream << one.name;
}

const std::vector<TimedCommand> kTimedCommands{
    {"bounds",
     "bounds --atoms 200 -o in.npz"_args,
     "bounds in.npz -o out.npz -o out.png"_args,
     {"startUp", "read", "check", "copy", "upper", "lower", "recount", "summarize", "draw", "write"}},
    {"distance",
     "genotypes --instances 150 --attributes 900 -o in.bed"_args,
     "distance in.bed -o out.npy -o out.png --tile 40"_args,
     {"startUp", "read", "open", "pack", "compute", "store", "recount", "write", "draw"}},
    {"closePairs",
     "genotypes --instances 150 --attributes 900 -o in.bed"_args,
     "distance in.bed -o out.tsv --molten --max-distance 300"_args,
     {"startUp", "read", "compute", "store", "recount", "write"}},
    {"mutualinfo",
     "expression --genes 90 --samples 60 -o in.tsv"_args,
     "mutualinfo in.tsv -o out.npy --tile 40"_args,
     {"startUp", "read", "prepare", "open", "pack", "compute", "store", "recount", "write"}},
    {"network",
     "expression --genes 90 --samples 60 -o in.tsv"_args,
     "network in.tsv -o out.tsv --pvalue 1e-3"_args,
     {"startUp", "read", "prepare", "open", "null", "information", "recount", "network", "write"}},
    {"pairwise",
     "sequences --sequences 30 --length 60 -o in.fa"_args,
     "pairwise in.fa -o out.npy -o out.png"_args,
     {"startUp", "read", "open", "compute", "store", "recount", "write", "draw"}},
    {"align",
     "sequences --sequences 12 --length 60 -o in.fa"_args,
     "align in.fa -o out.aln"_args,
     {"startUp", "read", "open", "posteriors", "guide tree", "progressive", "write"}},
    {"alignClustal",
     "sequences --sequences 12 --length 60 -o in.fa"_args,
     "align in.fa -o out.aln --method clustalw"_args,
     {"startUp", "read", "open", "pairs", "guide tree", "progressive", "summarize", "write"}},
    {"tree",
     "sequences --sequences 12 --length 60 -o in.fa"_args,
     "tree out.aln -o out.nwk"_args,
     {"startUp", "read", "distances", "compute", "write"}},
    {"crossapen",
     "signals --channels 4 --epochs 3 --samples 200 -o in.npy"_args,
     "crossapen in.npy --epoch 200 -o out.npz"_args,
     {"startUp", "read", "open", "compute", "recount", "summarize", "write"}},
};

class CommandTimes : public test::ProgramTest, public testing::WithParamInterface<TimedCommand> {};

// Time of no stage is at most 5 % of the run's own wall clock, however fast the machine is. Something else
// may interrupt a run of a tenth of a second, so one of several runs must show it.
TEST_P(CommandTimes, AddUpToTheWallClock) {
    constexpr double kShare = 0.05;
    constexpr int kRuns = 8;
    std::vector<std::string> generate{"generate"};
    generate.insert(generate.end(), GetParam().generate.begin(), GetParam().generate.end());
    succeed(generate);
    std::vector<std::string> arguments = GetParam().run;
    if (GetParam().name == "tree")
        succeed("align in.fa -o out.aln --method fast"_args);
    else
        arguments.insert(arguments.end(), {"--backend", "cpu"});
    arguments.push_back("--json");
    nlohmann::json seconds;
    double least = 1;
    for (int attempt = 0; attempt < kRuns && least > kShare; ++attempt) {
        seconds = succeed(arguments).json()["seconds"];
        double sum = 0;
        for (const auto& [stage, took] : seconds.items()) {
            if (stage == "wall" || stage == "overlapped") continue;
            EXPECT_GE(took.get<double>(), 0) << stage;
            sum += took.get<double>();
        }
        const double wall = seconds["wall"];
        ASSERT_GT(wall, 0);
        EXPECT_NEAR(sum, wall, 1e-6) << seconds;
        least = std::min(least, seconds["other"].get<double>() / wall);
    }
    EXPECT_LE(least, kShare) << "of no stage; the last of " << kRuns << " runs: " << seconds;
    for (const std::string& stage : GetParam().stages)
        EXPECT_TRUE(seconds.contains(stage)) << stage << " is missing: " << seconds;
}

INSTANTIATE_TEST_SUITE_P(All, CommandTimes, testing::ValuesIn(kTimedCommands),
                         [](const auto& one) { return one.param.name; });

class ProcessTimes : public test::ProgramTest {};

// The shell's process becomes the program: time before main() counts, as it does for the loading of
// libraries.
TEST_F(ProcessTimes, BeginWithTheProcess) {
    constexpr double kSlept = 0.2;
    constexpr double kTick = 0.01;
    succeed("generate bounds --atoms 20 -o in.npz"_args);
    const std::string command =
        std::string("sleep 0.2; exec ") + GLYCINE_COMMAND + " bounds in.npz -o out.npz --backend cpu";
    const nlohmann::json seconds = runProgram("/bin/sh", {"-c", command + " --json"}).json()["seconds"];
    EXPECT_GE(seconds["startUp"].get<double>(), kSlept - kTick) << seconds;
    EXPECT_THAT(runProgram("/bin/sh", {"-c", command}).out,
                testing::ContainsRegex("\nTime +[0-9.]+ m?s: start-up "));
}

}  // namespace
}  // namespace glycine
