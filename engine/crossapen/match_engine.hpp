#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/core/implementation.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/crossapen/match_statistics.hpp"

/// Inside the algorithm: what each backend implements. It finds the matches of all ordered pairs of channels,
/// epoch by epoch; normalisation, entropies, averages and files are the same for all backends and done
/// elsewhere.
namespace glycine::crossapen {

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

// One a backend; each is defined beside its implementation.
namespace reference {
MatcherEntry matcher();
}
namespace cpu {
MatcherEntry matcher();
}
namespace gl {
MatcherEntry matcher();
}
namespace cuda {
MatcherEntry matcher();
}

}  // namespace glycine::crossapen

namespace glycine {

template <>
ImplementationList<crossapen::Matcher>& implementations<crossapen::Matcher>();

}  // namespace glycine
