#include <memory>

#include "app/crossapen/commands.hpp"
#include "engine/algorithms/crossapen/match_engine.hpp"
#include "engine/algorithms/crossapen/membership_engine.hpp"

namespace glycine {

namespace crossapen {

namespace {

class CrossApEnAlgorithm : public Algorithm {
  public:
    std::string_view name() const override { return "crossapen"; }
    std::string_view summary() const override {
        return "Computes cross-approximate entropies of all channel pairs of EEG and MEG recordings";
    }
    std::string_view generatedName() const override { return "signals"; }
    std::string_view source() const override {
        return "M. Martínez-Zarzuela et al., Cross-Approximate Entropy parallel computation on GPUs for "
               "biomedical signal analysis, Computer Methods and Programs in Biomedicine 112 (2013)";
    }

    std::vector<VariantInfo> variants() const override {
        std::vector<VariantInfo> variants = allVariants(matcherEntries());
        const std::vector<VariantInfo> memberships = allVariants(membershipEntries());
        variants.insert(variants.end(), memberships.begin(), memberships.end());
        return variants;
    }

    Support supports(Backend& backend, std::string_view variant, std::size_t size) const override {
        MatchRequest request;
        request.variant = variant.empty() ? Variant::Default : parseVariant(variant);
        request.samples = size;
        if (request.variant != Variant::Membership)
            return supportsRequest("crossapen", matcherEntries(), backend, request);
        MembershipRequest memberships;
        memberships.variant = request.variant;
        memberships.samples = size;
        return supportsRequest("crossapen", membershipEntries(), backend, memberships);
    }

    Action addTask(Task task, CLI::App& command) const override {
        switch (task) {
            case Task::Run:
                return addRunTask(command);
            case Task::Validate:
                return addValidateTask(command);
            case Task::Bench:
                return addBenchTask(command);
            case Task::Generate:
                return addGenerateTask(command);
            case Task::Reproduce:
                return addReproduceTask(command);
        }
        return {};
    }
};

}  // namespace

const Algorithm& registeredAlgorithm() {
    return AlgorithmRegistry::instance().find("crossapen");
}

}  // namespace crossapen

void register_crossapen();
void register_crossapen() {
    AlgorithmRegistry::instance().add(std::make_unique<crossapen::CrossApEnAlgorithm>());
}

}  // namespace glycine
