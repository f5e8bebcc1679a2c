#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/algorithms/crossapen/study/limited_signals.hpp"
#include "engine/algorithms/crossapen/study/pair_engines.hpp"

namespace glycine::crossapen {

/// Epochs with the rule by which they are matched.
struct ValidationInput {
    std::string name;  ///< "ties at r, m 2, r 0.25, 3 × 63, 2 epochs"
    MatchRule rule{};
    FuzzyRule fuzzy{};
    bool isFuzzy = false;      ///< summers of memberships are asked about it, too
    bool isNormalised = true;  ///< epochs are z-scored before they are compared
    std::vector<double> tolerance;
    std::vector<Matrix<double>> epochs;
    /// What the reference gets where the result must be that of other signals; empty: `epochs`.
    std::vector<Matrix<double>> plainEpochs{};
    /// Channel of `plainEpochs` that each channel must behave as; empty: its own.
    std::vector<std::size_t> plainChannels{};

    EpochBatch batch(NumberFormat format) const;
    /// What the reference is asked about.
    EpochBatch plainBatch(NumberFormat format) const;
    std::size_t plainChannel(std::size_t channel) const {
        return plainChannels.empty() ? channel : plainChannels[channel];
    }

    template <class Engine>
    bool concerns() const {
        return isFuzzy || std::is_same_v<Engine, Matcher>;
    }
    template <class Engine>
    const RuleOf<Engine>& ruleFor() const {
        if constexpr (std::is_same_v<Engine, Matcher>)
            return rule;
        else
            return fuzzy;
    }
};

/// Which inputs are made.
struct ValidationPlan {
    std::vector<unsigned> m{1, 2, 3, 5};
    std::vector<double> r{0.2, 0.6};
    /// Absent: shortest epochs, odd lengths, lengths about the words and tiles of backends.
    std::vector<SignalShape> shapes;
    std::uint64_t seed = 1;
};

/// Signals as in EEG, quantised ones with distances of exactly r (≤ and <), constant ones with outliers,
/// signals without a match, a tolerance for each pair, signals shifted and scaled, signals equal to each
/// other: for every m and shape, all r for the first m. Epochs too short for an m are left out.
std::vector<ValidationInput> makeValidationInputs(const ValidationPlan& plan);

/// The epochs of a file, for every m and r of the plan.
std::vector<ValidationInput> makeFileInputs(const LimitedSignals& signals, const ValidationPlan& plan);

}  // namespace glycine::crossapen
