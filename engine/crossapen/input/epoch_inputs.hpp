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

/// Epochs with the question that is asked about their pairs of channels: inputs of studies.
struct EpochInput {
    std::string name{};  ///< "ties at r, m 2, r 0.25, 3 × 63, 2 epochs"
    /// How epochs become what is compared, and when it matches. Format and variant are the configuration's.
    EntropyOptions options{};
    bool isFuzzy = false;  ///< memberships are asked about, too
    std::vector<Matrix<double>> epochs{};

    EpochExtents extents() const { return {epochs[0].rows(), epochs[0].columns(), epochs.size()}; }
};

/// What an epoch is, the usual shape, and what is delivered of it.
struct Trials {
    EpochExtents usual;
    const char* delivered;
};
/// All ordered pairs of the channels; two signals, as in the paper's trials; one signal with itself, the
/// single sweep that the paper counts for a trial.
inline constexpr Trials kTrialShapes[] = {
    {{32, 1024, 4}, "channels² pairs an epoch"},
    {{2, 8192, 50},
     "4 pairs a trial, u and v with each other both ways and each with itself, where the paper counts one"},
    {{1, 8192, 50}, "1 pair a trial, as the paper counts it"}};
inline constexpr NameTable<std::size_t, 3> kTrialNames{{{0, "all"}, {1, "cross"}, {2, "self"}}};

/// What studies of all ordered pairs of channels hold, in bytes.
struct PairBytes {
    double signals = 0;  ///< epochs as they are read, and in each number format as engines take them
    double answers = 0;  ///< the reference's, or those that were right first, in each number format
    double results = 0;  ///< of one engine
};
/// One an element of `all`.
std::vector<PairBytes> bytesOfPairs(const std::vector<EpochExtents>& all,
                                    const std::vector<std::string>& numberFormats);

/// Which inputs `validate` makes.
struct ValidationPlan {
    std::vector<unsigned> m{1, 2, 3, 5};
    std::vector<double> r{0.2, 0.6};
    /// Empty: shortest epochs, odd lengths, lengths about the words and tiles of backends.
    std::vector<EpochExtents> extents;
    std::uint64_t seed = 1;
};

/// The inputs that makeValidationInputs makes, before they are made.
std::vector<EpochExtents> validationExtents(const ValidationPlan& plan);

/// Signals as in EEG, quantised ones with distances of exactly r (≤ and <), constant ones with outliers,
/// signals without a match, time delays, a tolerance for each pair, signals shifted and scaled, signals equal
/// to each other: for every m and shape, all r for the first m. Epochs too short for an m are left out.
std::vector<EpochInput> makeValidationInputs(const ValidationPlan& plan);

/// What is taken of a file, as options say it: of lists the first number, all where there is none.
struct FileLimits {
    std::optional<std::size_t> channels{};
    std::vector<std::size_t> epochs{};
    std::vector<std::size_t> samples{};  ///< an epoch; the usual number where there is none
};
/// The first channels of the first epochs, neither resampled nor filtered, with every m and r. Adds to
/// `about` what is to be said of the file. Throws as readSignals, and UsageError where epochs are too short
/// for an m.
std::vector<EpochInput> readEpochInputs(const std::string& path, const FileLimits& most,
                                        const std::vector<unsigned>& m, const std::vector<double>& r,
                                        std::vector<std::pair<std::string, std::string>>& about,
                                        Progress& progress);

}  // namespace glycine::crossapen
