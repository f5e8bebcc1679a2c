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

/// Tables, figures and claims of publications as data: what was printed, the configuration that stands for it
/// here, and when a claim holds. `glycine reproduce` measures and judges them.

namespace glycine::study {

/// What a method of the publication is here.
struct PublishedRow {
    std::string method;       ///< as the publication calls it, or "cpu bitplane" for our own
    std::size_t problem = 0;  ///< index into PublishedFigure::problems
    double paperSeconds = 0;  ///< 0: none is printed
    double paperWork = 0;     ///< work that the publication's time is for, in the unit of Outcome::work
    /// What stands for it; no backend: the publication's time alone. Threads of the processor: 0 for all.
    Configuration configuration{};
    int threads = 0;
    std::string stage{};  ///< whose time it is: "lower", "upper+lower" for the sum; empty: the whole run
    std::string key{};    ///< by which claims name it; unique in the figure; may be empty
    /// Program of the publication that it stands for because that one is not at hand ("MIBE"); mostly empty.
    std::string standsFor{};
    std::string over{};  ///< key of the row whose time over this one's is a printed speed-up; mostly empty
    double paperFactor = 0;  ///< that speed-up, as printed
};

/// Time of row `slow` over time of row `fast`, each divided by its work where `perWork`.
struct Ratio {
    std::string slow;
    std::string fast;
    bool perWork = false;
};
/// Exponent e of time ~ size^e through the rows, by least squares of logarithms.
struct Exponent {
    std::vector<std::string> rows;
    std::string dimension;  ///< which of Problem::dimensions is the size
};
/// Seconds of one row.
struct Seconds {
    std::string row;
};
/// By which factor a ratio is larger than another: how a speed-up grows.
struct Growth {
    Ratio of;
    Ratio over;
};
/// A score of some rows over that of others, one by one: the median, with the smallest and the largest as its
/// interval. A claim about all of them holds when it holds for each.
struct ScoreRatio {
    std::string score;  ///< Score::name
    std::vector<std::string> rows;
    std::vector<std::string> others;  ///< as many
};
/// What is counted and not timed: PublishedFigure::facts has it by name.
struct Fact {
    std::string name;
};
/// Printed numbers held against each other: of each quotient of two, over the one that is printed for it, the
/// median, with the smallest and the largest as its interval.
struct Printed {
    std::vector<double> shares;
};
using Quantity = std::variant<Ratio, Exponent, Seconds, Growth, ScoreRatio, Fact, Printed>;

/// A sentence of the publication that can be measured: the quantity lies in low … high.
struct Claim {
    std::string text;   ///< "four bounds a texel take half the time of one"
    std::string place;  ///< "43.3.4, table 43-1"
    Quantity quantity;
    std::string paper;  ///< what the publication has for it: "2.1 ×"
    std::optional<double> low{};
    std::optional<double> high{};
    std::string otherwise{};  ///< why it need not hold on today's machines, said where it does not
    /// On what it is judged where it is judged on several: "gl", "cuda". Claims of one text and place that
    /// follow each other are one sentence of the publication.
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
    std::string about{};   ///< what was measured there, on what machine, and what stands in for it here
    std::string quick{};   ///< what --quick measures instead: "sizes to 512"
    std::string sizeLabel{};
    std::string rateUnit = "G/s";
    double enoughSeconds = 30;  ///< a method whose runs have taken so long together is not repeated further
    /// Makes the problems at a scale from a seed; `rows` and `claims` follow the same scale.
    std::function<std::vector<std::unique_ptr<Problem>>(Scale scale, std::uint64_t seed, Progress& progress)>
        problems{};
    /// What the host holds of each of them, asked for before one is made; absent where that is little.
    std::function<std::vector<InputBytes>(Scale scale)> bytes{};
    std::function<std::vector<PublishedRow>(Scale scale)> rows{};
    std::function<std::vector<Claim>(Scale scale)> claims{};
    /// What claims about counts speak of, by Fact::name; absent where there are none.
    std::function<std::map<std::string, double>(Scale scale, std::uint64_t seed)> facts{};
    /// The same of what a device tells of the method behind a row; absent where claims ask for nothing such.
    std::function<std::map<std::string, double>(Backend& backend, const Configuration& row)> deviceFacts{};
    /// Claims that cannot be measured here at all, with the reason.
    std::vector<std::pair<std::string, std::string>> untested{};
};

/// A figure that shows data of the user's, and measures nothing.
struct DrawnFigure {
    std::string id{};      ///< "gems2-figure-43-1"
    std::string title{};   ///< "Figure 43-1: …"
    std::string source{};  ///< authors, title, journal, year
    std::string quick{};   ///< what --quick draws instead
    std::string input{};   ///< what --input takes, and where it is to be had: one line
    struct Request {
        std::filesystem::path input{}, output{};
        bool isQuick = false;
        BackendOptions device{};
        /// As selectBackend, for the backend that the user named, or none.
        std::function<BackendChoice(const std::function<Support(Backend&)>& canRun, double hostSeconds)>
            choose{};
    };
    /// Draws, and returns what is told of it.
    std::function<Fields(const Request& request, Progress& progress)> draw{};
};

/// The figures of a publication, from a file of resources/published/: what was printed, what stands for it
/// here, and what is claimed. Of an algorithm are the problems alone.
///
/// A file is {"source", "figures"} with the members that all figures share; a figure has the members of
/// PublishedFigure by their names. Strings hold {name} for what is bound to a name: "texts" of the file or
/// the figure, and columns of tables. {"published": …, "quick": …} is what it says at each scale. In lists
/// {"for": table, "each": […]} stands for the elements of "each", once for each row of a table: the name of
/// one of "tables", {"columns", "rows", "quick"} ("quick": its rows, or how many of the first, at that
/// scale), or {column: […]}. An element with a "scale" is of that scale alone.
///
/// The table "inputs" has a row for each input, {i} is its index, and "problem" of a row says which of the
/// "problemsAnInput" it is about (0 and 1 where there is nothing). "row" and "claim" have what all rows and
/// claims of a figure share. A row's "use" is a backend and a variant, "milliseconds" may be parts of a sum,
/// and "key" is its method with the stage behind it where none is given. A claim has one of "ratio" [slow,
/// fast], "growth" [ratio, ratio] (both "perWork" or not), "exponent" with "dimension", "seconds", "fact",
/// "printed" [[dividend, divisor, quotient], …], or "score" with "rows" and "others"; "around" [x, d] are the
/// limits x ± d. "column" is Claim::column. A row's "standsFor" is PublishedRow::standsFor, "factor" a
/// printed speed-up of it against the row "over".
class PublishedData {
  public:
    /// `name`: "allpairs", of the file without its ending.
    explicit PublishedData(std::string_view name);

    /// In the file's order, without problems.
    std::vector<PublishedFigure> figures() const;
    /// Rows of a figure's table "inputs" at a scale, objects by column.
    std::vector<Json> inputs(std::string_view figure, Scale scale) const;

  private:
    Json json_;
};

}  // namespace glycine::study
