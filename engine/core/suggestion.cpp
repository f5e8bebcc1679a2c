#include "engine/core/suggestion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/core/text.hpp"

namespace glycine {

std::size_t editDistance(std::string_view first, std::string_view second) {
    const std::string a = lowerCase(first), b = lowerCase(second);
    // Rows i − 2, i − 1 and i of the table of prefix distances.
    std::vector<std::size_t> older(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t k = 0; k <= b.size(); ++k) row[k] = k;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(older, last);
        std::swap(last, row);
        row[0] = i;
        for (std::size_t k = 1; k <= b.size(); ++k) {
            row[k] = std::min({last[k] + 1, row[k - 1] + 1, last[k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1)});
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = std::min(row[k], older[k - 2] + 1);
        }
    }
    return row[b.size()];
}

std::vector<std::string> nearestNames(std::string_view wanted, std::span<const std::string> known,
                                      NamePart part) {
    constexpr std::size_t kMaximum = 3;
    constexpr std::size_t kSlip = 2;  // one typing error or two; beyond that, similar names are noise
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const std::string& name : known) {
        const std::size_t distance = editDistance(part(wanted), part(name));
        if (distance <= kSlip && 2 * distance <= std::max(part(wanted).size(), part(name).size()))
            near.emplace_back(distance, name);
    }
    std::stable_sort(near.begin(), near.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> names;
    for (std::size_t k = 0; k < std::min(kMaximum, near.size()); ++k)
        names.push_back(std::move(near[k].second));
    return names;
}

std::string suggestNames(std::string_view wanted, std::span<const std::string> known, NamePart part) {
    if (known.empty()) return "there is none";
    const std::vector<std::string> near = nearestNames(wanted, known, part);
    constexpr std::size_t kShort = 20, kBeginning = 12;
    const std::size_t shown = known.size() <= kShort ? known.size() : near.empty() ? kBeginning : 0;
    std::string text = near.empty() ? "" : fmt::format("nearest: {}", fmt::join(near, ", "));
    if (shown > 0)
        text += fmt::format("{}known: {}", near.empty() ? "" : "; ", fmt::join(known.first(shown), ", "));
    if (shown > 0 && shown < known.size()) text += fmt::format(" and {} more", known.size() - shown);
    return text;
}

std::optional<std::pair<std::size_t, std::size_t>> firstRepeated(std::span<const std::string> names) {
    std::unordered_map<std::string_view, std::size_t> indices;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (const auto [first, isNew] = indices.emplace(names[i], i); !isNew)
            return std::pair(first->second, i);
    return std::nullopt;
}

std::string quoteNames(std::span<const std::string> names, std::size_t maximum) {
    if (names.empty()) return "none";
    std::string text;
    for (std::size_t k = 0; k < std::min(maximum, names.size()); ++k)
        text += fmt::format("{}'{}'", k == 0 ? "" : ", ", names[k]);
    if (names.size() > maximum) text += fmt::format(" and {} more", names.size() - maximum);
    return text;
}

}  // namespace glycine
