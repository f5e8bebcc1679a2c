#include "app/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <new>
#include <ostream>

#include "app/commands.hpp"
#include "engine/command/help_formatter.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"

namespace glycine {

namespace {

constexpr const char* kDescription = "Bioinformatics on the graphics pipeline.";
constexpr const char* kFooter =
    "Exit codes: 0 done, 1 failed, 2 wrong use or wrong input, 130 cancelled.\n"
    "`glycine help COMMAND` explains a command, `glycine info` this machine.";

struct CommandLine {
    CLI::App app{kDescription, "glycine"};
    /// What to run for each command that can stand on the command line.
    std::vector<std::pair<const CLI::App*, Algorithm::Action>> actions;
};

CLI::App* addCommand(CLI::App& parent, std::string_view name, std::string_view description) {
    return parent.add_subcommand(std::string(name), std::string(description));
}

/// `glycine <task> <algorithm>` for all algorithms that have the task; no command when none has.
void addTaskCommand(CommandLine& line, Task task, std::string_view name, std::string_view description) {
    CLI::App* group = addCommand(line.app, name, description);
    group->group("Commands")->require_subcommand(1);
    for (const auto& algorithm : AlgorithmRegistry::instance().algorithms()) {
        const std::string_view subject =
            task == Task::Generate ? algorithm->generatedName() : algorithm->name();
        CLI::App* command =
            addCommand(*group, subject, fmt::format("{} for {}", description, algorithm->name()));
        if (Algorithm::Action action = algorithm->addTask(task, *command))
            line.actions.emplace_back(command, std::move(action));
        else
            group->remove_subcommand(command);
    }
    if (group->get_subcommands([](const CLI::App*) { return true; }).empty())
        line.app.remove_subcommand(group);
}

void addCommands(CommandLine& line) {
    useWrappedHelp(line.app);
    line.app.set_version_flag("--version", describeBuild(), "Print version, commit and compiler, and exit");
    line.app.require_subcommand(1);
    line.app.footer(kFooter);
    for (const auto& algorithm : AlgorithmRegistry::instance().algorithms()) {
        CLI::App* command = addCommand(line.app, algorithm->name(), algorithm->summary());
        command->group("Algorithms");
        if (Algorithm::Action action = algorithm->addTask(Task::Run, *command))
            line.actions.emplace_back(command, std::move(action));
        else
            line.app.remove_subcommand(command);
    }
    addTaskCommand(line, Task::Generate, "generate", "Make input of any size from a seed");
    addTaskCommand(line, Task::Validate, "validate", "Compare all backends and variants with the reference");
    addTaskCommand(line, Task::Bench, "bench", "Verify and time backends and variants");
    addTaskCommand(line, Task::Reproduce, "reproduce", "Measure a publication's figures on this machine");
    const auto add = [&line](std::string_view name, std::string_view description,
                             Algorithm::Action (*setUp)(CLI::App&)) {
        CLI::App* command = addCommand(line.app, name, description);
        command->group("Commands");
        line.actions.emplace_back(command, setUp(*command));
    };
    add("list", "Show algorithms, backends and variants, and which of them run here", addListCommand);
    add("info", "Show the build, the devices and what they can do", addInfoCommand);
}

/// The innermost command that was parsed.
const CLI::App* parsedCommand(const CLI::App& app) {
    const std::vector<const CLI::App*> parsed =
        app.get_subcommands([](const CLI::App* command) { return command->parsed(); });
    return parsed.empty() ? &app : parsedCommand(*parsed.front());
}

/// How the command is typed: "glycine bench bounds".
std::string fullName(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return parent == nullptr ? command.get_name() : fullName(*parent) + " " + command.get_name();
}

/// Names what cannot be a command, before the parser calls it an unexpected argument.
void checkCommandName(const CLI::App& app, const std::vector<std::string>& arguments) {
    const CLI::App* level = &app;
    for (const std::string& argument : arguments) {
        if (argument.starts_with("-")) return;
        const std::vector<const CLI::App*> commands =
            level->get_subcommands([](const CLI::App*) { return true; });
        if (commands.empty()) return;
        const auto found = std::find_if(commands.begin(), commands.end(), [&](const CLI::App* command) {
            return command->get_name() == argument;
        });
        if (found == commands.end()) {
            std::vector<std::string> known;
            known.reserve(commands.size());
            for (const CLI::App* command : commands) known.push_back(command->get_name());
            throw UsageError(fmt::format("unknown {} '{}'; known: {}",
                                         level == &app ? "command" : "algorithm", argument,
                                         fmt::join(known, ", ")));
        }
        level = *found;
    }
    if (level != &app && !level->get_subcommands([](const CLI::App*) { return true; }).empty())
        throw UsageError(fmt::format("{} needs the name of an algorithm; see `{} --help`", fullName(*level),
                                     fullName(*level)));
}

int parseAndRun(CommandLine& line, std::vector<std::string> arguments, CommandContext& context) {
    // `glycine help bench bounds` is `glycine bench bounds --help`.
    if (!arguments.empty() && arguments.front() == "help") {
        arguments.erase(arguments.begin());
        arguments.emplace_back("--help");
    }
    if (arguments.empty()) {
        context.err() << line.app.help();
        return 2;
    }
    checkCommandName(line.app, arguments);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the end
    try {
        line.app.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
        context.out() << parsedCommand(line.app)->help();
        return 0;
    } catch (const CLI::CallForVersion&) {
        context.out() << describeBuild() << '\n';
        return 0;
    } catch (const CLI::ParseError& error) {
        throw UsageError(
            fmt::format("{}; see `{} --help`", error.what(), fullName(*parsedCommand(line.app))));
    }
    const CLI::App* command = parsedCommand(line.app);
    for (const auto& [candidate, action] : line.actions)
        if (candidate == command) return action(context);
    throw UsageError(
        fmt::format("{} needs a command; see `{} --help`", fullName(*command), fullName(*command)));
}

}  // namespace

int runCommandLine(std::vector<std::string> arguments, CommandContext& context) {
    CommandLine line;
    const auto fail = [&context](std::string_view message, int exitCode) {
        context.clearProgressLine();
        context.out().flush();
        context.err() << fmt::format("glycine: {}{}\n",
                                     exitCode == CancelledError().exitCode() ? "" : "error: ", message);
        return exitCode;
    };
    try {
        addCommands(line);
        const int exitCode = parseAndRun(line, std::move(arguments), context);
        context.out().flush();
        if (!context.out()) throw Error("standard output could not be written");
        return exitCode;
    } catch (const Error& error) {
        return fail(error.what(), error.exitCode());
    } catch (const std::bad_alloc&) {
        return fail("there is not enough memory", 1);
    } catch (const std::exception& error) {
        return fail(error.what(), 1);
    }
}

}  // namespace glycine
