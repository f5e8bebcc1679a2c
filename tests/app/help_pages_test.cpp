// Help of every command: the first page fits on a screen, and former names of options refer to the new ones.

#include "engine/command/command_line.hpp"
#include "engine/command/text_table.hpp"
#include "tests/app/registered_algorithms.hpp"
#include "tests/test.hpp"

namespace glycine::test {
namespace {

struct Said {
    int exitCode = 0;
    std::string out, err;
};
Said call(const std::vector<std::string>& arguments) {
    std::ostringstream out, err;
    CommandContext context(out, err, false);
    const int exitCode = runCommandLine(arguments, context);
    return {exitCode, out.str(), err.str()};
}

/// Each call is refused in one line with its message.
void expectRefusals(const std::vector<std::pair<std::vector<std::string>, std::string>>& calls) {
    allCommands();
    for (const auto& [arguments, message] : calls) {
        const Said said = call(arguments);
        EXPECT_EQ(said.exitCode, 2);
        EXPECT_THAT(said.err, HasSubstr(message));
        EXPECT_EQ(std::ranges::count(said.err, '\n'), 1);
    }
}

TEST(HelpPages, TheFirstOneFitsAScreen) {
    constexpr std::ptrdiff_t kMaxLines = 40;
    std::size_t shortened = 0;
    for (const Command& command : allCommands()) {
        std::vector<std::string> arguments{"help", command.name};
        if (!command.group.empty()) arguments.insert(arguments.begin() + 1, command.group);
        const std::string page = call(arguments).out;
        EXPECT_LE(std::ranges::count(page, '\n'), kMaxLines) << page;
        EXPECT_THAT(page, Not(HasSubstr("--shaders")));
        arguments.emplace_back("--all");
        const std::string all = call(arguments).out;
        EXPECT_GE(all.size(), page.size());
        if (all.find("--shaders") == std::string::npos) continue;
        ++shortened;
        EXPECT_THAT(page, HasSubstr(" --all` explains ")) << "the page says that it is shortened";
    }
    EXPECT_GT(shortened, 10U) << "the commands are registered";
    EXPECT_LE(std::ranges::count(call({"help"}).out, '\n'), kMaxLines + 2);
}

TEST(HelpPages, NoLineIsTooWide) {
    constexpr std::size_t kMaxWidth = 100;
    for (const Command& command : allCommands())
        for (const bool isAll : {false, true}) {
            std::vector<std::string> arguments{"help", command.name};
            if (!command.group.empty()) arguments.insert(arguments.begin() + 1, command.group);
            if (isAll) arguments.emplace_back("--all");
            std::istringstream page(call(arguments).out);
            for (std::string line; std::getline(page, line);)
                EXPECT_LE(displayWidth(line), kMaxWidth) << line;
        }
}

TEST(HelpPages, ArgumentsThatAreNotExpected) {
    expectRefusals(
        {{"list foo"_args, "glycine list takes no FILE; got 'foo'; see `glycine list --help`"},
         {"network a.tsv b.tsv -o o.tsv"_args, "glycine network takes only INPUT; got also 'b.tsv'"},
         {"distance a.tsv -o o.tsv -q"_args, "unknown option -q; nearest: --quiet; see"},
         {"distance a.tsv -o o.tsv -mesure x"_args, "unknown option -mesure; nearest: --measure; see"},
         {"crossapen a.csv -o o.npz --header"_args, "--header: expected a value H; see"}});
}

TEST(HelpPages, FormerNamesNameTheNewOnes) {
    expectRefusals(
        {{"bounds in.npz -o o.npz --png o.png"_args, "--png is now -o FILE.png"},
         {"bounds in.npz -o o.npz --tsv o.tsv"_args, "--tsv is now -o FILE.tsv"},
         {"bounds in.npz -o o.npz --format fixed"_args, "--format is now --precision"},
         {"generate bounds --atoms 9 -o o.npz --format fixed"_args, "--format is now --dtype"},
         {"validate bounds --format fixed"_args, "--format is now --precision"},
         {"crossapen in.edf -o o --format float64"_args, "--format is now --precision"},
         {"distance in.bed -o o.tsv --png o.png"_args, "--png is now -o FILE.png"},
         {"mutualinfo in.tsv -o o.npy --estimator bins"_args, "--estimator is now --method"},
         {"mutualinfo in.tsv -o o.npy --png-order input"_args, "--png-order is now --order"},
         {"mutualinfo in.tsv -o o.npy --order 4"_args, "the former --order is now --spline-order"},
         {"network in.tsv -o o.tsv --order 4"_args, "--order is now --spline-order"},
         {"network in.tsv -o o.tsv --png-edges 9"_args, "--png-edges is now --drawn-edges"},
         {"align in.fa -o o.aln --fast"_args, "--fast is now --method fast"},
         {"align in.fa -o o.aln --accurate"_args, "--accurate is now --method accuracy"},
         {"align in.fa -o o.aln --tree-out o.dnd"_args, "--tree-out is now -o FILE.dnd or .nwk"},
         {"align in.fa -o o.aln --heat-map o.png"_args, "--heat-map is now --draw identities=FILE"},
         {"pairwise in.fa -o o.tsv --local"_args, "--local is now --method local"},
         {"tree in.aln -o o.nwk --distances-out d.tsv"_args, "--distances-out is now -o FILE.tsv"},
         {"fold in.nef -o o.pdb --picture o.png"_args, "--picture is now -o FILE.png"},
         {"view in.pdb --offscreen o.png"_args, "--offscreen is now -o FILE.png"},
         {"reproduce all --png o.png"_args, "--png is now -o FILE.png"}});
}

}  // namespace
}  // namespace glycine::test
