#include "engine/command/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "engine/core/error.hpp"

namespace glycine {

namespace {

std::vector<const CLI::App*> commandsOf(const CLI::App& command) {
    return command.get_subcommands([](const CLI::App*) { return true; });
}

/// Calls visit(command, words) for the program and all its commands; words: " bench bounds", empty for the
/// program.
template <class Visit>
void visitCommands(const CLI::App& command, const std::string& words, const Visit& visit) {
    visit(command, words);
    for (const CLI::App* below : commandsOf(command))
        visitCommands(*below, words + " " + below->get_name(), visit);
}

/// Spellings of an option: "-o", "--output"; none for a hidden option.
std::vector<std::string> spellings(const CLI::Option& option) {
    std::vector<std::string> all;
    if (option.get_group().empty()) return all;
    for (const std::string& name : option.get_snames()) all.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) all.push_back("--" + name);
    return all;
}

/// Placeholder of the option's value; empty for a switch.
std::string valueName(const CLI::Option& option) {
    if (option.get_type_size() == 0) return {};
    const std::string full = option.get_type_name();
    return full.substr(0, full.find(':'));  // CLI11 appends check names
}

std::string replaceAll(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

// ---- troff

/// Escapes text for troff: backslashes, dashes and dots at the start of a line print as themselves.
std::string troff(std::string text) {
    text = replaceAll(std::move(text), "\\", "\\e");
    text = replaceAll(std::move(text), "-", "\\-");
    text = replaceAll(std::move(text), "\n.", "\n\\&.");
    text = replaceAll(std::move(text), "\n'", "\n\\&'");
    if (text.starts_with('.') || text.starts_with('\'')) text.insert(0, "\\&");
    return text;
}

/// Starts a paragraph at each empty line; keeps indented lines, which are examples, verbatim.
std::string troffLines(const std::string& text) {
    std::string result;
    bool isVerbatim = false;
    std::size_t begin = 0;
    while (begin <= text.size() && !text.empty()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        const bool isIndented = line.starts_with(' ');
        if (isIndented != isVerbatim) result += isIndented ? ".nf\n" : ".fi\n";
        isVerbatim = isIndented;
        result += line.empty() ? ".PP\n" : troff(line) + "\n";
        if (!line.empty() && !isIndented && end < text.size()) result += ".br\n";
        begin = end + 1;
    }
    if (isVerbatim) result += ".fi\n";
    return result;
}

std::string troffOption(const CLI::Option& option) {
    std::string left;
    for (const std::string& name : spellings(option))
        left += fmt::format("{}\\fB{}\\fR", left.empty() ? "" : ", ", troff(name));
    if (left.empty())
        left = fmt::format("\\fI{}\\fR", troff(option.get_name(true)));
    else if (const std::string value = valueName(option); !value.empty())
        left += fmt::format(" \\fI{}\\fR", troff(value));
    return fmt::format(".TP\n{}\n{}{}\n", left, troff(option.get_description()),
                       option.get_required() ? " (required)" : "");
}

std::string troffCommand(const CLI::App& command, const std::string& words) {
    std::string usage = "\\fBglycine" + troff(words) + "\\fR";
    std::string options;
    std::vector<std::string> groups;
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_positional()) {
            const std::string name = fmt::format("\\fI{}\\fR", troff(option->get_name(true)));
            usage += option->get_required() ? " " + name : " [" + name + "]";
        }
        if (std::ranges::find(groups, option->get_group()) == groups.end())
            groups.push_back(option->get_group());
    }
    for (const std::string& group : groups) {
        if (group.empty()) continue;  // hidden
        options += fmt::format(".PP\n{}:\n", troff(group));
        for (const CLI::Option* option : command.get_options())
            if (option->get_group() == group) options += troffOption(*option);
    }
    std::string text = fmt::format(".SS \"glycine{}\"\n{}\n.PP\n{} [\\fIOPTION\\fR...]\n{}", troff(words),
                                   troff(command.get_description()), usage, options);
    if (const std::string footer = command.get_footer(); !footer.empty())
        text += ".PP\n" + troffLines(footer);
    return text;
}

