#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/bounds/bounds.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/implementation.hpp"

/// Inside the algorithm: what each backend implements, and what is known of them all.
namespace glycine::bounds {

/// One request, as far as it decides whether a backend can take it.
struct SmoothingRequest {
    Variant variant = Variant::Default;
    NumberFormat format = NumberFormat::Float32;
    std::size_t atoms = 0;  ///< 0: any number
    /// Outward: sums that a float holds must be exact. They are on every processor; of GL drivers it is
    /// measured.
    Rounding rounding = Rounding::Nearest;
    /// Å: the smallest bound above 0; 0: not known, or there is none.
    double smallest = 0;
};

/// What a run tells beside the matrices it has changed.
struct SmootherOutcome {
    Variant variant = Variant::Default;  ///< the one that ran
    SmoothingTimes times;
    std::string note;
};

/// The algorithm on one backend. `smooth` gets checked input (square, equal sizes, n ≥ 1, zero diagonal,
/// symmetric, no NaN, no infinity) for a request that `supports` accepted, and leaves symmetric smoothed
/// bounds; the diagonal may hold anything (the caller zeroes it).
class Smoother {
  public:
    virtual ~Smoother() = default;
    virtual Support supports(const SmoothingRequest& request) const = 0;
    virtual SmootherOutcome smooth(const AnyBoundMatrices& matrices, Variant variant, Progress& progress) = 0;
};

using SmootherEntry = Implementation<Smoother>;

/// Whether `backend` can take the request; also "no" when it has no implementation at all.
Support supportsRequest(Backend& backend, const SmoothingRequest& request);

/// What is known of `bounds` without running it.
const Algorithm& algorithm();

// One a backend; each is defined beside its implementation.
namespace reference {
SmootherEntry smoother();
}
namespace cpu {
SmootherEntry smoother();
}
namespace gl {
SmootherEntry smoother();
}
namespace cuda {
SmootherEntry smoother();
}

}  // namespace glycine::bounds

namespace glycine {

template <>
ImplementationList<bounds::Smoother>& implementations<bounds::Smoother>();

}  // namespace glycine
