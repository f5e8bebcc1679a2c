#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/study/reports/document.hpp"
#include "engine/study/reports/study_report.hpp"

/// What the charts of one study and those of several have in common.
namespace glycine::study {

using TimedRows = std::vector<const TimedRow*>;
using TimedGroups = std::vector<std::pair<std::string, TimedRows>>;

/// Draws into the folder and reads back what the page shall hold.
DocumentChart drawnChart(const std::filesystem::path& folder, const std::string& name,
                         const std::string& title, const std::string& caption, DocumentTable data,
                         const std::function<void(const std::filesystem::path&)>& draw);

/// For tables of data: six digits.
std::string chartNumber(double value);

/// "gl/packed es300": without the number format, which the curve names.
std::string contenderName(const Contender& contender);

/// Rows by what `key` says of them, in the order in which they come.
TimedGroups grouped(const TimedRows& rows, const std::function<std::string(const TimedRow*)>& key);

/// The algorithm's rows by their curves. `rows` must outlive the result.
TimedGroups curvesOf(const std::string& algorithm, std::span<const TimedRow> rows);

/// The dimension along which a curve goes: the one that differs the most, or the product of all where others
/// differ by much, too.
struct SizeAxis {
    std::string label;
    std::optional<std::size_t> index{};

    explicit SizeAxis(const TimedRows& rows);
    double of(const TimedRow& row) const;
};

}  // namespace glycine::study
