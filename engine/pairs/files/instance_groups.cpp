#include "engine/pairs/files/instance_groups.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "engine/core/error.hpp"
#include "engine/core/natural_order.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine::pairs {

namespace {

std::vector<std::string> fieldsOf(std::string_view line) {
    const std::string_view separators = line.find('\t') != line.npos  ? "\t\r\n"
                                        : line.find(',') != line.npos ? ",\r\n"
                                                                      : " \r\n";
    std::vector<std::string> fields;
    while (!line.empty()) {
        const std::size_t end = line.find_first_of(separators);
        if (end > 0) fields.emplace_back(line.substr(0, end));
        line.remove_prefix(std::min(line.size(), end == line.npos ? end : end + 1));
    }
    return fields;
}

struct ReadGroups {
    InstanceGroups groups;
    std::vector<std::string> strangers;  ///< first fields of lines that name no instance, without a title
};

ReadGroups readGroups(const std::filesystem::path& path, std::span<const std::string> names) {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
    std::vector<std::string> labelOf(names.size());
    std::vector<std::string> first;  // fields of the first line
    std::vector<std::string> strangers;
    const auto stream = io::openText(path);
    io::LineReader lines(*stream);
    for (std::string_view line = lines.next(); !line.empty(); line = lines.next()) {
        const std::vector<std::string> fields = fieldsOf(line);
        if (fields.empty()) continue;
        if (first.empty()) first = fields;
        bool isKnown = false;
        for (std::size_t k = 0; k + 1 < fields.size(); ++k) {
            const auto found = places.find(fields[k]);
            if (found == places.end()) continue;
            isKnown = true;
            // A family may have the same name as the individual after it.
            if (fields[k + 1] == fields[k] && k + 2 < fields.size()) continue;
            std::string& label = labelOf[found->second];
            if (!label.empty() && label != fields[k + 1])
                throw InputError(fmt::format("{}: line {}: '{}' is in the group '{}' and was in '{}' before",
                                             path.string(), lines.number(), excerpt(fields[k]),
                                             excerpt(fields[k + 1]), excerpt(label)));
            label = fields[k + 1];
            break;
        }
        if (!isKnown && fields.size() > 1) strangers.push_back(fields.front());
    }
    std::set<std::string, NaturalOrder> labels(labelOf.begin(), labelOf.end());
    labels.erase("");
    if (labels.empty()) {
        const std::string expected =
            names.empty() ? "" : fmt::format(", such as '{}',", excerpt(names.front()));
        throw InputError(fmt::format(
            "{}: names no instance of the input{}; expected lines with a name{} and its label", path.string(),
            first.empty() ? "" : fmt::format("; its first line begins with '{}'", excerpt(first.front())),
            expected));
    }
    // A first line without an instance and without a label of another line is the titles.
    if (!strangers.empty() && first.size() > 1 && strangers.front() == first.front() &&
        !labels.contains(first[1]))
        strangers.erase(strangers.begin());
    InstanceGroups groups{{labels.begin(), labels.end()}, {}};
    for (const std::string& label : labelOf)
        groups.of.push_back(
            label.empty() ? labels.size()
                          : static_cast<std::size_t>(std::distance(labels.begin(), labels.find(label))));
    return {std::move(groups), std::move(strangers)};
}

/// "panel.tsv: 99 of 100 instances have no label; unknown names: 'Fz1' (nearest: Fz)"; empty if all have one.
/// Names of other instances are usual in tables of larger sets, and then say nothing.
std::string noteOnLabels(const std::filesystem::path& path, const ReadGroups& read,
                         std::span<const std::string> names) {
    std::vector<std::string> unlabelled;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (read.groups.of[i] == read.groups.labels.size()) unlabelled.push_back(names[i]);
    if (unlabelled.empty()) return {};
    std::string text = fmt::format("{}: {} of {} without a label", path.filename().string(),
                                   formatCount(unlabelled.size()), formatCount(names.size(), "instance"));
    if (read.strangers.empty()) return text;
    constexpr std::size_t kShown = 3;
    const std::string& one = read.strangers.front();
    return fmt::format("{}; {} in it: {} (for '{}', {})", text,
                       formatCount(read.strangers.size(), "unknown name"), quoteNames(read.strangers, kShown),
                       excerpt(one), suggestNames(one, unlabelled));
}

}  // namespace

InstanceGroups readInstanceGroups(const std::filesystem::path& path, std::span<const std::string> names) {
    return readGroups(path, names).groups;
}

InstanceGroups readInstanceGroups(const std::filesystem::path& path, std::span<const std::string> names,
                                  std::vector<std::string>& notes) {
    if (path.empty()) return {};
    ReadGroups read = readGroups(path, names);
    if (std::string note = noteOnLabels(path, read, names); !note.empty()) notes.push_back(std::move(note));
    InstanceGroups groups = std::move(read.groups);
    if (std::string note = picture::noteOnGroups(groups.labels.size()); !note.empty())
        notes.push_back(std::move(note));
    return groups;
}

}  // namespace glycine::pairs
