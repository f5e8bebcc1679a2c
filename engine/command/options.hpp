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

/// Options of a command, each declared once: from the declaration follow the parsing, the help with its
/// default, the settings in JSON reports, and the identity that a resumed run must match. The parser behind
/// it (CLI11) is seen by options.cpp and command_line.cpp alone.
namespace glycine {

namespace detail {
struct OptionState;
struct OptionsState;
/// What is said of several options at once.
struct Section {
    std::string heading = "Options";
    bool decidesResults = false;
    bool isBasic = true;
};
}  // namespace detail

/// Of numbers without a range of their own: nothing that is measured or counted here is larger. Whole ones
/// without any, such as seeds, have the range of their type.
inline constexpr double kLargestOption = 1e15;

/// What of a run decides which options it reads: its input, its measure, the backend.
struct RunFacet {
    std::string_view name;            ///< as in Option::readBy: "input"
    std::vector<std::string> values;  ///< what this run has of it; several where it has several inputs
    std::string found;                ///< for the message: "cohort.bed is a PLINK set"
};

/// One declared option; attributes are chained: `options.value("--m M", m, "Template
/// length").positive()`.
class Option {
  public:
    Option& required();
    /// Every number must be above 0, up to kLargestOption.
    Option& positive();
    /// Every number must be at least 0, up to kLargestOption.
    Option& notNegative();
    /// Only runs with one of `values` on this side of theirs read it: `readBy("input", {"table"})`. Of
    /// several calls each must hold. `readers`: who that is, in words; absent: the values.
    /// Options::requireReaders refuses it in other runs.
    Option& readBy(std::string_view facet, std::vector<std::string> values, std::string readers = "");
    /// It means something beside that other option only: Options::requireCompanions refuses it alone.
    Option& beside(std::string_view other);
    /// Every number must lie in low … high, both allowed. NaN never does.
    Option& within(double low, double high);
    /// The same without `low` itself.
    Option& above(double low, double high);
    Option& existingFolder();
    /// It may be given without a value, and then stands for `value`.
    Option& withoutValue(const std::string& value);
    /// Commas belong to the value; the option is given several times for several values.
    Option& repeated();
    /// What a shell offers where the value is typed. It restricts nothing: the reader refuses.
    /// Options::choice says it of its names.
    Option& suggests(std::vector<std::string> words);
    template <std::ranges::range Names>
    Option& suggests(const Names& names) {
        return suggests(std::vector<std::string>(names.begin(), names.end()));
    }
    /// The same of words that are found out only when a shell asks for them.
    Option& suggests(std::function<std::vector<std::string>()> words);
    /// Said in the help in place of the value that the target held at the declaration: "the usual one".
    /// Empty: nothing.
    Option& byDefault(std::string text);
    /// It decides results: part of Options::identity().
    Option& decidesResult();
    /// Left out of Options::settings(): outputs, ways to print.
    Option& notASetting();
    /// Shown by `glycine help COMMAND`, and not with --all alone. Options under no heading are.
    Option& basic();
    /// For options under no heading: shown with --all alone.
    Option& advanced();
    /// `name` is what the option was called before; who still uses it reads what it is called now, or what to
    /// write in its place: `formerly("--png", "-o FILE.png")`.
    Option& formerly(std::string name, std::string now = "");
    bool isGiven() const;

    explicit Option(std::unique_ptr<detail::OptionState> state);
    Option(Option&&) noexcept;
    ~Option();

  private:
    friend class Options;
    std::unique_ptr<detail::OptionState> state_;
};

/// The options of one command. Targets must outlive the parsing and every call below.
class Options {
  public:
    /// Of a command that stands alone, for `parse`.
    Options();
    explicit Options(std::unique_ptr<detail::OptionsState> state);
    Options(Options&&) noexcept;
    ~Options();

