#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "engine/study/conditions.hpp"
#include "engine/study/judged_claims.hpp"
#include "engine/study/published.hpp"
#include "engine/study/report.hpp"
#include "engine/study/reports/document.hpp"

namespace glycine::study {

/// Output of `glycine reproduce ID`: the publication's times next to those of this machine, and the verdicts
/// on its claims.
struct ReproductionReport : Report {
    PublishedFigure figure;
    Scale scale = Scale::Published;
    Conditions conditions;
    std::vector<FigureRow> rows;
    std::vector<JudgedClaim> claims;
    std::vector<std::string> notes{};  ///< "p.svg was not drawn: …"

    void print(std::ostream& out, std::size_t width) const;
    Json toJson() const;
    /// The claims, grouped by sentence of the publication, with one entry per column. A claim that cannot be
    /// tested at all has a single entry without a column.
    std::vector<std::vector<JudgedClaim>> sentences() const;
    /// Published and measured times and speed-ups, and the verdicts on the claims.
    void describe(Document& document, std::vector<DocumentChart> charts) const;

  private:
    /// The claims as a table. Cases that differ in the GPU backend alone share a row, with a column for each.
    DocumentTable claimsTable() const;
    void printRows(std::ostream& out, std::size_t width) const;
    /// "5 claims: holds 3, undecided 2": verdicts on its sentences.
    std::string verdictText() const;
    /// "as published", or what was scaled and how.
    std::string scaleText() const;
};

}  // namespace glycine::study
