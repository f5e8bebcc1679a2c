#include <memory>

#include "app/bounds/commands.hpp"

namespace glycine {

namespace bounds {

namespace {

class BoundsAlgorithm : public Algorithm {
  public:
    std::string_view name() const override { return "bounds"; }
    std::string_view summary() const override {
        return "Tightens the bounds on the distances between a molecule's atoms by the triangle inequality";
    }
    std::string_view source() const override {
        return "P. Micikevicius, GPU Computing for Protein Structure Prediction, GPU Gems 2 (2005), chapter "
               "43";
    }

    std::vector<VariantInfo> variants() const override { return allVariants(smootherEntries()); }

    Support supports(Backend& backend, std::string_view variant, std::size_t size) const override {
        const Variant parsed = variant.empty() ? Variant::Default : parseVariant(variant);
        return supportsRequest(backend, {parsed, NumberFormat::Float32, size});
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
                break;  // the chapter's table is `bench bounds` over its sizes
        }
        return {};
    }
};

}  // namespace

const Algorithm& registeredAlgorithm() {
    return AlgorithmRegistry::instance().find("bounds");
}

Support supportsRequest(Backend& backend, const SmoothingRequest& request) {
    return glycine::supportsRequest("bounds", smootherEntries(), backend, request);
}

}  // namespace bounds

void register_bounds() {
    AlgorithmRegistry::instance().add(std::make_unique<bounds::BoundsAlgorithm>());
}

}  // namespace glycine
