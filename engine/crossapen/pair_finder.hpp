#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "engine/crossapen/entropy_engine.hpp"

/// Epochs as engines take them, and engines seen alike: matchers and summers of memberships both find out
/// something about every ordered pair of channels of every epoch.
namespace glycine::crossapen {

// ---- Epochs

/// Whether epochs are compared as z-scores; else, and where patterns are counted, as they are.
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
    /// So many epochs that a device has prepared.
    EpochBatch(std::unique_ptr<EpochsOnDevice> there, std::size_t epochs, std::size_t channels,
               std::size_t samples, const EntropyOptions& options);

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

    /// Some channels of an epoch.
    template <class T>
    Epoch<T> viewOf(std::size_t epoch, Range channels) const;

    std::size_t channels_;
    std::size_t samples_;
    std::unique_ptr<EpochsOnDevice> there_;
    std::vector<std::vector<char>> isUsable_;  ///< one an epoch and channel
    std::variant<std::vector<Prepared<float>>, std::vector<Prepared<double>>> epochs_;
};

// ---- Engines

/// A pair of channels of an item, which is an epoch or a single channel of one.
struct PairPlace {
    std::size_t item = 0;
    std::size_t a = 0;
    std::size_t b = 0;
};

/// All that was found out about a pair, for comparisons: the eight numbers of MatchStatistics in the order of
/// kMatchNames, or the bits of the two MembershipSums, or those of a PatternEntropy.
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

using AnyEngine = std::variant<std::unique_ptr<Matcher>, std::unique_ptr<MembershipSummer>,
                               std::unique_ptr<PatternCounter>>;
/// What the backend has for this measure. Throws UnavailableError when it has nothing.
AnyEngine makeEngine(Backend& backend, Measure measure);

/// An engine with the memory of its results, which is kept from call to call.
class PairFinder {
  public:
    virtual ~PairFinder() = default;
    /// As Matcher::prepare; null of other engines.
    virtual std::unique_ptr<EpochsOnDevice> prepare(const DeviceEpochs& epochs, Range some,
                                                    const EntropyOptions& options) = 0;
    /// `items`: epochs, or single channels of epochs.
    virtual MatchOutcome find(std::span<const AnyEpoch> items, const EntropyOptions& options,
                              Progress& progress) = 0;
    /// The value that follows. `samples`: of an item.
    virtual double value(const PairPlace& place, std::size_t samples, const Quantity& quantity,
                         const EntropyOptions& options) const = 0;
    virtual PairNumbers numbers(const PairPlace& place) const = 0;
    /// Whether nothing was written beside the results of an item, as far as there are guards.
    virtual bool isIntact(std::size_t item) const = 0;
    /// Writes what no engine leaves over all results.
    virtual void clear() = 0;
};
/// `isGuarded`: results lie between guards, and are not contiguous.
std::unique_ptr<PairFinder> makeFinder(AnyEngine engine, bool isGuarded = false);

}  // namespace glycine::crossapen
