#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/structure/energy_engine.hpp"
#include "engine/structure/neighbours.hpp"
#include "engine/structure/torsion_tree.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "kernels_cuda/structure/fold_kernels.hpp"
#include "kernels_cuda/structure/sweep_steps.hpp"

namespace glycine::structure::cuda {

namespace {

using glycine::cuda::CudaBackend;
using glycine::cuda::DeviceBuffer;
using glycine::cuda::FoldModels;
using glycine::cuda::FoldStep;
using glycine::cuda::FoldTables;
using glycine::cuda::FoldTree;
using glycine::cuda::FoldVector;
using glycine::cuda::FoldVisit;
using glycine::cuda::FoldWeights;
using glycine::cuda::kAtomGroup;
using glycine::cuda::kBodyFields;
using glycine::cuda::keptByDynamics;
using glycine::cuda::keptByMinimiser;
using glycine::cuda::kFoldTerms;
using glycine::cuda::kMaxNeighbours;
using glycine::cuda::kNoBody;
using glycine::cuda::onDevice;

/// Å by which lists reach beyond contacts. A list is valid until an atom has moved half as far.
constexpr double kSkin = 1;

const VariantTable<EnergyVariant>& variants() {
    static const VariantTable<EnergyVariant> table(
        "cuda", {"float64"},
        {{EnergyVariant::Gather,
          "a block a model; each atom gathers its terms, from lists of neighbours made on the device",
          "",
          {},
          true}});
    return table;
}

FoldWeights weightsOf(const EnergyWeights& weights) {
    return {weights.restraints, weights.vanDerWaals, weights.heavyAtomsOnly, weights.core};
}

template <class T>
std::uint32_t sizeOf(const std::vector<T>& values) {
    return static_cast<std::uint32_t>(values.size());
}

/// Owns device buffers that hold lists.
template <class... Numbers>
class Lists {
  public:
    explicit Lists(const CudaBackend& backend) : backend_(backend) {}
    template <class T>
    const T* put(const std::vector<T>& values) {
        return std::get<std::vector<DeviceBuffer<T>>>(buffers_)
            .emplace_back(onDevice(backend_, values))
            .data();
    }

  private:
    const CudaBackend& backend_;
    std::tuple<std::vector<DeviceBuffer<Numbers>>...> buffers_;
};

/// A problem's lists in device memory.
class Tables {
  public:
    Tables(const CudaBackend& backend, const FoldProblem& problem) : lists_(backend) {
        const GatherTerms terms(problem);
        const ContactTable contacts(problem);
        view_.atoms = terms.atoms;
        view_.distances = sizeOf(terms.distances);
        view_.restraints = terms.restraints;
        view_.dihedrals = sizeOf(terms.dihedrals);
        view_.windows = terms.windows;
        view_.ringWindows = terms.ringWindows;
        view_.kinds = sizeOf(contacts.kinds);
        view_.reach = contacts.longest + kSkin;
        view_.skin = kSkin;
        view_.coreShare = kCoreShare;
        view_.leastCore = kLeastCore;
        std::vector<std::uint32_t> kind(contacts.kind.begin(), contacts.kind.end());
        std::vector<std::uint8_t> isHydrogen;
        for (const Atom& atom : problem.molecule->atoms) isHydrogen.push_back(atom.isHydrogen() ? 1 : 0);
        std::vector<std::uint64_t> near;
        std::vector<std::uint32_t> firstFar{0}, far;
        for (AtomIndex a = 0; a < problem.excluded.size(); ++a) {
            near.push_back(0);
            for (const AtomIndex b : problem.excluded[a]) {
                if (b >= a && b - a < 64) near.back() |= std::uint64_t{1} << (b - a);
                if (b >= a + 64) far.push_back(b);
            }
            firstFar.push_back(sizeOf(far));
        }
        view_.distance = lists_.put(terms.distances);
        view_.pairs = lists_.put(terms.pairs);
        view_.firstOfAlias = lists_.put(terms.firstOfAlias);
        view_.ofAlias = lists_.put(terms.ofAlias);
        view_.dihedral = lists_.put(terms.dihedrals);
        view_.firstOfAtom = lists_.put(terms.firstOfAtom);
        view_.ofAtom = lists_.put(terms.ofAtom);
        view_.kind = lists_.put(kind);
        view_.isHydrogen = lists_.put(isHydrogen);
        view_.contacts = lists_.put(contacts.distances);
        view_.near = lists_.put(near);
        view_.firstFar = lists_.put(firstFar);
        view_.far = lists_.put(far);
    }
    const FoldTables& view() const { return view_; }

