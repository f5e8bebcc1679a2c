#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "engine/core/comparison.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/pair_finder.hpp"

/// Results beside what the reference finds: those of studies, and some pairs of a run.
namespace glycine::crossapen {

// ---- Studies

/// Epochs as engines take them, and verification of what engines find in them: pairs of some channels in some
/// epochs against the reference, matches to the bit and memberships as agreeOnMemberships tells; and, once a
/// result has passed, all pairs of others against it. Number formats, matches and memberships are checked
/// each for themselves. `options` of the calls say which; their variant does not matter.
class PairVerifier {
  public:
    /// `epochs`: all of one shape. Of large results as many epochs and channels are compared as the reference
    /// takes a few seconds for, divided by `share`, and at least two channels (or one, where there is one) of
    /// one epoch. `seed`: which.
    PairVerifier(std::vector<Matrix<double>> epochs, std::uint64_t seed, std::size_t share = 1);

    const EpochBatch& batch(const EntropyOptions& options);

    /// Asks the reference, unless it was asked before. `isWhole`: about all pairs, however many. Throws
    /// CancelledError.
    void ask(const EntropyOptions& options, bool isWhole, Progress& progress);
    /// Compares what was found with the answers; asks first. The first right results are kept, with the label
    /// of what found them.
    Comparison compare(const EntropyOptions& options, bool isWhole, const std::string& label,
                       const PairFinder& results, Progress& progress);
    double referenceSeconds() const { return referenceSeconds_; }

  private:
    /// What some channels of an epoch have to give.
    struct Sample {
        std::size_t epoch = 0;
        std::vector<std::size_t> channels;
        Matrix<PairNumbers> expected;
    };
    struct Answers {
        bool isWhole = false;
        std::vector<Sample> samples{};
        std::vector<Sample> kept{};
        std::string keptLabel{};
    };
    using Key = std::tuple<NumberFormat, bool, bool>;  ///< memberships; whole
    Answers askReference(EntropyOptions options, bool isWhole, Progress& progress);

    std::vector<Matrix<double>> epochs_;
    std::vector<Signals> views_;
    std::uint64_t seed_;
    std::size_t share_;
    std::map<NumberFormat, EpochBatch> batches_;
    std::map<Key, Answers> answers_;
    double referenceSeconds_ = 0;
};

/// Of results that are too many to be kept: checksums, one a part, against those of the configuration that
/// was right first.
struct PairChecksums {
    std::string label;  ///< of what found them
    std::vector<std::uint64_t> sums{};

    /// Takes in the results of one more part, all ordered pairs of so many channels.
    void add(const PairFinder& results, std::size_t epochs, std::size_t channels);
    /// Becomes the `first` one where there is none.
    void compare(Comparison& comparison, PairChecksums& first) const;
};

// ---- Runs

/// What the reference finds for a pair of channels of an epoch: row and column of the matrices that
/// EpochShape describes. Of measures of single channels the column is 0.
struct RecountedEntropies {
    std::size_t row = 0;
    std::size_t column = 0;
    std::vector<double> values;  ///< as quantitiesOf lists them
    double allowed = 0;          ///< difference that a right value may have
};
/// All pairs of one channel or two of an epoch, in any order of the two. Throws CancelledError.
std::vector<RecountedEntropies> countAgain(Backend& reference, Signals epoch,
                                           std::span<const std::size_t> channels,
                                           const EntropyOptions& options, Progress& progress);

/// Seconds that it takes for two channels, about.
double secondsForRecount(const EntropyOptions& options, std::size_t samples);

}  // namespace glycine::crossapen
