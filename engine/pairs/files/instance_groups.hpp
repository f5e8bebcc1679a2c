#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/picture/canvas.hpp"

namespace glycine::pairs {

/// The group of each instance: populations, hospitals, years.
struct InstanceGroups {
    std::vector<std::string> labels;  ///< in alphabetical order
    std::vector<std::size_t> of;      ///< one per instance: index of its label, or the number of labels if it
                                      ///< has none

    bool empty() const { return labels.empty(); }
    /// Returns "-" for an instance without a label.
    std::string_view labelOf(std::size_t instance) const {
        return of[instance] < labels.size() ? std::string_view(labels[of[instance]]) : "-";
    }
    /// The legend of the colours.
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

/// Reads a table of names and labels, with fields separated by tabs, commas or blanks. In each line, the
/// label follows the first field that is an instance's name. So PLINK's family and individual may precede it,
/// and more columns may follow. Lines without an instance's name are skipped. Throws InputError if no line
/// names an instance, and for an instance with two labels.
InstanceGroups readInstanceGroups(const std::filesystem::path& path, std::span<const std::string> names);

}  // namespace glycine::pairs
