// Runs that each compute a part of a result, and the merging of the parts.
#include "engine/command/part_option.hpp"
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

class Parts : public ProgramTest {
  protected:
    void SetUp() override { makePairInputs(); }
    /// Computes all parts, in any order, and merges them.
    void mergeParts(Arguments command, int parts, const std::string& output, const Arguments& merging = {}) {
        Arguments merge{"merge"};
        command.insert(command.end(), {"-o", output});
        for (int part = parts; part > 0; --part) {
            Arguments one = command;
            one.insert(one.end(), {"--part", std::to_string(part) + "/" + std::to_string(parts)});
            succeed(one);
            merge.push_back(partName(output, part, parts));
        }
        EXPECT_FALSE(std::filesystem::exists(folder_ / output));
        merge.insert(merge.end(), merging.begin(), merging.end());
        succeed(merge);
    }
    static std::string partName(const std::string& output, int part, int of) {
        return output + ".part-" + std::to_string(part) + "-of-" + std::to_string(of);
    }
};

TEST_F(Parts, TogetherAreTheResultOfOneRun) {
    const struct {
        const char* command;
        const char* ending;
        int parts;
    } cases[] = {
        {"distance g.npy --tile 7 --backend cpu", "npy", 4},
        {"distance g.npy --tile 7 --backend reference --measure ibs --shape triangle", "tsv", 3},
        {"distance g.npy --measure king --tile 16 --backend cpu --dtype float32 --shape triangle", "npy", 3},
        {"distance g.npy --tile 7 --backend cpu --molten --max-distance 70", "tsv", 2},
        {"distance g.npy --backend cpu", "csv", 5},
        {"distance g.npy --tile 60 --backend cpu", "phy", 2},
        {"distance g.npy --tile 9 --backend cpu --molten --nearest 3", "tsv", 3},
        {"mutualinfo e.tsv --tile 5 --backend cpu", "npy", 3},
        {"pairwise s.fa --tile 6 --backend cpu --measure distance", "tsv", 4},
    };
    int number = 0;
    for (const auto& [command, ending, parts] : cases) {
        SCOPED_TRACE(command);
        const Arguments arguments = argumentsOf(command);
        const std::string whole = "whole" + std::to_string(++number) + "." + ending;
        const std::string merged = "merged" + std::to_string(number) + "." + ending;
        Arguments one = arguments;
        one.insert(one.end(), {"-o", whole});
        succeed(one);
        mergeParts(arguments, parts, merged);
        EXPECT_TRUE(read(merged) == read(whole));
    }
}

TEST_F(Parts, MergingWritesOtherFilesOnAnotherBackendToo) {
    const Arguments command = "distance g.npy --tile 9 --backend reference"_args;
    mergeParts(command, 2, "d.npy", "-o e.tsv -o e.npy --backend cpu --json"_args);
    succeed("distance g.npy --backend cpu -o w.tsv -o w.npy"_args);
    EXPECT_TRUE(read("e.tsv") == read("w.tsv"));
    EXPECT_TRUE(read("e.npy") == read("w.npy"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "d.npy"));
}

TEST_F(Parts, MergingOnAnotherBackendDropsTheOptionsOfTheFirst) {
    mergeParts("distance g.npy --tile 20 --backend cpu --variant bitplane --threads 1 --simd generic"_args, 2,
               "d.npy", "--backend reference"_args);
    succeed("distance g.npy --backend cpu -o w.npy"_args);
    EXPECT_TRUE(read("d.npy") == read("w.npy"));
    for (const std::string options :
         {"--backend gl --variant bitplane --dialect gl33 --context egl --device 0 --shaders . --no-check "
          "--max-texture 512 --max-memory 1G --pass-budget 50 --visible",
          "--backend=gl --devices=0,1 --dialect=es300", "--backend cpu --threads=1 --simd generic", ""}) {
        const nlohmann::json command = argumentsOf("distance g.npy -o d.npy --part 1/2 --tile 20 " + options);
        EXPECT_EQ(commandToMerge({.part = {}, .command = command.dump(), .identity = ""}, {}, "cpu"),
                  "distance g.npy -o d.npy --tile 20 --backend cpu"_args)
            << options;
    }
}

