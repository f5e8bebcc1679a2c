// Options with meaningless values, or that a run would not read: each command refuses them by name before it
// does anything.

#include <regex>

#include "engine/api/backends.hpp"
#include "engine/command/command_line.hpp"
#include "tests/app/program_test.hpp"
#include "tests/app/registered_algorithms.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

/// A command that would run, to which another option is added.
struct Call {
    Arguments arguments;
    Arguments alsoFor(const std::string& option) const {
        Arguments all = arguments;
        if (option == "--max-distance") all.emplace_back("--molten");
        if (option == "--subjects") all.emplace_back("--study");
        if (option == "--alpha") all.insert(all.end(), {"--groups", "groups.csv"});
        return all;
    }
};
const Call kCalls[] = {
    {"bounds chain.pdb -o o.npz"_args},
    {"distance g.npy -o o.tsv"_args},
    {"crossapen s.npy -o o.csv"_args},
    {"mutualinfo x.tsv -o o.npy"_args},
    {"network x.tsv -o o.tsv"_args},
    {"align x.fa -o o.aln"_args},
    {"pairwise x.fa -o o.npy"_args},
    {"tree x.fa -o o.nwk"_args},
    {"generate sequences --sequences 3 --length 9 -o o.fa"_args},
    {"generate expression --genes 3 --samples 3 -o o.tsv"_args},
    {"generate bounds --atoms 9 -o o.npz"_args},
    {"generate genotypes --instances 3 --attributes 3 -o o.npy"_args},
    {"generate signals --channels 3 -o o.edf"_args},
    {{"validate", "bounds"}},
    {{"validate", "distance"}},
    {"validate crossapen --samples 40"_args},
    {{"validate", "pairwise"}},
    {{"bench", "bounds"}},
    {{"bench", "distance"}},
    {{"bench", "crossapen"}},
    {{"bench", "pairwise"}},
    {{"reproduce", "gems2-table-43-1"}},
    {"study bounds -o s"_args},
};

class RefusedOptions : public ProgramTest {
  protected:
    RefusedOptions() {
        static const bool once = [] {
            registerBackends();
            allCommands();
            return true;
        }();
        static_cast<void>(once);
        std::filesystem::current_path(folder_.path());
    }
    ~RefusedOptions() override { std::filesystem::current_path("/"); }

