#include "engine/command/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "engine/command/parser.hpp"
#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/json.hpp"

namespace glycine {

namespace detail {

/// The range of numbers that an option accepts.
struct NumberRange {
    bool isWhole = false;
    double low = -kLargestOption;
    double high = kLargestOption;
    bool isLowAllowed = true;
    bool isNamed = false;  ///< low … high was given explicitly, not just a sign

    bool hasLow() const { return low > -kLargestOption; }
    bool holds(double value) const { return value <= high && (isLowAllowed ? value >= low : value > low); }
    /// Describes what is expected instead of `value`, which is not finite or outside the range.
    std::string words(double value) const {
        const std::string_view noun = isWhole ? "whole number" : "number";
        if (!std::isfinite(value)) return "a finite number";
        if (isNamed)
            return isLowAllowed ? fmt::format("a number from {} to {}", low, high)
                                : fmt::format("a number above {} and up to {}", low, high);
        if (value > high) return fmt::format("a {} up to {}", noun, high);
        if (!hasLow()) return fmt::format("a {} from {} to {}", noun, low, high);
        return isLowAllowed ? fmt::format("a number of at least {}", low)
                            : fmt::format("a number above {}", low);
    }
};

/// The runs that read an option.
struct ReaderScope {
    std::string facet;
    std::vector<std::string> values;
    std::string readers;  ///< description for messages
};

struct OptionState {
    CLI::Option* parsed;
    std::string help;
    std::string brief;            ///< part of the help for the first page; empty: all
    std::string defaultText;      ///< shown in the help; empty: none
    std::function<Json()> value;  ///< present value; null: none
    bool isSetting = true;
    bool decidesResult = false;
    bool isBasic = true;
    std::vector<std::pair<std::string, std::string>> formerNames;  ///< former name → what to write instead
    std::vector<ReaderScope> scopes;                               ///< all of them must hold
    std::string companion;  ///< option without which it has no meaning; empty: none
    std::function<std::vector<std::string>()> suggestions;
    std::optional<NumberRange> range;  ///< only for options that accept numbers

    /// Name without dashes: "output" of "-o,--output".
    std::string name() const {
        const std::string full = parsed->get_name();
        return full.substr(std::min(full.find_first_not_of('-'), full.size()));
    }
    std::string explanation(bool isBrief = false) const {
        const std::string& text = isBrief && !brief.empty() ? brief : help;
        if (defaultText.empty() || parsed->get_required()) return text;
        return fmt::format("{} (default: {})", text, defaultText);
    }
    void describe() const { parsed->description(explanation()); }
    NumberRange& numbers() {
        if (!range) throw std::logic_error(fmt::format("{} takes no numbers", parsed->get_name()));
        return *range;
    }
};

struct OptionsState {
    std::unique_ptr<CLI::App> own;  ///< parser of a stand-alone command
    CLI::App* parser;
    std::list<Option> options;
    Section section;  ///< section of new declarations
    std::vector<std::pair<std::string, std::string>>
        lacking;  ///< options of others, and why they are not here

