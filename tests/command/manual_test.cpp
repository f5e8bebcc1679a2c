// The manual page and the completions, generated from a command line with everything that could break them.

#include "engine/command/manual.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "engine/command/parser.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

enum class Herb { Mint, Parsley, Peppermint };
constexpr auto namesOf(Herb) {
    return namesAre<Herb>(
        "herb", {{Herb::Mint, "mint"}, {Herb::Parsley, "parsley"}, {Herb::Peppermint, "pepper-mint"}});
}

class Manual : public testing::Test {
  protected:
    Manual() {
        CLI::App* bench = program_.add_subcommand("bench", "Times it's backends: all");
        CLI::App* bounds = bench->add_subcommand("bounds", "Times bounds");
        bounds->add_option("-o,--out-file", text_, ".npz, or a\\b")->type_name("FILE");
        bounds->add_option("IN", text_, "What is read");
        bounds->add_flag("--secret", flag_, "Not told")->group("");
        bounds->footer("Examples:\n  glycine bench bounds\n.hidden");
        CLI::App* list = program_.add_subcommand("list", "Lists");
        declared_.reserve(2);
        for (CLI::App* command : {bounds, list}) {
            Options& options = declared_.emplace_back(command, optionsOf(*command)).second;
            options.choice("-b,--herb HERB", herb_, "Which");
            options.value("--spices S,…", spices_, "Which else")
                .suggests(command == list ? std::vector<std::string>{"salt"}
                                          : std::vector<std::string>{"salt", "saffron", "cumin"});
        }
    }

    std::string script(std::string_view shell) const {
        return completionScript(program_, shell, [this](const CLI::App& command, const std::string& option) {
            for (const auto& [parser, options] : declared_)
                if (parser == &command) return options.suggestions(option);
            return std::vector<std::string>();
        });
    }

    /// Output of a shell that has loaded the completion, from a file that `commands` call $completion.
    std::string printed(const std::string& shell, const std::string& commands) const {
        const TemporaryFolder folder;
        const std::string file = (folder.path() / "completion").string();
        std::ofstream(file) << script(shell);
        FILE* pipe = popen(("completion=" + file + " " + shell + " -c '" + commands + "' 2>&1").c_str(), "r");
        if (pipe == nullptr) return "no shell";
        char buffer[4096];
        const std::size_t count = fread(buffer, 1, sizeof buffer, pipe);
        pclose(pipe);
        return std::string(buffer, count);
    }

    /// bash's completions for a command line whose last word is being typed.
    std::string completed(const std::string& words) const {
        return printed("bash", "source $completion; COMP_WORDS=(" + words +
                                   "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _glycine; echo "
                                   "-n \"${COMPREPLY[*]}\"");
    }

    /// The same for zsh. The completion functions and variables of zsh exist only during a completion; these
    /// replace them.
    std::string completedByZsh(const std::string& words) const {
        return printed("zsh", R"(
            offered() {
                local word array=$@[-1]
                for word in ${(P)array}; do
                    [[ ${word%%:*} == $PREFIX* ]] && print -rn -- $IPREFIX${word%%:*}" "
                done
            }
            _describe() { offered "$@" }
            compadd() { offered "$@" }
            _files() { print -n files }
            words=()" + words + R"()
            CURRENT=$#words PREFIX=$words[$#words] IPREFIX=
            source $completion)");
    }

    std::string text_;
    bool flag_ = false;
    Herb herb_ = Herb::Mint;
    std::vector<std::string> spices_;
    CLI::App program_{"What it is.", "glycine"};
    std::vector<std::pair<const CLI::App*, Options>> declared_;
};

TEST_F(Manual, ListsEveryCommandWithItsOptions) {
    const std::string page = manualPage(program_, "1.2.3");
    EXPECT_THAT(page, AllOf(HasSubstr("glycine 1.2.3"), HasSubstr(".SS \"glycine bench bounds\""),
                            HasSubstr(".SS \"glycine list\""),
                            HasSubstr("\\fB\\-\\-out\\-file\\fR \\fIFILE\\fR"), HasSubstr("[\\fIIN\\fR]")));
    EXPECT_THAT(page, Not(HasSubstr("secret")));
}

