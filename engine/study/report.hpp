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
#include "engine/study/contest.hpp"

/// What the reports of `validate`, `bench` and `reproduce` have in common.

namespace glycine::study {

struct Report {
    std::string algorithm;
    Fields settings;  ///< how it was measured: input, seed, number format, repeats, …
    Environment environment;
    std::vector<DeviceDescription> devices;
    std::string cutShort{};  ///< why it is not all that was asked for; mostly empty

    /// Adds a device that is not listed yet; nothing for one without a name.
    void addDevice(const DeviceDescription& device);
    /// A field a device.
    Fields deviceFields() const;
    /// Adds environment, devices and settings to the report's object.
    void addTo(Json& json) const;
};

/// The parts of a head below each other, and an empty line.
void printHead(std::ostream& out, std::initializer_list<Fields> parts, std::size_t width);

/// Adds backend, variant, number format and, where there is one, the dialect to a row's object.
void addToJson(Json& json, const Configuration& configuration);
/// Adds the row's configuration and what came of it but times, which only `hasTime()` rows have.
void addToJson(Json& json, const MeasuredRow& row);

/// Adds {"size", "dimensions": [{"name", "extent"}, …]} to the object of a row, and each dimension by its own
/// name.
void addDimensions(Json& json, const MeasuredRow& row);

/// Adds {"ceiling", "otherCeilings"} of a row that has any to its object, each with its "share".
void addCeilings(Json& json, const MeasuredRow& row);

/// Statistics::spread of the totals, for the conditions of the report.
template <class Rows>
std::vector<double> spreadsOf(const Rows& rows) {
    std::vector<double> spreads;
    for (const MeasuredRow& row : rows)
        if (row.hasTime()) spreads.push_back(row.total.seconds.spread());
    return spreads;
}

/// "1,024", or "2,000 × 512" where there are several dimensions.
std::string sizeText(const MeasuredRow& row);
/// "1.2 s (1.3 s)": minimum and median; "–" where there is no time.
std::string timeText(const MeasuredTime* time);
/// "54 % of add+min float32", "54 % of add+min float32, raised by gl/packed float32 on sparse, 17 atoms".
std::string ceilingShareText(double share, const std::string& ceiling, const std::string& raisedBy);
/// The same of what bounds the row; "–" where there is none.
std::string shareText(const MeasuredRow& row);
/// Of a report whose time was over at the `index`-th of `count` inputs: "input 2 of 3 and later not complete:
/// …".
std::string incompleteText(std::string_view what, std::size_t index, std::size_t count,
                           std::string_view reason);
/// How the result was verified, or after `skipped` why it was not measured.
std::string outcomeText(const MeasuredRow& row, std::string_view skipped);

/// Writes the report to the JSON file `output` unless that is empty, and prints it as text, with the names of
/// that file and of the `picture` that was drawn (may be empty), or as JSON.
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

/// What files may be called everywhere: letters and digits, with one hyphen for whatever lies between them.
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
