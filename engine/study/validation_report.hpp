#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/command/command_context.hpp"
#include "engine/command/environment.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/configuration.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/comparison.hpp"

/// What `glycine validate <algorithm>` prints: each configuration against the reference. The harness
/// fills in the rows (see validate.hpp).
namespace glycine {

struct ValidationRow {
    Configuration configuration;
    std::string skipped;  ///< why it did not run at all; empty: it ran
    std::size_t inputs = 0;
    std::size_t equalInputs = 0;  ///< of these, equal to the bit
    double seconds = 0;           ///< of all inputs together
    Comparison worst;             ///< the largest share of its allowance
    std::vector<Comparison> disagreements;
    std::vector<std::string> refusals;  ///< inputs that it declined, with the reason

    void add(const Comparison& comparison);
};

struct ValidationReport {
    std::string algorithm;
    std::string unit;  ///< of the differences: "Å"
    Fields settings;   ///< the inputs, the reference, …
    Environment environment;
    std::vector<DeviceDescription> devices;
    std::vector<ValidationRow> rows;

    void addDevice(const DeviceDescription& device);
    std::size_t disagreeing() const;  ///< number of rows with a disagreement
    std::size_t compared() const;     ///< number of rows that ran
};

void printValidationReport(std::ostream& out, const ValidationReport& report, std::size_t width);
Json toJson(const ValidationReport& report);

/// The end of a validate command: prints the report. Returns the exit code, 1 when a configuration disagrees.
/// Throws UnavailableError when nothing was compared.
int concludeValidation(CommandContext& context, const ValidationReport& report, bool asJson);

}  // namespace glycine
