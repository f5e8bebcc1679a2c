#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/bounds/bounds.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/device_matrix.hpp"
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
    std::optional<SharedWork> shared;
};

class BlockWorker;
struct SharedTask;
struct WorkerPart;

/// Bounds of n atoms in the memory of a device, as others have them there: Å, unknown upper bounds infinite.
struct DeviceBoundRequest {
    Variant variant = Variant::Default;
    NumberFormat format = NumberFormat::Float32;  ///< no fixed ones
    DeviceMatrix upper, lower;                    ///< lower.data null: all lower bounds are 0
    /// What the smoothed bounds go to, numbers of the format; null data: nowhere.
    DeviceMatrix smoothedUpper, smoothedLower;
    double tolerance = 0;  ///< of violations, Å
};
struct DeviceBoundOutcome : SmootherOutcome {
    std::size_t knownPairs = 0;      ///< of the input, as countKnownPairs has it
    std::size_t violationCount = 0;  ///< of the result
};

/// The algorithm on one backend. `smooth` gets checked input (square, equal sizes, n ≥ 1, zero diagonal,
/// symmetric, no NaN, no infinity) for a request that `supports` accepted, and leaves symmetric smoothed
/// bounds; the diagonal may hold anything (the caller zeroes it).
class Smoother {
  public:
    virtual ~Smoother() = default;
    static constexpr std::string_view kAlgorithm = "bounds";
    static ImplementationList<Smoother>& implementations();
    virtual Support supports(const SmoothingRequest& request) const = 0;
    virtual SmootherOutcome smooth(const AnyBoundMatrices& matrices, Variant variant, Progress& progress) = 0;
    /// Smooths what lies in the memory of its own device, and stays as it is. `host` takes the result, too,
    /// as `smooth` leaves it, unless its matrices have no memory. Nothing where the device does not take
    /// these, has no room, or finds something that is not as plain as most bounds are: symmetric to the bit,
    /// no lower bound above its upper bound. The host has to look then.
    virtual std::optional<DeviceBoundOutcome> smoothOnDevice(const DeviceBoundRequest& /*request*/,
                                                             const AnyBoundMatrices& /*host*/,
                                                             Progress& /*progress*/) {
        return std::nullopt;
    }
    /// What the device and the program report about a published variant, by the names of `reproduce`'s
    /// claims.
    virtual std::map<std::string, double> facts(Variant /*variant*/) const { return {}; }

    // Several workers that share the blocks (shared_smoothing.hpp)
    /// Fills `side` and `closesUpper` of the task. What the variant does not share is done here. Throws
    /// UnavailableError where nothing is shared.
    virtual SmootherOutcome beginShared(const AnyBoundMatrices& matrices, Variant variant, Progress& progress,
                                        SharedTask& task);
    /// A worker with room for its blocks. Throws UnavailableError where there is none.
    virtual std::unique_ptr<BlockWorker> worker(const WorkerPart& part);
};

using SmootherEntry = Implementation<Smoother>;

/// Whether `backend` can take the request; also "no" when it has no implementation at all.
Support supportsRequest(Backend& backend, const SmoothingRequest& request);

/// Smooths bounds in the memory of the backend's device, as Smoother::smoothOnDevice. Of a result that stays
/// there, the report counts violations, but lists none.
struct DeviceSmoothing {
    SmoothingReport report;
    std::size_t knownPairs = 0;
};
std::optional<DeviceSmoothing> smoothOnDevice(Backend& backend, const DeviceBoundRequest& request,
                                              const AnyBoundMatrices& host, const SmoothingOptions& options,
                                              Progress& progress);

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
