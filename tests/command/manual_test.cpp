// The manual page and the completions, made from a command line with everything that could break them.

#include "engine/command/manual.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>

#include "engine/core/error.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Manual : public testing::Test {
  protected:
    Manual() {
        CLI::App* bench = program_.add_subcommand("bench", "Times it's backends: all");
        CLI::App* bounds = bench->add_subcommand("bounds", "Times bounds");
        bounds->add_option("-o,--out-file", text_, ".npz, or a\\b")->type_name("FILE");
        bounds->add_option("IN", text_, "What is read");
        bounds->add_flag("--secret", flag_, "Not told")->group("");
        bounds->footer("Examples:\n  glycine bench bounds\n.hidden");
        program_.add_subcommand("list", "Lists");
    }

    /// What bash makes of a command line whose last word is being typed.
    std::string completed(const std::string& words) const {
        const test::TemporaryFolder folder;
        const std::string script = (folder.path() / "completion").string();
        std::ofstream(script) << completionScript(program_, "bash");
        const std::string command = "bash -c 'source " + script + "; COMP_WORDS=(" + words +
                                    "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _glycine; echo "
                                    "-n \"${COMPREPLY[*]}\"' 2>&1";
        FILE* pipe = popen(command.c_str(), "r");
        if (pipe == nullptr) return "no bash";
        char buffer[4096];
        const std::size_t count = fread(buffer, 1, sizeof buffer, pipe);
        pclose(pipe);
        return std::string(buffer, count);
    }

    std::string text_;
    bool flag_ = false;
    CLI::App program_{"What it is.", "glycine"};
};

TEST_F(Manual, TellsEveryCommandWithItsOptions) {
    const std::string page = manualPage(program_, "1.2.3");
    EXPECT_THAT(page, AllOf(HasSubstr("glycine 1.2.3"), HasSubstr(".SS \"glycine bench bounds\""),
                            HasSubstr(".SS \"glycine list\""),
                            HasSubstr("\\fB\\-\\-out\\-file\\fR \\fIFILE\\fR"), HasSubstr("[\\fIIN\\fR]")));
    EXPECT_THAT(page, Not(HasSubstr("secret")));
}

TEST_F(Manual, TakesNoTextForARequestOfTroff) {
    const std::string page = manualPage(program_, "1.2.3");
    EXPECT_THAT(page, AllOf(HasSubstr("\n\\&.npz, or a\\eb\n"), HasSubstr("\n\\&.hidden\n")));
    // Examples keep their lines.
    EXPECT_THAT(page, HasSubstr(".nf\n  glycine bench bounds\n.fi\n"));
}

TEST_F(Manual, BashCompletesCommandsAndOptions) {
    EXPECT_EQ(completed("glycine be"), "bench");
    EXPECT_EQ(completed("glycine help l"), "list");
    EXPECT_EQ(completed("glycine bench \"\""), "bounds");
    EXPECT_EQ(completed("glycine bench bounds --o"), "--out-file");
    EXPECT_EQ(completed("glycine bench bounds in.npz --o"), "--out-file");
    EXPECT_EQ(completed("glycine list --o"), "");
    EXPECT_EQ(completed("glycine bench bounds --sec"), "");
    // File names are bash's own.
    EXPECT_EQ(completed("glycine bench bounds in"), "");
}

TEST_F(Manual, ZshIsToldInQuotes) {
    const std::string script = completionScript(program_, "zsh");
    EXPECT_THAT(script, AllOf(testing::StartsWith("#compdef glycine\n"),
                              HasSubstr("'bench:Times it'\\''s backends\\: all'"),
                              HasSubstr("'--out-file:.npz, or a\\b'")));
}

TEST_F(Manual, AnotherShellIsRefused) {
    EXPECT_THROW(completionScript(program_, "fish"), UsageError);
}

}  // namespace
}  // namespace glycine
