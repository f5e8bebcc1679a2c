#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "engine/algorithms/crossapen/match_engine.hpp"
#include "engine/algorithms/crossapen/random_signals.hpp"

namespace glycine::crossapen {

/// Shape of some epochs.
struct SignalShape {
    std::size_t channels = 0;
    std::size_t samples = 0;
    std::size_t epochs = 1;
};

/// Epochs of one shape that own their samples, in the format in which these are compared.
class EpochBatch {
  public:
    EpochBatch(NumberFormat format, std::size_t channels, std::size_t samples);

    NumberFormat format() const;
    std::size_t channels() const { return channels_; }
    std::size_t samples() const { return samples_; }
    std::size_t count() const;
    bool hasPairTolerances() const;
    /// Comparisons of samples that brute force takes: epochs · channels² · samples².
    double comparisons() const;

    /// Appends epochs that may be filled from several threads, one each; `tolerance` is one r, or one a pair
    /// of channels.
    void resize(std::size_t count, std::span<const double> tolerance);
    /// Fills an epoch with signals as they are, rounded to the format: channels × samples.
    void set(std::size_t epoch, MatrixView<const double> signals);
    /// Fills an epoch with z-scores (N − 1). A channel that cannot be normalised holds zeros.
    void setNormalised(std::size_t epoch, MatrixView<const double> signals);

    /// One epoch with some of the channels.
    EpochBatch select(std::size_t epoch, std::span<const std::size_t> channels) const;
    /// What engines take. Valid as long as nothing is appended.
    std::vector<AnyEpoch> views() const;

  private:
    template <class T>
    struct Owned {
        Matrix<T> signals;
        std::vector<T> tolerance;
    };
    std::size_t channels_;
    std::size_t samples_;
    std::variant<std::vector<Owned<float>>, std::vector<Owned<double>>> epochs_;
};

/// Random signals, z-scored, with one r.
EpochBatch generateBatch(NumberFormat format, const SignalShape& shape, const SignalModel& model, double r,
                         std::uint64_t seed);

}  // namespace glycine::crossapen
