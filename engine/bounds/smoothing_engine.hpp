#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/tetrangle.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/device_matrix.hpp"
#include "engine/core/implementation.hpp"

/// Internal interface of the algorithm: what each backend implements, and queries over all backends.
namespace glycine::bounds {

/// The part of a request that determines whether a backend supports it.
struct SmoothingRequest {
    Variant variant = Variant::Default;
    NumberFormat format = NumberFormat::Float32;
    std::size_t atoms = 0;  ///< 0: any number
    /// Outward requires exact sums wherever a float holds the sum. Every processor guarantees this; for GL
    /// drivers it is measured.
    Rounding rounding = Rounding::Nearest;
    /// Returns the smallest bound above 0 in Å; 0 if there is none. Reads all bounds, so that only backends
    /// that depend on it call it. Empty: not known.
    std::function<double()> smallest{};
    bool tetrangles = false;  ///< whether limits by tetrangles are wanted, too
};

/// Report of a run, next to the matrices that it changed.
struct SmoothingOutcome {
    Variant variant = Variant::Default;  ///< the one that ran
    SmoothingTimes times;
    std::string note;
    std::optional<SharedWork> shared;
};

class BlockWorker;
struct SharedTask;
struct WorkerPart;

/// Bounds of n atoms in a device's memory, owned by the caller: Å, unknown upper bounds infinite.
struct DeviceBoundRequest {
    Variant variant = Variant::Default;
    NumberFormat format = NumberFormat::Float32;  ///< no fixed ones
    DeviceMatrix upper, lower;                    ///< lower.data null: all lower bounds are 0
    /// Targets of the smoothed bounds, in the number format; null data: none.
    DeviceMatrix smoothedUpper, smoothedLower;
    double tolerance = 0;  ///< of violations, Å
};
struct DeviceBoundOutcome : SmoothingOutcome {
    std::size_t knownPairs = 0;      ///< of the input, as countKnownPairs has it
    std::size_t violationCount = 0;  ///< of the result
};

/// The algorithm on one backend. `smooth` gets checked input (square, equal sizes, n ≥ 1, zero diagonal,
/// symmetric, no NaN, no infinity) for a request that `supports` accepted, and leaves symmetric smoothed
/// bounds; the diagonal may hold anything (the caller zeroes it).
class SmoothingEngine {
  public:
    virtual ~SmoothingEngine() = default;
    static constexpr std::string_view kAlgorithm = "bounds";
    static ImplementationList<SmoothingEngine>& implementations();
    virtual Support supports(const SmoothingRequest& request) const = 0;
    virtual SmoothingOutcome smooth(const AnyBoundMatrices& matrices, Variant variant,
                                    Progress& progress) = 0;
    /// Smooths bounds in the memory of its own device without changing them. Also writes the result to
    /// `host`, as `smooth` does, unless its matrices have no memory. Returns nothing if the device cannot
    /// take the arrays, has no room, or finds bounds that are not symmetric to the bit or a lower bound above
    /// its upper bound. The host must check such input.
    virtual std::optional<DeviceBoundOutcome> smoothOnDevice(const DeviceBoundRequest& /*request*/,
                                                             const AnyBoundMatrices& /*host*/,
                                                             Progress& /*progress*/) {
        return std::nullopt;
    }
    /// Facts that device and program report about a published variant, by the names of `reproduce`'s claims.
    virtual std::map<std::string, double> facts(Variant /*variant*/) const { return {}; }

    // Tetrangles (tetrangle.hpp)
    /// Whether the device has room for so many atoms, at most kMaxTetrangleAtoms.
    virtual Support supportsTetrangles(std::size_t atoms) const = 0;
    /// The limits of all pairs, by the bounds that `matrices` hold: smoothed, of both kinds, as `smooth`
    /// leaves them. Progress counts pairs of the atoms. Throws UnavailableError for bounds that it cannot
    /// take.
    virtual TetrangleLimits tetrangleLimits(const AnyBoundMatrices& matrices, Progress& progress) = 0;

    // Several workers that share the blocks (shared_smoothing.hpp)
    /// Fills `side` and `closesUpper` of the task, and does the work that the variant does not share. Throws
    /// UnavailableError if the variant shares nothing.
    virtual SmoothingOutcome beginShared(const AnyBoundMatrices& matrices, Variant variant,
                                         Progress& progress, SharedTask& task);
    /// A worker with room for its blocks. Throws UnavailableError where there is none.
    virtual std::unique_ptr<BlockWorker> worker(const WorkerPart& part);
};

/// Whether `backend` supports the request; no if it has no implementation.
Support supportsRequest(Backend& backend, const SmoothingRequest& request);

/// Smooths bounds in the memory of the backend's device, as SmoothingEngine::smoothOnDevice. If the result
/// stays there, the report counts violations but lists none.
struct DeviceSmoothing {
    SmoothingReport report;
    std::size_t knownPairs = 0;
};
std::optional<DeviceSmoothing> smoothOnDevice(Backend& backend, const DeviceBoundRequest& request,
                                              const AnyBoundMatrices& host, const SmoothingOptions& options,
                                              Progress& progress);

/// Static description of `bounds`.
const Algorithm& algorithm();

// One per backend, defined next to its implementation.
namespace reference {
Implementation<SmoothingEngine> smoothingEngine();
}
namespace cpu {
Implementation<SmoothingEngine> smoothingEngine();
}
namespace gl {
Implementation<SmoothingEngine> smoothingEngine();
}
namespace cuda {
Implementation<SmoothingEngine> smoothingEngine();
}

}  // namespace glycine::bounds
