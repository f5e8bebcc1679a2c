#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/command/environment.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/configuration.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/statistics.hpp"

/// What `glycine reproduce crossapen` tells: the times that the paper gives beside those of this machine.
namespace glycine::crossapen {

/// One method on some trials.
struct FigureRow {
    std::string method;           ///< "C(1)", "6 cores", "cuda shifted"
    std::string size;             ///< "50 × 8,192": trials and samples
    Configuration configuration;  ///< no backend: a loop of the paper, or a time of the paper alone
    double paperSeconds = 0;      ///< 0: the paper gives none
    Statistics seconds;           ///< from normalised signals to match statistics in memory
    Statistics compute;           ///< on the device; empty for loops
    double comparisons = 0;       ///< of samples in `seconds`, as brute force takes them
    std::string check;            ///< how the result was verified
    bool isWrong = false;         ///< failed the check: no time is shown
    std::string skipped;          ///< why it was not measured
    std::string note;

    bool isPaperAlone() const { return configuration.backend.empty() && comparisons == 0; }
    bool hasTime() const { return skipped.empty() && !isWrong && seconds.count > 0; }
    /// Comparisons in 10⁹ / s by the minimum; 0 without a time.
    double rate() const { return hasTime() ? comparisons / seconds.minimum / 1e9 : 0; }
};

struct Figure {
    std::string name;             ///< "Figure 5"
    std::string title;            ///< "three kernels"
    std::string about;            ///< what the paper says, and what stands in for it
    double paperComparisons = 0;  ///< in each of the paper's times
    std::vector<FigureRow> rows;
    /// Backend and variant that ratios refer to: "cpu merged"; empty: none are shown.
    std::string base;
    std::vector<std::string> conclusions;

    /// By which factor a row's rate is above that of `base` on trials of the same size; 0: no such row.
    double ratioToBase(const FigureRow& row) const;
    const FigureRow* find(const std::string& method, const std::string& size) const;
};

struct FigureReport {
    Fields settings;
    Environment environment;
    std::vector<DeviceDescription> devices;
    std::vector<Figure> figures;

    void addDevice(const DeviceDescription& device);
    bool hasWrongRows() const;
};

void printFigureReport(std::ostream& out, const FigureReport& report, std::size_t width);
Json toJson(const FigureReport& report);

/// The figures below each other as bars. Throws UsageError when nothing was measured; Error with path and
/// cause.
void drawFigures(const std::filesystem::path& path, const FigureReport& report);

}  // namespace glycine::crossapen