  private:
    FoldTables view_{};
    Lists<GatherDistance, GatherPair, GatherDihedral, std::uint32_t, std::uint64_t, std::uint8_t, double>
        lists_;
};

/// A molecule's tree in device memory, and the numbers of all models' bodies.
class DeviceTree {
  public:
    DeviceTree(const CudaBackend& backend, const TorsionTree& tree, const Molecule& molecule,
               std::size_t models)
        : tree_(tree), lists_(backend), bodies_(backend.memory(), models * kBodyFields * tree.bodies.size()) {
        const std::size_t count = tree.bodies.size();
        const auto vectorOf = [](const Vector& v) { return FoldVector{v.x, v.y, v.z}; };
        std::vector<std::int32_t> parent;
        std::vector<FoldVector> axis, offset, centre;
        std::vector<double> mass;
        std::vector<std::vector<std::uint32_t>> children(count), atoms(count);
        std::vector<std::uint32_t> bodyOf(molecule.atoms.size());
        std::vector<FoldVector> rest(molecule.atoms.size());
        for (std::size_t b = 0; b < count; ++b) {
            const TorsionTree::Body& body = tree.bodies[b];
            const auto own = static_cast<std::uint32_t>(b);
            Vector from = body.origin;
            if (body.parent >= 0) {
                const auto above = static_cast<std::size_t>(body.parent);
                from = tree.bodies[above].origin;
                children[above].push_back(own);
            }
            parent.push_back(body.parent);
            axis.push_back(vectorOf(body.axis));
            offset.push_back(vectorOf(body.origin - from));
            centre.push_back(vectorOf(body.centre - body.origin));
            mass.push_back(body.mass());
            atoms[b].assign(body.atoms.begin(), body.atoms.end());
            for (const AtomIndex a : body.atoms) {
                bodyOf[a] = own;
                rest[a] = vectorOf(molecule.ideal[a] - body.origin);
            }
        }
        const std::vector<std::uint32_t> roots(tree.roots.begin(), tree.roots.end());
        view_.bodies = static_cast<unsigned>(count);
        const std::vector<std::uint32_t> steps = glycine::cuda::sweepSteps(parent);
        view_.steps = sizeOf(steps) / glycine::cuda::kBodiesOfStep;
        view_.rootCount = sizeOf(roots);
        view_.freedom = static_cast<double>(tree.freedom());
        view_.roots = lists_.put(roots);
        view_.parent = lists_.put(parent);
        view_.axis = lists_.put(axis);
        view_.offset = lists_.put(offset);
        view_.centre = lists_.put(centre);
        view_.mass = lists_.put(mass);
        std::vector<std::uint32_t> firstChild, firstAtom;
        view_.children = lists_.put(flattened(children, firstChild));
        std::vector<FoldVisit> visits(steps.size(), {kNoBody, kNoBody, 0, 0});
        for (std::size_t k = 0; k < steps.size(); ++k) {
            const std::uint32_t b = steps[k];
            if (b != kNoBody)
                visits[k] = {b, parent[b] < 0 ? kNoBody : static_cast<std::uint32_t>(parent[b]),
                             firstChild[b], firstChild[b + 1]};
        }
        view_.visits = lists_.put(visits);
        view_.atomsOf = lists_.put(flattened(atoms, firstAtom));
        view_.firstAtom = lists_.put(firstAtom);
        view_.bodyOf = lists_.put(bodyOf);
        view_.rest = lists_.put(rest);
    }

