#include "engine/command/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <list>
#include <memory>
#include <new>
#include <optional>
#include <ostream>
#include <string>

#include "engine/command/command_registry.hpp"
#include "engine/command/manual.hpp"
#include "engine/command/parser.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/cancellation.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/names.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine {

namespace {

constexpr std::size_t kWidestHelp = 100;
constexpr std::size_t kLeftColumn = 30;

std::size_t helpWidth() {
    const std::size_t terminal = terminalWidth();
    return terminal == 0 ? kWidestHelp : std::clamp<std::size_t>(terminal, 60, kWidestHelp);
}

/// `left` in the left column, `right` wrapped in the right one. `right` starts on a new line if `left` is too
/// long.
std::string twoColumns(const std::string& left, const std::string& right) {
    std::string result = "  " + left;
    std::size_t used = displayWidth(result);
    for (const std::string& line : wrapText(right, helpWidth() - kLeftColumn)) {
        if (used + 2 > kLeftColumn) {
            result += '\n';
            used = 0;
        }
        result += std::string(kLeftColumn - used, ' ') + line + '\n';
        used = 0;
    }
    return result;
}

/// The command as typed: "glycine bench bounds".
std::string fullName(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return parent == nullptr ? command.get_name() : fullName(*parent) + " " + command.get_name();
}

/// The type without the check names that CLI11 appends: "N" of "N:POSITIVE".
std::string typeName(const CLI::Option& option) {
    const std::string full = option.get_type_name();
    return full.substr(0, full.find(':'));
}

struct DeclaredCommand {
    const CLI::App* parser;
    Options options;
    CommandAction run;
};

class WrappedFormatter : public CLI::Formatter {
  public:
    /// `commands` must outlive the formatter.
    explicit WrappedFormatter(const std::list<DeclaredCommand>& commands) : commands_(commands) {}

    /// Shows all options and notes, not just the first page.
    void showAll() { showsAll_ = true; }

    /// Puts one empty line between groups instead of CLI11's two; the first page has a single group.
    std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override {
        shown_ = optionsOf(*command);
        std::string text =
            make_description(command) + make_usage(command, std::move(name)) + make_positionals(command);
        text += showsAll_
                    ? make_groups(command, mode)
                    : make_group("Options", false, command->get_options([this](const CLI::Option* option) {
                          return option->nonpositional() && textOf(*option);
                      }));
        text += make_subcommands(command, mode) + '\n' + make_footer(command);
        for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at))
            text.erase(at, 1);
        return text;
    }

    std::string make_option(const CLI::Option* option, bool isPositional) const override {
        std::string left = make_option_name(option, isPositional);
        if (!isPositional && option->get_type_size() != 0 && !option->get_type_name().empty())
            left += " " + typeName(*option);
        std::string right = textOf(*option).value_or("");
        if (option->get_required() && !isPositional) right += " (required)";
        return twoColumns(left, right);
    }

    /// The first page shows only the examples.
    std::string make_footer(const CLI::App* command) const override {
        const std::string footer = CLI::Formatter::make_footer(command);
        if (showsAll_ || shown_ == nullptr) return footer;
        std::string text = footer.substr(std::min(footer.find("Example"), footer.size()));
        std::size_t end = 0;
        for (std::size_t line = 0; line < kMaxExampleLines && end != text.npos; ++line)
            end = text.find('\n', end + (line > 0 ? 1 : 0));
        if (end != text.npos) text.erase(end + 1);
        const auto hidden =
            command->get_options([this](const CLI::Option* option) { return !textOf(*option); });
        if (!hidden.empty() || text != footer)
            text += fmt::format("{}`glycine help {} --all` explains {}.\n", text.empty() ? "" : "\n",
                                fullName(*command).substr(fullName(*command).find(' ') + 1),
                                hidden.empty() ? "more" : fmt::format("{} more options", hidden.size()));
        return text;
    }

    std::string make_subcommand(const CLI::App* command) const override {
        return twoColumns(command->get_name(), command->get_description());
    }

    std::string make_description(const CLI::App* command) const override {
        std::string result;
        for (const std::string& line : wrapText(command->get_description(), helpWidth()))
            result += line + '\n';
        return result;
    }

    std::string make_usage(const CLI::App* command, std::string name) const override {
        if (name.empty()) name = command->get_name();
        for (const CLI::App* parent = command->get_parent(); parent != nullptr; parent = parent->get_parent())
            name.insert(0, fmt::format("{} ", parent->get_name()));
        std::string result = "\nUsage: " + name;
        for (const CLI::Option* option : command->get_options()) {
            if (option->nonpositional() && option->get_required())
                result += fmt::format(
                    " {} {}",
                    option->get_snames().empty() ? option->get_name() : "-" + option->get_snames().front(),
                    typeName(*option));
        }
        for (const CLI::Option* option : command->get_options()) {
            if (option->get_positional())
                result += option->get_required() ? " " + option->get_name(true)
                                                 : " [" + option->get_name(true) + "]";
        }
        if (!command->get_subcommands([](const CLI::App*) { return true; }).empty()) result += " COMMAND";
        return result + " [OPTION…]\n";
    }

  private:
    static constexpr std::size_t kMaxExampleLines = 4;  ///< includes their heading

    const Options* optionsOf(const CLI::App& command) const {
        const auto found = std::ranges::find(commands_, &command, &DeclaredCommand::parser);
        return found == commands_.end() ? nullptr : &found->options;
    }
    /// Help text of the option; nothing if this page does not show it.
    std::optional<std::string> textOf(const CLI::Option& option) const {
        return showsAll_ || shown_ == nullptr ? option.get_description()
                                              : shown_->briefHelp(option.get_name());
    }

    const std::list<DeclaredCommand>& commands_;
    mutable const Options* shown_ = nullptr;  ///< options of the command whose help is being generated
    bool showsAll_ = false;
};

