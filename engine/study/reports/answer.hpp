#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/study/reports/comparison.hpp"
#include "engine/study/reports/document.hpp"
#include "engine/study/reports/study_report.hpp"

/// The sentences that reports open with, in text, Markdown and HTML: which configuration is fastest on an
/// input, by which ratios, and how far its results agree with the reference's.
namespace glycine::study {

/// A configuration that the fastest one is compared with.
struct Rival {
    TimedRow row;
    TimeRatio ratio;  ///< of the rival's time to the fastest one
};

/// The answer for one input: an algorithm, a curve (series and number format) and a size.
struct Answer {
    TimedRow fastest;                  ///< has the least median
    std::optional<Rival> second{};     ///< the next configuration, of any backend but the reference
    std::optional<Rival> next{};       ///< the best configuration of the next backend, without the reference
    std::optional<Rival> reference{};  ///< the serial reference, if it was timed on this input
    /// "agrees exactly", "agrees to 9.5e-07 Å", "verified: 16 rows exact"; may be empty.
    std::string agreement{};
    std::vector<std::string> cautions{};  ///< about the times above: busy machine, runs cut short

    /// "bounds float32, 1,024 atoms".
    std::string subject() const { return fastest.problem(); }
    /// "cpu/dense, 17.3 ms, 87 × over gl/packed gl33, agrees to 9.5e-07 Å".
    std::string description() const;
    /// The description as a sentence: "Fastest here: …."
    std::string text() const { return "Fastest here: " + description() + "."; }
};

/// "gl/packed gl33": without the number format, which the curve's name includes.
std::string contenderName(const Contender& contender);

/// Extent of a row's input: the product of its dimensions.
double extentOf(const TimedRow& row);

/// Compares the times of two rows of one input: slow, fast. Nothing if they are not comparable.
using RatioOf = std::function<std::optional<TimeRatio>(const TimedRow&, const TimedRow&)>;

/// One answer for each input with a time, in the order of the rows. `compared` gives the agreement; may be
/// empty.
std::vector<Answer> answersOf(std::span<const TimedRow> rows, std::span<const ComparedRow> compared,
                              const RatioOf& ratioOf = timeRatio);

/// Prints the answers one below another and an empty line; nothing without answers.
void printAnswers(std::ostream& out, const std::vector<Answer>& answers, std::size_t width);

/// The answers that a page opens with: for each algorithm and curve, the largest input that several backends
/// have a time for, otherwise the largest one.
std::vector<Answer> headlinesOf(const std::vector<Answer>& answers);

/// All answers as a table, with their ratios and cautions, one row per input.
DocumentTable answersTable(const std::vector<Answer>& answers);

/// The best configuration of each backend on each input, with its ratio to the fastest, one column per
/// backend. `devices`: names of the backends' devices (StudyReport::devices), for the head.
DocumentTable backendsTable(std::span<const TimedRow> rows, const Fields& devices);

/// Why times of this row need caution: a busy machine, runs cut short. Usually empty.
std::vector<std::string> cautionsOf(const TimedRow& row);

/// Whether a verdict on a claim counts under the heading `head`: "undecided (busy machine)" counts as
/// "undecided".
bool countsAs(const std::string& verdict, const std::string& head);
/// Headings under which verdicts are counted.
inline constexpr std::string_view kVerdicts[] = {"holds", "holds no longer here", "against stand-ins",
                                                 "undecided", "cannot be tested"};
/// The same, and that of a sentence whose cases differ.
inline constexpr std::string_view kVerdictsOnSentences[] = {
    "holds", "holds no longer here", "differs", "against stand-ins", "undecided", "cannot be tested"};
/// Whether a verdict, as reports write it, decides its claim.
bool isDecidedText(const std::string& verdict);
/// "57 claims: holds 30, undecided 27": numbers of verdicts on claims or sentences.
std::string verdictCounts(std::span<const FigureClaim> claims);

}  // namespace glycine::study
