#pragma once

#include <vector>

#include "engine/command/command_registry.hpp"
#include "engine/study/configuration_options.hpp"
#include "engine/study/published.hpp"

/// Figures of publications that `glycine reproduce` draws from the user's file, and measures nothing for.
namespace glycine::study {

/// Of all subjects.
std::vector<DrawnFigure> drawnFigures();

/// Draws one, and tells what it shows. `options` are those of the command: what a drawing does not take is
/// refused. Returns the exit code. Throws UsageError.
int drawFigure(CommandContext& context, const Options& options, const DrawnFigure& figure,
               DrawnFigure::Request request, const StudyOptions& chosen);

}  // namespace glycine::study