constexpr const char* kDescription = "Bioinformatics on the graphics pipeline.";
constexpr const char* kFooter =
    "Exit codes: 0 done, 1 failed, 2 wrong use or wrong input, 130 cancelled.\n"
    "`glycine help COMMAND` explains a command, `glycine info` this machine.";

struct CommandLine {
    CLI::App app{kDescription, "glycine"};
    /// All declared commands. A list, because actions keep references to their options.
    std::list<DeclaredCommand> commands;
    bool isQuiet = false;
    bool isVerbose = false;
    /// Help formatter of all commands: wraps descriptions, marks required options, and writes the full
    /// command in the usage line.
    std::shared_ptr<WrappedFormatter> help = std::make_shared<WrappedFormatter>(commands);
};

/// The parent command of a group; created on first use.
CLI::App& groupCommand(CLI::App& app, const std::string& name) {
    for (CLI::App* known :
         app.get_subcommands([&name](const CLI::App* command) { return command->get_name() == name; }))
        return *known;
    CLI::App* group = app.add_subcommand(name, CommandRegistry::instance().groupSummary(name));
    group->group("Commands")->require_subcommand(1);
    return *group;
}

/// Whether the arguments may name the command, or request help on all of them. Options of other commands are
/// not declared: there are about a thousand, and some need modules.
bool mayBeNamed(const Command& command, const std::vector<std::string>& arguments) {
    std::vector<std::string> words;
    for (const std::string& argument : arguments)
        if (!argument.starts_with("-")) words.push_back(argument);
    if (!words.empty() && words.front() == "help") {
        if (arguments.size() > 1 && arguments[1].starts_with("--")) return true;
        words.erase(words.begin());
    }
    const auto isWord = [&](std::size_t place, const std::string& name) {
        return place < words.size() && words[place] == name;
    };
    return command.group.empty() ? isWord(0, command.name)
                                 : isWord(0, command.group) && isWord(1, command.name);
}