TEST_F(Manual, TakesNoTextForARequestOfTroff) {
    const std::string page = manualPage(program_, "1.2.3");
    EXPECT_THAT(page, AllOf(HasSubstr("\n\\&.npz, or a\\eb\n"), HasSubstr("\n\\&.hidden\n")));
    // Examples keep their line breaks.
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
    // bash completes file names itself.
    EXPECT_EQ(completed("glycine bench bounds in"), "");
}

TEST_F(Manual, ZshGetsQuotedText) {
    EXPECT_THAT(script("zsh"),
                AllOf(StartsWith("#compdef glycine\n"), HasSubstr("'bench:Times it'\\''s backends\\: all'"),
                      HasSubstr("'--out-file:.npz, or a\\b'")));
}

TEST_F(Manual, BashCompletesValues) {
    EXPECT_EQ(completed("glycine bench bounds --herb \"\""), "mint parsley pepper-mint");
    EXPECT_EQ(completed("glycine bench bounds in.npz -b p"), "parsley pepper-mint");
    EXPECT_EQ(completed("glycine bench bounds -b mint --herb pe"), "pepper-mint");
    // bash splits --herb=pe into three words.
    EXPECT_EQ(completed("glycine list --herb ="), "mint parsley pepper-mint");
    EXPECT_EQ(completed("glycine list --herb = pe"), "pepper-mint");
    // After the value, anything may follow.
    EXPECT_EQ(completed("glycine list --herb mint m"), "");
    EXPECT_EQ(completed("glycine list --herb mint --s"), "--spices");
    EXPECT_EQ(completed("glycine list --herb x"), "");
    // No completion for a command without this option, or for options with unknown values.
    EXPECT_EQ(completed("glycine bench --herb m"), "");
    EXPECT_EQ(completed("glycine bench bounds --out-file m"), "");
}

TEST_F(Manual, BashCompletesListsOfEachCommand) {
    EXPECT_EQ(completed("glycine bench bounds --spices sa"), "salt saffron");
    EXPECT_EQ(completed("glycine list --spices sa"), "salt");
    EXPECT_EQ(completed("glycine bench bounds --spices salt,cumin,sa"), "salt,cumin,salt salt,cumin,saffron");
    EXPECT_EQ(completed("glycine bench bounds --spices = salt,c"), "salt,cumin");
    // Only one herb may be given.
    EXPECT_EQ(completed("glycine bench bounds --herb mint,p"), "");
}

TEST_F(Manual, ZshCompletesCommandsOptionsAndValues) {
    if (const std::string lack = lackOfProgram("zsh"); !lack.empty()) GTEST_SKIP() << lack;
    EXPECT_EQ(completedByZsh("glycine be"), "bench ");
    EXPECT_EQ(completedByZsh("glycine bench bounds --o"), "--out-file ");
    EXPECT_EQ(completedByZsh("glycine bench bounds in"), "files");
    EXPECT_EQ(completedByZsh("glycine bench bounds --herb \"\""), "mint parsley pepper-mint ");
    EXPECT_EQ(completedByZsh("glycine bench bounds in.npz -b p"), "parsley pepper-mint ");
    EXPECT_EQ(completedByZsh("glycine list --herb=pe"), "--herb=pepper-mint ");
    EXPECT_EQ(completedByZsh("glycine list --herb mint m"), "files");
    EXPECT_EQ(completedByZsh("glycine list --herb x"), "");
    EXPECT_EQ(completedByZsh("glycine list --spices sa"), "salt ");
    EXPECT_EQ(completedByZsh("glycine bench bounds --spices salt,sa"), "salt,salt salt,saffron ");
    EXPECT_EQ(completedByZsh("glycine bench bounds --spices=salt,c"), "--spices=salt,cumin ");
    EXPECT_EQ(completedByZsh("glycine bench bounds --herb mint,p"), "");
}

TEST_F(Manual, AnotherShellIsRefused) {
    EXPECT_THROW(script("fish"), UsageError);
}

}  // namespace
}  // namespace glycine
