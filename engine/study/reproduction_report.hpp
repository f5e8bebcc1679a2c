#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/study/claims.hpp"
#include "engine/study/conditions.hpp"
#include "engine/study/report.hpp"

namespace glycine::study {

/// What `glycine reproduce ID` tells: the publication's times beside those of this machine, and what became
/// of its claims.
struct ReproductionReport : Report {
    PublishedFigure figure;
    Scale scale = Scale::Published;
    Conditions conditions;
    std::vector<FigureRow> rows;
    std::vector<JudgedClaim> claims;

    void print(std::ostream& out, std::size_t width) const;
    Json toJson() const;
    /// The times as bars, the publication's beside ours; of a method with several stages the last one. Throws
    /// UsageError when nothing was measured; Error with path and cause.
    void draw(const std::filesystem::path& path) const;

  private:
    void printRows(std::ostream& out, std::size_t width) const;
    /// "as published", or what was scaled and how.
    std::string scaleText() const;
};

}  // namespace glycine::study
