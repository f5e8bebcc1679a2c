#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/io/text/json_forward.hpp"

/// Options of a command, each declared once. The declaration defines the parsing, the help with its default,
/// the settings in JSON reports, and the identity that a resumed run must match. Only options.cpp,
/// command_line.cpp and manual.cpp see the underlying parser (CLI11).
namespace glycine {

namespace detail {
struct OptionState;
struct OptionsState;
/// Attributes of several options.
struct Section {
    std::string heading = "Options";
    bool decidesResults = false;
    bool isBasic = true;
};
}  // namespace detail

/// Limit of numbers without a range of their own; no measured or counted value here is larger. Integers
/// without a range, such as seeds, have the range of their type.
inline constexpr double kLargestOption = 1e15;

/// A property of a run that determines which options it reads: its input, its measure, its backend.
struct RunFacet {
    std::string_view name;            ///< name as in Option::readBy: "input"
    std::vector<std::string> values;  ///< the run's values; several if it has several inputs
    std::string found;                ///< text for the message: "cohort.bed is a PLINK set"
};

/// A declared option. Attributes can be chained: `options.value("--m M", m, "Template length").positive()`.
class Option {
  public:
    Option& required();
    /// Requires every number to be above 0, up to kLargestOption.
    Option& positive();
    /// Requires every number to be at least 0, up to kLargestOption.
    Option& notNegative();
    /// Only runs for which the facet has one of `values` read the option: `readBy("input", {"table"})`. If
    /// called several times, all conditions must hold. `readers`: description of these runs; default: the
    /// values. Options::requireReaders rejects the option in other runs.
    Option& readBy(std::string_view facet, std::vector<std::string> values, std::string readers = "");
    /// Only meaningful together with the option `other`; Options::requireCompanions rejects it alone.
    Option& onlyWith(std::string_view other);
    /// Requires every number to lie in low … high, inclusive; rejects NaN.
    Option& within(double low, double high);
    /// Like `within`, but excludes `low` itself.
    Option& above(double low, double high);
    Option& existingFolder();
    /// Allows the option without a value; it then means `value`.
    Option& withoutValue(const std::string& value);
    /// Commas belong to the value; for several values, the option is repeated.
    Option& repeated();
    /// Values for shell completion. They do not restrict the option; its reader does. Options::choice sets
    /// them to its names.
    Option& suggests(std::vector<std::string> words);
    template <std::ranges::range Names>
    Option& suggests(const Names& names) {
        return suggests(std::vector<std::string>(names.begin(), names.end()));
    }
    /// The same with values that are computed only when a shell requests them.
    Option& suggests(std::function<std::vector<std::string>()> words);
    /// Default shown in the help instead of the target's value at declaration: "the usual one". Empty: none.
    Option& byDefault(std::string text);
    /// The option affects results: includes it in Options::identity().
    Option& decidesResult();
    /// Excludes the option from Options::settings(): outputs, printing.
    Option& notASetting();
    /// Shows the option in `glycine help COMMAND`, without --all. Options without a heading are basic anyway.
    Option& basic();
    /// Shows an option without a heading only with --all.
    Option& advanced();
    /// `name` is a former name. A user of it is referred to the current name, or to `now`: `formerly("--png",
    /// "-o FILE.png")`.
    Option& formerly(std::string name, std::string now = "");
    bool isGiven() const;

    explicit Option(std::unique_ptr<detail::OptionState> state);
    Option(Option&&) noexcept;
    ~Option();

  private:
    friend class Options;
    std::unique_ptr<detail::OptionState> state_;
};

/// The options of one command. Targets must outlive the parsing and all calls below.
class Options {
  public:
    /// Options of a stand-alone command, for `parse`.
    Options();
    explicit Options(std::unique_ptr<detail::OptionsState> state);
    Options(Options&&) noexcept;
    ~Options();

