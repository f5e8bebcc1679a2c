#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "engine/core/algorithm.hpp"
#include "engine/core/implementation.hpp"
#include "engine/core/kernel_use.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/crossapen/pair_entropies.hpp"

/// Internal to the algorithm: the interface that each backend implements. A backend finds the matches of all
/// ordered pairs of channels, or the sums of their memberships, epoch by epoch. Normalisation, entropies,
/// averages and files are common to all backends and are done elsewhere.
namespace glycine::crossapen {

// ---- Matches

/// Normalised signals of one epoch: channels × samples, finite. `tolerance`: r ≥ 0 in the units of the
/// samples, finite; a single value, or one per pair (tolerance[a · channels + b], symmetric) if the
/// convention requires it.
template <class T>
struct Epoch {
    MatrixView<const T> signals;
    std::span<const T> tolerance;
    /// The signals in device memory, from MatchEngine::prepare. If set, only the shape of `signals` is valid.
    const T* onDevice = nullptr;
    std::size_t channels() const { return signals.rows(); }
    std::size_t samples() const { return signals.columns(); }
    T toleranceOf(std::size_t a, std::size_t b) const {
        return tolerance.size() == 1 ? tolerance[0] : tolerance[a * channels() + b];
    }
};
using AnyEpoch = std::variant<Epoch<float>, Epoch<double>>;

/// The part of a request that determines whether a backend supports it.
struct MatchRequest {
    Variant variant = Variant::Default;
    NumberFormat format = NumberFormat::Float32;
    MatchRule rule{};
    std::size_t channels = 0;  ///< 0: any number
    std::size_t samples = 0;   ///< of an epoch; 0: any number
    bool hasPairTolerances = false;
};
/// Refuses requests that no backend can run: m = 0, a delay of 0, epochs shorter than minimumSamples or
/// longer than kMaximumSamples.
Support supportsShape(const MatchRequest& request);
/// Message for epochs that are not isLongEnough, with the required length.
std::string tooShort(std::size_t samples, const MatchRule& rule);

/// Report of a run, in addition to its results.
struct MatchOutcome {
    Variant variant = Variant::Default;  ///< the one that ran, never Default
    MatchTimes times;
};

enum class ChannelUse { Usable, NotFinite, Constant, BeyondFormat };
/// Epochs that EpochBatch would prepare, prepared in the memory of an engine's device.
class EpochsOnDevice {
  public:
    virtual ~EpochsOnDevice() = default;
    virtual ChannelUse useOf(std::size_t epoch, std::size_t channel) const = 0;
    /// In the run's number format.
    virtual const void* signal(std::size_t epoch, std::size_t channel) const = 0;
};

/// Finds matches on one backend.
class MatchEngine {
  public:
    virtual ~MatchEngine() = default;
    static constexpr std::string_view kAlgorithm = "crossapen";
    static ImplementationList<MatchEngine>& implementations();
    virtual Support supports(const MatchRequest& request) const = 0;
    /// Prepares some of the epochs that are in the memory of this engine's device. Returns null if the
    /// engine takes epochs from the host only.
    virtual std::unique_ptr<EpochsOnDevice> prepare(const DeviceEpochs& /*epochs*/, Range /*some*/,
                                                    const EntropyOptions& /*options*/) {
        return nullptr;
    }
    /// Fills statistics[e](a, b) for all ordered pairs of channels of each epoch, including each channel with
    /// itself. Templates come from channel a, partners from channel b, so that the element describes (b‖a).
    /// There are as many matrices as epochs, channels × channels each. All epochs have the same shape and
    /// format, and `supports` has accepted the request. `progress` advances by samples² per ordered pair.
    virtual MatchOutcome match(std::span<const AnyEpoch> epochs, const MatchRule& rule, Variant variant,
                               std::span<const MatrixView<MatchStatistics>> statistics,
                               Progress& progress) = 0;
    /// Use of the kernel of a variant for m = 1 and float32, if published claims concern the kernel.
    virtual std::optional<KernelUse> kernelOf(Variant /*variant*/) const { return {}; }
};

// ---- Memberships

// For Cross-Fuzzy entropy. Variant::Membership is the only one.

/// The part of a request that determines whether a backend supports it.
struct MembershipRequest {
    Variant variant = Variant::Default;
    NumberFormat format = NumberFormat::Float32;
    FuzzyRule rule{};
    std::size_t channels = 0;  ///< 0: any number
    std::size_t samples = 0;   ///< of an epoch; 0: any number
};

/// Relative tolerance for sums of memberships in float32 under the default rule (n = 2, r = 0.2): the value
/// of membershipTolerance, rounded up. Rounding errors of many pairs cancel: measured differences stay below
/// 2e-7. Omitting a single template out of 8192 would make 1.2e-4.
inline constexpr double kMembershipTolerance = 4e-5;

/// Relative tolerance for sums from two backends. Let u be half a unit in the last place of 1 (2⁻²⁴, 2⁻⁵³).
/// - Samples without baselines are rounded once, and so are their differences. Distances are off by at most
///   8uW, where W is the largest of these samples, taken as 4 since signals are normalised. The error of d^n
///   / r, and hence the relative error of the membership, is n · d^(n−1) / r · 8uW. Memberships that matter
///   have d^n / r ≤ 5, which gives 32u · n · 5^(1−1/n) · r^(−1/n). For n < 1, where the slope is unbounded,
///   (32u)^n / r.
/// - Powers and exponentials of GPUs are off by up to 20u times the exponent: 100u for exponents up to 5.
/// - At most 128 memberships, or sums of memberships, are added one after the other in T: 128u.
/// - In float64 the reference adds up to N² numbers one after the other: 1e-10 covers it.
double membershipTolerance(const FuzzyRule& rule, NumberFormat format);

/// How much may be missing from a sum: memberships below 2⁻¹²⁰ (2⁻¹⁰²⁰) of all pairs. `samples`: N.
double missingMemberships(NumberFormat format, std::size_t samples);

/// Whether `sums` agree with `expected` within membershipTolerance. Memberships below 2⁻¹²⁰ (float64: 2⁻¹⁰²⁰)
/// may be missing from either. `samples`: N.
bool agreeOnMemberships(const MembershipSums& sums, const MembershipSums& expected, const FuzzyRule& rule,
                        NumberFormat format, std::size_t samples);

/// Refuses requests that no backend can run: other variants, m = 0, r or n not positive and finite, or epochs
/// that supportsShape refuses.
Support supportsMemberships(const MembershipRequest& request);

/// Sums memberships on one backend.
class MembershipEngine {
  public:
    virtual ~MembershipEngine() = default;
    static constexpr std::string_view kAlgorithm = "crossapen";
    static ImplementationList<MembershipEngine>& implementations();
    virtual Support supports(const MembershipRequest& request) const = 0;
    /// Fills sums[e](a, b) for all ordered pairs of channels of each epoch. The matrices are symmetric; on
    /// the diagonal, pairs of a template with itself are left out. There are as many matrices as epochs,
    /// channels × channels each. All epochs have the same shape and format, and `supports` has accepted the
    /// request. `Epoch::tolerance` is not read. `progress` advances by samples² per ordered pair. Backends
    /// agree as agreeOnMemberships defines.
    virtual MatchOutcome sum(std::span<const AnyEpoch> epochs, const FuzzyRule& rule,
                             std::span<const MatrixView<MembershipSums>> sums, Progress& progress) = 0;
};

// ---- Patterns

struct PatternRequest {
    Variant variant = Variant::Default;
    PatternRule rule{};
    std::size_t samples = 0;   ///< of an epoch; 0: any number
    std::size_t channels = 0;  ///< 0: any number
};
/// Refuses requests that no backend can run: m below 2 (Cross-PermEn: 3, DispEn: 1) or above kLongestPattern,
/// DispEn with fewer than two classes or more than 2⁶³ patterns, and epochs that supportsShape refuses.
Support supportsPatterns(const PatternRequest& request);

/// Counts patterns for measures that isOfPatterns. Counts are exact on all backends, so entropies differ by
/// the rounding of their sums alone, within 1e-12.
class PatternEngine {
  public:
    virtual ~PatternEngine() = default;
    static constexpr std::string_view kAlgorithm = "crossapen";
    static ImplementationList<PatternEngine>& implementations();
    virtual Support supports(const PatternRequest& request) const = 0;
    /// Fills results[e](a, b): templates of channel a, for Cross-PermEn together with channel b.
    /// `Epoch::tolerance` is not read. `progress` advances by samples per ordered pair.
    virtual MatchOutcome count(std::span<const AnyEpoch> items, const PatternRule& rule,
                               std::span<const MatrixView<PatternEntropy>> results, Progress& progress) = 0;
};

// ---- All backends

/// Static description of `crossapen`.
const Algorithm& algorithm();

// One set per backend, each defined next to its implementation.
namespace reference {
Implementation<MatchEngine> matchEngine();
Implementation<MembershipEngine> membershipEngine();
Implementation<PatternEngine> patternEngine();
}  // namespace reference
namespace cpu {
Implementation<MatchEngine> matchEngine();
Implementation<MembershipEngine> membershipEngine();
Implementation<PatternEngine> patternEngine();
}  // namespace cpu
namespace gl {
Implementation<MatchEngine> matchEngine();
Implementation<MembershipEngine> membershipEngine();
Implementation<PatternEngine> patternEngine();
}  // namespace gl
namespace cuda {
Implementation<MatchEngine> matchEngine();
Implementation<MembershipEngine> membershipEngine();
Implementation<PatternEngine> patternEngine();
}  // namespace cuda

}  // namespace glycine::crossapen