// ---- shells

/// Quotes a word for the shell, in single quotes.
std::string shellQuoted(const std::string& text) {
    return "'" + replaceAll(text, "'", "'\\''") + "'";
}

/// Pattern of all commands, " bench" and " bench bounds", as alternatives of `case`.
std::string commandPatterns(const CLI::App& program) {
    std::string patterns;
    visitCommands(program, "", [&](const CLI::App&, const std::string& words) {
        if (!words.empty()) patterns += (patterns.empty() ? "" : "|") + shellQuoted(words);
    });
    return patterns;
}

/// Options with known values, as alternatives of `case`: "' bounds --backend'|' distance --backend'".
struct SuggestedValues {
    std::vector<std::string> words;
    bool isList = false;  ///< several values may be given, separated by commas
    std::string options;
};

/// Groups options that have the same values.
std::vector<SuggestedValues> suggestedValues(const CLI::App& program, const SuggestionsOf& suggestions) {
    std::vector<SuggestedValues> all;
    visitCommands(program, "", [&](const CLI::App& command, const std::string& words) {
        for (const CLI::Option* option : command.get_options()) {
            const std::vector<std::string> names = spellings(*option);
            if (names.empty()) continue;
            const std::vector<std::string> values = suggestions(command, option->get_name());
            if (values.empty()) continue;
            const bool isList = option->get_delimiter() == ',';
            auto found = std::ranges::find_if(all, [&](const SuggestedValues& known) {
                return known.words == values && known.isList == isList;
            });
            if (found == all.end()) found = all.insert(all.end(), {values, isList, {}});
            for (const std::string& name : names)
                found->options += (found->options.empty() ? "" : "|") + shellQuoted(words + " " + name);
        }
    });
    return all;
}

std::string bashScript(const CLI::App& program, const SuggestionsOf& suggestions) {
    std::string values;
    for (const SuggestedValues& known : suggestedValues(program, suggestions))
        values += fmt::format("        {})\n            values={}{} ;;\n", known.options,
                              shellQuoted(fmt::format("{}", fmt::join(known.words, " "))),
                              known.isList ? " list=yes" : "");
    std::string cases;
    visitCommands(program, "", [&](const CLI::App& command, const std::string& words) {
        std::string options, commands;
        for (const CLI::Option* option : command.get_options())
            for (const std::string& name : spellings(*option)) options += " " + name;
        for (const CLI::App* below : commandsOf(command)) commands += " " + below->get_name();
        if (words.empty()) commands += " help";
        cases += fmt::format("        {})\n            options={}\n            commands={} ;;\n",
                             shellQuoted(words), shellQuoted(options), shellQuoted(commands));
    });
    return fmt::format(R"(# bash completion for glycine, made by `glycine help --completion bash`
_glycine() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}}
    local command= options= commands= values= list= before= i
    for ((i = 1; i < COMP_CWORD; ++i)); do
        [[ ${{COMP_WORDS[i]}} == help && -z $command ]] && continue
        case "$command ${{COMP_WORDS[i]}}" in
            {}) command+=" ${{COMP_WORDS[i]}}" ;;
            *) break ;;
        esac
    done
    case "$command" in
{}    esac
    COMPREPLY=()
    # bash takes the "=" of --option=value for a word.
    if [[ $current == = ]]; then
        current=
    elif [[ $option == = ]]; then
        option=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    case "$command $option" in
{}    esac
    if [[ -n $values ]]; then
        if [[ -n $list && $current == *,* ]]; then
            before=${{current%,*}},
            current=${{current##*,}}
        fi
        mapfile -t COMPREPLY < <(compgen -P "$before" -W "$values" -- "$current")
        # No file is one of them. There is nothing to tell where no completion is under way.
        compopt +o default 2>/dev/null
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    elif [[ -n $commands && $i -eq $COMP_CWORD ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
    fi
}}
# Where nothing is suggested, file names are.
complete -o default -F _glycine glycine
)",
                       commandPatterns(program), cases, values);
}