    Option& add(CLI::Option* parsed, const std::string& names, const std::string& help,
                std::function<Json()> value);
    const CLI::Option& find(std::string_view name) const {
        if (const CLI::Option* found = parser->get_option_no_throw(std::string(name))) return *found;
        throw std::logic_error(fmt::format("no option {} was declared", name));
    }
};

}  // namespace detail

namespace {

/// Reads decimal numbers within the range. CLI11 would read "010" as 8, "0x10" as 16, "-1" as the largest
/// number, and clamp larger values to that number.
template <class T>
CLI::Validator decimalNumber(const detail::NumberRange& range) {
    return CLI::Validator(
        [&range](std::string& text) {
            const char* const end = text.data() + text.size();
            T number = 0;
            const bool hasPlus = text.starts_with('+') && !text.starts_with("+-");
            const auto [stop, error] = std::from_chars(text.data() + (hasPlus ? 1 : 0), end, number);
            const bool isRead = stop == end && error == std::errc();
            if (isRead && range.holds(static_cast<double>(number))) {
                // CLI11 parses the text again through other types; hexadecimal digits are exact.
                text = std::is_integral_v<T> ? fmt::format("{}", number)
                                             : fmt::format("{:a}", static_cast<double>(number));
                return std::string();
            }
            if (isRead) return fmt::format("'{}' is not {}", text, range.words(static_cast<double>(number)));
            if constexpr (std::is_integral_v<T>) {
                if (error == std::errc::result_out_of_range && stop == end)
                    return fmt::format("'{}' is beyond the numbers up to {}", text,
                                       std::numeric_limits<T>::max());
                if (std::is_signed_v<T> || !isDigits(std::string_view(text).substr(text.starts_with('-'))) ||
                    !text.starts_with('-'))
                    return fmt::format("'{}' is not a whole number", text);
                return fmt::format("'{}' is not {}", text, range.words(-1));
            }
            if (error != std::errc::result_out_of_range || stop != end)
                return fmt::format("'{}' is not a decimal number", text);
            // Either too large, or too small for float64.
            const double rounded = std::strtod(text.c_str(), nullptr);
            return fmt::format("'{}' is not {}", text,
                               std::abs(rounded) > 1
                                   ? range.words(std::copysign(std::numeric_limits<double>::max(), rounded))
                                   : "a number that float64 holds");
        },
        "");
}

/// The value as a user would type it; lists are separated by commas.
std::string toText(const Json& value) {
    if (value.is_null()) return "";
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_float()) return fmt::format("{}", value.get<double>());
    if (!value.is_array()) return value.dump();
    std::string text;
    for (const Json& element : value) text += (text.empty() ? "" : ",") + toText(element);
    return text;
}

/// Type of a single value: `Type` itself, or the element type of a list or an optional.
template <class T>
struct Element {
    using Type = T;
    static constexpr bool isList = false;
};
template <class T>
struct Element<std::vector<T>> {
    using Type = T;
    static constexpr bool isList = true;
};
template <class T>
struct Element<std::optional<T>> : Element<T> {};

template <class T>
Json present(const T& target) {
    return Json(target);
}
template <class T>
Json present(const std::optional<T>& target) {
    return target ? Json(*target) : Json();
}
/// The value as text; null if that is empty.
std::function<Json()> writtenBy(std::function<std::string()> write) {
    return [write = std::move(write)] {
        std::string text = write();
        return text.empty() ? Json() : Json(std::move(text));
    };
}

/// Prefixes the option's name to an error that begins with the value.
template <class T>
std::function<void(const T&)> namingOption(std::string name, std::function<void(const T&)> read) {
    return [name = std::move(name), read = std::move(read)](const T& value) {
        try {
            read(value);
        } catch (const UsageError& error) {
            if (!std::string_view(error.what()).starts_with('\'')) throw;
            throw UsageError(fmt::format("{}: {}", name, error.what()));
        }
    };
}

/// Takes one text per use of the option and splits it at commas; following arguments stay positional.
void cutAtCommas(CLI::Option& option) {
    option.delimiter(',')->expected(1)->allow_extra_args(false)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace

Option& detail::OptionsState::add(CLI::Option* parsed, const std::string& names, const std::string& help,
                                  std::function<Json()> value) {
    auto state = std::make_unique<OptionState>();
    state->parsed = parsed;
    parsed->group(section.heading);
    parsed->check(CLI::Validator(
        [](const std::string& text) { return std::string(text.empty() ? "the value is empty" : ""); }, ""));
    if (const auto blank = names.find(' '); blank != names.npos) parsed->type_name(names.substr(blank + 1));
    state->decidesResult = section.decidesResults;
    state->isBasic = section.isBasic;
    state->help = help;
    if (const auto lineEnd = help.find('\n'); lineEnd != help.npos) {
        state->brief = help.substr(0, lineEnd);
        const bool isJoined = help.find_first_of(",;:.", lineEnd) == lineEnd + 1;
        state->help.replace(lineEnd, 1, isJoined ? "" : " ");
    }
    state->value = std::move(value);
    const Json now = state->value();
    if (!now.is_boolean()) state->defaultText = toText(now);
    state->describe();
    return options.emplace_back(std::move(state));
}

Option::Option(std::unique_ptr<detail::OptionState> state) : state_(std::move(state)) {}
Option::Option(Option&&) noexcept = default;
Option::~Option() = default;

Option& Option::required() {
    state_->parsed->required();
    state_->describe();
    return *this;
}

Option& Option::positive() {
    notNegative();
    state_->numbers().isLowAllowed = false;
    return *this;
}

Option& Option::notNegative() {
    detail::NumberRange& range = state_->numbers();
    range.low = 0;
    range.high = std::min(range.high, kLargestOption);
    range.isLowAllowed = true;
    return *this;
}

Option& Option::within(double low, double high) {
    detail::NumberRange& range = state_->numbers();
    range.low = low;
    range.high = high;
    range.isLowAllowed = true;
    range.isNamed = true;
    return *this;
}

Option& Option::above(double low, double high) {
    within(low, high);
    state_->numbers().isLowAllowed = false;
    return *this;
}

Option& Option::readBy(std::string_view facet, std::vector<std::string> values, std::string readers) {
    if (readers.empty()) readers = fmt::format("{}", fmt::join(values, ", "));
    state_->scopes.push_back({std::string(facet), std::move(values), std::move(readers)});
    return *this;
}

Option& Option::onlyWith(std::string_view other) {
    state_->companion = other;
    return *this;
}

Option& Option::existingFolder() {
    state_->parsed->check(CLI::ExistingDirectory);
    return *this;
}

Option& Option::withoutValue(const std::string& value) {
    // CLI11's "default" is the value of an option that is given alone.
    state_->parsed->expected(0, 1)->default_str(value);
    return *this;
}

Option& Option::repeated() {
    state_->parsed->delimiter('\0');
    return *this;
}

Option& Option::suggests(std::vector<std::string> words) {
    return suggests([words = std::move(words)] { return words; });
}

Option& Option::suggests(std::function<std::vector<std::string>()> words) {
    state_->suggestions = std::move(words);
    return *this;
}

Option& Option::byDefault(std::string text) {
    state_->defaultText = std::move(text);
    state_->describe();
    return *this;
}

Option& Option::decidesResult() {
    state_->decidesResult = true;
    return *this;
}

Option& Option::notASetting() {
    state_->isSetting = false;
    return *this;
}

Option& Option::basic() {
    state_->isBasic = true;
    return *this;
}

Option& Option::advanced() {
    state_->isBasic = false;
    return *this;
}

Option& Option::formerly(std::string name, std::string now) {
    if (now.empty()) now = state_->parsed->get_name();
    state_->formerNames.emplace_back(std::move(name), std::move(now));
    return *this;
}

bool Option::isGiven() const {
    return state_->parsed->count() > 0;
}

Options optionsOf(CLI::App& parser) {
    auto state = std::make_unique<detail::OptionsState>();
    state->parser = &parser;
    return Options(std::move(state));
}

Options::Options() : state_(std::make_unique<detail::OptionsState>()) {
    state_->own = std::make_unique<CLI::App>();
    state_->parser = state_->own.get();
}

Options::Options(std::unique_ptr<detail::OptionsState> state) : state_(std::move(state)) {}
Options::Options(Options&&) noexcept = default;
Options::~Options() = default;

std::string Options::withoutType(const std::string& names) {
    return names.substr(0, names.find(' '));
}

template <class T>
Option& Options::value(const std::string& names, T& target, const std::string& help) {
    if constexpr (std::is_same_v<T, bool>) {
        return flag(names, target, help);
    } else {
        CLI::Option* parsed = state_->parser->add_option(withoutType(names), target);
        // Positional arguments are already separate.
        if (Element<T>::isList && parsed->nonpositional()) cutAtCommas(*parsed);
        Option& option = state_->add(parsed, names, help, [&target] { return present(target); });
        using Value = typename Element<T>::Type;
        // Infinity is rejected: an option for which it had a meaning would be a choice with a name for it.
        if constexpr (std::is_arithmetic_v<Value>) {
            detail::NumberRange& range = option.state_->range.emplace();
            if constexpr (std::is_integral_v<Value>)
                range = {.isWhole = true,
                         .low = static_cast<double>(std::numeric_limits<Value>::min()),
                         .high = static_cast<double>(std::numeric_limits<Value>::max())};
            parsed->transform(decimalNumber<Value>(range));
        }
        return option;
    }
}

template Option& Options::value(const std::string&, bool&, const std::string&);
#define GLYCINE_OPTION_TYPE(T)                                                                  \
    template Option& Options::value(const std::string&, T&, const std::string&);                \
    template Option& Options::value(const std::string&, std::optional<T>&, const std::string&); \
    template Option& Options::value(const std::string&, std::vector<T>&, const std::string&);
GLYCINE_OPTION_TYPE(std::string)
GLYCINE_OPTION_TYPE(int)
GLYCINE_OPTION_TYPE(unsigned)
GLYCINE_OPTION_TYPE(unsigned long)
GLYCINE_OPTION_TYPE(unsigned long long)
GLYCINE_OPTION_TYPE(double)
#undef GLYCINE_OPTION_TYPE

Option& Options::value(const std::string& names, std::filesystem::path& target, const std::string& help) {
    return parsed(
        names, [&target](const std::string& text) { target = text; }, [&target] { return target.string(); },
        help);
}

Option& Options::flag(const std::string& names, bool& target, const std::string& help) {
    return state_->add(state_->parser->add_flag(names, target), names, help,
                       [&target] { return Json(target); });
}

Option& Options::parsed(const std::string& names, std::function<void(const std::string&)> read,
                        std::function<std::string()> write, const std::string& help) {
    return state_->add(
        state_->parser->add_option_function<std::string>(
            withoutType(names), namingOption<std::string>(withoutType(names), std::move(read))),
        names, help, writtenBy(std::move(write)));
}

Option& Options::parsedList(const std::string& names,
                            std::function<void(const std::vector<std::string>&)> read,
                            std::function<std::string()> write, const std::string& help) {
    CLI::Option* parsed = state_->parser->add_option_function<std::vector<std::string>>(
        withoutType(names), namingOption<std::vector<std::string>>(withoutType(names), std::move(read)));
    cutAtCommas(*parsed);
    return state_->add(parsed, names, help, writtenBy(std::move(write)));
}

void requireValues(const CLI::App& command, const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
        const std::string& argument = arguments[i];
        if (!argument.starts_with('-')) continue;
        const bool isJoined = argument.starts_with("--") && argument.find('=') != argument.npos;
        const std::string name = argument.substr(0, argument.find('='));
        const CLI::Option* option = command.get_option_no_throw(isJoined ? name : argument);
        if (option == nullptr || (!isJoined && i + 1 == arguments.size())) continue;
        const std::string value = isJoined ? argument.substr(name.size() + 1) : arguments[i + 1];
        if (isJoined && value.empty()) throw UsageError(fmt::format("{}: the value is empty", name));
        if (option->get_delimiter() == ',' && option->get_type_size() != 0 &&
            ("," + value + ",").find(",,") != std::string::npos)
            throw UsageError(fmt::format("{}: '{}' has an empty element", option->get_name(), value));
    }
}

void Options::footer(const std::string& text) {
    state_->parser->footer(text);
}

void Options::remove(std::string_view name) {
    CLI::Option* parsed = state_->parser->get_option(std::string(name));
    state_->options.remove_if([parsed](const Option& option) { return option.state_->parsed == parsed; });
    state_->parser->remove_option(parsed);
}

void Options::parse(std::vector<std::string> arguments) {
    requireValues(*state_->parser, arguments);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 expects reverse order
    try {
        state_->parser->parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what());
    }
    requireCompanions();
}

