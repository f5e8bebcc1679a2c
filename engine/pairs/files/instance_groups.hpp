#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/picture/canvas.hpp"

namespace glycine::pairs {

/// Which group each instance belongs to: populations, hospitals, years.
struct InstanceGroups {
    std::vector<std::string> labels;  ///< in alphabetical order
    std::vector<std::size_t> of;      ///< one an instance: a label, or their number where it has none

    bool empty() const { return labels.empty(); }
    /// "-" for an instance without one.
    std::string_view labelOf(std::size_t instance) const {
        return of[instance] < labels.size() ? std::string_view(labels[of[instance]]) : "-";
    }
    /// What the colours mean.
    std::vector<picture::ColorKey> key() const {
        std::vector<picture::ColorKey> key;
        for (std::size_t k = 0; k < labels.size(); ++k)
            key.push_back({labels[k], picture::groupColor(k, labels.size())});
        return key;
    }
    picture::Color colorOf(std::size_t instance) const {
        return picture::groupColor(of[instance], labels.size());
    }
};

/// Reads a table of names and labels: tabs, commas or blanks separate its fields; the first field of a line
/// that is an instance's name has the label behind it (so that PLINK's family and individual may stand in
/// front, and more columns behind). Lines about nobody are passed over. Throws InputError where no line names
/// an instance, and for an instance with two labels.
InstanceGroups readInstanceGroups(const std::filesystem::path& path, std::span<const std::string> names);

}  // namespace glycine::pairs