TEST_F(Parts, NeighboursNeedNoSquareOnDisk) {
    succeed("generate genotypes --instances 400 --attributes 60 -o many.npy"_args);
    // A square of int32 has 640 kB; files may have 64 blocks of 512 or 1024 bytes.
    const Outcome outcome =
        runProgram("sh", {"-c", "ulimit -f 64; exec \"$@\"", "sh", GLYCINE_COMMAND, "distance", "many.npy",
                          "--backend", "cpu", "--tile", "100", "--molten", "--nearest", "3", "-o", "n.tsv"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    succeed("distance many.npy --backend cpu --molten --nearest 3 -o all.tsv -o all.png"_args);
    EXPECT_TRUE(read("n.tsv") == read("all.tsv"));
}

TEST_F(Parts, ClosePairsOfTwoFilesNeedNoRectangleOnDisk) {
    succeed("generate genotypes --instances 400 --attributes 60 -o many.npy"_args);
    succeed("generate genotypes --instances 300 --attributes 60 --seed 2 -o known.npy"_args);
    // A rectangle of int32 has 480 kB; files may have 64 blocks of 512 or 1024 bytes.
    const Outcome outcome =
        runProgram("sh", {"-c", "ulimit -f 64; exec \"$@\"", "sh", GLYCINE_COMMAND, "distance", "many.npy",
                          "--against", "known.npy", "--backend", "cpu", "--tile", "100", "--molten",
                          "--max-distance", "20", "-o", "close.tsv"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    succeed("distance many.npy --against known.npy --backend cpu --molten -o all.tsv"_args);
    std::istringstream all(read("all.tsv"));
    std::string close;
    for (std::string line; std::getline(all, line);)
        if (std::stod(line.substr(line.rfind('\t'))) <= 20) close += line + '\n';
    EXPECT_GT(std::ranges::count(close, '\n'), 10);
    EXPECT_EQ(read("close.tsv"), close);
    mergeParts(
        "distance many.npy --against known.npy --backend cpu --tile 100 --molten --max-distance 20"_args, 2,
        "merged.tsv");
    EXPECT_EQ(read("merged.tsv"), close);
}

TEST_F(Parts, AKilledPartGoesOn) {
    const Arguments part = "distance g.npy -o d.npy --tile 7 --backend cpu --part 1/2 --json"_args;
    const Outcome killed = runUntilEntry(part, 3, ":kill");
    EXPECT_EQ(killed.exitCode, 128 + SIGKILL);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "d.npy.part-1-of-2.unfinished"));
    const Outcome resumed = succeed(part);
    EXPECT_EQ(resumed.json()["tiles"], 23) << "every second of 45";
    EXPECT_EQ(resumed.json()["tilesResumed"], 3);
    EXPECT_EQ(succeed(part).json()["tilesResumed"], 23) << "what is complete is not computed again";
    succeed("distance g.npy -o d.npy --tile 7 --backend cpu --part 2/2"_args);
    succeed("merge d.npy.part-1-of-2 d.npy.part-2-of-2"_args);
    succeed("distance g.npy -o w.npy --backend cpu"_args);
    EXPECT_TRUE(read("d.npy") == read("w.npy"));
}

TEST_F(Parts, WhatLacksOrDoesNotFitIsRefused) {
    const Arguments command = "distance g.npy -o d.npy --tile 20 --backend cpu"_args;
    for (const char* part : {"1/3", "2/3", "3/3"}) {
        Arguments one = command;
        one.insert(one.end(), {"--part", part});
        succeed(one);
    }
    expectRefused("merge d.npy.part-1-of-3 d.npy.part-1-of-3"_args, "part 1/3 is given twice");
    expectRefused("merge d.npy.part-2-of-3"_args,
                  "2 of 3 parts are missing: 1, 3; run the command with --part 1/3");
    expectRefused("merge g.npy"_args, "g.npy: no part of a result; expected a complete part");
    succeed("distance g.npy -o o.npy --tile 20 --backend cpu --measure ibs --part 1/3"_args);
    expectRefused("merge o.npy.part-1-of-3 d.npy.part-2-of-3 d.npy.part-3-of-3"_args,
                  "are parts of different results: --measure was ibs, is mismatch now");
    const std::string second = read("d.npy.part-2-of-3");
    std::string damaged = second;
    damaged[damaged.size() - 70] ^= 1;
    writeFile(folder_ / "d.npy.part-2-of-3", damaged);
    const Arguments merge = "merge d.npy.part-1-of-3 d.npy.part-2-of-3 d.npy.part-3-of-3"_args;
    expectRefused(merge,
                  "d.npy.part-2-of-3: 1 of 2 tiles are damaged; run the command with --part 2/3 again");
    EXPECT_THAT(succeed("distance g.npy -o d.npy --tile 20 --backend cpu --part 2/3"_args).out,
                HasSubstr("2, of which 1 were kept from an earlier run"));
    EXPECT_TRUE(read("d.npy.part-2-of-3") == second);
    for (const std::size_t length : {std::size_t{0}, std::size_t{50}, second.size() / 2, second.size() - 1}) {
        writeFile(folder_ / "d.npy.part-2-of-3", second.substr(0, length));
        expectRefused(merge, "d.npy.part-2-of-3: ");
    }
    writeFile(folder_ / "d.npy.part-2-of-3", second);
    succeed("generate genotypes --instances 60 --attributes 90 --missing 0.1 --seed 9 -o g.npy"_args);
    expectRefused(merge, "is a part of another result: contents of the input was");
}

TEST_F(Parts, OfFewRecordingsShareTheirEpochs) {
    succeed("generate signals --channels 3 --samples 60 --epochs 9 -o x.npy"_args);
    succeed("generate signals --channels 3 --samples 60 --epochs 4 --seed 2 -o y.npy"_args);
    const struct {
        const char* command;
        int parts;
        int epochs;  ///< of the first part
    } cases[] = {
        {"crossapen x.npy --epoch 60 --backend cpu", 3, 3},
        {"crossapen x.npy --epoch 60 --backend cpu --measure crossfuzzyen --m 2", 2, 5},
        {"crossapen x.npy --epoch 60 --backend reference", 10, 1},
        {"crossapen x.npy y.npy --epoch 60 --backend cpu", 2, 8},
    };
    int number = 0;
    for (const auto& [command, parts, epochs] : cases) {
        SCOPED_TRACE(command);
        const Arguments arguments = argumentsOf(command);
        const std::string whole = "whole" + std::to_string(++number) + ".csv",
                          merged = "merged" + std::to_string(number) + ".csv";
        Arguments one = arguments;
        one.insert(one.end(), {"-o", whole});
        succeed(one);
        mergeParts(arguments, parts, merged);
        EXPECT_TRUE(read(merged) == read(whole));
        Arguments first = arguments;
        first.insert(first.end(), {"-o", merged, "--json", "--part", "1/" + std::to_string(parts)});
        EXPECT_EQ(succeed(first).json()["epochs"], epochs);
    }
}

// The commands that glycine network --part refers to.
TEST_F(Parts, NetworksComeFromMergedInformation) {
    mergeParts("mutualinfo e.tsv --rank average --tile 5 --backend cpu"_args, 3, "mi.npy");
    for (const std::string method : {"mi", "clr", "mrnet", "consensus"}) {
        succeed({"network", "mi.npy", "--matrix", "-o", "merged.tsv", "--method", method});
        succeed({"network", "e.tsv", "-o", "whole.tsv", "--method", method, "--backend", "cpu"});
        EXPECT_TRUE(read("merged.tsv") == read("whole.tsv")) << method;
        EXPECT_NE(read("merged.tsv"), "");
    }
}

// The commands that glycine align --part and glycine tree --part refer to.
TEST_F(Parts, AlignmentsAndTreesComeFromMergedDistances) {
    for (const auto& [method, measure] :
         {std::pair("clustalw", "distance"), std::pair("thesis", "mismatch")}) {
        const std::string distances = std::string(method) + ".npy";
        Arguments command = "pairwise s.fa --tile 6 --backend cpu"_args;
        command.insert(command.end(), {"--method", method, "--measure", measure});
        mergeParts(command, 2, distances);
        Arguments whole = {"align", "s.fa", "--method", method, "--backend", "cpu"}, merged = whole;
        whole.insert(whole.end(), {"-o", "whole.fa"});
        merged.insert(merged.end(), {"-o", "merged.fa", "--distances-in", distances});
        succeed(whole);
        succeed(merged);
        EXPECT_TRUE(read("merged.fa") == read("whole.fa")) << method;
    }
    succeed("pairwise s.fa --method thesis --measure mismatch --backend cpu -o whole.npy"_args);
    succeed("tree thesis.npy -o merged.nwk"_args);
    succeed("tree whole.npy -o whole.nwk"_args);
    EXPECT_EQ(read("merged.nwk"), read("whole.nwk"));
    mergeParts("distance g.npy --tree nj --tile 20 --backend cpu"_args, 2, "t.nwk");
    succeed("distance g.npy --tree nj --backend cpu -o u.nwk"_args);
    EXPECT_EQ(read("t.nwk"), read("u.nwk"));
}

TEST_F(Parts, CommandsWithoutThemSayWhy) {
    expectRefused(
        "network e.tsv -o n.tsv --part 1/2"_args,
        "glycine network has no --part: compute the mutual information in parts (glycine mutualinfo "
        "INPUT --rank average -o MI.npy --part K/N)");
    expectRefused("align s.fa -o a.fa --part 1/2"_args, "glycine align has no --part: its joins follow");
    expectRefused("align s.fa -o a.fa --part 1/2"_args,
                  "glycine align INPUT --method clustalw --distances-in");
    expectRefused("tree a.fa -o a.nwk --part=1/2"_args, "glycine tree has no --part: its joins follow");
    expectRefused("bounds b.npz -o c.npz --part 1/2"_args,
                  "glycine bounds has no --part: its blocks exchange panels in every round; processes share "
                  "them with mpirun -n N glycine-mpi bounds");
    expectRefused("fold r.nef -o m.pdb --part 1/2"_args, "glycine fold has no --part: its models");
    expectRefused("distance g.npy -o d.npy --parts 1/2"_args, "unknown option --parts; nearest: --part");
}

TEST_F(Parts, MergingElsewhereRefersToTheFolder) {
    succeed("distance g.npy -o d.npy --backend cpu --part 1/1"_args);
    std::filesystem::create_directory(folder_ / "elsewhere");
    const Outcome outcome = runProgram(
        "sh", {"-c", "cd elsewhere && exec \"$@\"", "sh", GLYCINE_COMMAND, "merge", "../d.npy.part-1-of-1"});
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_THAT(outcome.err,
                AllOf(HasSubstr("g.npy"), HasSubstr("run glycine merge in the folder where it ran")));
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

TEST_F(Parts, WrongUse) {
    for (const std::string part : {"0/3", "4/3", "3", "1/0", "a/b", "1/2/3", "-1/2"})
        expectRefused({"distance", "g.npy", "-o", "d.npy", "--part", part},
                      "--part " + part + ": expected the number of a part and of all parts, as in 3/8");
    expectRefused("distance g.npy -o - --part 1/2"_args, "--part writes a file next to the output");
    expectRefused("distance g.npy -o d.kin0 --measure king --part 1/2"_args, "lists of relatives");
}

}  // namespace
}  // namespace glycine::test
