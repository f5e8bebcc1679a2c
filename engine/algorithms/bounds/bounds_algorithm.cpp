#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/algorithms/bounds/commands.hpp"
#include "engine/core/error.hpp"

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

    std::vector<VariantInfo> variants() const override {
        std::vector<VariantInfo> all;
        for (const SmootherEntry& entry : smootherEntries())
            all.insert(all.end(), entry.variants.begin(), entry.variants.end());
        return all;
    }

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
        }
        return {};
    }
};

}  // namespace

const Algorithm& registeredAlgorithm() {
    return AlgorithmRegistry::instance().find("bounds");
}

Support supportsRequest(Backend& backend, const SmoothingRequest& request) {
    for (const SmootherEntry& entry : smootherEntries())
        if (entry.backend == backend.name()) return entry.create(backend)->supports(request);
    return Support::no(fmt::format("bounds has no implementation for the backend '{}'", backend.name()));
}

void requireVariant(const std::string& backend, Variant variant) {
    if (variant == Variant::Default) return;
    std::vector<std::string> known;
    for (const VariantInfo& info : registeredAlgorithm().variants())
        if (info.backend == backend) known.push_back(info.name);
    if (!known.empty() && std::find(known.begin(), known.end(), toString(variant)) == known.end())
        throw UsageError(fmt::format("the backend '{}' has no variant '{}'; it has: {}", backend,
                                     toString(variant), fmt::join(known, ", ")));
}

}  // namespace bounds

void register_bounds() {
    AlgorithmRegistry::instance().add(std::make_unique<bounds::BoundsAlgorithm>());
}

}  // namespace glycine
