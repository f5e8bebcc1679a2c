#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/io/text/json.hpp"
#include "engine/study/published.hpp"

namespace glycine::study {

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
/// fast], "growth" [ratio, ratio] (both "perWork" or not), "exponent" with "dimension", "seconds", or "score"
/// with "rows" and "others"; "around" [x, d] are the limits x ± d.
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
