#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/random_signals.hpp"

namespace glycine::crossapen {

/// Epochs with the options for their comparison: an input of studies.
struct EpochInput {
    std::string name{};  ///< "ties at r, m 2, r 0.25, 3 × 63, 2 epochs"
    /// Normalisation and match rule. Format and variant come from the configuration.
    EntropyOptions options{};
    bool isFuzzy = false;  ///< whether memberships are compared, too
    std::vector<Matrix<double>> epochs{};

    EpochExtents extents() const { return {epochs[0].rows(), epochs[0].columns(), epochs.size()}; }
};

/// Meaning of an epoch in a benchmark: the usual shape, and the results per epoch.
struct Trials {
    EpochExtents usual;
    const char* delivered;
};
/// All ordered pairs of the channels; two signals, as in the paper's trials; and one signal with itself,
/// which is the single sweep that the paper counts as a trial.
inline constexpr Trials kTrialShapes[] = {
    {{32, 1024, 4}, "channels² pairs an epoch"},
    {{2, 8192, 50},
     "4 pairs a trial, u and v with each other both ways and each with itself, where the paper counts one"},
    {{1, 8192, 50}, "1 pair a trial, as the paper counts it"}};
inline constexpr NameTable<std::size_t, 3> kTrialNames{{{0, "all"}, {1, "cross"}, {2, "self"}}};

/// Memory for studies of all ordered pairs of channels, in bytes.
struct PairBytes {
    double signals = 0;  ///< epochs as read, and as prepared for engines in each number format
    double answers = 0;  ///< from the reference, or from the first correct engine, in each number format
    double results = 0;  ///< of one engine
};
/// One element for each of `all`.
std::vector<PairBytes> bytesOfPairs(const std::vector<EpochExtents>& all,
                                    const std::vector<std::string>& numberFormats);

/// Describes the inputs of `validate`.
struct ValidationPlan {
    std::vector<unsigned> m{1, 2, 3, 5};
    std::vector<double> r{0.2, 0.6};
    /// Empty: the shortest epochs, odd lengths, and lengths near the word and tile sizes of backends.
    std::vector<EpochExtents> extents;
    std::uint64_t seed = 1;
};

/// Extents of the inputs that makeValidationInputs makes, without making them.
std::vector<EpochExtents> validationExtents(const ValidationPlan& plan);

/// Makes inputs for every m and shape, with all r for the first m: signals as in EEG, quantised signals with
/// distances of exactly r (≤ and <), constant signals with outliers, signals without a match, time delays, a
/// tolerance for each pair, signals shifted and scaled, identical signals, and patterns. Epochs too short for
/// an m are skipped.
std::vector<EpochInput> makeValidationInputs(const ValidationPlan& plan);

/// How much of a file to use, from options. Lists: the first number; all if empty.
struct FileLimits {
    std::optional<std::size_t> channels{};
    std::vector<std::size_t> epochs{};
    std::vector<std::size_t> samples{};  ///< per epoch; the usual number if empty
};
/// The first channels of the first epochs, neither resampled nor filtered, with every m and r. Adds a
/// description of the file to `about`. Throws as readSignals does, and UsageError if epochs are too short for
/// an m.
std::vector<EpochInput> readEpochInputs(const std::string& path, const FileLimits& most,
                                        const std::vector<unsigned>& m, const std::vector<double>& r,
                                        std::vector<std::pair<std::string, std::string>>& about,
                                        Progress& progress);

}  // namespace glycine::crossapen
