#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/algorithms/crossapen/input/signal_plan.hpp"

namespace glycine::crossapen {

/// Where the epochs of a file lie, and which of them are left out.
struct EpochPlan {
    std::vector<EpochOrigin> epochs;
    std::vector<SkippedEpoch> skipped;
    std::vector<std::string> notes;
};

/// Cuts every segment into epochs one behind another, numbers them, and leaves out those that artefacts mark
/// and those of segments that are shorter than the band pass; stops when there are maximumEpochs. `plan`
/// tells rates, filter and lengths of segments.
///
/// Throws InputError: no epoch left; an artefact list as readArtefactList refuses it, with a number beyond
/// the last epoch, or with times where the sampling rate is unknown.
EpochPlan planEpochs(const std::filesystem::path& path, const SignalSource& source,
                     const SignalOptions& options, const SignalPlan& plan);

}  // namespace glycine::crossapen