bool Options::isGiven(std::string_view name) const {
    return state_->find(name).count() > 0;
}

bool Options::isGivenIfKnown(std::string_view name) const {
    const CLI::Option* option = state_->parser->get_option_no_throw(std::string(name));
    return option != nullptr && option->count() > 0;
}

std::vector<Options::Spelling> Options::spellings() const {
    std::vector<Spelling> all;
    for (const Option& option : state_->options) {
        const CLI::Option& parsed = *option.state_->parsed;
        if (!parsed.get_positional()) all.push_back({parsed.get_name(), parsed.get_items_expected_max() > 0});
    }
    return all;
}

std::string Options::help(std::string_view name) const {
    return state_->find(name).get_description();
}

std::optional<std::string> Options::briefHelp(std::string_view name) const {
    const CLI::Option* parsed = &state_->find(name);
    for (const Option& option : state_->options)
        if (option.state_->parsed == parsed) {
            if (!option.state_->isBasic) return std::nullopt;
            return option.state_->explanation(true);
        }
    return parsed->get_description();
}

std::optional<std::string> Options::replacement(std::string_view former) const {
    for (const Option& option : state_->options)
        for (const auto& [name, now] : option.state_->formerNames)
            if (name == former) return now;
    return std::nullopt;
}

void Options::lacks(std::string name, std::string reason) {
    state_->lacking.emplace_back(std::move(name), std::move(reason));
}

