#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/command/environment.hpp"
#include "engine/command/text_table.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/claims.hpp"
#include "engine/study/conditions.hpp"
#include "engine/study/published.hpp"

/// What `glycine reproduce ID` tells: the publication's times beside those of this machine, and what became
/// of its claims.
namespace glycine::study {

struct ReproductionReport {
    PublishedFigure figure;
    Scale scale = Scale::Published;
    Fields settings;  ///< how it was measured
    Environment environment;
    std::vector<DeviceDescription> devices;
    Conditions conditions;
    std::vector<MeasuredRow> rows;
    std::vector<JudgedClaim> claims;

    bool hasWrongRows() const;
    /// "published", or what was scaled and how.
    std::string scaleText() const;
};

void printReproduction(std::ostream& out, const ReproductionReport& report, std::size_t width);
Json toJson(const ReproductionReport& report);

/// The times as bars, the publication's beside ours; of a method with several stages the last one. Throws
/// UsageError when nothing was measured; Error with path and cause.
void drawReproduction(const std::filesystem::path& path, const ReproductionReport& report);

}  // namespace glycine::study
