#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/picture/canvas.hpp"

namespace glycine::pairs {

/// The group of each instance: populations, hospitals, years.
struct InstanceGroups {
    std::vector<std::string> labels;  ///< in natural order: "year 9" before "year 10"
    std::vector<std::size_t> of;      ///< one per instance: index of its label, or the number of labels if it
                                      ///< has none

    bool empty() const { return labels.empty(); }
    /// Returns "-" for an instance without a label.
    std::string_view labelOf(std::size_t instance) const {
        return of[instance] < labels.size() ? std::string_view(labels[of[instance]]) : "-";
    }
    /// The legend of the signs.
    std::vector<picture::ColorKey> key() const {
        std::vector<picture::ColorKey> key;
        for (std::size_t k = 0; k < labels.size(); ++k) {
            const picture::GroupSign sign = picture::groupSign(k, labels.size());
            key.push_back({labels[k], sign.color, sign.round});
        }
        return key;
    }
    picture::GroupSign signOf(std::size_t instance) const {
        return picture::groupSign(of[instance], labels.size());
    }
    /// Lines below a picture: picture::noteOnGroups if it says anything, then `lines`.
    std::vector<std::string> footer(std::vector<std::string> lines) const {
        if (std::string note = picture::noteOnGroups(labels.size()); !note.empty())
            lines.insert(lines.begin(), std::move(note));
        return lines;
    }
};

/// Reads a table of names and labels, with fields separated by tabs, commas or blanks. In each line, the
/// label follows the first field that is an instance's name. So PLINK's family and individual may precede it,
/// and more columns may follow. Lines without an instance's name are skipped. Throws InputError if no line
/// names an instance, and for an instance with two labels.
InstanceGroups readInstanceGroups(const std::filesystem::path& path, std::span<const std::string> names);
/// The same for pictures: `notes` receives the number of instances without a label, with names in the table
/// that may have meant them, and picture::noteOnGroups. No groups if `path` is empty.
InstanceGroups readInstanceGroups(const std::filesystem::path& path, std::span<const std::string> names,
                                  std::vector<std::string>& notes);

}  // namespace glycine::pairs