    /// Like a process of its own (ProgramTest::run), but without the time that thousands of processes take.
    static Outcome runHere(const Arguments& arguments) {
        std::ostringstream out, err;
        CommandContext context(out, err, false);
        Outcome outcome;
        outcome.exitCode = runCommandLine(arguments, context);
        outcome.out = out.str();
        outcome.err = err.str();
        return outcome;
    }
    /// Numeric options of a command, recognised by the placeholders of their values in the help.
    std::set<std::string> numericOptions(const Call& call) const {
        static const std::regex line(R"((?:^|\n)  (?:-\w,)?(--[\w-]+) (\S+))");
        static const std::set<std::string> numbers{
            "N", "N,…", "M", "M,…", "R",  "R,…",   "K",  "S",    "G",  "L", "E",     "C",      "B",
            "T", "D",   "P", "F",   "SD", "SHARE", "HZ", "SIZE", "MS", "Å", "NxM,…", "SECONDS"};
        static const std::set<std::string> names{
            "--backend", "--measure", "--data",    "--kind",     "--shape",      "--dtype",    "--precision",
            "--bias",    "--sd",      "--dialect", "--dialects", "--convention", "--topology", "--method"};
        Arguments help(
            call.arguments.begin(),
            call.arguments.begin() + (call.arguments[0] == "generate" || call.arguments[0] == "validate" ||
                                              call.arguments[0] == "bench"
                                          ? 2
                                          : 1));
        help.insert(help.end(), {"--help", "--all"});
        const std::string text = runHere(help).out;
        std::set<std::string> options;
        for (auto found = std::sregex_iterator(text.begin(), text.end(), line);
             found != std::sregex_iterator(); ++found)
            if (numbers.contains((*found)[2]) && !names.contains((*found)[1])) options.insert((*found)[1]);
        return options;
    }
    void expectRefusedByName(Arguments arguments, const std::string& option, const std::string& value) {
        // Replaces the call's own value.
        if (const auto at = std::find(arguments.begin(), arguments.end(), option); at != arguments.end())
            arguments.erase(at, at + 2);
        arguments.push_back(option + "=" + value);
        SCOPED_TRACE(arguments[0] + " " + arguments[1] + " " + arguments.back());
        const Outcome outcome = runHere(arguments);
        EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
        // The number of models is only known from the file.
        EXPECT_THAT(outcome.err, HasSubstr(option == "--model" ? "model" : option));
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
};

TEST_F(RefusedOptions, NumbersThatAreNone) {
    succeed("generate genotypes --instances 4 --attributes 9 -o g.npy"_args);
    succeed("generate signals --channels 2 -o s.npy"_args);
    writeFile(folder_ / "chain.pdb",
              "ATOM      1  CA  ALA A   1       0.000   0.000   0.000  1.00  0.00           C\n"
              "ATOM      2  CA  ALA A   2       3.800   0.000   0.000  1.00  0.00           C\n");
    const std::vector<std::string> before = files();
    std::size_t tried = 0;
    for (const Call& call : kCalls)
        for (const std::string& option : numericOptions(call))
            for (const char* value : {"nan", "-1", "1e999", "1e300", "0x10", "12abc", ""}) {
                expectRefusedByName(call.alsoFor(option), option, value);
                ++tried;
            }
    EXPECT_GT(tried, 7U * 100U) << "the help is read";
    EXPECT_EQ(files(), before);
}

TEST_F(RefusedOptions, NumbersThatMustBeAboveZeroAndNumbersThatDoNotFit) {
    for (const Call& call : kCalls) {
        const std::set<std::string> options = numericOptions(call);
        for (const char* option :
             {"--threads",  "--max-texture", "--pass-budget", "--max-memory", "--repeats",
              "--sizes",    "--samples",     "--channels",    "--epochs",     "--m",
              "--tile",     "--atoms",       "--instances",   "--attributes", "--rate",
              "--subjects", "--genes",       "--factors",     "--sequences",  "--length"})
            if (options.contains(option)) expectRefusedByName(call.alsoFor(option), option, "0");
        for (const char* option : {"--seed", "--threads", "--max-texture", "--repeats", "--samples", "--m"})
            if (options.contains(option))
                expectRefusedByName(call.alsoFor(option), option, "99999999999999999999");
    }
}

TEST_F(RefusedOptions, EmptyTextsAndOutputsOfTwoSpellings) {
    succeed("generate genotypes --instances 4 --attributes 9 -o g.npy"_args);
    writeFile(folder_ / "x.fa", ">a\nACGT\n>b\nACGA\n");
    expectRefused({"pairwise", "x.fa", "-o", "o.npy", "--matrix", ""}, "--matrix: the value is empty");
    expectRefused("pairwise -o o.npy --matrix= x.fa"_args, "--matrix: the value is empty");
    expectRefused({"pairwise", "", "-o", "o.npy"}, "IN: the value is empty");
    expectRefused({"distance", "g.npy", "-o", ""}, "--output: the value is empty");
    expectRefused("bench bounds --sizes 3,,4"_args, "--sizes: '3,,4' has an empty element");
    std::filesystem::create_directory(folder_ / "sub");
    std::filesystem::create_directory_symlink("sub", folder_ / "linked");
    std::filesystem::create_symlink("o.npy", folder_ / "dangling.npy");
    const std::string absolute = (folder_ / "o.npy").string();
    for (const auto& [one, other] :
         std::vector<std::pair<std::string, std::string>>{{"o.npy", "./o.npy"},
                                                          {"sub/o.npy", "linked/o.npy"},
                                                          {"o.npy", "dangling.npy"},
                                                          {"o.npy", absolute},
                                                          {"o.npy", "sub/../o.npy"}})
        expectRefused({"distance", "g.npy", "-o", one, "-o", other},
                      one + " is given for two different outputs");
}

TEST_F(RefusedOptions, WhatNobodyWouldRead) {
    const struct {
        Arguments arguments;
        std::string message;
    } cases[] = {
        {"validate bounds b.npz --sizes 3"_args,
         "--sizes is for generated inputs; give it or a file, not both"},
        {"validate bounds b.npz --seed 3"_args, "--seed is for generated inputs"},
        {"validate bounds --backend cpu --interop staged"_args, "--interop concerns gl"},
        {"validate bounds --backend gl --interop staged"_args, "--interop concerns cuda"},
        {"validate bounds --backend cpu --dialects es300"_args, "--dialects concerns gl"},
        {"validate distance g.npy --sizes 3x3"_args, "--sizes is for generated inputs"},
        {"validate distance g.npy --seed 3"_args, "--seed is for generated inputs"},
        {"validate crossapen s.npy --seed 3"_args, "--seed is for generated inputs"},
        {"validate crossapen --epochs 3"_args, "--epochs is for files"},
        {"validate crossapen --channels 3"_args, "--channels is for files and epochs of lengths"},
        {"bench bounds --input b.npz --sizes 3"_args, "--sizes is for generated inputs"},
        {"bench bounds --input b.npz --known 0.3"_args, "--known is for generated inputs"},
        {"bench bounds --input b.npz --seed 3"_args, "--seed is for generated inputs"},
        {"bench bounds --backend gl --context egl --visible"_args,
         "--visible is for windows; --context egl has none"},
        {"bench distance --input g.npy --sizes 3x3"_args, "--sizes is for generated inputs"},
        {"bench distance --input g.npy --data dna"_args, "--data is for generated inputs"},
        {"bench distance --input g.npy --missing 0.3"_args, "--missing is for generated inputs"},
        {"bench distance --input g.npy --seed 3"_args, "--seed is for generated inputs"},
        {"bench distance --data coordinates --missing 0.1"_args,
         "--missing is for genotypes and sequences; the data are coordinates"},
        {"bench distance --data dna --precision float32"_args,
         "--precision is for coordinates; the data are dna"},
        {"bench crossapen --input s.npy --channels 2"_args, "--channels is for generated inputs"},
        {"bench crossapen --input s.npy --pairs all"_args, "--pairs is for generated inputs"},
        {"bench crossapen --input s.npy --kind white"_args, "--kind is for generated inputs"},
        {"bench crossapen --input s.npy --coupling 0"_args, "--coupling is for generated inputs"},
        {"bench crossapen --input s.npy --seed 3"_args, "--seed is for generated inputs"},
        {"bench crossapen --input s.npy --study"_args, "--input is for runs without --study"},
        {"bench crossapen --study --pairs self"_args, "--pairs is for generated inputs"},
        {"bench crossapen --pairs self --channels 2"_args, "--channels is for --pairs all"},
        {"bench crossapen --pairs self --coupling 0.1"_args, "--coupling is for several channels"},
        {"bench crossapen --subjects 3"_args, "--subjects needs --study"},
        {"distance g.npy -o o.npy --precision float64"_args, "--precision is for coordinates"},
        {"distance g.npy -o o.npy --backend cpu --device 1"_args,
         "there is no device 1; the processor is device 0"},
        {"distance g.npy -o o.npy --backend reference --device 1"_args,
         "there is no device 1; the processor is device 0"},
        {"distance g.npy -o o.npy --backend cpu --variant direct"_args,
         "the variant 'direct' sums coordinates; for symbols: bitplane"},
        {"distance g.npy -o o.png --molten --nearest 3"_args,
         "--nearest is for files of values, not for pictures; add one: -o FILE.tsv"},
        {"distance g.npy -o o.png --molten --max-distance 3"_args, "--max-distance is for files of values"},
        {"distance g.npy -o o.png --molten"_args, "--molten is for files of values"},
        {"mutualinfo c.tsv -o o.svg --shape triangle"_args, "--shape is for files of values"},
        {"distance c.tsv --data coordinates -o o.npy --backend cpu --variant bitplane"_args,
         "the variant 'bitplane' counts symbols; for coordinates: direct"},
        {"crossapen s.npy -o o.csv --backend reference --variant membership"_args,
         "the backend 'reference' has no variant 'membership'; it has: serial"},
        {"generate signals --channels 2 -o o.npy --rate 100"_args, "--rate is for .edf files; o.npy is none"},
        {"generate signals --channels 1 -o o.npy --coupling 0.1"_args,
         "--coupling is for several channels; there is one"},
        {"reproduce --list allpairs-figure-4"_args, "ID is not read: --list shows all figures"},
        {"reproduce --list --quick"_args, "--quick is not read"},
        {"reproduce --list --backend cpu"_args, "--backend is not read"},
        {"reproduce --list --seed 3"_args, "--seed is not read"},
        {"reproduce --list --repeats 3"_args, "--repeats is not read"},
        {"reproduce --list -o a.png"_args, "--output is not read"},
        {"reproduce --list -o a.json"_args, "--output is not read"},
        {"reproduce --list --threads 3"_args, "--threads is not read"},
    };
    succeed("generate genotypes --instances 4 --attributes 9 -o g.npy"_args);
    succeed("generate signals --channels 2 -o s.npy"_args);
    succeed("generate bounds --atoms 9 -o b.npz"_args);
    writeFile(folder_ / "c.tsv", "id\tx\na\t1\nb\t2\n");
    for (const auto& [arguments, message] : cases) {
        SCOPED_TRACE(::testing::PrintToString(arguments));
        expectRefused(arguments, message);
    }
}

}  // namespace
}  // namespace glycine::test
