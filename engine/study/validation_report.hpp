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

/// What `glycine validate <algorithm>` prints: each configuration against the reference. An algorithm fills
/// in the rows; everything else is shared.
namespace glycine {

/// One result beside the reference's.
struct Comparison {
    std::string input{};           ///< which of the inputs: "sparse, 17 atoms"
    bool isEqual = false;          ///< to the bit
    double largestDifference = 0;  ///< in ValidationReport::unit
    double allowedDifference = 0;  ///< 0: bits must be equal
    std::string place{};           ///< where the largest difference was found
    bool agrees() const { return isEqual || largestDifference <= allowedDifference; }

    /// Takes in one element, where differences are relative to the larger of the two numbers; infinite where
    /// just one is no number. `name` is asked for when it is the largest difference so far.
    template <class Name>
    void compareElement(double expected, double found, const Name& name) {
        if (takeDifference(expected, found)) place = name() + valuesText(expected, found);
    }
    /// No allowance helps: the place says what is wrong.
    void fail(std::string reason);

  private:
    /// Whether it is the largest so far.
    bool takeDifference(double expected, double found);
    static std::string valuesText(double expected, double found);
};

/// One that has met no difference yet.
Comparison equalSoFar(double allowedDifference);

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