    bool isOf(const TorsionTree& tree) const { return &tree_ == &tree; }
    const TorsionTree& tree() const { return tree_; }
    const FoldTree& view() const { return view_; }
    double* bodies() const { return bodies_.data(); }
    /// Count of numbers per model that host and device exchange.
    std::size_t numbersOf(const glycine::cuda::FoldKept& kept) const {
        return kept.count(view_.bodies, view_.rootCount);
    }

  private:
    /// Returns all groups' members one after another; `first`: the first of each group, and the end.
    static std::vector<std::uint32_t> flattened(const std::vector<std::vector<std::uint32_t>>& groups,
                                                std::vector<std::uint32_t>& first) {
        std::vector<std::uint32_t> all;
        first.assign(1, 0);
        for (const auto& group : groups) {
            all.insert(all.end(), group.begin(), group.end());
            first.push_back(sizeOf(all));
        }
        return all;
    }

    const TorsionTree& tree_;
    Lists<std::int32_t, std::uint32_t, double, FoldVector, FoldVisit> lists_;
    FoldTree view_{};
    DeviceBuffer<double> bodies_;
};

/// Copies values to or from consecutive numbers.
template <bool kIsUp>
class NumberCopy {
  public:
    explicit NumberCopy(double* numbers) : next_(numbers) {}
    void operator()(double& own) {
        if constexpr (kIsUp)
            *next_++ = own;
        else
            own = *next_++;
    }
    void operator()(std::vector<double>& own) {
        for (double& one : own) (*this)(one);
    }
    void operator()(Vector& own) {
        for (double* one : {&own.x, &own.y, &own.z}) (*this)(*one);
    }
    void operator()(Rotation& own) {
        for (Vector* one : {&own.x, &own.y, &own.z}) (*this)(*one);
    }

  private:
    double* next_;
};

/// Dynamics of all models.
class Dynamics {
  public:
    Dynamics(const CudaBackend& backend, const DeviceTree& device, std::size_t models)
        : device_(device),
          tree_(device.tree()),
          models_(models),
          numbers_(device.numbersOf(keptByDynamics())),
          kept_(backend.memory(), numbers_ * models),
          controls_(backend.memory(), 2 * models),
          steps_(backend.memory(), kMaxSteps),
          host_((numbers_ + 2) * models * sizeof(double)),
          hostSteps_(kMaxSteps * sizeof(FoldStep)) {}

    static constexpr std::size_t kMaxSteps = 64;

    void run(const glycine::cuda::Launch& launch, const glycine::cuda::Stream& stream,
             const FoldTables& tables, const FoldModels& models, std::span<const DynamicsState> states,
             std::span<const DynamicsStep> steps, int threads) {
        auto* const kept = reinterpret_cast<double*>(host_.data());
        double* const controls = kept + models_ * numbers_;
        auto* const hostSteps = reinterpret_cast<FoldStep*>(hostSteps_.data());
        parallelFor(threads, models_, [&](std::size_t m, std::size_t) {
            copy<true>(states[m], kept + m * numbers_);
            controls[2 * m] = *states[m].timeStep;
            controls[2 * m + 1] = *states[m].lastTotal;
        });
        for (std::size_t k = 0; k < steps.size(); ++k) {
            const EnergyWeights& weights = steps[k].weights;
            hostSteps[k] = {weightsOf(weights), steps[k].temperature, steps[k].accuracy};
        }
        glycine::cuda::launchFoldDynamics(launch, tables, models, device_.view(),
                                          {device_.bodies(), kept_.data(), controls_.data(), steps_.data()},
                                          static_cast<unsigned>(models_), static_cast<unsigned>(steps.size()),
                                          {kept, controls, hostSteps});
        stream.synchronize();
        parallelFor(threads, models_, [&](std::size_t m, std::size_t) {
            copy<false>(states[m], kept + m * numbers_);
            *states[m].timeStep = controls[2 * m];
            *states[m].lastTotal = controls[2 * m + 1];
        });
    }

