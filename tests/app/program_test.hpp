#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/test.hpp"

namespace glycine::test {

/// Result of a program run: exit code and output.
struct Outcome {
    int exitCode = -1;
    std::string out;
    std::string err;
    long peakKibibytes = 0;  ///< peak resident memory
    nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Runs programs like a user, in a folder of the test's own.
class ProgramTest : public ::testing::Test {
  protected:
    /// Starts `glycine` in the test's folder; its output goes to files next to it. `environment`:
    /// "NAME=VALUE", added to the test's own.
    pid_t start(const std::vector<std::string>& arguments,
                const std::vector<std::string>& environment = {}) const {
        return startProgram(GLYCINE_COMMAND, arguments, environment);
    }

    pid_t startProgram(const std::string& program, const std::vector<std::string>& arguments,
                       const std::vector<std::string>& environment = {}) const {
        const pid_t child = fork();
        if (child != 0) return child;
        for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
        std::vector<char*> argv;
        std::vector<std::string> copies{program};
        copies.insert(copies.end(), arguments.begin(), arguments.end());
        for (std::string& argument : copies) argv.push_back(argument.data());
        argv.push_back(nullptr);
        const auto redirect = [](const std::filesystem::path& file, int descriptor) {
            dup2(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), descriptor);
        };
        redirect(outFile(), STDOUT_FILENO);
        redirect(errFile(), STDERR_FILENO);
        if (chdir(folder_.path().c_str()) == 0) execvp(program.c_str(), argv.data());
        _exit(127);
    }

    Outcome finish(pid_t child) const {
        int status = 0;
        struct rusage usage {};
        wait4(child, &status, 0, &usage);
        Outcome outcome;
        outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        outcome.peakKibibytes = usage.ru_maxrss;
        outcome.out = readFile(outFile());
        outcome.err = readFile(errFile());
        std::filesystem::remove(outFile());
        std::filesystem::remove(errFile());
        return outcome;
    }

    Outcome run(const std::vector<std::string>& arguments,
                const std::vector<std::string>& environment = {}) const {
        return finish(start(arguments, environment));
    }
    /// Runs the program; the run must succeed.
    Outcome succeed(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment = {}) const {
        const Outcome outcome = run(arguments, environment);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        return outcome;
    }
    std::string read(const std::string& name) const { return readFile(folder_ / name); }

    /// Inputs for all-pairs commands: g.npy with genotypes, e.tsv with expression, s.fa with sequences.
    void makePairInputs() const {
        succeed("generate genotypes --instances 60 --attributes 90 --missing 0.1 -o g.npy"_args);
        std::string sequences, table = "gene";
        for (int i = 0; i < 23; ++i) {
            sequences += ">s" + std::to_string(i) + "\n";
            for (int k = 0; k < 12 + i; ++k)
                sequences += "ACDEFGHIKLMNPQRSTVWY"[(i * i + 7 * k * k + k) % 20];
            sequences += "\n";
            table += "\tc" + std::to_string(i);
        }
        for (int g = 0; g < 23; ++g) {
            table += "\ng" + std::to_string(g);
            for (int s = 0; s < 23; ++s) table += "\t" + std::to_string((g * 31 + s * s * (g + 3)) % 97);
        }
        writeFile(folder_ / "s.fa", sequences);
        writeFile(folder_ / "e.tsv", table + "\n");
    }
    /// Runs until the journal contains `entries` groups of finished tiles, one tile per group. `how`: "" for
    /// Ctrl-C, ":kill" for SIGKILL (core/cancellation.hpp).
    Outcome runUntilEntry(const std::vector<std::string>& arguments, int entries,
                          const std::string& how = "") const {
        return run(arguments, stopAtEntry(entries, how));
    }
    static std::vector<std::string> stopAtEntry(int entries, const std::string& how) {
        return {"GLYCINE_CLOCK_STEP=1", "GLYCINE_STOP_AT=entry:" + std::to_string(entries) + how};
    }
    Outcome runProgram(const std::string& program, const std::vector<std::string>& arguments) const {
        return finish(startProgram(program, arguments));
    }

    /// Expects wrong use or wrong input: exit code 2, one line on standard error, nothing on standard output,
    /// and an unchanged folder.
    void expectRefused(const std::vector<std::string>& arguments, const std::string& message) const {
        const std::vector<std::string> before = files();
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
        EXPECT_THAT(outcome.err, AllOf(StartsWith("glycine: error: "), HasSubstr(message)));
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(files(), before);
    }

    /// How often a run checks for cancellation, and at which intervals (core/cancellation.hpp).
    struct Polls {
        std::uint64_t count = 0;
        double longestSeconds = 0;  ///< longest interval between two checks
        double seconds = 0;         ///< from the first to the last check
    };
    Polls pollsOf(const std::vector<std::string>& arguments) const {
        const std::filesystem::path report = folder_.path().string() + ".polls";
        const Outcome outcome = run(arguments, {"GLYCINE_POLL_REPORT=" + report.string()});
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        Polls polls;
        std::ifstream(report) >> polls.count >> polls.longestSeconds >> polls.seconds;
        std::filesystem::remove(report);
        EXPECT_GT(polls.count, 0U);
        return polls;
    }

    /// Waits until a running program has a file open whose path contains `part`, according to the system;
    /// returns false if the program has ended.
    static bool waitForOpenFile(pid_t child, const std::string& part) {
        const std::filesystem::path open = "/proc/" + std::to_string(child) + "/fd";
        for (;;) {
            std::error_code ignored;
            std::filesystem::directory_iterator files(open, ignored);
            for (; !ignored && files != std::filesystem::directory_iterator(); files.increment(ignored)) {
                std::error_code gone;
                if (std::filesystem::read_symlink(files->path(), gone).string().find(part) !=
                    std::string::npos)
                    return true;
            }
            siginfo_t ended{};
            if (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
                ended.si_pid != 0)
                return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }

    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
            names.push_back(entry.path().filename().string());
        std::sort(names.begin(), names.end());
        return names;
    }

    std::filesystem::path outFile() const { return folder_.path().string() + ".out"; }
    std::filesystem::path errFile() const { return folder_.path().string() + ".err"; }
    TemporaryFolder folder_;
};

}  // namespace glycine::test
