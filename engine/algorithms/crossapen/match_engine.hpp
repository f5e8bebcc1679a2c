#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/algorithms/crossapen/crossapen.hpp"
#include "engine/core/implementation.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"

/// Inside the algorithm: what each backend implements. It finds the matches of all ordered pairs of channels,
/// epoch by epoch; normalisation, entropies, averages and files are the same for all backends and done
/// elsewhere.
namespace glycine::crossapen {

/// The format in which samples are subtracted and compared with r. Backends that compare in the same format
/// find the same matches, to the last one: |x − y| is rounded once, to the nearest.
enum class NumberFormat { Float32, Float64 };
std::string_view toString(NumberFormat format);
/// Throws UsageError that lists the names.
NumberFormat parseNumberFormat(std::string_view name);

enum class Variant {
    Default,     ///< the backend's own choice for this length and m
    Serial,      ///< reference: the paper's steps
    Merged,      ///< cpu: brute force, both lengths and both directions in one sweep, vectorised
    Pruned,      ///< cpu: exact without comparing all pairs: sorted partners, prefix counts and bit sets
    Scalar,      ///< gl: one template a fragment
    Packed,      ///< gl: four templates in RGBA
    Bitset,      ///< gl, cuda: bit sets of sorted partners
    Dominance,   ///< gl, cuda, m = 1: prefix counts of ranks of sorted partners
    Registers,   ///< cuda, the paper's first kernel
    Halo,        ///< cuda, the paper's second kernel
    Shifted,     ///< cuda, the paper's third kernel: shifted input
    Diagonal,    ///< cuda: brute force that compares every two samples once, along the diagonals
    Membership,  ///< all: sums of fuzzy memberships, for Cross-Fuzzy entropy alone
};
std::string_view toString(Variant variant);
/// Throws UsageError that lists the names.
Variant parseVariant(std::string_view name);

/// Signals of one epoch after normalisation: channels × samples, finite. `tolerance`: r ≥ 0 in the units of
/// the samples, finite; a single value, or one for each pair (tolerance[a · channels + b], symmetric) where
/// the convention asks for it.
template <class T>
struct Epoch {
    MatrixView<const T> signals;
    std::span<const T> tolerance;
    std::size_t channels() const { return signals.rows(); }
    std::size_t samples() const { return signals.columns(); }
    T toleranceOf(std::size_t a, std::size_t b) const {
        return tolerance.size() == 1 ? tolerance[0] : tolerance[a * channels() + b];
    }
};
using AnyEpoch = std::variant<Epoch<float>, Epoch<double>>;

/// One request, as far as it decides whether a backend can take it.
struct MatchRequest {
    Variant variant = Variant::Default;
    NumberFormat format = NumberFormat::Float32;
    MatchRule rule{};
    std::size_t channels = 0;  ///< 0: any number
    std::size_t samples = 0;   ///< of an epoch; 0: any number
    bool hasPairTolerances = false;
};
/// What no backend can do: m = 0, or epochs shorter than m + 2 or longer than kMaximumSamples.
Support supportsShape(const MatchRequest& request);

/// Seconds of a steady clock over all epochs, each stage ending with the device idle.
struct MatchTimes {
    double prepare = 0;  ///< sorting and packing of single channels
    double upload = 0;
    /// All that is done for pairs, tables of one channel that its partners share included.
    double compute = 0;
    double download = 0;
    double total() const { return prepare + upload + compute + download; }
    MatchTimes& operator+=(const MatchTimes& other) {
        prepare += other.prepare;
        upload += other.upload;
        compute += other.compute;
        download += other.download;
        return *this;
    }
};

/// What a run tells beside the statistics.
struct MatchOutcome {
    Variant variant = Variant::Default;  ///< the one that ran, never Default
    MatchTimes times;
};

/// The matches on one backend.
class Matcher {
  public:
    virtual ~Matcher() = default;
    virtual Support supports(const MatchRequest& request) const = 0;
    /// statistics[e](a, b) for all ordered pairs of channels of each epoch, the pair of a channel with itself
    /// included: templates of channel a, partners of channel b, so that it holds (b‖a). There are as many
    /// matrices as epochs, channels × channels. All epochs have the same shape and format, a request that
    /// `supports` accepted. `progress` advances by samples² for each ordered pair.
    virtual MatchOutcome match(std::span<const AnyEpoch> epochs, const MatchRule& rule, Variant variant,
                               std::span<const MatrixView<MatchStatistics>> statistics,
                               Progress& progress) = 0;
};

using MatcherEntry = Implementation<Matcher>;
const std::vector<MatcherEntry>& matcherEntries();

// One a backend; each is defined beside its implementation.
MatcherEntry referenceMatcher();
MatcherEntry cpuMatcher();
MatcherEntry glMatcher();
MatcherEntry cudaMatcher();

}  // namespace glycine::crossapen