  private:
    /// Copies between a model's state and its numbers.
    template <bool kIsUp>
    void copy(const DynamicsState& model, double* numbers) const {
        NumberCopy<kIsUp> next(numbers);
        next(model.state->angle);
        next(model.velocity->torsion);
        next(model.acceleration->torsion);
        for (std::size_t r = 0; r < tree_.roots.size(); ++r) {
            const auto root = static_cast<std::size_t>(tree_.roots[r]);
            next(model.state->rotation[root]);
            next(model.state->place[root]);
            next(model.velocity->turn[r]);
            next(model.velocity->shift[r]);
            next(model.acceleration->turn[r]);
            next(model.acceleration->shift[r]);
        }
    }

    const DeviceTree& device_;
    const TorsionTree& tree_;
    std::size_t models_, numbers_;
    DeviceBuffer<double> kept_, controls_;
    DeviceBuffer<FoldStep> steps_;
    glycine::cuda::PinnedBuffer host_, hostSteps_;
};

/// Minimisation of all models.
class Minimisation {
  public:
    Minimisation(const CudaBackend& backend, const DeviceTree& device, std::size_t models)
        : device_(device),
          models_(models),
          numbers_(device.numbersOf(keptByMinimiser())),
          vectors_(backend.memory(), models * kMinimiserVectors * device.tree().variables()),
          along_(backend.memory(), models * device.tree().variables()),
          accepted_(backend.memory(), models * numbers_),
          states_(backend.memory(), models),
          hostAccepted_(models * numbers_ * sizeof(double)),
          hostStates_(models * sizeof(MinimiserState)) {}

    MinimiserProgress run(const glycine::cuda::Launch& launch, const glycine::cuda::Stream& stream,
                          const FoldTables& tables, const FoldModels& models,
                          std::span<TorsionState* const> states, const MinimiserShare& share) {
        auto* const accepted = reinterpret_cast<double*>(hostAccepted_.data());
        const auto* const found = reinterpret_cast<const MinimiserState*>(hostStates_.data());
        if (share.isFirst)
            for (std::size_t m = 0; m < models_; ++m) copy<true>(*states[m], accepted + m * numbers_);
        const EnergyWeights& weights = share.weights;
        glycine::cuda::launchFoldMinimisation(
            launch, tables, models, device_.view(), device_.bodies(),
            {vectors_.data(), along_.data(), accepted_.data(), states_.data()}, weightsOf(weights),
            static_cast<unsigned>(models_), static_cast<unsigned>(share.evaluations), share.isFirst,
            {accepted, reinterpret_cast<MinimiserState*>(hostStates_.data())});
        stream.synchronize();
        for (std::size_t m = 0; m < models_; ++m) copy<false>(*states[m], accepted + m * numbers_);
        const bool areDone = std::all_of(found, found + models_, [](const auto& one) { return one.isDone; });
        return areDone ? MinimiserProgress::Done : MinimiserProgress::Unfinished;
    }

  private:
    /// Copies between a model's state and its numbers.
    template <bool kIsUp>
    void copy(TorsionState& state, double* numbers) const {
        NumberCopy<kIsUp> next(numbers);
        next(state.angle);
        for (const int root : device_.tree().roots) {
            next(state.rotation[static_cast<std::size_t>(root)]);
            next(state.place[static_cast<std::size_t>(root)]);
        }
    }