    /// Declares an option with a value: a non-empty text or a decimal number. Integers must fit their type;
    /// other numbers lie within ± kLargestOption unless their own range is smaller. Supported: std::string,
    /// bool (as a flag), int, unsigned integers, double, std::optional of numbers and text, and std::vector
    /// of them (separated by ','; replaces the default list). `names`: "-o,--output", or "IN" for a
    /// positional argument, then a blank and the placeholder for the value: "--sizes N,…". `help`: text after
    /// a line break appears on the second page only.
    template <class T>
    Option& value(const std::string& names, T& target, const std::string& help);
    Option& value(const std::string& names, std::filesystem::path& target, const std::string& help);
    /// Declares a switch without a value.
    Option& flag(const std::string& names, bool& target, const std::string& help);
    /// Declares a choice among an enumeration's values, by their names. std::optional means that there is no
    /// default. An unknown name throws UsageError that lists all names.
    template <class Target>
    Option& choice(const std::string& names, Target& target, const std::string& help) {
        using Value = typename decltype(std::optional(target))::value_type;
        return parsed(
                   names, [&target](const std::string& text) { target = fromString<Value>(text); },
                   [&target] {
                       const std::optional<Value> present(target);
                       return std::string(present ? toString(*present) : "");
                   },
                   help)
            .suggests(namesOfAll<Value>());
    }
    /// The same for values of any type, named by a table that must outlive the options.
    template <class Target, class Value, std::size_t count>
    Option& choice(const std::string& names, Target& target, const NameTable<Value, count>& table,
                   const std::string& help) {
        return parsed(
                   names,
                   [&target, &table, name = withoutType(names)](const std::string& text) {
                       target = valueOf(name, text, table);
                   },
                   [&target, &table] {
                       const std::optional<Value> present(target);
                       return std::string(present ? nameOf(*present, table) : "");
                   },
                   help)
            .suggests(listedNames(table));
    }
    /// Declares an option of any other type: `read` parses the text (and throws UsageError), `write` returns
    /// the present value as text.
    Option& parsed(const std::string& names, std::function<void(const std::string&)> read,
                   std::function<std::string()> write, const std::string& help);
    /// The same for a list of texts, separated by ','.
    Option& parsedList(const std::string& names, std::function<void(const std::vector<std::string>&)> read,
                       std::function<std::string()> write, const std::string& help);
    /// Text after the options in the help: notes and examples.
    void footer(const std::string& text);
    /// Removes an option that a shared function has declared.
    void remove(std::string_view name);

    /// Parses the arguments of a stand-alone command. Throws UsageError.
    void parse(std::vector<std::string> arguments);
    /// Whether the user gave the option. Throws std::logic_error for an undeclared name.
    bool isGiven(std::string_view name) const;
    /// The same, but false for an undeclared name.
    bool isGivenIfKnown(std::string_view name) const;
    /// An option as users write it.
    struct Spelling {
        std::string name;
        bool hasValue = false;
    };
    /// All declared options, without positional arguments.
    std::vector<Spelling> spellings() const;
    /// Help text of an option, with its default. Throws std::logic_error for an undeclared name.
    std::string help(std::string_view name) const;
    /// Values for shell completion (Option::suggests). Empty if there are none, or for an undeclared name.
    std::vector<std::string> suggestions(std::string_view name) const;
    /// An option that accepts numbers, and their range.
    struct Number {
        std::string option;
        bool isWhole = false;
        double low = 0;
        double high = 0;
        bool isLowAllowed = true;
    };
    /// All numeric options, in the order of declaration.
    std::vector<Number> numbers() const;
    /// Help text of an option on the first page; nothing if the option appears on the second page only.
    std::optional<std::string> briefHelp(std::string_view name) const;
    /// The present spelling of an option's former name (Option::formerly); nothing for other names.
    std::optional<std::string> replacement(std::string_view former) const;
    /// Gives the reason why the command lacks an option of other commands, for users who try it:
    /// `lacks("--part", "its joins follow one another")`.
    void lacks(std::string name, std::string reason);
    /// The reason that lacks() gave; nothing for other names.
    std::optional<std::string> reasonAgainst(std::string_view name) const;
    /// Present values by name without dashes, excluding options that are not settings.
    Json settings() const;
    /// "--m: 2" for each option that affects results and has a value: present values, in the order of
    /// declaration.
    std::vector<std::string> identity() const;
    /// The same as pairs of name and text: "--m", "2".
    std::vector<std::pair<std::string, std::string>> decidingValues() const;
    /// The first given option that no value of the facet reads, and the runs that read it. Options without
    /// that facet are read by all runs.
    struct Unread {
        std::string option;
        std::vector<std::string> values;
        std::string readers;
    };
    std::optional<Unread> firstUnread(const RunFacet& facet) const;
    /// Throws UsageError if there is one: "--gaps is for sequences; cohort.bed is a PLINK set".
    void requireReaders(const RunFacet& facet) const;
    /// Throws UsageError for a given option that is not in `read`, the options that the run reads: "--seed is
    /// not read: --list shows all figures".
    void requireOnly(const std::vector<std::string_view>& read, std::string_view found) const;
    /// Throws UsageError for an option that was given without its Option::onlyWith. Called before a command
    /// runs.
    void requireCompanions() const;

  private:
    friend class Heading;
    /// "--sizes" of "--sizes N,…".
    static std::string withoutType(const std::string& names);

    std::unique_ptr<detail::OptionsState> state_;
};

/// While it exists, new declarations appear in the help under this heading instead of "Options".
class Heading {
  public:
    Heading(const Options& options, std::string name);
    Heading(const Heading&) = delete;
    ~Heading();
    /// All options declared under it affect results, as with Option::decidesResult().
    void decidesResults();
    /// All options declared under it are Option::basic().
    void basic();

  private:
    detail::OptionsState& options_;
    detail::Section outer_;
};

}  // namespace glycine
