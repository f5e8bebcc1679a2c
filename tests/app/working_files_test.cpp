// Working files that runs keep next to their outputs, and files of users or other programs in their place.

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

class WorkingFiles : public ProgramTest {
  protected:
    void write(const std::string& name, const std::string& text) const { writeFile(folder_ / name, text); }
    void makeGenotypes(int instances) const {
        succeed({"generate", "genotypes", "--instances", std::to_string(instances), "--attributes", "8", "-o",
                 "g.npy"});
    }
    void makeInputs() const {
        makeGenotypes(20);
        std::string table = "gene\ts1\ts2\ts3\ts4\ts5\n";
        for (int gene = 0; gene < 9; ++gene) {
            table += "g" + std::to_string(gene);
            for (int sample = 0; sample < 5; ++sample)
                table += "\t" + std::to_string((gene * 7 + sample * sample * 3) % 11);
            table += "\n";
        }
        write("e.tsv", table);
        write("p.fa", ">a\nMKVLAAGIV\n>b\nMKVLGIV\n>c\nMKLAAGV\n>d\nMKVAAGIV\n");
        succeed("generate signals --channels 2 --samples 600 -o s.csv"_args);
    }
    /// Commands that keep finished results, and the files next to which they keep them.
    static std::vector<std::pair<Arguments, std::string>> commands() {
        const auto mutualinfo =
            "mutualinfo e.tsv -o m.npy --bins 3 --spline-order 2 --tile 4 --backend cpu"_args;
        const auto network = "network e.tsv -o n.tsv --bins 3 --spline-order 2 --tile 4 --backend cpu"_args;
        Arguments bootstraps = network;
        bootstraps.insert(bootstraps.end(), {"--method", "mi", "--bootstraps", "3", "--threshold", "0.1"});
        return {{"distance g.npy -o d.npy --tile 8 --backend cpu"_args, "d.npy"},
                {mutualinfo, "m.npy"},
                {network, "n.tsv"},
                {bootstraps, "n.tsv.bootstraps"},
                {"pairwise p.fa -o w.tsv --tile 2 --backend cpu"_args, "w.tsv"},
                {"align p.fa -o a.fa --backend cpu"_args, "a.fa"},
                {"align p.fa -o a.fa --method clustalw --tile 2 --backend cpu"_args, "a.fa"},
                {"crossapen s.csv -o c.csv --epoch 200 --backend cpu"_args, "c.csv"}};
    }

    /// Starts a run that keeps its results in d.npy.unfinished and then waits until `resume`, because nobody
    /// reads its standard output.
    void startWaitingRun() {
        makeGenotypes(400);
        ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
        child_ = startProgram("sh", {"-c", "exec '" GLYCINE_COMMAND
                                           "' distance g.npy -o d.npy -o - --tile 64 --backend cpu > pipe"});
        pipe_ = open((folder_ / "pipe").c_str(), O_RDONLY);
        // After the first bytes, all tiles are finished, and more text is to come than the pipe holds.
        char first = 0;
        ASSERT_EQ(::read(pipe_, &first, 1), 1);
        ASSERT_TRUE(fs::exists(folder_ / "d.npy.unfinished"));
    }
    Outcome resume() {
        char buffer[1 << 16];
        while (::read(pipe_, buffer, sizeof(buffer)) > 0) continue;
        close(pipe_);
        return finish(child_);
    }

    pid_t child_ = 0;
    int pipe_ = -1;
};

TEST_F(WorkingFiles, LinksAreNotFollowed) {
    makeInputs();
    write("victim", "the user's");
    for (const auto& [command, stem] : commands())
        for (const char* ending : {".unfinished", ".unfinished.tiles"})
            for (const char* target : {"victim", "not there"}) {
                fs::create_symlink(target, folder_ / (stem + ending));
                expectRefused(command, stem + ending + " is a symbolic link");
                fs::remove(folder_ / (stem + ending));
                EXPECT_EQ(read("victim"), "the user's");
            }
    fs::create_hard_link(folder_ / "victim", folder_ / "d.npy.unfinished");
    expectRefused(commands().front().first, "d.npy.unfinished is a file with other names");
    EXPECT_EQ(read("victim"), "the user's");
}

TEST_F(WorkingFiles, FilesOfTheUserAreNotOverwritten) {
    makeInputs();
    for (auto [command, stem] : commands())
        for (const bool restart : {false, true}) {
            if (restart) command.emplace_back("--restart");
            for (const auto& [ending, words] :
                 {std::pair(".unfinished", " is there already, and no journal of a stopped run"),
                  std::pair(".unfinished.tiles", " is there already and is no journal")}) {
                write(stem + ending, "my notes");
                const Outcome outcome = run(command);
                EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
                EXPECT_THAT(outcome.err, HasSubstr(stem + ending + words));
                EXPECT_EQ(read(stem + ending), "my notes");
                EXPECT_FALSE(fs::exists(folder_ / command[3]));
                fs::remove(folder_ / (stem + ending));
            }
        }
}

TEST_F(WorkingFiles, AnInputAtTheNameOfAWorkingFileIsRefused) {
    makeInputs();
    fs::copy_file(folder_ / "p.fa", folder_ / "w.tsv.unfinished");
    fs::copy_file(folder_ / "p.fa", folder_ / "w.tsv.unfinished.tiles");
    for (const char* name : {"w.tsv.unfinished", "w.tsv.unfinished.tiles"}) {
        expectRefused(
            {"pairwise", name, "-o", "w.tsv", "--backend", "cpu"},
            std::string(name) + " is the input, and a run stores its finished work under that name");
        fs::create_symlink(name, folder_ / "link.fa");
        expectRefused("pairwise link.fa -o w.tsv --tile 2 --backend cpu"_args,
                      "is the input, and a run stores");
        fs::remove(folder_ / "link.fa");
        EXPECT_EQ(read(name), read("p.fa"));
    }
}

TEST_F(WorkingFiles, ARunWhoseFileIsRemovedFinishes) {
    startWaitingRun();
    fs::remove(folder_ / "d.npy.unfinished");
    const Outcome outcome = resume();
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_THAT(files(), ElementsAre("d.npy", "d.npy.names", "g.npy", "pipe"));
    succeed("distance g.npy -o e.npy --backend cpu"_args);
    EXPECT_EQ(read("d.npy"), read("e.npy"));
}

TEST_F(WorkingFiles, ARunWhoseFileIsCutShortSaysSo) {
    startWaitingRun();
    fs::resize_file(folder_ / "d.npy.unfinished", 0);
    const Outcome outcome = resume();
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_EQ(outcome.err,
              "glycine: error: d.npy.unfinished: another program has cut it to 0 of 640128 bytes while "
              "results were kept in it: they are lost; run the command again\n");
    EXPECT_THAT(files(), IsSubsetOf({"g.npy", "g.npy.names", "pipe", "d.npy.names"}));
    succeed("distance g.npy -o d.npy --tile 64 --backend cpu"_args);
}

TEST_F(WorkingFiles, AKilledRunLeavesItsWorkingFilesAlone) {
    startWaitingRun();
    kill(child_, SIGKILL);
    EXPECT_EQ(resume().exitCode, 128 + SIGKILL);
    EXPECT_THAT(files(), IsSubsetOf({"d.npy.names", "d.npy.unfinished", "d.npy.unfinished.tiles", "g.npy",
                                     "g.npy.names", "pipe"}));
    succeed("distance g.npy -o d.npy --tile 64 --backend cpu"_args);
    EXPECT_THAT(files(), ElementsAre("d.npy", "d.npy.names", "g.npy", "pipe"));
}

}  // namespace
}  // namespace glycine::test