/// "name:description" for zsh's _describe.
std::string described(const std::string& name, const std::string& help) {
    return shellQuoted(fmt::format("{}:{}", replaceAll(name, ":", "\\:"), replaceAll(help, ":", "\\:")));
}

std::string zshScript(const CLI::App& program, const SuggestionsOf& suggestions) {
    std::string values;
    for (const SuggestedValues& known : suggestedValues(program, suggestions)) {
        std::string quoted;
        for (const std::string& word : known.words) quoted += (quoted.empty() ? "" : " ") + shellQuoted(word);
        values += fmt::format("        ({})\n            values=({}){} ;;\n", known.options, quoted,
                              known.isList ? " list=yes" : "");
    }
    std::string cases;
    visitCommands(program, "", [&](const CLI::App& command, const std::string& words) {
        std::string options, commands;
        for (const CLI::Option* option : command.get_options())
            for (const std::string& name : spellings(*option))
                options += "\n                " + described(name, option->get_description());
        for (const CLI::App* below : commandsOf(command))
            commands += "\n                " + described(below->get_name(), below->get_description());
        if (words.empty()) commands += "\n                'help:Explain a command'";
        cases += fmt::format("        ({})\n            options=({})\n            commands=({}) ;;\n",
                             shellQuoted(words), options, commands);
    });
    return fmt::format(R"(#compdef glycine
# zsh completion for glycine, made by `glycine help --completion zsh`
_glycine() {{
    local command= list= option=$words[CURRENT-1] i
    local -a options commands values
    for ((i = 2; i < CURRENT; ++i)); do
        [[ $words[i] == help && -z $command ]] && continue
        case "$command $words[i]" in
            ({}) command+=" $words[i]" ;;
            (*) break ;;
        esac
    done
    case "$command" in
{}    esac
    # IPREFIX keeps the text before the value.
    if [[ $PREFIX == --*=* ]]; then
        option=${{PREFIX%%=*}}
        IPREFIX+=$option=
        PREFIX=${{PREFIX#*=}}
    fi
    case "$command $option" in
{}    esac
    if (( $#values )); then
        if [[ -n $list && $PREFIX == *,* ]]; then
            IPREFIX+=${{PREFIX%,*}},
            PREFIX=${{PREFIX##*,}}
        fi
        compadd -a values
    elif [[ $PREFIX == -* ]]; then
        _describe -o option options
    elif (( $#commands && i == CURRENT )); then
        _describe command commands
    else
        _files
    fi
}}
_glycine "$@"
)",
                       commandPatterns(program), cases, values);
}

}  // namespace

std::string manualPage(const CLI::App& program, std::string_view version) {
    std::string list, commands;
    visitCommands(program, "", [&](const CLI::App& command, const std::string& words) {
        if (words.empty()) return;
        if (command.get_parent() == &program)
            list += fmt::format(".TP\n\\fB{}\\fR\n{}\n", troff(words.substr(1)),
                                troff(command.get_description()));
        if (commandsOf(command).empty()) commands += troffCommand(command, words);
    });
    return fmt::format(
        ".\\\" Made by `glycine help --man` from the options that the program declares.\n"
        ".TH GLYCINE 1 \"\" \"glycine {}\" \"User commands\"\n"
        ".SH NAME\nglycine \\- bioinformatics on the graphics pipeline\n"
        ".SH SYNOPSIS\n\\fBglycine\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.br\n"
        "\\fBglycine help\\fR \\fICOMMAND\\fR\n.SH DESCRIPTION\n{}"
        ".SH COMMANDS\n{}.SH OPTIONS OF EACH COMMAND\n{}",
        version, troffLines(program.get_description() + "\n\n" + program.get_footer()), list, commands);
}

std::string completionScript(const CLI::App& program, std::string_view shell,
                             const SuggestionsOf& suggestions) {
    if (shell == "bash") return bashScript(program, suggestions);
    if (shell == "zsh") return zshScript(program, suggestions);
    throw UsageError(fmt::format("no completion for '{}'; known: bash, zsh", shell));
}

}  // namespace glycine
