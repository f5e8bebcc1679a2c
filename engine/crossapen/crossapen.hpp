#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/device_matrix.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"
#include "engine/crossapen/crossapen_variant.hpp"

/// Cross-approximate entropy of pairs of signals, and its relatives.
///
/// Two series u, v of N samples have N − m + 1 templates of length m each: x(i) = u(i … i + m − 1),
/// y(j) = v(j … j + m − 1). Two templates match when their Chebyshev distance is at most r. With C_i^m the
/// share of the y(j) that match x(i),
///
///     Φ^m = mean over i of ln C_i^m,      Cross-ApEn(m, r, N)(v‖u) = Φ^m − Φ^{m+1}.
///
/// Source: M. Martínez-Zarzuela et al., "Cross-Approximate Entropy parallel computation on GPUs for
/// biomedical signal analysis. Application to MEG recordings", Computer Methods and Programs in Biomedicine
/// 112 (2013), 189–199, equations 1 to 6.
namespace glycine::crossapen {

/// How templates without a match are corrected, since ln 0 does not exist (section 2.1 of the paper).
enum class Bias {
    Zero,      ///< no match at either length: both shares 1; none at m + 1 alone: C^{m+1} = 1 / (N − m)
    Max,       ///< no match at m: C^m = 1; none at m + 1: C^{m+1} = 1 / (N − m + 1), as the paper prints it
    MaxShort,  ///< as Max, but with 1 / (N − m), the share of a single match
    None,      ///< the entropy is NaN if any template has no match
};
/// The paper writes "0".
constexpr auto namesOf(Bias) {
    using enum Bias;
    return namesAre<Bias>(
        "bias correction",
        {{Zero, "zero"}, {Max, "max"}, {MaxShort, "max-short"}, {None, "none"}, {Zero, "0"}});
}

enum class Measure {
    CrossApEn,     ///< Φ^m − Φ^{m+1}
    ApEn,          ///< Cross-ApEn of a channel with itself
    CrossSampEn,   ///< −ln(A / B): A matches at m + 1, B at m, both over i, j ≤ N − m
    SampEn,        ///< Cross-SampEn of a channel with itself, without the match of each template with itself
    CrossFuzzyEn,  ///< ln Φ^m − ln Φ^{m+1} of memberships instead of matches, see pair_entropies.hpp
    PermEn,        ///< entropy of a channel's ordinal patterns, see pair_entropies.hpp
    CrossPermEn,   ///< entropy of a channel's level crossings in the order of another channel
    DispEn         ///< entropy of a channel's amplitude patterns
};
constexpr auto namesOf(Measure) {
    using enum Measure;
    return namesAre<Measure>("measure", {{CrossApEn, "crossapen"},
                                         {ApEn, "apen"},
                                         {CrossSampEn, "crosssampen"},
                                         {SampEn, "sampen"},
                                         {CrossFuzzyEn, "crossfuzzyen"},
                                         {PermEn, "permen"},
                                         {CrossPermEn, "crosspermen"},
                                         {DispEn, "dispen"}});
}
/// Whether the measure counts patterns of samples, which takes O(N log N) per channel or pair.
bool isOfPatterns(Measure measure);
/// Whether the measure describes single channels. Its results then have one column.
bool isOfSingleChannels(Measure measure);

/// The definition to follow where publications and packages differ.
enum class Convention {
    Paper,      ///< Martínez-Zarzuela et al. 2013
    EntropyHub  ///< the package's XApEn, XSampEn and XFuzzEn, see pair_entropies.hpp
};
constexpr auto namesOf(Convention) {
    using enum Convention;
    return namesAre<Convention>("convention", {{Paper, "paper"}, {EntropyHub, "entropyhub"}});
}

/// Divisor of the sum of squares in a standard deviation.
enum class Deviation {
    Sample,     ///< N − 1
    Population  ///< N
};
constexpr auto namesOf(Deviation) {
    using enum Deviation;
    return namesAre<Deviation>("divisor of the standard deviation", {{Sample, "n-1"}, {Population, "n"}});
}

/// The format in which samples are subtracted and compared with r. Backends that use the same format find
/// exactly the same matches, because |x − y| is rounded once, to the nearest.
enum class NumberFormat { Float32, Float64 };
constexpr auto namesOf(NumberFormat) {
    using enum NumberFormat;
    return namesAre<NumberFormat>("number format", {{Float32, "float32"}, {Float64, "float64"}});
}

/// When two templates match.
struct MatchRule {
    unsigned m = 1;         ///< template length, ≥ 1; 1 in the paper's study
    bool isStrict = false;  ///< distance < r instead of ≤ r
    /// Time delay τ ≥ 1 in samples: x(i) = u(i), u(i + τ) … u(i + (m − 1)τ), which makes N − (m − 1)τ
    /// templates. 1 in the paper.
    /// Source: F. Kaffashi et al., "The effect of time delay on Approximate & Sample Entropy calculations",
    /// Physica D 237 (2008), 3069–3074.
    unsigned delay = 1;
};

/// The most samples of an epoch: a LogSum can hold the sum of 2¹⁹ logarithms of counts up to 2¹⁹.
inline constexpr std::size_t kMaximumSamples = std::size_t{1} << 19;

/// The shortest epoch: it has two templates of length m + 1. A single one could only be compared with itself.
constexpr std::size_t minimumSamples(unsigned m, unsigned delay = 1) {
    return std::size_t{m} * delay + 2;
}
constexpr bool isLongEnough(std::size_t samples, unsigned m, unsigned delay = 1) {
    return samples >= minimumSamples(m, delay);
}

/// Everything that determines the value of an entropy, and the variant that computes it.
struct EntropyOptions {
    Measure measure = Measure::CrossApEn;
    MatchRule rule{};
    /// r as a fraction of the standard deviation; each epoch of each channel is divided by its own.
    double tolerance = 0.2;
    /// Whether r is in the unit of the signals, which are then not normalised.
    bool isAbsolute = false;
    double fuzzyPower = 2;  ///< n of Measure::CrossFuzzyEn
    unsigned classes = 6;   ///< c of Measure::DispEn
    /// Computes scales 1 … `scales` of coarse-grained epochs. A sample at scale s is the mean of s
    /// consecutive samples; r stays a fraction of the deviation at scale 1. 1: no coarse-graining.
    /// Source: M. Costa, A. L. Goldberger, C.-K. Peng, "Multiscale entropy analysis of complex physiologic
    /// time series", Phys. Rev. Lett. 89 (2002), 068102.
    unsigned scales = 1;
    Bias bias = Bias::Max;
    Deviation deviation = Deviation::Sample;
    Convention convention = Convention::Paper;
    NumberFormat format = NumberFormat::Float32;
    Variant variant = Variant::Default;
};

/// Whether (u‖v) and (v‖u) have the same value.
bool isSymmetric(const EntropyOptions& options);

/// Throws UsageError for unknown enumerators, contradicting options, m = 0, and an r or n that is not above
/// 0. Also throws UsageError if epochs of `samples` are too short for m or too long.
void checkOptions(const EntropyOptions& options, std::size_t samples);

/// One value that a run computes for each pair and epoch.
struct Quantity {
    enum class Kind { Entropy, ShareWithoutMatch, Normalised };
    std::string name;   ///< "crossapen_max"
    std::string label;  ///< "Cross-ApEn, bias max"
    Kind kind = Kind::Entropy;
    Bias bias = Bias::Max;  ///< correction, for approximate entropies
};
/// The quantities of a run; the requested one comes first.
/// - Approximate entropies always include the corrections 0 and max, and the share of templates without a
///   match: all come from the same match counts.
/// - Entropies of patterns include the entropy as a share of the largest possible one.
/// - Several scales: the sum of the first quantity over all scales, then this quantity at each scale.
std::vector<Quantity> quantitiesOf(const EntropyOptions& options);

/// Shape of the result of one epoch: `quantities` matrices of rows × columns. Rows are the channels of the
/// templates, columns their partners: element (a, b) is the entropy of (b‖a). Measures of single channels
/// have one column.
struct EpochShape {
    std::size_t quantities = 0;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t matrixValues() const { return rows * columns; }
    std::size_t values() const { return quantities * matrixValues(); }
    bool operator==(const EpochShape&) const = default;
};
EpochShape epochShape(const EntropyOptions& options, std::size_t channels);

/// Recorded signals of one epoch: channels × samples, in any unit.
using Signals = MatrixView<const double>;

/// Checks the arguments of computeEntropies before any backend is involved. Throws UsageError as checkOptions
/// does and for epochs of different shapes; InputError for epochs without channels, without memory or with
/// overlapping rows.
void checkEntropies(std::span<const Signals> epochs, const EntropyOptions& options);

/// A channel that cannot be used in an epoch. Its pairs are NaN there.
struct UnusableChannel {
    std::size_t epoch = 0;
    std::size_t channel = 0;
    std::string reason;  ///< "constant", "not finite"; for files also the reasons of ChannelUsability
    double share = 1;    ///< fraction of the epoch's samples to which the reason applies, 0 … 1
};

/// Channels with samples that are not finite, and constant channels if signals are normalised, in the order
/// of epochs.
std::vector<UnusableChannel> unusableChannels(std::span<const Signals> epochs, const EntropyOptions& options);

/// Whether the backend can compute the measure for epochs of this shape. Also "no" if it does not implement
/// the measure at all.
Support supportsEntropies(Backend& backend, const EntropyOptions& options, std::size_t channels,
                          std::size_t samples);

/// Number of epochs of this shape in a tile, which is computed, stored or lost as a whole. A backend computes
/// a tile in some seconds. At least 1.
std::size_t tileEpochs(const Backend& backend, const EntropyOptions& options, std::size_t channels,
                       std::size_t samples);

/// Receives finished tiles of consecutive epochs, from one thread.
class EntropySink {
  public:
    virtual ~EntropySink() = default;
    /// Whether an earlier run has stored this epoch, finished and intact.
    virtual bool has(std::size_t) const { return false; }
    /// `values`: epoch after epoch as in EpochShape: one quantity after the other, row by row.
    virtual void store(Range epochs, std::span<const double> values) = 0;
};

/// Seconds of a steady clock over all epochs. Each stage ends with the device idle.
struct MatchTimes {
    double prepare = 0;  ///< sorting and packing of single channels
    double upload = 0;
    /// All work for pairs, including tables of single channels that their partners share.
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

struct EntropyReport {
    std::string backend;
    std::string variant;  ///< the variant that ran; the requested one if the sink had all epochs
    std::string device;
    std::size_t epochs = 0;
    std::size_t epochsResumed = 0;  ///< epochs of an earlier run, included in `epochs`
    double comparisons = 0;         ///< of samples, as brute force needs for the remaining epochs
    MatchTimes times;               ///< without normalisation and without computing values from matches
};

/// Computes the quantities of all epochs, channels × samples each, all of one shape: normalisation, matches
/// (or memberships) of all ordered pairs of channels, values. Hands them to `sink` tile by tile and skips
/// epochs that the sink already has.
///
/// Values are NaN for pairs with an unusable channel, and where they are not defined (see
/// crossApproximateEntropy, crossSampleEntropy, crossFuzzyEntropy). Values from matches are equal on all
/// backends to the last bit. Values from memberships differ by the rounding of sums (see
/// membershipTolerance).
///
/// Throws as checkEntropies does, UnavailableError if the backend cannot run the request (before the sink
/// receives anything), CancelledError or DeviceError.
EntropyReport computeEntropies(Backend& backend, std::span<const Signals> epochs,
                               const EntropyOptions& options, EntropySink& sink, Progress& progress);

/// Epochs in device memory that another object may own. `first` is the first epoch, channels × samples.
/// `step` is the distance in bytes from one epoch to the next.
struct DeviceEpochs {
    DeviceMatrix first;
    std::size_t count = 0;
    std::ptrdiff_t step = 0;
};
/// Computes the same for epochs in the memory of the device of `backend`, where they stay. Adds unusable
/// channels to `unusable`. Returns nothing if the host has to do all the work: for other backends and
/// devices, formats other than float32 and float64, memberships, patterns, several scales, delays, and
/// tolerances per pair.
std::optional<EntropyReport> computeEntropies(Backend& backend, const DeviceEpochs& epochs,
                                              const EntropyOptions& options, EntropySink& sink,
                                              std::vector<UnusableChannel>& unusable, Progress& progress);

}  // namespace glycine::crossapen
