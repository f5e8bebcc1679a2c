#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <tuple>

#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/structure/energy_backend.hpp"
#include "engine/structure/neighbours.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "kernels_cuda/structure/fold_kernels.hpp"

namespace glycine::structure::cuda {

namespace {

using glycine::cuda::CudaBackend;
using glycine::cuda::DeviceBuffer;
using glycine::cuda::FoldModels;
using glycine::cuda::FoldTables;
using glycine::cuda::kAtomGroup;
using glycine::cuda::kFoldTerms;
using glycine::cuda::kMostNeighbours;
using glycine::cuda::onDevice;

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

/// The lists of a problem, on the device.
class Tables {
  public:
    Tables(const CudaBackend& backend, const FoldProblem& problem) {
        const GatherTerms terms(problem);
        const ContactTable contacts(problem);
        view_.atoms = terms.atoms;
        view_.distances = sizeOf(terms.distances);
        view_.restraints = terms.restraints;
        view_.dihedrals = sizeOf(terms.dihedrals);
        view_.windows = terms.windows;
        view_.ringWindows = terms.ringWindows;
        view_.kinds = sizeOf(contacts.kinds);
        view_.reach = contacts.longest + kNeighbourSkin;
        view_.skin = kNeighbourSkin;
        std::vector<std::uint32_t> kind(contacts.kind.begin(), contacts.kind.end());
        std::vector<std::uint8_t> isHydrogen;
        for (const Atom& atom : problem.molecule->atoms) isHydrogen.push_back(atom.isHydrogen() ? 1 : 0);
        std::vector<std::uint32_t> firstExcluded{0}, excluded;
        for (const std::vector<AtomIndex>& near : problem.excluded) {
            excluded.insert(excluded.end(), near.begin(), near.end());
            firstExcluded.push_back(sizeOf(excluded));
        }
        const auto put = [&]<class T>(const std::vector<T>& values, const T*& place) {
            DeviceBuffer<T> buffer = onDevice(backend, values);
            place = buffer.data();
            std::get<std::vector<DeviceBuffer<T>>>(buffers_).push_back(std::move(buffer));
        };
        put(terms.distances, view_.distance);
        put(terms.pairs, view_.pairs);
        put(terms.firstOfAlias, view_.firstOfAlias);
        put(terms.ofAlias, view_.ofAlias);
        put(terms.dihedrals, view_.dihedral);
        put(terms.firstOfAtom, view_.firstOfAtom);
        put(terms.ofAtom, view_.ofAtom);
        put(kind, view_.kind);
        put(isHydrogen, view_.isHydrogen);
        put(contacts.distances, view_.contacts);
        put(firstExcluded, view_.firstExcluded);
        put(excluded, view_.excluded);
    }
    const FoldTables& view() const { return view_; }

  private:
    template <class T>
    static std::uint32_t sizeOf(const std::vector<T>& values) {
        return static_cast<std::uint32_t>(values.size());
    }
    FoldTables view_{};
    std::tuple<std::vector<DeviceBuffer<GatherDistance>>, std::vector<DeviceBuffer<GatherPair>>,
               std::vector<DeviceBuffer<GatherDihedral>>, std::vector<DeviceBuffer<std::uint32_t>>,
               std::vector<DeviceBuffer<std::uint8_t>>, std::vector<DeviceBuffer<double>>>
        buffers_;
};

/// Doubles and whole numbers of a model with so many atoms, distances and dihedral angles.
std::size_t doublesOf(std::size_t atoms, std::size_t distances, std::size_t dihedrals) {
    return 9 * atoms + 4 * ((atoms + kAtomGroup - 1) / kAtomGroup) + distances + dihedrals + kFoldTerms;
}
std::size_t wordsOf(std::size_t atoms) {
    return (kMostNeighbours + 3) * atoms + 1;
}

class CudaEnergy final : public EnergyEngine {
  public:
    CudaEnergy(const CudaBackend& backend, const FoldProblem& problem, std::size_t models)
        : backend_(backend),
          models_(models),
          atoms_(problem.molecule->atoms.size()),
          tables_(backend, problem),
          doubles_(backend.memory(),
                   models * doublesOf(atoms_, tables_.view().distances, tables_.view().dihedrals)),
          words_(backend.memory(), models * wordsOf(atoms_)),
          host_((models * (3 * atoms_ + kFoldTerms)) * sizeof(double)),
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
        view_.neighbours = wordShare(kMostNeighbours * atoms_);
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
        glycine::cuda::launchFoldEnergies(launch(), tables_.view(), view_,
                                          {weights.restraints, weights.vanDerWaals, weights.heavyAtomsOnly},
                                          static_cast<unsigned>(models_), host);
        stream_.synchronize();
        copy(vectors, gradients.data());
        const double* one = host + 3 * models_ * atoms_;
        for (std::size_t model = 0; model < models_; ++model, one += kFoldTerms)
            energies[model] = {one[0], one[1], one[2], one[3], one[4]};
    }

  private:
    glycine::cuda::Launch launch() const { return {stream_.handle(), backend_.multiprocessors()}; }

    /// Names are exchanged seldom.
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
    int threads_ = omp_get_max_threads();
};

class CudaEnergies final : public EnergyBackend {
  public:
    explicit CudaEnergies(const CudaBackend& backend) : backend_(backend) {}

    Support supports(const EnergyRequest& request) const override {
        if (Support known = variants().supports(request.variant); !known) return known;
        backend_.makeCurrent();
        // Several restraints an atom; what the problem's own lists take is little beside that of the models.
        const std::size_t bytes =
            request.models * (sizeof(double) * doublesOf(request.atoms, 4 * request.atoms, request.atoms) +
                              sizeof(std::uint32_t) * wordsOf(request.atoms));
        const std::size_t available = backend_.memory().available();
        // So few keep a device of 100 multiprocessors half idle, while cpu's threads have a model each.
        constexpr std::size_t kFewModels = 64;
        if (bytes <= available)
            return request.models > 0 && request.models < kFewModels
                       ? Support::slowly(
                             fmt::format("cuda evaluates ensembles of {} models and more", kFewModels))
                       : Support::yes();
        return Support::no(
            lackOfDeviceMemory(fmt::format("{} models of {} atoms", request.models, request.atoms),
                               static_cast<double>(bytes), available));
    }
    std::unique_ptr<EnergyEngine> start(const FoldProblem& problem, std::size_t models) override {
        backend_.makeCurrent();
        return std::make_unique<CudaEnergy>(backend_, problem, models);
    }

  private:
    const CudaBackend& backend_;
};

}  // namespace

EnergyEntry energy() {
    return implementWith<EnergyBackend, CudaEnergies, CudaBackend>(variants());
}

}  // namespace glycine::structure::cuda
