#pragma once

#include "engine/core/algorithm.hpp"
#include "engine/core/implementation.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/structure/fold.hpp"

/// Internal to the algorithm: the backends' implementations of the target function, and their registry.
namespace glycine::structure {

/// The ways to evaluate the target function of all models at once.
enum class EnergyVariant {
    Default,
    Serial,      ///< reference: every pair of atoms
    Neighbours,  ///< cpu: neighbour lists, models in parallel on threads
    Gather,      ///< gl, cuda: every atom of every model gathers its terms
};
constexpr auto namesOf(EnergyVariant) {
    using enum EnergyVariant;
    return namesAre<EnergyVariant>(
        "variant",
        {{Default, "default"}, {Serial, "serial"}, {Neighbours, "neighbours"}, {Gather, "gather"}});
}

/// The part of a request that determines whether a backend supports it.
struct EnergyRequest {
    EnergyVariant variant = EnergyVariant::Default;
    std::size_t models = 0;  ///< 0, as for atoms: any number
    std::size_t atoms = 0;
};

/// A backend's implementation of the target function.
class EnergyEngine {
  public:
    virtual ~EnergyEngine() = default;
    static constexpr std::string_view kAlgorithm = "fold";
    static ImplementationList<EnergyEngine>& implementations();
    virtual Support supports(const EnergyRequest& request) const = 0;
    /// Requires a request that `supports` accepted. Backend and problem must outlive the run.
    virtual std::unique_ptr<EnergyRun> start(const FoldProblem& problem, std::size_t models) = 0;
};

/// Returns whether `backend` supports the request; "no" if it has no implementation at all.
Support supportsRequest(Backend& backend, const EnergyRequest& request);
/// Wraps a device's `run` and recounts some models with cpu's code: one in each of the first evaluations,
/// seldom afterwards, and one after each share of a minimisation. Positions are in the device's number
/// format. The run throws WrongResultError if results differ.
std::unique_ptr<EnergyRun> checkedEnergy(std::unique_ptr<EnergyRun> run, const FoldProblem& problem,
                                         std::size_t models, const Backend& backend, const VariantInfo& info);
/// Starts a run on `backend`, checked on devices unless `isUnchecked`. Throws UnavailableError if the
/// backend does not support the problem.
std::unique_ptr<EnergyRun> startEnergy(Backend& backend, const FoldProblem& problem, std::size_t models,
                                       bool isUnchecked = false);

/// Recounts the energies of a device's final models with cpu's code. Throws WrongResultError if they differ.
void recountModels(StageRecount& recount, const Backend& backend, const FoldProblem& problem,
                   std::span<const FoldedModel> models);

/// Allowed difference of a backend's gradients and energies from the reference's, relative to max(1, value).
/// float32 rounds coordinates of a few hundred Å by up to 1.5e-5 Å, and the slope of a ring's distance by
/// forty times that; an atom has several such slopes.
double energyTolerance(std::string_view numberFormat);

/// `fold` for AlgorithmRegistry.
const Algorithm& algorithm();

// One per backend, defined next to its implementation.
namespace reference {
Implementation<EnergyEngine> energy();
}
namespace cpu {
Implementation<EnergyEngine> energy();
}
namespace gl {
Implementation<EnergyEngine> energy();
}
namespace cuda {
Implementation<EnergyEngine> energy();
}

}  // namespace glycine::structure