    const DeviceTree& device_;
    std::size_t models_, numbers_;
    DeviceBuffer<double> vectors_, along_, accepted_;
    DeviceBuffer<MinimiserState> states_;
    glycine::cuda::PinnedBuffer hostAccepted_, hostStates_;
};

/// Doubles, and 32-bit words below, that a model needs in device memory.
std::size_t doublesOf(std::size_t atoms, std::size_t distances, std::size_t dihedrals) {
    return 9 * atoms + 4 * ((atoms + kAtomGroup - 1) / kAtomGroup) + distances + dihedrals + kFoldTerms;
}
std::size_t wordsOf(std::size_t atoms) {
    return (kMaxNeighbours + 3) * atoms + 1;
}

class CudaEnergyRun final : public EnergyRun {
  public:
    CudaEnergyRun(const CudaBackend& backend, const FoldProblem& problem, std::size_t models)
        : backend_(backend),
          molecule_(*problem.molecule),
          models_(models),
          atoms_(molecule_.atoms.size()),
          tables_(backend, problem),
          doubles_(backend.memory(),
                   models * doublesOf(atoms_, tables_.view().distances, tables_.view().dihedrals)),
          words_(backend.memory(), models * wordsOf(atoms_)),
          host_((std::max<std::size_t>(models, 2) * 3 * atoms_ + models * kFoldTerms) * sizeof(double)),
          hostNames_(2 * models * atoms_ * sizeof(std::uint32_t)) {
        double* numbers = doubles_.data();
        const auto share = [&](std::size_t count) {
            return std::exchange(numbers, numbers + models * count);
        };
        view_.positions = share(3 * atoms_);
        view_.gradients = share(3 * atoms_);
        view_.listedAt = share(3 * atoms_);
        view_.spheres = share(4 * ((atoms_ + kAtomGroup - 1) / kAtomGroup));
        view_.coefficients = share(tables_.view().distances);
        view_.slopes = share(tables_.view().dihedrals);
        view_.energies = share(kFoldTerms);
        std::uint32_t* words = words_.data();
        const auto wordShare = [&](std::size_t count) {
            return std::exchange(words, words + models * count);
        };
        view_.neighbours = wordShare(kMaxNeighbours * atoms_);
        view_.names = wordShare(atoms_);
        view_.aliases = wordShare(atoms_);
        view_.counts = wordShare(atoms_);
        view_.listed = wordShare(1);
        glycine::cuda::launchFoldReset(launch(), view_, static_cast<unsigned>(models));
    }

    void evaluate(std::span<const Vector> positions, std::span<const AtomIndex> names,
                  const EnergyWeights& weights, std::span<Energy> energies,
                  std::span<Vector> gradients) override {
        backend_.makeCurrent();
        takeNames(names);
        auto* const host = reinterpret_cast<double*>(host_.data());
        auto* const vectors = reinterpret_cast<Vector*>(host);
        static_assert(sizeof(Vector) == 3 * sizeof(double));
        const auto copy = [&](const Vector* from, Vector* to) {
            parallelFor(threads_, models_, [&](std::size_t model, std::size_t) {
                std::copy_n(from + model * atoms_, atoms_, to + model * atoms_);
            });
        };
        copy(positions.data(), vectors);
        glycine::cuda::launchFoldEnergies(launch(), tables_.view(), view_, weightsOf(weights),
                                          static_cast<unsigned>(models_), host);
        stream_.synchronize();
        copy(vectors, gradients.data());
        const double* one = host + 3 * models_ * atoms_;
        for (std::size_t model = 0; model < models_; ++model, one += kFoldTerms)
            energies[model] = {one[0], one[1], one[2], one[3], one[4]};
    }

    bool advance(const TorsionTree& tree, std::span<const DynamicsState> models,
                 std::span<const AtomIndex> names, std::span<const DynamicsStep> steps) override {
        backend_.makeCurrent();
        takeNames(names);
        take(tree);
        if (!dynamics_) dynamics_.emplace(backend_, *tree_, models_);
        for (; !steps.empty(); steps = steps.subspan(std::min(steps.size(), Dynamics::kMaxSteps)))
            dynamics_->run(launch(), stream_, tables_.view(), view_, models,
                           steps.first(std::min(steps.size(), Dynamics::kMaxSteps)), threads_);
        return true;
    }

    MinimiserProgress minimise(const TorsionTree& tree, std::span<TorsionState* const> models,
                               std::span<const AtomIndex> names, const MinimiserShare& share) override {
        backend_.makeCurrent();
        takeNames(names);
        take(tree);
        if (!minimisation_) minimisation_.emplace(backend_, *tree_, models_);
        return minimisation_->run(launch(), stream_, tables_.view(), view_, models, share);
    }
    Energy lastEvaluation(std::size_t model, std::span<Vector> positions,
                          std::span<Vector> gradient) override {
        backend_.makeCurrent();
        auto* const host = reinterpret_cast<double*>(host_.data());
        glycine::cuda::launchFoldFetch(launch(), tables_.view(), view_, static_cast<unsigned>(model), host);
        stream_.synchronize();
        const auto* const vectors = reinterpret_cast<const Vector*>(host);
        std::copy_n(vectors, atoms_, positions.data());
        std::copy_n(vectors + atoms_, atoms_, gradient.data());
        const double* const one = host + 6 * atoms_;
        return {one[0], one[1], one[2], one[3], one[4]};
    }

