#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "engine/crossapen/match_engine.hpp"

namespace glycine::crossapen {

/// Whether epochs are compared as z-scores; else as they are.
bool isNormalised(const EntropyOptions& options);
/// Whether each pair of channels has an r of its own.
bool hasPairTolerances(const EntropyOptions& options);

/// Copies of some channels of an epoch, in this order.
Matrix<double> chosenChannels(Signals epoch, std::span<const std::size_t> channels);

/// Epochs as engines take them: normalised or as they are, in the format in which samples are compared, with
/// the tolerances that go with them.
class EpochBatch {
  public:
    /// `epochs`: at least one, all of one shape. Channels that cannot be used (see unusableChannels, and
    /// those with a sample that the format does not hold) become zeros, tolerances of their pairs 0.
    EpochBatch(std::span<const Signals> epochs, const EntropyOptions& options, int threads);

    std::size_t channels() const { return channels_; }
    std::size_t samples() const { return samples_; }
    std::size_t count() const { return isUsable_.size(); }
    /// Comparisons of samples that brute force takes for all ordered pairs of channels.
    double comparisons() const;
    bool isUsable(std::size_t epoch, std::size_t channel) const { return isUsable_[epoch][channel] != 0; }

    /// The epochs, which the batch must outlive.
    std::vector<AnyEpoch> views() const;
    /// Each channel as an epoch of its own, those of epoch 0 first.
    std::vector<AnyEpoch> channelViews() const;

  private:
    template <class T>
    struct Prepared {
        Matrix<T> signals;
        std::vector<T> tolerance;
    };
    template <class T>
    void prepare(std::span<const Signals> epochs, const EntropyOptions& options, int threads);

    std::size_t channels_;
    std::size_t samples_;
    std::vector<std::vector<char>> isUsable_;  ///< one an epoch and channel
    std::variant<std::vector<Prepared<float>>, std::vector<Prepared<double>>> epochs_;
};

}  // namespace glycine::crossapen
