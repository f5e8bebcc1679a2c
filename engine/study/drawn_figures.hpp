#pragma once

#include <vector>

#include "engine/command/command_registry.hpp"
#include "engine/study/configuration_options.hpp"
#include "engine/study/published.hpp"

/// Figures of publications that `glycine reproduce` draws from the user's file, without measuring anything.
namespace glycine::study {

/// The drawn figures of all subjects.
std::vector<DrawnFigure> drawnFigures();

/// Draws a figure and prints what it shows. Refuses those of the command's `options` that a drawing does not
/// use. Returns the exit code. Throws UsageError.
int drawFigure(CommandContext& context, const Options& options, const DrawnFigure& figure,
               DrawnFigure::Request request, const StudyOptions& chosen);

}  // namespace glycine::study