std::optional<std::string> Options::reasonAgainst(std::string_view name) const {
    for (const auto& [lacking, reason] : state_->lacking)
        if (lacking == name) return reason;
    return std::nullopt;
}

std::vector<std::string> Options::suggestions(std::string_view name) const {
    const CLI::Option* parsed = state_->parser->get_option_no_throw(std::string(name));
    for (const Option& option : state_->options)
        if (option.state_->parsed == parsed && option.state_->suggestions)
            return option.state_->suggestions();
    return {};
}

std::vector<Options::Number> Options::numbers() const {
    std::vector<Number> numbers;
    for (const Option& option : state_->options)
        if (const auto& range = option.state_->range)
            numbers.push_back({option.state_->parsed->get_name(), range->isWhole, range->low, range->high,
                               range->isLowAllowed});
    return numbers;
}

Json Options::settings() const {
    Json settings = Json::object();
    for (const Option& option : state_->options) {
        if (!option.state_->isSetting) continue;
        if (Json value = option.state_->value(); !value.is_null())
            settings[option.state_->name()] = std::move(value);
    }
    return settings;
}

std::vector<std::string> Options::identity() const {
    std::vector<std::string> lines;
    for (auto& [name, text] : decidingValues()) {
        std::replace(text.begin(), text.end(), '\n', ' ');  // the identity has one line per option
        lines.push_back(fmt::format("{}: {}", name, text));
    }
    return lines;
}

