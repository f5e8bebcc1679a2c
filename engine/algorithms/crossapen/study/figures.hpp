#pragma once

#include <string>
#include <vector>

#include "engine/algorithms/crossapen/study/figure_runs.hpp"

/// The paper's timed figures, measured here. Source: Martínez-Zarzuela et al. 2013, section 4.
namespace glycine::crossapen {

/// What is measured, and where.
struct FigurePlan {
    TrialShape shape;
    std::vector<std::string> backends;  ///< of cpu, gl and cuda

    bool has(const std::string& backend) const;
};

/// Sequential: two sweeps against one.
Figure makeFigure4(const FigurePlan& plan, FigureRuns& runs);
/// The three kernels and all other brute force.
Figure makeFigure5(const FigurePlan& plan, FigureRuns& runs);
/// Time over trials and over length.
Figure makeFigure6(const FigurePlan& plan, FigureRuns& runs);
/// Six cores against the GPU; what each backend chooses by itself.
Figure makeTable1(const FigurePlan& plan, FigureRuns& runs);
/// The study's size.
Figure makeStudyFigure(const FigurePlan& plan, FigureRuns& runs, const StudyPlan& study,
                       CommandContext& context);

}  // namespace glycine::crossapen
