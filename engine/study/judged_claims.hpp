#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/study/contest.hpp"
#include "engine/study/published.hpp"

/// Tests whether a publication's statements hold on this machine.
namespace glycine::study {

/// A measured row of a figure; its total is the time of the row's stage only.
struct FigureRow : MeasuredRow {
    PublishedRow published{};
    /// For a row that did not finish: the fit of smaller sizes that its time is extrapolated from. Empty if
    /// the time was measured.
    std::string fit{};

    /// Whether the row has the publication's time only, without a counterpart here.
    bool isPaperAlone() const { return published.configuration.backend.empty(); }
    bool hasFewerThreads() const { return 0 < threads && threads < published.threads; }
};

enum class Verdict {
    Holds,            ///< the whole interval lies within the claim's limits
    HoldsNoLonger,    ///< the whole interval lies outside the limits
    Differs,          ///< of a sentence: it holds in some cases and no longer in others
    AgainstStandIns,  ///< decided either way, but a row replaces a program that is unavailable
    Undecided,        ///< the interval crosses a limit, or the budget ended before the measurement
    Untested,         ///< there is nothing to compare here, however long it takes
};
constexpr auto namesOf(Verdict) {
    using enum Verdict;
    return namesAre<Verdict>("verdict", {{Holds, "holds"},
                                         {HoldsNoLonger, "holds no longer here"},
                                         {Differs, "differs"},
                                         {AgainstStandIns, "against stand-ins"},
                                         {Undecided, "undecided"},
                                         {Untested, "cannot be tested"}});
}
/// Whether the verdict decides the claim.
constexpr bool isDecided(Verdict verdict) {
    return verdict != Verdict::Undecided && verdict != Verdict::Untested;
}

struct JudgedClaim {
    Claim claim;
    Verdict verdict = Verdict::Untested;
    Statistics value;    ///< value of the claim's quantity; no samples if it could not be tested
    std::string reason;  ///< why it holds no longer, is undecided, or could not be tested
};

/// Value of a counted claim.
struct CountedFact {
    CountedFact(double number, std::string from = {}) : value(number), origin(std::move(from)) {}
    double value;
    std::string origin;  ///< where it comes from, if not from this run: "compiled for sm_90"
};
/// By Fact::name.
struct Facts {
    std::map<std::string, CountedFact> counted{};
    std::string missing{};  ///< why others could not be counted; may be empty
};

/// Judges a claim. Ratios of rows of one problem are taken round by round, as are exponents. With a software
/// renderer, claims about GPU time cannot be tested; claims about results can. Rows with fewer threads than
/// published decide only claims that toleratesFewerThreads() admits. Throws std::logic_error for a key
/// without a row.
JudgedClaim judge(const Claim& claim, const std::vector<FigureRow>& rows, const Facts& facts = {});

/// Whether the claim compares results, which do not depend on the number of threads, or the times of two
/// processor programs that the publication gave equally many threads.
bool toleratesFewerThreads(const Claim& claim, const std::vector<FigureRow>& rows);

/// Fits rows that need more threads than there are processors: a row takes as many as there are if a claim
/// tolerates it, and is skipped otherwise. `processors`: 0 if unknown.
void fitThreads(std::vector<FigureRow>& rows, const std::vector<Claim>& claims, int processors);

/// The counterpart of a row: "cpu/dense, 1 thread", "gl/packed gl33 (software renderer)"; empty for a row
/// with the publication's time only.
std::string standIn(const FigureRow& row);

/// The row with a key. Throws std::logic_error if there is none.
const FigureRow& rowOf(const std::string& key, const std::vector<FigureRow>& rows);

/// Keys of the rows that a quantity refers to.
std::vector<std::string> keysOf(const Quantity& quantity);

/// Time of a row, extrapolated from the same method at three or more smaller sizes that differ in one
/// dimension only. A power law; the smallest and largest exponent between neighbours give the interval.
/// Describes the fit in `fit`. Nothing if there are too few sizes.
std::optional<Statistics> extrapolated(const FigureRow& row, const std::vector<FigureRow>& rows,
                                       std::string& fit);

/// "2.21 × (2.19 … 2.25)".
std::string valueText(const JudgedClaim& claim);

/// Claims of one sentence of the publication, in which it is judged in several cases.
std::vector<std::vector<JudgedClaim>> sentencesOf(const std::vector<JudgedClaim>& claims);

/// The verdict on a sentence: Differs if it holds in some cases and no longer in others, else the first
/// decided one; otherwise Undecided if any claim is, else Untested.
Verdict verdictOn(const std::vector<JudgedClaim>& sentence);

/// "gl" or "cuda" for a claim about a GPU that is judged on that backend (Claim::column), else empty.
std::string gpuOf(const Claim& claim);
/// The cases of a sentence that need a verdict of their own: those on each GPU backend, and the others while
/// the sentence has none.
std::vector<std::vector<JudgedClaim>> partsOf(const std::vector<JudgedClaim>& sentence);
/// "holds (cuda), holds no longer here (gl)": for a sentence whose verdict is Differs.
std::string differenceIn(const std::vector<JudgedClaim>& sentence);

}  // namespace glycine::study
