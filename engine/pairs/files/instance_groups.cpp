#include "engine/pairs/files/instance_groups.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "engine/core/error.hpp"
#include "engine/core/natural_order.hpp"
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

}  // namespace

InstanceGroups readInstanceGroups(const std::filesystem::path& path, std::span<const std::string> names) {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
    std::vector<std::string> labelOf(names.size());
    std::string firstName;
    const auto stream = io::openText(path);
    io::LineReader lines(*stream);
    for (std::string_view line = lines.next(); !line.empty(); line = lines.next()) {
        const std::vector<std::string> fields = fieldsOf(line);
        if (firstName.empty() && !fields.empty()) firstName = fields.front();
        for (std::size_t k = 0; k + 1 < fields.size(); ++k) {
            const auto found = places.find(fields[k]);
            if (found == places.end()) continue;
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
    }
    std::set<std::string, NaturalOrder> labels(labelOf.begin(), labelOf.end());
    labels.erase("");
    if (labels.empty()) {
        const std::string expected =
            names.empty() ? "" : fmt::format(", such as '{}',", excerpt(names.front()));
        throw InputError(fmt::format(
            "{}: names no instance of the input{}; expected lines with a name{} and its label", path.string(),
            firstName.empty() ? "" : fmt::format("; its first line begins with '{}'", excerpt(firstName)),
            expected));
    }
    InstanceGroups groups{{labels.begin(), labels.end()}, {}};
    for (const std::string& label : labelOf)
        groups.of.push_back(
            label.empty() ? labels.size()
                          : static_cast<std::size_t>(std::distance(labels.begin(), labels.find(label))));
    return groups;
}

InstanceGroups readInstanceGroups(const std::filesystem::path& path, std::span<const std::string> names,
                                  std::vector<std::string>& notes) {
    if (path.empty()) return {};
    InstanceGroups groups = readInstanceGroups(path, names);
    if (std::string note = picture::noteOnGroups(groups.labels.size()); !note.empty())
        notes.push_back(std::move(note));
    return groups;
}

}  // namespace glycine::pairs