void addCommands(CommandLine& line, const std::vector<std::string>& arguments) {
    line.app.formatter(line.help);
    line.app.set_help_flag("-h,--help", "Print this help and exit");
    line.app.set_version_flag("--version", describeBuild(), "Print version, commit and compiler, and exit");
    line.app.require_subcommand(1);
    line.app.footer(kFooter);
    for (const Command& command : CommandRegistry::instance().commands()) {
        CLI::App& parent = command.group.empty() ? line.app : groupCommand(line.app, command.group);
        CLI::App* parser = parent.add_subcommand(command.name, command.summary);
        if (command.group.empty()) parser->group(command.heading);
        if (!mayBeNamed(command, arguments)) continue;
        DeclaredCommand& declared =
            line.commands.emplace_back(DeclaredCommand{parser, optionsOf(*parser), {}});
        declared.run = command.declare(declared.options);
        if (!command.isComputation) continue;
        declared.options.flag("--quiet", line.isQuiet, "Print only errors: no report, no progress")
            .notASetting()
            .advanced();
        declared.options
            .flag("-v,--verbose", line.isVerbose,
                  "Also print rates and the times of all stages, including packing and copying")
            .notASetting()
            .advanced();
    }
}

/// The innermost parsed command.
const CLI::App* parsedCommand(const CLI::App& app) {
    const std::vector<const CLI::App*> parsed =
        app.get_subcommands([](const CLI::App* command) { return command->parsed(); });
    return parsed.empty() ? &app : parsedCommand(*parsed.front());
}

/// Reports an unknown command, before the parser calls it an unexpected argument.
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
            for (const CLI::App* command : commands) known.push_back(command->get_name());
            throwUnknownName(level == &app ? "command" : "algorithm", argument, {known.begin(), known.end()});
        }
        level = *found;
    }
    if (level != &app && !level->get_subcommands([](const CLI::App*) { return true; }).empty())
        throw UsageError(fmt::format("{} needs the name of an algorithm; see `{} --help`", fullName(*level),
                                     fullName(*level)));
}

/// The innermost command named by the leading arguments.
const CLI::App& namedCommand(const CLI::App& app, const std::vector<std::string>& arguments) {
    const CLI::App* level = &app;
    for (const std::string& argument : arguments) {
        const std::vector<const CLI::App*> named = level->get_subcommands(
            [&argument](const CLI::App* command) { return command->get_name() == argument; });
        if (named.empty()) break;
        level = named.front();
    }
    return *level;
}

[[noreturn]] void throwUnknownOption(const CLI::App& command, std::string_view name,
                                     const std::vector<std::string>& near) {
    throw UsageError(fmt::format("unknown option {}{}; see `{} --help`", name,
                                 near.empty() ? "" : fmt::format("; nearest: {}", fmt::join(near, ", ")),
                                 fullName(command)));
}

