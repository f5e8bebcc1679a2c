#include <memory>

#include "app/distance/commands.hpp"
#include "engine/algorithms/distance/pair_engine.hpp"
#include "engine/core/algorithm.hpp"

namespace glycine {

namespace distance {

namespace {

class DistanceAlgorithm : public Algorithm {
  public:
    std::string_view name() const override { return "distance"; }
    std::string_view summary() const override {
        return "Computes the distances between all pairs of genotypes, aligned sequences or coordinates";
    }
    std::string_view generatedName() const override { return "genotypes"; }
    std::string_view source() const override {
        return "N. A. Sinnott-Armstrong et al., Exploiting Graphics Processing Units for Computational "
               "Biology "
               "and Bioinformatics, Interdisciplinary Sciences 2 (2010)";
    }

    std::vector<VariantInfo> variants() const override { return allVariants(pairEngineEntries()); }

    Support supports(Backend& backend, std::string_view variant, std::size_t size) const override {
        PairRequest request;
        request.variant = variant.empty() ? Variant::Default : parseVariant(variant);
        request.shape = {size, 0, 2, false, true};
        const Support counts = supportsRequest(backend, request);
        if (counts) return counts;
        // A variant may be for coordinates alone.
        request.isCoordinates = true;
        request.instances = size;
        const Support sums = supportsRequest(backend, request);
        return sums ? sums : counts;
    }

    Action addTask(Task task, CLI::App& command) const override {
        switch (task) {
            case Task::Run:
                return addRunTask(command);
            case Task::Generate:
                return addGenerateTask(command);
            case Task::Validate:
                return addValidateTask(command);
            case Task::Bench:
                return addBenchTask(command);
            case Task::Reproduce:
                return addReproduceTask(command);
        }
        return {};
    }
};

}  // namespace

const Algorithm& registeredAlgorithm() {
    return AlgorithmRegistry::instance().find("distance");
}

}  // namespace distance

void register_distance() {
    AlgorithmRegistry::instance().add(std::make_unique<distance::DistanceAlgorithm>());
}

}  // namespace glycine
