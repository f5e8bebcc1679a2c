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

/// Inside the algorithm: what each backend implements. It finds the matches of all ordered pairs of channels,
/// or the sums of their memberships, epoch by epoch; normalisation, entropies, averages and files are the
/// same for all backends and done elsewhere.
namespace glycine::crossapen {

// ---- Matches

/// Signals of one epoch after normalisation: channels × samples, finite. `tolerance`: r ≥ 0 in the units of
/// the samples, finite; a single value, or one for each pair (tolerance[a · channels + b], symmetric) where
/// the convention asks for it.
template <class T>
struct Epoch {
    MatrixView<const T> signals;
    std::span<const T> tolerance;
    /// The signals where Matcher::prepare has left them; of `signals` the shape alone counts then.
    const T* onDevice = nullptr;
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
/// What no backend can do: m or the delay 0, or epochs shorter than minimumSamples or longer than
/// kMaximumSamples.
Support supportsShape(const MatchRequest& request);
/// Says so of epochs that are not isLongEnough, and how long they must be.
std::string tooShort(std::size_t samples, const MatchRule& rule);

/// What a run tells beside the statistics.
struct MatchOutcome {
    Variant variant = Variant::Default;  ///< the one that ran, never Default
    MatchTimes times;
};

enum class ChannelUse { Usable, NotFinite, Constant, BeyondFormat };
/// Epochs as EpochBatch makes them, in the memory of a matcher's device.
class EpochsOnDevice {
  public:
    virtual ~EpochsOnDevice() = default;
    virtual ChannelUse useOf(std::size_t epoch, std::size_t channel) const = 0;
    /// In the format of the run.
    virtual const void* signal(std::size_t epoch, std::size_t channel) const = 0;
};

/// The matches on one backend.
class Matcher {
  public:
    virtual ~Matcher() = default;
    static constexpr std::string_view kAlgorithm = "crossapen";
    static ImplementationList<Matcher>& implementations();
    virtual Support supports(const MatchRequest& request) const = 0;
    /// Some of the epochs that the device of this matcher has, prepared there; null where it takes them from
    /// the host alone.
    virtual std::unique_ptr<EpochsOnDevice> prepare(const DeviceEpochs& /*epochs*/, Range /*some*/,
                                                    const EntropyOptions& /*options*/) {
        return nullptr;
    }
    /// statistics[e](a, b) for all ordered pairs of channels of each epoch, the pair of a channel with itself
    /// included: templates of channel a, partners of channel b, so that it holds (b‖a). There are as many
    /// matrices as epochs, channels × channels. All epochs have the same shape and format, a request that
    /// `supports` accepted. `progress` advances by samples² for each ordered pair.
    virtual MatchOutcome match(std::span<const AnyEpoch> epochs, const MatchRule& rule, Variant variant,
                               std::span<const MatrixView<MatchStatistics>> statistics,
                               Progress& progress) = 0;
    /// Of the kernel of a variant for m = 1 and float32, where it has one that published claims speak of.
    virtual std::optional<KernelUse> kernelOf(Variant /*variant*/) const { return {}; }
};

using MatcherEntry = Implementation<Matcher>;

// ---- Memberships

// For Cross-Fuzzy entropy. Variant::Membership is the only one.

/// One request, as far as it decides whether a backend can take it.
struct MembershipRequest {
    Variant variant = Variant::Default;
    NumberFormat format = NumberFormat::Float32;
    FuzzyRule rule{};
    std::size_t channels = 0;  ///< 0: any number
    std::size_t samples = 0;   ///< of an epoch; 0: any number
};

/// The relative difference that sums of memberships in float32 may have under the default rule (n = 2, r =
/// 0.2): what membershipTolerance gives, rounded up. Rounding errors of many pairs cancel: differences that
/// were measured stay below 2e-7. A single template left out of 8192 would make 1.2e-4.
inline constexpr double kMembershipTolerance = 4e-5;

/// The relative difference that sums of two backends may have. With u half a unit in the last place of 1
/// (2⁻²⁴, 2⁻⁵³):
/// - Samples without baselines are rounded once, differences of them, too: distances are off by at most 8uW,
///   W the largest of these samples, taken as 4 (signals are normalised). This changes d^n / r, and by as
///   much the membership, by n · d^(n−1) / r · 8uW. Memberships that matter have d^n / r ≤ 5; hence
///   32u · n · 5^(1−1/n) · r^(−1/n). For n < 1, where the slope has no bound, (32u)^n / r.
/// - Powers and exponentials of GPUs are off by up to 20u times the exponent, 100u for exponents up to 5.
/// - At most 128 memberships, or sums of them, are added one after the other in T: 128u.
/// - In float64 the reference adds up to N² numbers one after the other: 1e-10 covers it.
double membershipTolerance(const FuzzyRule& rule, NumberFormat format);

/// What may be missing from a sum at all: memberships below 2⁻¹²⁰ (2⁻¹⁰²⁰) of all pairs. `samples`: N.
double missingMemberships(NumberFormat format, std::size_t samples);

/// Whether `sums` are as close to `expected` as membershipTolerance tells. Memberships below 2⁻¹²⁰ (2⁻¹⁰²⁰)
/// may be missing from them. `samples`: N.
bool agreeOnMemberships(const MembershipSums& sums, const MembershipSums& expected, const FuzzyRule& rule,
                        NumberFormat format, std::size_t samples);

/// What no backend can do: no such variant, m = 0, r or n not positive and finite, or epochs that
/// supportsShape refuses.
Support supportsMemberships(const MembershipRequest& request);

/// The memberships on one backend.
class MembershipSummer {
  public:
    virtual ~MembershipSummer() = default;
    static constexpr std::string_view kAlgorithm = "crossapen";
    static ImplementationList<MembershipSummer>& implementations();
    virtual Support supports(const MembershipRequest& request) const = 0;
    /// sums[e](a, b) for all ordered pairs of channels of each epoch; symmetric, and with the pairs of a
    /// template with itself left out on the diagonal. There are as many matrices as epochs, channels ×
    /// channels. All epochs have the same shape and format, a request that `supports` accepted.
    /// `Epoch::tolerance` is not read. `progress` advances by samples² for each ordered pair. Backends agree
    /// as agreeOnMemberships tells.
    virtual MatchOutcome sum(std::span<const AnyEpoch> epochs, const FuzzyRule& rule,
                             std::span<const MatrixView<MembershipSums>> sums, Progress& progress) = 0;
};

using MembershipEntry = Implementation<MembershipSummer>;

// ---- Patterns

struct PatternRequest {
    Variant variant = Variant::Default;
    PatternRule rule{};
    std::size_t samples = 0;  ///< of an epoch; 0: any number
};
/// What no backend can do: m below 2 (Cross-PermEn: 3) or above kLongestPattern, more than 2⁶³ patterns or
/// fewer than two classes of DispEn, and epochs that supportsShape refuses.
Support supportsPatterns(const PatternRequest& request);

/// The patterns of measures that isOfPatterns. Backends agree within 1e-12; no device has them: reading a
/// recording takes longer than counting its patterns.
class PatternCounter {
  public:
    virtual ~PatternCounter() = default;
    static constexpr std::string_view kAlgorithm = "crossapen";
    static ImplementationList<PatternCounter>& implementations();
    virtual Support supports(const PatternRequest& request) const = 0;
    /// results[e](a, b): templates of channel a, of Cross-PermEn with channel b. `Epoch::tolerance` is not
    /// read. `progress` advances by samples for each ordered pair.
    virtual MatchOutcome count(std::span<const AnyEpoch> items, const PatternRule& rule,
                               std::span<const MatrixView<PatternEntropy>> results, Progress& progress) = 0;
};

using PatternEntry = Implementation<PatternCounter>;

// ---- All backends

/// What is known of `crossapen` without running it.
const Algorithm& algorithm();

// One a backend; each is defined beside its implementation.
namespace reference {
MatcherEntry matcher();
MembershipEntry membershipSummer();
PatternEntry patternCounter();
}  // namespace reference
namespace cpu {
MatcherEntry matcher();
MembershipEntry membershipSummer();
PatternEntry patternCounter();
}  // namespace cpu
namespace gl {
MatcherEntry matcher();
MembershipEntry membershipSummer();
}  // namespace gl
namespace cuda {
MatcherEntry matcher();
MembershipEntry membershipSummer();
}  // namespace cuda

}  // namespace glycine::crossapen