/// All names with two dashes.
std::vector<std::string> longNames(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

std::string_view withoutDashes(std::string_view name) {
    return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

/// Reports unknown options with their new or similar names, before the parser calls them unexpected
/// arguments.
void checkOptionNames(const CLI::App& command, const Options* options,
                      const std::vector<std::string>& arguments) {
    const std::vector<std::string> known = longNames(command);
    for (const std::string& argument : arguments) {
        if (argument == "--") return;
        const std::string name = argument.substr(0, argument.find('='));
        if (!name.starts_with("--") || std::ranges::find(known, name) != known.end()) continue;
        if (const auto now = options == nullptr ? std::nullopt : options->replacement(name))
            throw UsageError(fmt::format("{} is now {}; see `{} --help`", name, *now, fullName(command)));
        if (const auto reason = options == nullptr ? std::nullopt : options->reasonAgainst(name))
            throw UsageError(fmt::format("{} has no {}: {}", fullName(command), name, *reason));
        // The dashes, which all names share, make short names look alike.
        throwUnknownOption(command, name, nearestNames(name, known, withoutDashes));
    }
}

/// Reports an argument that the parser left over: an option with one dash, or one value too many.
[[noreturn]] void throwUnexpected(const CLI::App& command, const std::string& argument) {
    if (argument.size() > 1 && argument.front() == '-') {
        const std::vector<std::string> known = longNames(command);
        std::vector<std::string> near = nearestNames(argument, known, withoutDashes);
        if (argument.size() == 2) {
            near.clear();
            for (const std::string& name : known)
                if (withoutDashes(name).front() == argument[1]) near.push_back(name);
            if (near.size() > 3) near.clear();
        }
        throwUnknownOption(command, argument, near);
    }
    std::vector<std::string> values;
    for (const CLI::Option* option : command.get_options())
        if (option->get_positional()) values.push_back(option->get_name(true));
    throw UsageError(
        fmt::format("{} takes {}; got {}'{}'; see `{} --help`", fullName(command),
                    values.empty() ? "no FILE" : fmt::format("only {}", fmt::join(values, " and ")),
                    values.empty() ? "" : "also ", excerpt(argument), fullName(command)));
}

/// The parser's message; an option without its value is reported as such.
std::string messageOf(const CLI::ParseError& error, const CLI::App& command) {
    const std::string message = error.what();
    const CLI::Option* option = command.get_option_no_throw(message.substr(0, message.find(':')));
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr || option == nullptr ||
        !message.ends_with(" missing"))
        return message;
    return fmt::format("{}: expected a value {}", option->get_name(), typeName(*option));
}

/// Documents for installation, which users do not need: `glycine help --man`, `--completion SHELL`. Nothing
/// for other arguments.
std::optional<std::string> installedDocument(const CommandLine& line,
                                             const std::vector<std::string>& arguments) {
    if (arguments.size() < 2 || arguments[0] != "help") return {};
    if (arguments.size() == 2 && arguments[1] == "--man") return manualPage(line.app, buildInfo().version);
    if (arguments.size() != 3 || arguments[1] != "--completion") return {};
    return completionScript(
        line.app, arguments[2], [&line](const CLI::App& parser, const std::string& option) {
            const auto command = std::ranges::find(line.commands, &parser, &DeclaredCommand::parser);
            return command == line.commands.end() ? std::vector<std::string>()
                                                  : command->options.suggestions(option);
        });
}

int parseAndRun(CommandLine& line, std::vector<std::string> arguments, CommandContext& context) {
    if (const auto document = installedDocument(line, arguments)) {
        context.out() << *document;
        return 0;
    }
    // `glycine help bench bounds` is `glycine bench bounds --help`.
    if (!arguments.empty() && arguments.front() == "help") {
        arguments.erase(arguments.begin());
        arguments.emplace_back("--help");
    }
    const bool wantsHelp = std::ranges::any_of(
        arguments, [](const std::string& argument) { return argument == "--help" || argument == "-h"; });
    if (wantsHelp && std::erase(arguments, "--all") > 0) line.help->showAll();
    if (arguments.empty()) {
        context.err() << line.app.help();
        return 2;
    }
    checkCommandName(line.app, arguments);
    requireValues(namedCommand(line.app, arguments), arguments);
    std::vector<std::string> fromEnd(arguments.rbegin(), arguments.rend());  // CLI11 expects reverse order
    try {
        line.app.parse(std::move(fromEnd));
    } catch (const CLI::CallForHelp&) {
        context.out() << parsedCommand(line.app)->help();
        return 0;
    } catch (const CLI::CallForVersion&) {
        context.out() << describeBuild() << '\n';
        return 0;
    } catch (const UsageError& error) {
        // The value may be meant for the option that formerly had this name.
        const std::string message = error.what();
        const std::size_t begin = std::min(message.find("--"), message.size());
        const std::string name = message.substr(begin, message.find_first_of(": ", begin) - begin);
        for (const DeclaredCommand& declared : line.commands)
            if (const auto now = declared.options.replacement(name);
                now && declared.parser == parsedCommand(line.app))
                throw UsageError(fmt::format("{}; the former {} is now {}", message, name, *now));
        throw;
    } catch (const CLI::ParseError& error) {
        const CLI::App* const command = parsedCommand(line.app);
        const auto declared = std::ranges::find(line.commands, command, &DeclaredCommand::parser);
        checkOptionNames(*command, declared == line.commands.end() ? nullptr : &declared->options, arguments);
        if (const std::vector<std::string> left = line.app.remaining(true);
            dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !left.empty())
            throwUnexpected(*command, left.front());
        throw UsageError(fmt::format("{}; see `{} --help`", messageOf(error, *command), fullName(*command)));
    }
    const CLI::App* command = parsedCommand(line.app);
    const auto declared = std::ranges::find(line.commands, command, &DeclaredCommand::parser);
    if (declared != line.commands.end()) {
        declared->options.requireCompanions();
        if (line.isQuiet && line.isVerbose) throw UsageError("give --quiet or --verbose, not both");
        context.setVerbosity(line.isQuiet     ? Verbosity::Quiet
                             : line.isVerbose ? Verbosity::Verbose
                                              : Verbosity::Usual);
        return declared->run(context);
    }
    throw UsageError(
        fmt::format("{} needs a command; see `{} --help`", fullName(*command), fullName(*command)));
}

/// Lists the complete files of a run that was stopped between two of its files.
std::string whatWasWritten(const CancelledError& error) {
    const std::vector<std::filesystem::path> files = storage::filesInPlace();
    if (files.empty()) return error.what();
    std::string names;
    constexpr std::size_t kMaxNames = 4;
    for (std::size_t f = 0; f < std::min(files.size(), kMaxNames); ++f)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", files[f].string());
    if (files.size() > kMaxNames) names += fmt::format(" and {} more", files.size() - kMaxNames);
    const bool saysNothing = error.what() == std::string_view(CancelledError().what());
    return fmt::format("{}; written before and complete: {}", saysNothing ? "cancelled" : error.what(),
                       names);
}

}  // namespace

