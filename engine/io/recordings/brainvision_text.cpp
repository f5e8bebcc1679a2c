#include "engine/io/recordings/brainvision_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/header_text.hpp"
#include "engine/io/text/text_stream.hpp"

namespace glycine::io {

namespace {

/// Sections whose keys have one value. Markers are taken one by one, whatever their numbers are.
constexpr std::array<std::string_view, 3> kSectionsOfSingleKeys = {"common infos", "binary infos",
                                                                   "channel infos"};

/// The next line, which is removed from `rest`.
std::string_view takeLine(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return trimBlanks(line);
}

}  // namespace

BrainVisionText::BrainVisionText(std::string_view bytes, std::string fileName, std::string_view kind)
    : fileName_(std::move(fileName)) {
    const std::string text = utf8FromUnknown(withoutByteOrderMark(bytes));
    std::string_view rest = text;
    checkIdentification(takeLine(rest), kind);
    std::string section;
    for (std::size_t number = 2; !rest.empty(); ++number) {
        const std::string_view line = takeLine(rest);
        if (line.empty() || line[0] == ';') continue;
        if (line.front() == '[' && line.back() == ']') {
            section = line.substr(1, line.size() - 2);
            if (lowerCase(section) == "comment") break;
            continue;
        }
        const std::size_t sign = line.find('=');
        if (sign == std::string_view::npos) continue;
        entries_.push_back({section, std::string(trimBlanks(line.substr(0, sign))),
                            std::string(trimBlanks(line.substr(sign + 1))), number});
    }
    indexEntries();
}

void BrainVisionText::checkIdentification(std::string_view line, std::string_view kind) const {
    for (const std::string_view name : {"Brain Vision", "BrainVision"})
        for (const std::string_view comma : {"", ","})
            for (const std::string_view version : {"1.0", "2.0"})
                if (line == fmt::format("{} Data Exchange {} File{} Version {}", name, kind, comma, version))
                    return;
    throw InputError(
        fmt::format("{}: line 1: '{}'; expected 'BrainVision Data Exchange {} File Version 1.0' (or 2.0)",
                    fileName_, excerpt(printable(line)), kind));
}

void BrainVisionText::indexEntries() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const std::string section = lowerCase(entries_[i].section);
        const auto [first, isNew] = index_.try_emplace({section, lowerCase(entries_[i].key)}, i);
        if (!isNew && std::count(kSectionsOfSingleKeys.begin(), kSectionsOfSingleKeys.end(), section) > 0)
            refuse(entries_[i],
                   fmt::format("{} once, and line {} has it", entries_[i].key, entries_[first->second].line));
    }
}

const BrainVisionText::Entry* BrainVisionText::find(std::string_view section, std::string_view key) const {
    const auto found = index_.find({lowerCase(section), lowerCase(key)});
    if (found == index_.end()) return nullptr;
    const Entry& entry = entries_[found->second];
    return entry.value.empty() ? nullptr : &entry;
}

const BrainVisionText::Entry& BrainVisionText::require(std::string_view section, std::string_view key) const {
    const Entry* entry = find(section, key);
    if (entry == nullptr)
        throw InputError(
            fmt::format("{}: section [{}] has no {}; expected {}=…", fileName_, section, key, key));
    return *entry;
}

void BrainVisionText::refuse(const Entry& entry, std::string_view expected) const {
    throw InputError(fmt::format("{}: line {}: {}={}; expected {}", fileName_, entry.line, excerpt(entry.key),
                                 excerpt(entry.value), expected));
}

std::vector<std::string> brainVisionFields(std::string_view value) {
    std::vector<std::string> fields;
    while (true) {
        const std::size_t end = value.find(',');
        std::string field(trimBlanks(value.substr(0, end)));
        for (std::size_t at = field.find("\\1"); at != std::string::npos; at = field.find("\\1", at + 1))
            field.replace(at, 2, ",");
        fields.push_back(std::move(field));
        if (end == std::string_view::npos) return fields;
        value.remove_prefix(end + 1);
    }
}

}  // namespace glycine::io
