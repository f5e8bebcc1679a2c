#pragma once

#include "engine/core/algorithm.hpp"
#include "engine/core/implementation.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/structure/fold.hpp"

/// Inside the algorithm: what each backend has of the target function, and what is known of them all.
namespace glycine::structure {

/// The ways to evaluate the target function of all models at once.
enum class EnergyVariant {
    Default,
    Serial,      ///< reference: every pair of atoms
    Neighbours,  ///< cpu: lists of neighbours, models side by side on threads
    Gather,      ///< gl, cuda: every atom of every model gathers its terms
};
constexpr auto namesOf(EnergyVariant) {
    using enum EnergyVariant;
    return namesAre<EnergyVariant>(
        "variant",
        {{Default, "default"}, {Serial, "serial"}, {Neighbours, "neighbours"}, {Gather, "gather"}});
}

/// One request, as far as it decides whether a backend can take it.
struct EnergyRequest {
    EnergyVariant variant = EnergyVariant::Default;
    std::size_t models = 0;  ///< 0, of these two: any number
    std::size_t atoms = 0;
};

/// What a backend has of the target function.
class EnergyBackend {
  public:
    virtual ~EnergyBackend() = default;
    static constexpr std::string_view kAlgorithm = "fold";
    static ImplementationList<EnergyBackend>& implementations();
    virtual Support supports(const EnergyRequest& request) const = 0;
    /// For a request that `supports` accepted. Backend and problem outlive the engine.
    virtual std::unique_ptr<EnergyEngine> start(const FoldProblem& problem, std::size_t models) = 0;
};

using EnergyEntry = Implementation<EnergyBackend>;
/// Whether `backend` can take the request; also "no" when it has no implementation at all.
Support supportsRequest(Backend& backend, const EnergyRequest& request);
/// `engine` of a device, some of whose models are evaluated again by cpu's code: one in each of the first
/// evaluations, and seldom afterwards, from positions in the device's number format. It throws
/// WrongResultError where they differ.
std::unique_ptr<EnergyEngine> checkedEnergy(std::unique_ptr<EnergyEngine> engine, const FoldProblem& problem,
                                            std::size_t models, const Backend& backend,
                                            const VariantInfo& info);
/// What evaluates on `backend`: on a device, checked unless `isUnchecked`. Throws UnavailableError when the
/// backend cannot take it.
std::unique_ptr<EnergyEngine> startEnergy(Backend& backend, const FoldProblem& problem, std::size_t models,
                                          bool isUnchecked = false);

/// Evaluates the models that a device's run has left again, by cpu's code. Throws WrongResultError where
/// their energies differ.
void recountModels(StageRecount& recount, const Backend& backend, const FoldProblem& problem,
                   std::span<const FoldedModel> models);

/// How far gradients and energies of a backend may lie from the reference's, relative to the larger of 1 and
/// what is compared. float32 rounds coordinates of up to a few hundred Å by up to 1.5e-5 Å, and the slope of
/// a distance in a ring by forty times that; an atom has several of them.
double energyTolerance(std::string_view numberFormat);

/// `fold`, as AlgorithmRegistry takes it.
const Algorithm& algorithm();

// One a backend; each is defined beside its implementation.
namespace reference {
EnergyEntry energy();
}
namespace cpu {
EnergyEntry energy();
}
namespace gl {
EnergyEntry energy();
}
namespace cuda {
EnergyEntry energy();
}

}  // namespace glycine::structure
