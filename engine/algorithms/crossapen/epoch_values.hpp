#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/algorithms/crossapen/entropy_options.hpp"
#include "engine/algorithms/crossapen/input/signals.hpp"
#include "engine/algorithms/crossapen/results/subject_entropies.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::crossapen {

/// Shape of what one epoch gives: `quantities` matrices of rows × columns.
struct EpochShape {
    std::size_t quantities = 0;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t matrixValues() const { return rows * columns; }
    std::size_t values() const { return quantities * matrixValues(); }
    bool operator==(const EpochShape&) const = default;
};
EpochShape epochShape(const EntropyOptions& options, std::size_t channels);

/// Comparisons of samples that brute force takes for an epoch.
double comparisonsPerEpoch(const EntropyOptions& options, std::size_t channels, std::size_t samples);

/// Channels that cannot be used in an epoch: those with samples that are no numbers, and constant ones where
/// signals are normalised. In the order of epochs.
std::vector<UnusableChannel> unusableChannels(const SignalSet& signals, const EntropyOptions& options);

class EpochWork;

/// Entropies of epochs on one backend: normalisation, matches (or memberships), values.
class EpochEntropies {
  public:
    /// Throws UnavailableError when the backend has no implementation.
    EpochEntropies(Backend& backend, EntropyOptions options);
    ~EpochEntropies();

    /// Fills `values` with the quantities of the epochs [epochs), epoch after epoch as EpochShape says, NaN
    /// for pairs of a channel that cannot be used. `progress` advances by comparisonsPerEpoch each.
    void compute(const SignalSet& signals, Range epochs, std::span<double> values, Progress& progress);

    /// Of all calls so far; `total` of the backend's own stages.
    const MatchOutcome& outcome() const { return outcome_; }

  private:
    template <class T>
    void computeAs(const SignalSet& signals, Range epochs, std::span<double> values, Progress& progress);

    EntropyOptions options_;
    std::vector<Quantity> quantities_;
    int threads_;  ///< for what is done beside the backend's own work
    std::unique_ptr<EpochWork> work_;
    MatchOutcome outcome_;
};

}  // namespace glycine::crossapen
