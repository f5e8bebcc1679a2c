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

/// What becomes of templates without a match, whose logarithm does not exist (section 2.1 of the paper).
enum class Bias {
    Zero,      ///< no match at either length: both shares 1; none at m + 1 alone: C^{m+1} = 1 / (N − m)
    Max,       ///< no match at m: C^m = 1; none at m + 1: C^{m+1} = 1 / (N − m + 1), as the paper prints it
    MaxShort,  ///< Max with 1 / (N − m), the share that a single match would have
    None,      ///< the entropy is NaN as soon as a template has no match
};
/// "0" is how the paper writes it.
constexpr auto namesOf(Bias) {
    using enum Bias;
    return namesAre<Bias>(
        "bias correction",
        {{Zero, "zero"}, {Max, "max"}, {MaxShort, "max-short"}, {None, "none"}, {Zero, "0"}});
}

enum class Measure {
    CrossApEn,     ///< Φ^m − Φ^{m+1}
    ApEn,          ///< the same for a channel with itself
    CrossSampEn,   ///< −ln(A / B): A matches at m + 1, B at m, both over i, j ≤ N − m
    SampEn,        ///< the same for a channel with itself, matches of a template with itself left out
    CrossFuzzyEn,  ///< ln Φ^m − ln Φ^{m+1} of memberships in place of matches, see pair_entropies.hpp
    PermEn,        ///< of the ordinal patterns of a channel, see pair_entropies.hpp
    CrossPermEn,   ///< of how a channel crosses itself in the order of another
    DispEn         ///< of the patterns of a channel's amplitudes
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
/// Whether the measure counts patterns of samples, which takes O(N log N) and no device.
bool isOfPatterns(Measure measure);
/// Whether the measure is about single channels, so that its results have one column.
bool isOfSingleChannels(Measure measure);

/// Whose definition is followed where publications and packages differ.
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

/// The format in which samples are subtracted and compared with r. Backends that compare in the same format
/// find the same matches, to the last one: |x − y| is rounded once, to the nearest.
enum class NumberFormat { Float32, Float64 };
constexpr auto namesOf(NumberFormat) {
    using enum NumberFormat;
    return namesAre<NumberFormat>("number format", {{Float32, "float32"}, {Float64, "float64"}});
}

/// The ways to find matches, over all backends. Which backend offers which: `glycine list`.
enum class Variant {
    Default,         ///< the backend's own choice for this length and m
    Serial,          ///< reference: the paper's steps
    PaperTwoSweeps,  ///< reference: the paper's program C(1), to be timed; no list shows it
    PaperOneSweep,   ///< reference: the paper's program C(2), likewise
    Merged,          ///< cpu: brute force, both lengths and both directions in one sweep, vectorised
    Pruned,          ///< cpu: exact without comparing all pairs: sorted partners, prefix counts and bit sets
    Scalar,          ///< gl: one template a fragment
    Packed,          ///< gl: four templates in RGBA
    Bitset,          ///< gl, cuda: bit sets of sorted partners
    Dominance,       ///< gl, cuda, m = 1: prefix counts of ranks of sorted partners
    Registers,       ///< cuda, the paper's first kernel
    Halo,            ///< cuda, the paper's second kernel
    Shifted,         ///< cuda, the paper's third kernel: shifted input
    Diagonal,        ///< cuda: brute force that compares every two samples once, along the diagonals
    Membership,      ///< all: sums of fuzzy memberships, for Cross-Fuzzy entropy alone
    Patterns,        ///< reference, cpu: the only one of measures that isOfPatterns
};
constexpr auto namesOf(Variant) {
    using enum Variant;
    return namesAre<Variant>("variant", {{Default, "default"},
                                         {Serial, "serial"},
                                         {PaperTwoSweeps, "paper-two-sweeps"},
                                         {PaperOneSweep, "paper-one-sweep"},
                                         {Merged, "merged"},
                                         {Pruned, "pruned"},
                                         {Scalar, "scalar"},
                                         {Packed, "packed"},
                                         {Bitset, "bitset"},
                                         {Dominance, "dominance"},
                                         {Registers, "registers"},
                                         {Halo, "halo"},
                                         {Shifted, "shifted"},
                                         {Diagonal, "diagonal"},
                                         {Membership, "membership"},
                                         {Patterns, "patterns"}});
}

/// When two templates match.
struct MatchRule {
    unsigned m = 1;         ///< template length, ≥ 1; the paper's study takes 1
    bool isStrict = false;  ///< distance < r in place of ≤ r
    /// τ ≥ 1, samples from one of a template to the next: x(i) = u(i), u(i + τ) … u(i + (m − 1)τ), of which
    /// there are N − (m − 1)τ. The paper has 1.
    /// Source: F. Kaffashi et al., "The effect of time delay on Approximate & Sample Entropy calculations",
    /// Physica D 237 (2008), 3069–3074.
    unsigned delay = 1;
};

/// Samples of an epoch, at most: the logarithms of 2¹⁹ counts up to 2¹⁹ are the most that a LogSum can hold.
inline constexpr std::size_t kMaximumSamples = std::size_t{1} << 19;

/// The shortest epoch: two templates of length m + 1, as each of them is no more than itself.
constexpr std::size_t minimumSamples(unsigned m, unsigned delay = 1) {
    return std::size_t{m} * delay + 2;
}
constexpr bool isLongEnough(std::size_t samples, unsigned m, unsigned delay = 1) {
    return samples >= minimumSamples(m, delay);
}

/// Everything that decides the value of an entropy, and the variant that finds it.
struct EntropyOptions {
    Measure measure = Measure::CrossApEn;
    MatchRule rule{};
    /// r: a fraction of the standard deviation, which each epoch of each channel is divided by.
    double tolerance = 0.2;
    /// r is in the unit of the signals, and they stay as they are.
    bool isAbsolute = false;
    double fuzzyPower = 2;  ///< n of Measure::CrossFuzzyEn
    unsigned classes = 6;   ///< c of Measure::DispEn
    /// Scales 1 … `scales` of coarse-grained epochs, means of so many consecutive samples; r stays a fraction
    /// of the deviation at scale 1. 1: the epochs alone.
    /// Source: M. Costa, A. L. Goldberger, C.-K. Peng, "Multiscale entropy analysis of complex physiologic
    /// time series", Phys. Rev. Lett. 89 (2002), 068102.
    unsigned scales = 1;
    Bias bias = Bias::Max;
    Deviation deviation = Deviation::Sample;
    Convention convention = Convention::Paper;
    NumberFormat format = NumberFormat::Float32;
    Variant variant = Variant::Default;
};

/// Whether (u‖v) and (v‖u) are the same.
bool isSymmetric(const EntropyOptions& options);

/// Throws UsageError for unknown enumerators, options that contradict each other, m = 0, r or n that is no
/// number above 0; epochs of `samples` that are too short for m, or too long.
void checkOptions(const EntropyOptions& options, std::size_t samples);

/// One number that a run gives for each pair and epoch.
struct Quantity {
    enum class Kind { Entropy, ShareWithoutMatch, Normalised };
    std::string name;   ///< "crossapen_max"
    std::string label;  ///< "Cross-ApEn, bias max"
    Kind kind = Kind::Entropy;
    Bias bias = Bias::Max;  ///< of the approximate entropies
};
/// The one that the options ask for comes first. Approximate entropies: the corrections 0 and max, whichever
/// is asked for, and the share of templates without a match come from the same match counts. Entropies of
/// patterns: also as a share of the largest that so many patterns can have. Of several scales: the sum of the
/// first one over all scales, then this one of each.
std::vector<Quantity> quantitiesOf(const EntropyOptions& options);

/// Shape of what one epoch gives: `quantities` matrices of rows × columns. Row: channel of the templates,
/// column: partner, so that element (a, b) is the entropy of (b‖a); one column for measures of single
/// channels.
struct EpochShape {
    std::size_t quantities = 0;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t matrixValues() const { return rows * columns; }
    std::size_t values() const { return quantities * matrixValues(); }
    bool operator==(const EpochShape&) const = default;
};
EpochShape epochShape(const EntropyOptions& options, std::size_t channels);

/// Signals of one epoch as they were recorded: channels × samples, in any unit.
using Signals = MatrixView<const double>;

/// Throws what computeEntropies throws for its arguments, before any backend is involved: UsageError as
/// checkOptions and for epochs of different shapes, InputError for epochs without channels, without memory or
/// with overlapping rows.
void checkEntropies(std::span<const Signals> epochs, const EntropyOptions& options);

/// A channel that cannot be used in an epoch; its pairs are NaN there.
struct UnusableChannel {
    std::size_t epoch = 0;
    std::size_t channel = 0;
    std::string reason;  ///< "constant", "not finite"; of files also what ChannelUsability tells
    double share = 1;    ///< of the epoch's samples that the reason holds for, 0 … 1
};

/// Channels with samples that are no numbers, and constant ones where signals are normalised. In the order of
/// epochs.
std::vector<UnusableChannel> unusableChannels(std::span<const Signals> epochs, const EntropyOptions& options);

/// Whether the backend can compute the measure for epochs of this shape; also "no" when it has no
/// implementation at all.
Support supportsEntropies(Backend& backend, const EntropyOptions& options, std::size_t channels,
                          std::size_t samples);

/// Epochs of this shape that are computed in one go, and kept or lost together: what the backend does in some
/// seconds, and one at least.
std::size_t tileEpochs(const Backend& backend, const EntropyOptions& options, std::size_t channels,
                       std::size_t samples);

/// Takes finished tiles, runs of consecutive epochs, from one thread.
class EntropySink {
  public:
    virtual ~EntropySink() = default;
    /// Whether an earlier run has left this epoch finished and intact.
    virtual bool has(std::size_t) const { return false; }
    /// `values`: epoch after epoch as EpochShape says, its quantities one after the other, rows in order.
    virtual void store(Range epochs, std::span<const double> values) = 0;
};

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

struct EntropyReport {
    std::string backend;
    std::string variant;  ///< the one that ran; as it was asked for where the sink had all epochs
    std::string device;
    std::size_t epochs = 0;
    std::size_t epochsResumed = 0;  ///< of these, kept from an earlier run
    double comparisons = 0;         ///< of samples, that brute force takes for the other epochs
    MatchTimes times;               ///< normalisation and the values that follow from matches left out
};

/// Computes the quantities of all epochs, channels × samples each and all of one shape: normalisation,
/// matches (or memberships) of all ordered pairs of channels, values. Hands them to `sink` tile by tile;
/// epochs that the sink already has are left out. Values are NaN for pairs of a channel that cannot be used,
/// and where they are not defined (see crossApproximateEntropy, crossSampleEntropy, crossFuzzyEntropy). Those
/// of matches are those of every backend to the last bit; those of memberships differ by the rounding of sums
/// (see membershipTolerance).
///
/// Throws as checkEntropies, UnavailableError when the backend cannot run this (nothing was handed over),
/// CancelledError or DeviceError.
EntropyReport computeEntropies(Backend& backend, std::span<const Signals> epochs,
                               const EntropyOptions& options, EntropySink& sink, Progress& progress);

/// Epochs in the memory of a device, whoever has brought them there: the first one, channels × samples, and
/// bytes from one to the next.
struct DeviceEpochs {
    DeviceMatrix first;
    std::size_t count = 0;
    std::ptrdiff_t step = 0;
};
/// The same of epochs that the device of `backend` has, which stay there; adds channels that cannot be used.
/// Nothing where the host has to do all of it: other backends and devices, numbers that are not float32 or
/// float64, memberships, patterns, several scales, delays, tolerances of pairs.
std::optional<EntropyReport> computeEntropies(Backend& backend, const DeviceEpochs& epochs,
                                              const EntropyOptions& options, EntropySink& sink,
                                              std::vector<UnusableChannel>& unusable, Progress& progress);

}  // namespace glycine::crossapen
