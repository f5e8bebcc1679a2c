#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/study/conditions.hpp"
#include "engine/study/contest.hpp"
#include "engine/study/published.hpp"
#include "engine/study/report.hpp"

namespace glycine::study {

// Whether what a publication says is true of this machine.

/// A row of a figure, measured: its total is the time of the row's stage alone.
struct FigureRow : MeasuredRow {
    PublishedRow published{};

    /// The publication's time with nothing that stands for it here.
    bool isPaperAlone() const { return published.configuration.backend.empty(); }
};

enum class Verdict {
    Holds,          ///< the whole interval of the median lies within the claim's limits
    HoldsNoLonger,  ///< it lies outside them
    Undecided,      ///< it crosses one
    Untested,       ///< there is nothing to compare
};
constexpr auto namesOf(Verdict) {
    using enum Verdict;
    return namesAre<Verdict>("verdict", {{Holds, "holds"},
                                         {HoldsNoLonger, "holds no longer here"},
                                         {Undecided, "undecided"},
                                         {Untested, "could not be tested"}});
}

struct JudgedClaim {
    Claim claim;
    Verdict verdict = Verdict::Untested;
    Statistics value;    ///< of the claim's quantity; no samples where it could not be tested
    std::string reason;  ///< why it holds no longer, is undecided, or could not be tested
};

/// Ratios of rows of one problem are taken round by round, as are exponents. What a claim says about the time
/// that a GPU takes cannot be tested where a software renderer drew; what it says about results can. Throws
/// std::logic_error for a key that no row has.
JudgedClaim judge(const Claim& claim, const std::vector<FigureRow>& rows);

/// "2.21 × (2.19 … 2.25)".
std::string valueText(const JudgedClaim& claim);

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
