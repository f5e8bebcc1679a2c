#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/algorithms/crossapen/entropy_options.hpp"
#include "engine/algorithms/crossapen/input/signals.hpp"
#include "engine/algorithms/crossapen/results/subject_entropies.hpp"
#include "engine/algorithms/crossapen/results/value_store.hpp"
#include "engine/command/command_context.hpp"

/// A batch of files, one subject each.
namespace glycine::crossapen {

struct SubjectFile {
    std::filesystem::path path;
    std::string name;  ///< of the subject, different from all others: "S001R01.edf"
    SignalSetShape shape;
};

struct SubjectOptions {
    SignalOptions signals;
    EntropyOptions entropy;
    bool keepEpochs = false;  ///< of the quantity asked for
};

/// What a batch took.
struct BatchReport {
    MatchOutcome outcome;
    double comparisons =
        0;  ///< that brute force takes for what was computed, without epochs kept from before
    double readSeconds = 0;      ///< reading, resampling, filtering
    double computeSeconds = 0;   ///< normalisation, matches, entropies
    std::size_t epochs = 0;      ///< of all files
    std::size_t epochsKept = 0;  ///< from an earlier run
};

/// Epochs of a file that are computed in one go: some seconds of work at most, where one epoch is less.
std::size_t tileEpochs(const Backend& backend, const EntropyOptions& options, const SubjectFile& file,
                       std::size_t samples);

/// Reads and computes one file after the other. `finished` is told about each as soon as it is complete.
/// Tiles that the store has are not computed again.
std::vector<SubjectEntropies> computeSubjects(CommandContext& context, Backend& backend,
                                              const std::vector<SubjectFile>& files,
                                              const SubjectOptions& options, ValueStore& store,
                                              BatchReport& report,
                                              const std::function<void(const SubjectEntropies&)>& finished);

}  // namespace glycine::crossapen