int runCommandLine(std::vector<std::string> arguments, CommandContext& context) {
    CommandLine line;
    const auto fail = [&context](std::string_view message, int exitCode) {
        context.clearProgressLine();
        context.out().flush();
        const bool isCancelled = exitCode == CancelledError().exitCode();
        context.err() << fmt::format("glycine: {}{}\n", isCancelled ? "" : "error: ", message) << std::flush;
        if (isCancelled) cancellationReported();
        return exitCode;
    };
    try {
        addCommands(line, arguments);
        context.setArguments(arguments);
        const int exitCode = parseAndRun(line, std::move(arguments), context);
        context.out().flush();
        if (!context.out()) throw Error("standard output could not be written");
        return exitCode;
    } catch (const CancelledError& error) {
        return fail(visible(whatWasWritten(error), false), error.exitCode());
    } catch (const UnreadableInputError& error) {
        const char* const hint = context.parts() == nullptr
                                     ? ""
                                     : "; the file names are those of the parts' command: run glycine merge "
                                       "in the folder where it ran";
        return fail(visible(std::string(error.what()) + hint, false), error.exitCode());
    } catch (const Error& error) {
        // Messages of drivers and shader compilers have several lines; names of files and fields must not
        // break lines.
        const bool isOfDevice = dynamic_cast<const DeviceError*>(&error) != nullptr ||
                                dynamic_cast<const UnavailableError*>(&error) != nullptr;
        return fail(visible(error.what(), isOfDevice), error.exitCode());
    } catch (const std::bad_alloc&) {
        try {
            const HostMemory memory = availableHostMemory();
            return fail(
                fmt::format("there is not enough memory: {} {}", formatBytes(memory.bytes), memory.bound), 1);
        } catch (const std::bad_alloc&) {
            // There is not even enough memory to format the message.
            std::fputs("glycine: error: there is not enough memory\n", stderr);
            return 1;
        }
    } catch (const std::exception& error) {
        return fail(visible(error.what(), false), 1);
    }
}

}  // namespace glycine
