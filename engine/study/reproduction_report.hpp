#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/study/conditions.hpp"
#include "engine/study/contest.hpp"
#include "engine/study/published.hpp"
#include "engine/study/report.hpp"
#include "engine/study/reports/document.hpp"

namespace glycine::study {

// Whether what a publication says is true of this machine.

/// A row of a figure, measured: its total is the time of the row's stage alone.
struct FigureRow : MeasuredRow {
    PublishedRow published{};
    /// Of a row that did not finish: the fit of shorter runs that its time comes from; empty: it was
    /// measured.
    std::string fit{};

    /// The publication's time with nothing that stands for it here.
    bool isPaperAlone() const { return published.configuration.backend.empty(); }
};

enum class Verdict {
    Holds,            ///< the whole interval of the median lies within the claim's limits
    HoldsNoLonger,    ///< it lies outside them
    AgainstStandIns,  ///< one or the other, but something stands for a program that is not at hand
    Undecided,        ///< it crosses one
    Untested,         ///< there is nothing to compare
};
constexpr auto namesOf(Verdict) {
    using enum Verdict;
    return namesAre<Verdict>("verdict", {{Holds, "holds"},
                                         {HoldsNoLonger, "holds no longer here"},
                                         {AgainstStandIns, "against stand-ins"},
                                         {Undecided, "undecided"},
                                         {Untested, "cannot be tested"}});
}
/// Whether the verdict says something about the claim.
constexpr bool isDecided(Verdict verdict) {
    return verdict != Verdict::Undecided && verdict != Verdict::Untested;
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
JudgedClaim judge(const Claim& claim, const std::vector<FigureRow>& rows,
                  const std::map<std::string, double>& facts = {});

/// Keys of the rows that a quantity is about.
std::vector<std::string> keysOf(const Quantity& quantity);

/// The time that a row takes according to the same method at three smaller sizes at least, which differ in
/// one dimension alone: a power of it, with the least and the largest exponent between neighbours as its
/// interval. `fit` says so. Nothing where there are none.
std::optional<Statistics> extrapolated(const FigureRow& row, const std::vector<FigureRow>& rows,
                                       std::string& fit);

/// "2.21 × (2.19 … 2.25)".
std::string valueText(const JudgedClaim& claim);

/// The verdict on a sentence: the first one that says something, else whether it is undecided.
Verdict verdictOn(const std::vector<JudgedClaim>& sentence);

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
    bool canDraw() const;
    /// The claims, each sentence of the publication once, with what it is in each column. What cannot be
    /// tested at all has one without a column.
    std::vector<std::vector<JudgedClaim>> sentences() const;
    /// Published and measured times and speed-ups, and what became of the claims.
    void describe(Document& document, DocumentChart chart) const;

  private:
    void printRows(std::ostream& out, std::size_t width) const;
    /// "as published", or what was scaled and how.
    std::string scaleText() const;
};

}  // namespace glycine::study
