#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/core/comparison.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/pair_workspace.hpp"

/// Compares results with the reference: those of studies, and some pairs of a run.
namespace glycine::crossapen {

// ---- Studies

/// Prepares epochs for engines and verifies results. Pairs of some channels in some epochs are compared with
/// the reference: matches to the bit, memberships as agreeOnMemberships defines. Once a result has passed,
/// all pairs of later results are compared with it. Number formats are verified separately, and so are
/// matches and memberships. `options` of the calls select them; the variant in `options` is ignored.
class PairVerifier {
  public:
    /// `epochs`: all of one shape. Large results are sampled: as many epochs and channels as the reference
    /// can compute in a few seconds divided by `share`, at least two channels (or the only one) of one epoch.
    /// `seed`: of the sample.
    PairVerifier(std::vector<Matrix<double>> epochs, std::uint64_t seed, std::size_t share = 1);

    const EpochBatch& batch(const EntropyOptions& options);

    /// Runs the reference unless its answers are known. `isWhole`: for all pairs, however many. Throws
    /// CancelledError.
    void prepareReference(const EntropyOptions& options, bool isWhole, Progress& progress);
    /// Compares results with the answers of the reference, which it runs first if necessary. The first
    /// correct results are kept, with the label of the configuration that computed them.
    Comparison compare(const EntropyOptions& options, bool isWhole, const std::string& label,
                       const PairWorkspace& results, Progress& progress);
    double referenceSeconds() const { return referenceSeconds_; }

  private:
    /// Expected results for some channels of an epoch.
    struct Sample {
        std::size_t epoch = 0;
        std::vector<std::size_t> channels;
        Matrix<PairNumbers> expected;
    };
    struct ReferenceResults {
        bool isWhole = false;
        std::vector<Sample> samples{};
        std::vector<Sample> kept{};
        std::string keptLabel{};
    };
    using Key = std::tuple<NumberFormat, Measure, bool>;  ///< the last: whether whole
    ReferenceResults runReference(EntropyOptions options, bool isWhole, Progress& progress);

    std::vector<Matrix<double>> epochs_;
    std::vector<Signals> views_;
    std::uint64_t seed_;
    std::size_t share_;
    std::map<std::pair<NumberFormat, Measure>, EpochBatch> batches_;
    std::map<Key, ReferenceResults> referenceResults_;
    double referenceSeconds_ = 0;
};

/// Checksums of results that are too many to keep, one per part. They are compared with those of the first
/// correct configuration.
struct PairChecksums {
    std::string label;  ///< configuration that computed the results
    std::vector<std::uint64_t> sums{};

    /// Adds the checksum of one more part: all ordered pairs of `channels` channels in `epochs` epochs.
    void add(const PairWorkspace& results, std::size_t epochs, std::size_t channels);
    /// Compares with `first`, or becomes `first` if it is empty.
    void compare(Comparison& comparison, PairChecksums& first) const;
};

// ---- Runs

/// Results of the reference for a pair of channels of an epoch: row and column of the matrices that
/// EpochShape describes. For measures of single channels the column is 0.
struct RecountedEntropies {
    std::size_t row = 0;
    std::size_t column = 0;
    std::vector<double> values;  ///< as quantitiesOf lists them
    double allowed = 0;          ///< tolerance of a correct value
};
/// Recomputes all ordered pairs of one or two channels of an epoch. Throws CancelledError.
std::vector<RecountedEntropies> recountByReference(Backend& reference, Signals epoch,
                                                   std::span<const std::size_t> channels,
                                                   const EntropyOptions& options, Progress& progress);

/// Estimated seconds of recountByReference for two channels.
double secondsForRecount(const EntropyOptions& options, std::size_t samples);

}  // namespace glycine::crossapen
