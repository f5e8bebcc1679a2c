#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/command/command_context.hpp"
#include "engine/command/environment.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/configuration.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/conditions.hpp"
#include "engine/study/statistics.hpp"

/// What `glycine bench <algorithm>` prints.
namespace glycine {

struct BenchStage {
    std::string name;    ///< "upper"
    Statistics seconds;  ///< on the device, stage by stage
    /// Work of the stage in units of BenchReport::rateUnit; 0: no rate is shown.
    double work = 0;
    double bestRate() const { return seconds.minimum > 0 ? work / seconds.minimum : 0; }
    double medianRate() const { return seconds.median > 0 ? work / seconds.median : 0; }
};

struct BenchRow {
    std::size_t size = 0;
    /// What the size is made of, where one number does not say it: {"instances", 2000}, {"attributes", 512}.
    std::vector<std::pair<std::string, std::size_t>> dimensions;
    Configuration configuration;
    std::vector<BenchStage> stages;  ///< the same in every row
    Statistics total;                ///< seconds of all stages together
    double totalWork = 0;  ///< work of all stages in units of BenchReport::rateUnit; 0: no rate is shown
    std::string check;     ///< how the result was verified: "largest difference 1.2e-6 Å of 3.1e-3"
    bool isWrong = false;  ///< failed the check: no time is reported
    std::string skipped;   ///< why it did not run; empty: it ran
    std::string note;      ///< what the backend decided on the way
};

struct BenchReport {
    std::string algorithm;
    std::string sizeLabel;  ///< "atoms"
    std::string rateUnit;   ///< "G relaxations/s"
    Fields settings;        ///< how it was measured: input, seed, number format, repeats, …
    Environment environment;
    std::vector<DeviceDescription> devices;
    study::Conditions conditions;
    std::vector<BenchRow> rows;

    /// Adds a device that is not listed yet.
    void addDevice(const DeviceDescription& device);
    /// How many times faster than the first row of its size `row` is, by the minimum of the total; 0 when
    /// either has no time.
    double ratioToFirst(const BenchRow& row) const;
    /// The same of the medians, from the quotients of each round; nothing when either has no time.
    std::optional<Statistics> roundRatio(const BenchRow& row) const;
    /// Whether the medians of the row and of the first of its size cannot be told apart.
    bool isUndecided(const BenchRow& row) const;
    /// Statistics::spread of the totals.
    std::vector<double> spreads() const;
    bool hasWrongRows() const;

  private:
    /// The first row of the same size.
    const BenchRow& firstOf(const BenchRow& row) const;
};

void printBenchReport(std::ostream& out, const BenchReport& report, std::size_t width);
Json toJson(const BenchReport& report);

/// The end of a bench command: writes the report to the JSON file `output` unless that is empty, and prints
/// it. Returns the exit code, 1 when a result failed its check. Throws UnavailableError when nothing was
/// timed.
int concludeBench(CommandContext& context, const BenchReport& report, const std::string& output, bool asJson);

}  // namespace glycine