std::vector<std::pair<std::string, std::string>> Options::decidingValues() const {
    std::vector<std::pair<std::string, std::string>> values;
    for (const Option& option : state_->options)
        if (option.state_->decidesResult)
            if (std::string text = toText(option.state_->value()); !text.empty())
                values.emplace_back(option.state_->parsed->get_name(), std::move(text));
    return values;
}

std::optional<Options::Unread> Options::firstUnread(const RunFacet& facet) const {
    for (const Option& option : state_->options) {
        if (!option.isGiven()) continue;
        for (const detail::ReaderScope& scope : option.state_->scopes)
            if (scope.facet == facet.name &&
                std::find_first_of(scope.values.begin(), scope.values.end(), facet.values.begin(),
                                   facet.values.end()) == scope.values.end())
                return Unread{option.state_->parsed->get_name(), scope.values, scope.readers};
    }
    return std::nullopt;
}

void Options::requireReaders(const RunFacet& facet) const {
    if (const std::optional<Unread> unread = firstUnread(facet))
        throw UsageError(fmt::format("{} is for {}; {}", unread->option, unread->readers, facet.found));
}

void Options::requireOnly(const std::vector<std::string_view>& read, std::string_view found) const {
    for (const Option& option : state_->options)
        if (const std::string name = option.state_->parsed->get_name();
            option.isGiven() && std::ranges::find(read, name) == read.end())
            throw UsageError(fmt::format("{} is not read: {}", name, found));
}

void Options::requireCompanions() const {
    for (const Option& option : state_->options)
        if (const std::string& companion = option.state_->companion;
            option.isGiven() && !companion.empty() && !isGiven(companion))
            throw UsageError(fmt::format("{} needs {}", option.state_->parsed->get_name(), companion));
}

Heading::Heading(const Options& options, std::string name)
    : options_(*options.state_), outer_(std::exchange(options_.section, {std::move(name), false, false})) {}

Heading::~Heading() {
    options_.section = std::move(outer_);
}

void Heading::decidesResults() {
    options_.section.decidesResults = true;
}

void Heading::basic() {
    options_.section.isBasic = true;
}

}  // namespace glycine
