#pragma once

#include "engine/io/text/json.hpp"
#include "engine/study/reproduction_report.hpp"

namespace glycine::study {

/// The measured rows of a figure and their conditions, for a later call that goes on: null for a row that was
/// not measured, whose time is extrapolated, or whose result is wrong.
Json measuredRowsOf(const ReproductionReport& report);
/// Gives the rows of an unmeasured report (reportOf) the times that measuredRowsOf has kept of the same
/// figure and scale. Devices are not kept: measureFigure describes them anew. Throws the JSON library's
/// exceptions, and InputError if the number of rows differs.
void restoreRows(ReproductionReport& report, const Json& kept);

}  // namespace glycine::study
