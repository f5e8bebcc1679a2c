// The examples for clusters, without a cluster: their own commands, with a queue that runs each job at once.
#include <cstdlib>
#include <fstream>

#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

const fs::path kExamples = fs::path(GLYCINE_SOURCE_DIR) / "examples";

std::string withEach(std::string text, const std::vector<std::pair<std::string, std::string>>& replacements) {
    for (const auto& [from, to] : replacements)
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
            text.replace(at, from.size(), to);
    return text;
}

std::vector<std::string> linesOf(const fs::path& file) {
    std::vector<std::string> lines;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// Runs jobs at once: those of an array one after another, with the variables that Slurm sets.
constexpr const char* kSbatch = R"(#!/usr/bin/env bash
set -euo pipefail
first= last=
while [[ $1 == --* ]]; do
    case $1 in
        --parsable | --dependency=afterok:7) ;;
        --array=*) range=${1#*=} first=${range%-*} last=${range#*-} ;;
        *) exit 9 ;;
    esac
    shift
done
export SLURM_CPUS_PER_TASK=1
[ -n "$first" ] || exec bash "$@" >&2
for ((task = first; task <= last; ++task)); do
    SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=$((last - first + 1)) bash "$@" >&2
done
echo 7
)";

class ClusterExamples : public ProgramTest {
  protected:
    void SetUp() override {
        if (runProgram("bash", {"-c", "exit"}).exitCode != 0) GTEST_SKIP() << "there is no bash";
        fs::create_directory_symlink(kExamples, folder_ / "examples");
        fs::create_directory(folder_ / "bin");
        fs::create_symlink(GLYCINE_COMMAND, folder_ / "bin/glycine");
        writeFile(folder_ / "bin/sbatch", kSbatch);
        fs::permissions(folder_ / "bin/sbatch", fs::perms::owner_all);
    }
    Outcome shell(const std::string& commands) const {
        const std::string path = (folder_ / "bin").string() + ":" + std::getenv("PATH");
        return finish(startProgram("bash", {"-euo", "pipefail", "-c", commands}, {"PATH=" + path}));
    }
};

TEST_F(ClusterExamples, SlurmComputesQueuesAgainAndMerges) {
    succeed("generate genotypes --instances 60 --attributes 90 -o cohort.bed"_args);
    succeed("distance cohort.bed -o one.npy --backend cpu"_args);
    std::vector<std::string> commands;
    for (const std::string& line : linesOf(kExamples / "cluster/distances.sbatch"))
        if (line.starts_with("#   ") && line.find("sbatch") != std::string::npos)
            commands.push_back(withEach(line.substr(4), {{"64", "3"}, {"17", "2"}}));
    ASSERT_EQ(commands.size(), 3U);
    // The second job was lost, and left a working file.
    const Outcome array = shell(commands[0] + "; [ $array = 7 ]; rm distances.npy.part-2-of-3; " +
                                "touch distances.npy.part-2-of-3.unfinished");
    ASSERT_EQ(array.exitCode, 0) << array.err;
    const Outcome early = shell("array=7; " + commands[1]);
    EXPECT_NE(early.exitCode, 0);
    EXPECT_THAT(early.err, HasSubstr("distances.npy.part-2-of-3"));
    fs::remove(folder_ / "distances.npy.part-2-of-3.unfinished");
    const Outcome again = shell(commands[2]);
    ASSERT_EQ(again.exitCode, 0) << again.err;
    // What an unrelated run leaves does not matter.
    writeFile(folder_ / "distances.npy.part-3-of-4.unfinished", "");
    const Outcome merged = shell("array=7; " + commands[1]);
    ASSERT_EQ(merged.exitCode, 0) << merged.err;
    EXPECT_TRUE(read("distances.npy") == read("one.npy"));
    EXPECT_EQ(shell("sbatch examples/cluster/distances.sbatch cohort.bed distances.npy").exitCode, 2);
}

// Snakemake itself is not needed: the commands of the rules, with what it would insert.
TEST_F(ClusterExamples, TheCommandsOfSnakemake) {
    makePairInputs();
    succeed("mutualinfo e.tsv -o one.npy --backend cpu"_args);
    std::vector<std::string> commands;
    bool namesParts = false;
    for (const std::string& line : linesOf(kExamples / "cluster/Snakefile")) {
        namesParts = namesParts ||
                     line.find(R"(output: OUTPUT + ".part-{part}-of-" + str(PARTS))") != std::string::npos;
        const std::string begin = "    shell: \"";
        if (line.starts_with(begin))
            commands.push_back(line.substr(begin.size(), line.rfind('"') - begin.size()));
    }
    ASSERT_EQ(commands.size(), 2U);
    EXPECT_TRUE(namesParts);
    std::string files;
    for (const std::string part : {"1", "2", "3"}) {
        const Outcome outcome = shell(withEach(commands[0], {{"{GLYCINE}", "glycine"},
                                                             {"{input}", "e.tsv"},
                                                             {"{OUTPUT}", "information.npy"},
                                                             {"{threads}", "1"},
                                                             {"{wildcards.part}", part},
                                                             {"{PARTS}", "3"}}));
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
        files += " information.npy.part-" + part + "-of-3";
    }
    const Outcome merged = shell(withEach(
        commands[1], {{"{GLYCINE}", "glycine"}, {"{input}", files}, {"{output}", "information.npy"}}));
    ASSERT_EQ(merged.exitCode, 0) << merged.err;
    EXPECT_TRUE(read("information.npy") == read("one.npy"));
}

}  // namespace
}  // namespace glycine::test
