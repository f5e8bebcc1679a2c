#pragma once

#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "engine/command/command_registry.hpp"
#include "engine/command/run_report.hpp"
#include "engine/command/text_table.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/conditions.hpp"
#include "engine/study/contest.hpp"

/// Members and functions that the reports of `validate`, `bench` and `reproduce` share.

namespace glycine::study {

struct Report {
    std::string algorithm;
    Fields settings;  ///< measurement settings: input, seed, number format, repeats, …
    Environment environment;
    std::vector<DeviceDescription> devices;
    std::string cutShort{};  ///< why the report is not complete; usually empty

    /// Adds a device unless it is already listed or has no name.
    void addDevice(const DeviceDescription& device);
    /// One field per device.
    Fields deviceFields() const;
    /// Adds environment, devices and settings to the report's object.
    void addTo(Json& json) const;
};

/// Prints the fields of all parts, one below another.
void printHead(std::ostream& out, std::initializer_list<Fields> parts, std::size_t width);

/// Prints what limits the times of a report, after them: what cut it short, and a line on a busy machine.
/// Usually nothing.
void printConditions(std::ostream& out, const Conditions& conditions, const std::string& cutShort);

/// Adds backend, variant, number format and the dialect, if any, to a row's object.
void addToJson(Json& json, const Configuration& configuration);
/// Adds the row's configuration and outcome; times only if the row `hasTime()`.
void addToJson(Json& json, const MeasuredRow& row);

/// Adds {"size", "dimensions": [{"name", "extent"}, …]} to a row's object, and each dimension under its own
/// name.
void addDimensions(Json& json, const MeasuredRow& row);

/// Adds {"ceiling", "otherCeilings"}, each with its "share", to the object of a row that has ceilings.
void addCeilings(Json& json, const MeasuredRow& row);

/// Statistics::spread of the totals, for the conditions of the report.
template <class Rows>
std::vector<double> spreadsOf(const Rows& rows) {
    std::vector<double> spreads;
    for (const MeasuredRow& row : rows)
        if (row.hasTime()) spreads.push_back(row.total.seconds.spread());
    return spreads;
}

/// "1,024", or "2,000 × 512" if there are several dimensions.
std::string sizeText(const MeasuredRow& row);
/// "1.2 s (1.3 s)": minimum and median; "–" if there is no time.
std::string timeText(const MeasuredTime* time);
/// "54 % of add+min float32", "54 % of add+min float32, raised by gl/packed float32 on sparse, 17 atoms".
std::string ceilingShareText(double share, const std::string& ceiling, const std::string& raisedBy);
/// The same text for the ceiling that bounds the row; "–" if there is none.
std::string shareText(const MeasuredRow& row);
/// For a report whose time ended at input `index` of `count`: "input 2 of 3 and later not complete: …".
std::string incompleteText(std::string_view what, std::size_t index, std::size_t count,
                           std::string_view reason);
/// How the result was verified, or `skipped` and the reason why it was not measured.
std::string outcomeText(const MeasuredRow& row, std::string_view skipped);

/// Writes the report to the JSON file `output` (empty: none) and prints it as JSON or as text. The text ends
/// with the names of that file and of the drawn `picture` (may be empty).
template <class Written>
void deliver(CommandContext& context, const Written& report, bool asJson, const std::string& output = "",
             const std::string& picture = "") {
    const Json json = asJson || !output.empty() ? report.toJson() : Json();
    if (!output.empty()) writeJson(output, json);
    if (asJson) return printJson(context.out(), json);
    report.print(context.out(), terminalWidth());
    for (const std::string& file : {output, picture})
        if (!file.empty()) context.out() << "\nWrote " << file << '\n';
}

/// A file name that is valid everywhere: letters and digits; anything else becomes a single hyphen.
inline std::string plainName(std::string_view text) {
    std::string name;
    for (const char c : text) {
        const bool isPlain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (isPlain)
            name += c;
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    return name;
}

}  // namespace glycine::study