  private:
    glycine::cuda::Launch launch() const { return {stream_.handle(), backend_.multiprocessors()}; }

    void take(const TorsionTree& tree) {
        if (tree_ && tree_->isOf(tree)) return;
        dynamics_.reset();
        minimisation_.reset();
        tree_.emplace(backend_, tree, molecule_, models_);
    }

    /// Uploads names only if they changed, which is seldom.
    void takeNames(std::span<const AtomIndex> names) {
        if (std::equal(names.begin(), names.end(), names_.begin(), names_.end())) return;
        names_.assign(names.begin(), names.end());
        auto* const host = reinterpret_cast<std::uint32_t*>(hostNames_.data());
        std::copy(names.begin(), names.end(), host);
        for (std::size_t k = 0; k < names.size(); ++k)
            host[names.size() + k / atoms_ * atoms_ + names[k]] = static_cast<std::uint32_t>(k % atoms_);
        glycine::cuda::launchFoldNames(launch(), tables_.view(), view_, static_cast<unsigned>(models_), host);
    }

    const CudaBackend& backend_;
    const Molecule& molecule_;
    std::size_t models_;
    std::size_t atoms_;
    Tables tables_;
    DeviceBuffer<double> doubles_;
    DeviceBuffer<std::uint32_t> words_;
    glycine::cuda::PinnedBuffer host_;
    glycine::cuda::PinnedBuffer hostNames_;
    glycine::cuda::Stream stream_;
    FoldModels view_{};
    std::vector<AtomIndex> names_;
    std::optional<DeviceTree> tree_;
    std::optional<Dynamics> dynamics_;
    std::optional<Minimisation> minimisation_;
    int threads_ = omp_get_max_threads();
};

class CudaEnergyEngine final : public EnergyEngine {
  public:
    explicit CudaEnergyEngine(const CudaBackend& backend) : backend_(backend) {}

    Support supports(const EnergyRequest& request) const override {
        if (Support known = variants().supports(request.variant); !known) return known;
        backend_.makeCurrent();
        // Assumes four distances per atom and three atoms per body; lists take half a kilobyte per atom.
        constexpr std::size_t kListBytes = 512;
        const std::size_t bytes =
            kListBytes * request.atoms +
            request.models * (sizeof(double) * (doublesOf(request.atoms, 4 * request.atoms, request.atoms) +
                                                (kBodyFields + kMinimiserVectors) * request.atoms / 3) +
                              sizeof(std::uint32_t) * wordsOf(request.atoms));
        const std::size_t available = backend_.memory().available();
        // The time of a device is mostly that of one model, whose steps are serial: for 24 models of 1PQX,
        // 16 threads are faster than an H200, for 32 slower.
        const std::size_t few = 2 * std::size_t{std::thread::hardware_concurrency()};
        if (bytes <= available)
            return request.models > 0 && request.models < few
                       ? Support::slowly(fmt::format("cuda evaluates ensembles of {} models and more", few))
                       : Support::yes();
        return Support::no(
            lackOfDeviceMemory(fmt::format("{} models of {} atoms", request.models, request.atoms),
                               static_cast<double>(bytes), available));
    }
    std::unique_ptr<EnergyRun> start(const FoldProblem& problem, std::size_t models) override {
        backend_.makeCurrent();
        return std::make_unique<CudaEnergyRun>(backend_, problem, models);
    }

  private:
    const CudaBackend& backend_;
};

}  // namespace

Implementation<EnergyEngine> energy() {
    return implementWith<EnergyEngine, CudaEnergyEngine, CudaBackend>(variants());
}

}  // namespace glycine::structure::cuda
