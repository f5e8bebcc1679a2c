#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/algorithms/distance/study/data_size.hpp"
#include "engine/command/environment.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/configuration.hpp"
#include "engine/io/text/json.hpp"

/// What `glycine reproduce distance` tells: the times of the paper's figure 4 beside those of this machine.
namespace glycine::distance {

/// Times of one method, one a data set.
struct MethodTimes {
    std::vector<double> seconds;
    bool empty() const { return seconds.empty(); }
    double mean() const;
    double best() const;
};

/// One way to compute the distances.
struct FigureRow {
    std::string method;           ///< "CPU loop", "naive", "cpu bitplane"
    Configuration configuration;  ///< no backend: the CPU loop
    double paperSeconds = 0;      ///< 0: not in the paper
    MethodTimes kernel;           ///< the counting alone
    MethodTimes whole;            ///< with packing and transfers; empty for the CPU loop
    std::string skipped;          ///< why it was not measured; empty: it was
    bool isWrong = false;         ///< differs from the CPU loop: no time is shown
    std::string check;            ///< how the result was verified
    std::string note;             ///< what the backend decided on the way

    bool hasTime() const { return skipped.empty() && !isWrong && !kernel.empty(); }
};

struct FigureReport {
    DataSize size;
    std::size_t sets = 0;
    Fields settings;
    Environment environment;
    std::vector<DeviceDescription> devices;
    std::vector<FigureRow> rows;  ///< the CPU loop, the published kernels, Glycine's own variants

    void addDevice(const DeviceDescription& device);
    const FigureRow& row(const std::string& method) const;
    bool hasWrongRows() const;
};

/// The rows with the paper's times, in the paper's order, not measured yet.
std::vector<FigureRow> publishedRows();

void printFigureReport(std::ostream& out, const FigureReport& report, std::size_t width);
Json toJson(const FigureReport& report);

/// The figure: the paper's times beside those measured here. Throws Error with path and cause.
void drawFigure(const std::filesystem::path& path, const FigureReport& report);

}  // namespace glycine::distance
