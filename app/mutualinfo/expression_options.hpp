#pragma once

#include <optional>
#include <string>

#include "engine/command/common_options.hpp"
#include "engine/command/options.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"

/// Options that the commands about expression matrices share. They are read by the facet "content" with the
/// value "expression", where a command has other inputs, too.
namespace glycine::mutualinfo {

/// Declares --estimator, --bins, --order, --knots, --rank and --unit under the heading "Estimator".
/// `usualOrder`: that of splines, for the help.
void declareEstimatorOptions(Options& options, MutualInformationOptions& information,
                             const std::string& usualOrder = "3");

/// Declares --duplicates, --missing, --header, --transpose, --layer and --dataset under the heading "Input".
void declareExpressionOptions(Options& options, io::ExpressionReading& reading);

/// Bytes of values that are to be read, or read still.
inline double bytesOfExpression(const io::ExpressionSize& size) {
    return static_cast<double>(size.genes) * static_cast<double>(size.samples) * sizeof(double) - size.held;
}

/// The precision on `backend`: who names a backend takes what it has; nobody gets float32 who asked for
/// nothing.
Precision precisionOn(const Backend& backend, const BackendRequest& request, std::optional<Precision> asked);

}  // namespace glycine::mutualinfo
