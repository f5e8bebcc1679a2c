#include "engine/command/help_formatter.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "engine/command/text_table.hpp"

namespace glycine {

namespace {

constexpr std::size_t kWidestHelp = 100;
constexpr std::size_t kLeftColumn = 30;

std::size_t helpWidth() {
    const std::size_t terminal = terminalWidth();
    return terminal == 0 ? kWidestHelp : std::clamp<std::size_t>(terminal, 60, kWidestHelp);
}

/// `left` in the left column, `right` wrapped in the other one; on a line of its own where `left` is too
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

/// The type without the names of the checks that CLI11 appends: "N" of "N:POSITIVE".
std::string typeName(const CLI::Option& option) {
    const std::string full = option.get_type_name();
    return full.substr(0, full.find(':'));
}

class WrappedFormatter : public CLI::Formatter {
  public:
    /// One empty line between groups where CLI11 puts two.
    std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override {
        std::string text = CLI::Formatter::make_help(command, std::move(name), mode);
        for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at))
            text.erase(at, 1);
        return text;
    }

    std::string make_option(const CLI::Option* option, bool isPositional) const override {
        std::string left = make_option_name(option, isPositional);
        if (!isPositional && option->get_type_size() != 0 && !option->get_type_name().empty())
            left += " " + typeName(*option);
        std::string right = option->get_description();
        if (option->get_required() && !isPositional) right += " (required)";
        return twoColumns(left, right);
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
                result += fmt::format(" {} {}", option->get_name(), typeName(*option));
        }
        for (const CLI::Option* option : command->get_options()) {
            if (option->get_positional())
                result += option->get_required() ? " " + option->get_name(true)
                                                 : " [" + option->get_name(true) + "]";
        }
        if (!command->get_subcommands([](const CLI::App*) { return true; }).empty()) result += " COMMAND";
        return result + " [OPTION…]\n";
    }
};

}  // namespace

void useWrappedHelp(CLI::App& command) {
    command.formatter(std::make_shared<WrappedFormatter>());
    command.set_help_flag("-h,--help", "Print this help and exit");
}

}  // namespace glycine