    /// A number or text, which is not empty. Numbers are decimal; whole ones must fit their type, others lie
    /// within ± kLargestOption unless their own range says less. Supported: std::string, bool (as
    /// a flag), int, unsigned integers, double, std::optional of numbers and text, and std::vector of them
    /// (values separated by ','; a list replaces the default one). `names`: as on the command line,
    /// "-o,--output", or "IN" for a positional argument; then, after a blank, what the help calls the value:
    /// "--sizes N,…". `help`: what follows a line break in it stands on the second page alone.
    template <class T>
    Option& value(const std::string& names, T& target, const std::string& help);
    Option& value(const std::string& names, std::filesystem::path& target, const std::string& help);
    /// A switch without a value.
    Option& flag(const std::string& names, bool& target, const std::string& help);
    /// One of an enumeration's values, by the names that stand beside it; std::optional has none where there
    /// is no usual one. A name that is unknown throws UsageError that lists all.
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
    /// The same for values of any type, named by a table that outlives the options.
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
    /// Anything else: `read` takes the text (and throws UsageError), `write` gives the present value back as
    /// text.
    Option& parsed(const std::string& names, std::function<void(const std::string&)> read,
                   std::function<std::string()> write, const std::string& help);
    /// The same for several texts, separated by ','.
    Option& parsedList(const std::string& names, std::function<void(const std::vector<std::string>&)> read,
                       std::function<std::string()> write, const std::string& help);
    /// Behind the options in the help: what is good to know, examples.
    void footer(const std::string& text);
    /// Takes back an option that a shared function has declared.
    void remove(std::string_view name);

    /// Parses the arguments of a command that stands alone. Throws UsageError.
    void parse(std::vector<std::string> arguments);
    /// Whether the user gave it. Throws std::logic_error for a name that was not declared.
    bool isGiven(std::string_view name) const;
    /// As above, false for a name that was not declared.
    bool isGivenIfKnown(std::string_view name) const;
    /// How the help explains an option, with its default. Throws std::logic_error for a name that was not
    /// declared.
    std::string help(std::string_view name) const;
    /// What a shell offers for the option's value: Option::suggests. Empty where nothing was said, and for a
    /// name that was not declared.
    std::vector<std::string> suggestions(std::string_view name) const;
    /// An option that takes numbers, and which.
    struct Number {
        std::string option;
        bool isWhole = false;
        double low = 0;
        double high = 0;
        bool isLowAllowed = true;
    };
    /// All of them, in the order of declaration.
    std::vector<Number> numbers() const;
    /// What the first page of the help says of an option; nothing where the option stands on the second page
    /// alone.
    std::optional<std::string> briefHelp(std::string_view name) const;
    /// What to write in place of an option's former name (Option::formerly); nothing for other names.
    std::optional<std::string> replacement(std::string_view former) const;
    /// Present values by name without dashes, but those that are no settings.
    Json settings() const;
    /// "--m: 2", one an option that decides the result and has a value, in the order of declaration, with the
    /// present values.
    std::vector<std::string> identity() const;
    /// The same as names and texts: "--m", "2".
    std::vector<std::pair<std::string, std::string>> decidingValues() const;
    /// The first option given that no value of the facet reads, and who does read it. An option that does not
    /// name the facet is read by all.
    struct Unread {
        std::string option;
        std::vector<std::string> values;
        std::string readers;
    };
    std::optional<Unread> firstUnread(const RunFacet& facet) const;
    /// Throws UsageError where there is one: "--gaps is for sequences; cohort.bed is a PLINK set".
    void requireReaders(const RunFacet& facet) const;
    /// Throws UsageError for an option that was given and is none of `read`, of a run that reads no other:
    /// "--seed is not read: --list shows all figures".
    void requireOnly(const std::vector<std::string_view>& read, std::string_view found) const;
    /// Throws UsageError for an option that was given without its Option::beside. Done before a command runs.
    void requireCompanions() const;

  private:
    friend class Heading;
    /// "--sizes" of "--sizes N,…".
    static std::string withoutType(const std::string& names);

    std::unique_ptr<detail::OptionsState> state_;
};

/// While it lives, what is declared is listed in the help under this heading in place of "Options".
class Heading {
  public:
    Heading(const Options& options, std::string name);
    Heading(const Heading&) = delete;
    ~Heading();
    /// All that is declared under it decides results, as Option::decidesResult() says of one option.
    void decidesResults();
    /// All that is declared under it is Option::basic().
    void basic();

  private:
    detail::OptionsState& options_;
    detail::Section outer_;
};

}  // namespace glycine
