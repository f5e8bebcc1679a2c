#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/command/common_options.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/names.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/problem.hpp"
#include "engine/study/study_memory.hpp"

/// Tables, figures and claims of publications as data: the printed values, the configurations that represent
/// them here, and the conditions under which a claim holds. `glycine reproduce` measures and judges them.

namespace glycine::study {

/// One method of the publication, and its counterpart here.
struct PublishedRow {
    std::string method;       ///< the publication's name, or "cpu bitplane" for our own
    std::size_t problem = 0;  ///< index into PublishedFigure::problems
    double paperSeconds = 0;  ///< 0: no time is printed
    double paperWork = 0;     ///< work of the publication's run, in the unit of Outcome::work
    /// The counterpart. Without a backend, the row has the publication's time only. Processor threads: 0 for
    /// all.
    Configuration configuration{};
    int threads = 0;
    std::string stage{};  ///< stage that is timed: "lower"; "upper+lower" for a sum; empty: the whole run
    std::string key{};    ///< name of the row in claims, unique within the figure; may be empty
    /// The publication's program that this row replaces because it is unavailable ("MIBE"); usually empty.
    std::string standsFor{};
    /// key of the row whose time divided by this one's is a printed speed-up; usually empty
    std::string over{};
    double paperFactor = 0;  ///< that speed-up, as printed
};

/// Time of row `slow` divided by the time of row `fast`; each per unit of work if `perWork`.
struct Ratio {
    std::string slow;
    std::string fast;
    bool perWork = false;
};
/// Exponent e of time ~ size^e over the rows, by least squares of logarithms.
struct Exponent {
    std::vector<std::string> rows;
    std::string dimension;  ///< dimension of Problem::dimensions that is the size
};
/// Seconds of one row.
struct Seconds {
    std::string row;
};
/// Ratio of two ratios: how a speed-up grows.
struct Growth {
    Ratio of;
    Ratio over;
};
/// Scores of some rows divided pairwise by those of others: the median, with the minimum and maximum as
/// interval. A claim about all rows holds only if it holds for each.
struct ScoreRatio {
    std::string score;  ///< Score::name
    std::vector<std::string> rows;
    std::vector<std::string> others;  ///< same length as `rows`
};
/// A counted quantity, not a timed one; PublishedFigure::facts gives it by name.
struct Fact {
    std::string name;
};
/// Consistency of printed numbers: quotients of two, divided by the printed quotient. The median, with the
/// minimum and maximum as interval.
struct Printed {
    std::vector<double> shares;
};
using Quantity = std::variant<Ratio, Exponent, Seconds, Growth, ScoreRatio, Fact, Printed>;

/// A measurable sentence of the publication: the quantity lies in low … high.
struct Claim {
    std::string text;   ///< "four bounds a texel take half the time of one"
    std::string place;  ///< "43.3.4, table 43-1"
    Quantity quantity;
    std::string paper;  ///< the publication's value: "2.1 ×"
    std::optional<double> low{};
    std::optional<double> high{};
    std::string otherwise{};  ///< why the claim may fail on today's machines; shown if it does
    /// The backend on which the claim is judged, if there are several: "gl", "cuda". Consecutive claims of
    /// the same text and place are one sentence of the publication.
    std::string column{};
};

/// The size at which a figure is measured.
enum class Scale { Published, Quick };
constexpr auto namesOf(Scale) {
    return namesAre<Scale>("scale", {{Scale::Published, "published"}, {Scale::Quick, "quick"}});
}

struct PublishedFigure {
    std::string id{};      ///< "gems2-table-43-1"
    std::string title{};   ///< "Table 43-1: running times of …"
    std::string source{};  ///< authors, title, journal, year
    std::string about{};   ///< what the publication measured, on which machine, and what replaces it here
    std::string quick{};   ///< what --quick measures instead: "sizes to 512"
    std::string sizeLabel{};
    std::string rateUnit = "G/s";
    /// a method is not repeated further once its runs have taken this many seconds in total
    double enoughSeconds = 30;
    /// Makes the problems at a scale from a seed; `rows` and `claims` use the same scale.
    std::function<std::vector<std::unique_ptr<Problem>>(Scale scale, std::uint64_t seed, Progress& progress)>
        problems{};
    /// Host memory of each problem, checked before any is made; empty if it is small.
    std::function<std::vector<InputBytes>(Scale scale)> bytes{};
    std::function<std::vector<PublishedRow>(Scale scale)> rows{};
    std::function<std::vector<Claim>(Scale scale)> claims{};
    /// Values of counted claims, by Fact::name; empty if there are none.
    std::function<std::map<std::string, double>(Scale scale, std::uint64_t seed)> facts{};
    /// The same for values that depend on the device and the row's method; empty if no claim needs them.
    std::function<std::map<std::string, double>(Backend& backend, const Configuration& row)> deviceFacts{};
    /// Claims that cannot be measured here at all, with the reason for each.
    std::vector<std::pair<std::string, std::string>> untested{};
    /// Charts as the publication draws them, an array for figureCharts (engine/study/figure_charts.hpp).
    std::function<Json(Scale scale)> charts{};
};

/// A figure that shows the user's data and measures nothing.
struct DrawnFigure {
    std::string id{};      ///< "gems2-figure-43-1"
    std::string title{};   ///< "Figure 43-1: …"
    std::string source{};  ///< authors, title, journal, year
    std::string quick{};   ///< what --quick draws instead
    std::string input{};   ///< what --input expects, and where to get it; one line
    struct Request {
        std::filesystem::path input{}, output{};
        bool isQuick = false;
        BackendOptions device{};
        /// Chooses a backend as selectBackend does, honouring the backend that the user named.
        std::function<BackendChoice(const std::function<Support(Backend&)>& canRun, double hostSeconds)>
            choose{};
    };
    /// Draws the figure; returns the fields to print.
    std::function<Fields(const Request& request, Progress& progress)> draw{};
};

/// Reads the figures of a publication from a file of resources/published/: printed values, counterparts here,
/// and claims. The algorithm adds only the problems.
///
/// A file is {"source", "figures"} and the members that all figures share. A figure has the members of
/// PublishedFigure, by name. Strings may contain {name}, replaced by the value bound to that name: "texts" of
/// the file or the figure, or a table's column. {"published": …, "quick": …} selects by scale. In a list,
/// {"for": table, "each": […]} stands for the elements of "each", once per row of the table. A table is
/// either the name of an entry of "tables" or {column: […]}. An entry is {"columns", "rows", "quick"};
/// "quick" lists the rows at that scale, or gives the number of leading rows. An element with a "scale"
/// exists at that scale only.
///
/// The table "inputs" has one row per input; {i} is its index. A row's "problem" selects one of the
/// "problemsAnInput" of its input (defaults: 0 and 1). "row" and "claim" have the members that all rows and
/// claims of a figure share. A row's "use" is a backend and a variant; "milliseconds" may be a list of
/// summands; "key" defaults to its method followed by its stage. "standsFor" is PublishedRow::standsFor, and
/// "factor" is a printed speed-up against the row "over".
///
/// A claim has exactly one of "ratio" [slow, fast], "growth" [ratio, ratio] (both "perWork" or not),
/// "exponent" with "dimension", "seconds", "fact", "printed" [[dividend, divisor, quotient], …], or "score"
/// with "rows" and "others". "around" [x, d] sets the limits x ± d. "column" is Claim::column.
///
/// "charts" are drawn as the publication draws its figure. A chart has a "kind", a "name" for its file if it
/// is not the figure's "id", and a "title" if it is not the figure's. A value is the key of a row (its time),
/// or two keys (the quotient of their times, per unit of work if "perWork"), or null where only a printed
/// value exists; "y": "speed-up" names quotients.
/// - "lines": "panels" with a "heading" and "series", each a "name" and "points" [x, value, printed value].
///   "x" names the x axis of the chart or panel. Axes are logarithmic, or "linear". A series shows "only"
///   "published" or "here" values, or both.
/// - "bars": "panels" with a "heading" and "points" [label, value, printed value].
/// - "shares": "parts" names the parts of a bar; "points" are [label, [keys of the parts], key of the whole,
///   [printed shares]]. With a whole, the last part is the rest of it.
/// - "occupancy": "devices" with a "name", the members of MultiprocessorLimits
///   (engine/study/occupancy.hpp), and a "kernel", whose numbers may be [text of the claim that counts it
///   here, printed number].
/// Printed values come from the rows; a point's third or fourth member is for others, and may be left out.
class PublishedData {
  public:
    /// `name`: the file's name without its extension: "allpairs".
    explicit PublishedData(std::string_view name);

    /// All figures in the file's order, without problems.
    std::vector<PublishedFigure> figures() const;
    /// Rows of a figure's table "inputs" at a scale, as objects keyed by column.
    std::vector<Json> inputs(std::string_view figure, Scale scale) const;

  private:
    Json json_;
};

}  // namespace glycine::study
