#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "engine/crossapen/entropy_engine.hpp"

/// Prepares epochs for engines, and gives engines a common interface: match, membership and pattern engines
/// all compute a result for every ordered pair of channels of every epoch.
namespace glycine::crossapen {

// ---- Epochs

/// Whether epochs are compared as z-scores. Otherwise, and where patterns are counted, they are not scaled.
bool isNormalised(const EntropyOptions& options);
/// Whether each pair of channels has its own r.
bool hasPairTolerances(const EntropyOptions& options);

/// Copies of some channels of an epoch, in this order.
Matrix<double> chosenChannels(Signals epoch, std::span<const std::size_t> channels);

/// Epochs as engines expect them: normalised or not, in the number format of the comparison, with their
/// tolerances.
class EpochBatch {
  public:
    /// `epochs`: at least one, all of one shape. Unusable channels become zeros, and the tolerances of their
    /// pairs 0. Besides those of unusableChannels, channels with a sample that the format cannot represent
    /// are unusable.
    EpochBatch(std::span<const Signals> epochs, const EntropyOptions& options, int threads);
    /// Takes that number of epochs, prepared on a device.
    EpochBatch(std::unique_ptr<EpochsOnDevice> there, std::size_t epochs, std::size_t channels,
               std::size_t samples, const EntropyOptions& options);

    std::size_t channels() const { return channels_; }
    std::size_t samples() const { return samples_; }
    std::size_t count() const { return isUsable_.size(); }
    /// Comparisons of samples that brute force needs for all ordered pairs of channels.
    double comparisons() const;
    bool isUsable(std::size_t epoch, std::size_t channel) const { return isUsable_[epoch][channel] != 0; }

    /// Views of the epochs. The batch must outlive them.
    std::vector<AnyEpoch> views() const;
    /// Each channel as an epoch of its own; all channels of epoch 0 come first.
    std::vector<AnyEpoch> channelViews() const;

  private:
    template <class T>
    struct Prepared {
        Matrix<T> signals;
        std::vector<T> tolerance;
    };
    template <class T>
    void prepare(std::span<const Signals> epochs, const EntropyOptions& options, int threads);

    /// Some channels of an epoch.
    template <class T>
    Epoch<T> viewOf(std::size_t epoch, Range channels) const;

    std::size_t channels_;
    std::size_t samples_;
    std::unique_ptr<EpochsOnDevice> epochsOnDevice_;
    std::vector<std::vector<char>> isUsable_;  ///< per epoch, per channel
    std::variant<std::vector<Prepared<float>>, std::vector<Prepared<double>>> epochs_;
};

// ---- Engines

/// A pair of channels of an item. An item is an epoch or a single channel of one.
struct PairPlace {
    std::size_t item = 0;
    std::size_t a = 0;
    std::size_t b = 0;
};

/// All results for a pair, for comparisons: the eight numbers of MatchStatistics in the order of kMatchNames,
/// the bits of the two MembershipSums, or the bits of a PatternEntropy.
using PairNumbers = std::array<std::uint64_t, 8>;
inline constexpr std::array kMatchNames{"short matches",
                                        "short matches but those of the last templates",
                                        "long matches",
                                        "templates without a short match",
                                        "templates without a long match",
                                        "templates with short matches alone",
                                        "logarithms of short matches",
                                        "logarithms of long matches"};
inline constexpr std::array kMembershipNames{"short memberships", "long memberships"};

using AnyEngine = std::variant<std::unique_ptr<MatchEngine>, std::unique_ptr<MembershipEngine>,
                               std::unique_ptr<PatternEngine>>;
/// Creates the backend's engine for this measure. Throws UnavailableError if it has none.
AnyEngine makeEngine(Backend& backend, Measure measure);

/// An engine and the memory for its results, which is reused between calls.
class PairWorkspace {
  public:
    virtual ~PairWorkspace() = default;
    /// As MatchEngine::prepare; null for other engines.
    virtual std::unique_ptr<EpochsOnDevice> prepare(const DeviceEpochs& epochs, Range some,
                                                    const EntropyOptions& options) = 0;
    /// `items`: epochs, or single channels of epochs.
    virtual MatchOutcome compute(std::span<const AnyEpoch> items, const EntropyOptions& options,
                                 Progress& progress) = 0;
    /// The quantity of a pair. `samples`: of an item.
    virtual double value(const PairPlace& place, std::size_t samples, const Quantity& quantity,
                         const EntropyOptions& options) const = 0;
    virtual PairNumbers numbers(const PairPlace& place) const = 0;
    /// Whether the guards around the results of an item are intact. Always true without guards.
    virtual bool isIntact(std::size_t item) const = 0;
    /// Overwrites all results with a value that no engine produces.
    virtual void clear() = 0;
};
/// `isGuarded`: results lie between guards, and their rows are not contiguous.
std::unique_ptr<PairWorkspace> makeWorkspace(AnyEngine engine, bool isGuarded = false);

}  // namespace glycine::crossapen
