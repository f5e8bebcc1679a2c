#pragma once

#include "engine/io/text/json.hpp"
#include "engine/study/reproduction_report.hpp"

namespace glycine::study {

/// The measured rows of a figure, for a later call that goes on: null for a row that was not measured, whose
/// time is extrapolated, or whose result is wrong.
Json measuredRowsOf(const ReproductionReport& report);
/// Gives the rows of an unmeasured report (reportOf) the times that measuredRowsOf has kept of the same
/// figure and scale, and the report the conditions of `earlier`, the JSON of the report that they come from.
/// Devices are not kept: measureFigure describes them anew. Throws the JSON library's exceptions, and
/// InputError if the number of rows differs.
void restoreRows(ReproductionReport& report, const Json& rows, const Json& earlier);

}  // namespace glycine::study
